package ingest

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// htmlReader writes an HTML tree as blocks. Inline text gathers in run until an
// element that begins a paragraph ends it.
type htmlReader struct {
	w      *writer
	run    strings.Builder
	linked int  // links around this text
	flat   bool // all is one line, and w isn't used
}

// flush ends the paragraph.
func (h *htmlReader) flush() {
	if h.run.Len() > 0 {
		h.w.paragraph(h.run.String())
		h.run.Reset()
	}
}

func (h *htmlReader) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		h.node(c)
	}
}

func (h *htmlReader) node(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		h.run.WriteString(n.Data)
	case n.Type != html.ElementNode || unread[n.Data] || hidden(n):
	case blockElements[n.Data] && h.flat:
		h.run.WriteByte(' ')
		h.children(n)
		h.run.WriteByte(' ')
	case blockElements[n.Data]:
		h.flush()
		h.block(n)
		h.flush()
	default:
		h.inline(n)
	}
}

func (h *htmlReader) block(n *html.Node) {
	switch n.Data {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		h.w.heading(int(n.Data[1]-'0'), h.phrase(n))
	case "ul", "ol", "menu", "dir":
		h.list(n)
	case "li": // outside of a list
		h.w.depth++
		h.w.item(-1)
		h.children(n)
		h.flush()
		h.w.depth--
		h.w.marker = ""
	case "dl":
		h.definitions(n)
	case "pre":
		h.w.code(language(n), verbatimText(n))
	case "table":
		h.table(n)
	case "title":
	default:
		h.children(n)
	}
}

func (h *htmlReader) inline(n *html.Node) {
	switch n.Data {
	case "br":
		h.run.WriteByte(hardBreak)
	case "a":
		if permalink(n) {
			return
		}
		h.linked++
		h.children(n)
		h.linked--
	case "img":
		if alt := attribute(n, "alt"); h.linked == 0 && strings.Contains(alt, " ") {
			h.run.WriteString(" " + alt + " ")
		}
	case "sup":
		h.superscript(n)
	case "q":
		h.run.WriteByte('"')
		h.children(n)
		h.run.WriteByte('"')
	default:
		h.children(n)
	}
}

// superscript keeps apart what would run into the word before: an exponent, or
// the mark of a footnote.
func (h *htmlReader) superscript(n *html.Node) {
	s := strings.TrimSpace(h.phrase(n))
	before, _ := utf8.DecodeLastRuneInString(h.run.String())
	switch {
	case s == "" || permalinkText[s]:
	case footnoteLink(n) && !strings.HasPrefix(s, "["):
		h.run.WriteString("[" + s + "]")
	case exponent().MatchString(s) && (unicode.IsDigit(before) || unicode.IsLetter(before) || before == ')'):
		h.run.WriteString("^" + s)
	default:
		h.run.WriteString(s)
	}
}

var exponent = lazily(`^[+\-−]?[0-9n]{1,4}$`)

func footnoteLink(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if element(c) == "a" && strings.HasPrefix(attribute(c, "href"), "#") {
			return true
		}
	}
	return n.Parent != nil && n.Parent.Data == "a" && strings.HasPrefix(attribute(n.Parent, "href"), "#")
}

func (h *htmlReader) list(n *html.Node) {
	number := -1
	if n.Data == "ol" {
		number = 1
		if start, err := strconv.Atoi(attribute(n, "start")); err == nil && start >= 0 && start < 1e6 {
			number = start
		}
	}
	h.w.depth++
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if element(c) == "li" && !hidden(c) {
			h.w.item(number)
			h.children(c)
			h.flush()
			if number >= 0 {
				number++
			}
			continue
		}
		h.node(c)
	}
	h.flush()
	h.w.depth--
	h.w.marker = ""
}

// definitions writes a short term and its definition as one item, and others as
// a paragraph for the term and blocks for the definition.
func (h *htmlReader) definitions(n *html.Node) {
	term := ""
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case element(c) == "dt" && !hidden(c):
			h.w.paragraph(term)
			term = squeeze(h.phrase(c))
		case element(c) == "dd" && !hidden(c):
			if term != "" && len(term) <= 100 && !hasBlocks(c) {
				h.w.depth++
				h.w.item(-1)
				h.w.paragraph(strings.TrimSuffix(term, ":") + ": " + h.phrase(c))
				h.w.depth--
			} else {
				h.w.paragraph(term)
				h.children(c)
				h.flush()
			}
			term = ""
		case element(c) == "div": // a group of a term and its definitions
			h.w.paragraph(term)
			term = ""
			h.definitions(c)
		default:
			h.node(c)
		}
	}
	h.flush()
	h.w.paragraph(term)
}

// phrase returns all text below a node as one line.
func (h *htmlReader) phrase(n *html.Node) string {
	p := &htmlReader{linked: h.linked, flat: true}
	p.children(n)
	return squeeze(p.run.String())
}

// unread are elements whose content isn't text of the page.
var unread = set(`script style noscript template iframe object embed canvas audio video svg head textarea select
	button input dialog datalist annotation annotation-xml rp`)

// permalinkText is what links from a heading to itself show.
var permalinkText = map[string]bool{"¶": true, "#": true, "§": true, "🔗": true, "": true, "[link]": true, "[edit]": true, "edit": true, "\uf0c1": true}

// permalink tells whether a link leads from a heading to itself.
func permalink(n *html.Node) bool {
	class := attribute(n, "class")
	if strings.Contains(class, "headerlink") || strings.Contains(class, "anchorjs") || strings.Contains(class, "hash-link") {
		return true
	}
	return strings.HasPrefix(attribute(n, "href"), "#") && permalinkText[strings.TrimSpace(rawText(n, 64))]
}

func hasBlocks(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && (blockElements[c.Data] && (c.Data != "p" || c != onlyElement(n)) || hasBlocks(c)) {
			return true
		}
	}
	return false
}

// onlyElement returns the one element in a node, or nil.
func onlyElement(n *html.Node) *html.Node {
	var only *html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			if only != nil {
				return nil
			}
			only = c
		}
	}
	return only
}

// rawText returns the text below a node as it is, up to about limit bytes.
func rawText(n *html.Node, limit int) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil && b.Len() < limit; c = c.NextSibling {
			if c.Type == html.TextNode {
				b.WriteString(c.Data)
			} else if c.Type == html.ElementNode && !unread[c.Data] {
				walk(c)
			}
		}
	}
	walk(n)
	return b.String()
}

// verbatimText returns the text of a pre element, a line break for each br and
// between two code elements.
func verbatimText(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type == html.TextNode:
				b.WriteString(c.Data)
			case element(c) == "br":
				b.WriteByte('\n')
			case c.Type == html.ElementNode && !unread[c.Data] && !permalink(c):
				if c.Data == "code" && c.PrevSibling != nil && element(c.PrevSibling) == "code" {
					b.WriteByte('\n')
				}
				walk(c)
			}
		}
	}
	walk(n)
	return strings.ReplaceAll(b.String(), "\u00a0", " ")
}

var codeClass = lazily(`(?:^|\s)(?:language|lang|highlight-source|brush:)-?\s*([A-Za-z0-9+#]{1,20})`)

// language returns the language of a pre element, if its class names one.
func language(n *html.Node) string {
	for _, e := range []*html.Node{n, onlyElement(n), n.Parent} {
		if e == nil {
			continue
		}
		if m := codeClass().FindStringSubmatch(attribute(e, "class")); m != nil {
			return strings.ToLower(m[1])
		}
	}
	return ""
}

// element returns the name of an element, and "" of any other node.
func element(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	return n.Data
}

func attribute(n *html.Node, name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// hidden tells whether an element isn't shown.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			if a.Val != "until-found" {
				return true
			}
		case "aria-hidden":
			// Icons and decorations; some sites mark whole pages so under a dialog.
			if a.Val == "true" && inlineElements[n.Data] {
				return true
			}
		case "style":
			style := strings.ReplaceAll(strings.ToLower(a.Val), " ", "")
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}
