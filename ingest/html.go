package ingest

import (
	"io"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
)

// Bounds of a page that readability is asked about: it goes over the tree many
// times. In elements and in bytes.
const (
	maxReadableElements = 20_000
	maxReadableBytes    = 2 << 20
)

// goHeader finds the title in the comment that the Go project's pages begin with.
var goHeader = lazily(`^\s*<!--\{\s*"Title":\s*"([^"]{1,200})"`)

// readHTML reads the main text of a page.
func readHTML(s string, xml bool, d *draft) {
	root := parseTree(s, xml || strings.HasPrefix(strings.TrimSpace(s[:min(len(s), 64)]), "<?xml"))
	readHead(root, d)
	if m := goHeader().FindStringSubmatch(s[:min(len(s), 1024)]); m != nil && d.title == "" {
		d.title = m[1]
	}
	main := mainPart(root, len(s))
	h := &htmlReader{w: &d.writer}
	// Readability takes the first heading for a title, and out of the text.
	if find(main, isH1) == nil {
		if h1 := find(root, isH1); h1 != nil {
			h.node(h1)
		}
	}
	h.children(main)
	h.flush()
	if len(d.blocks) == 0 && main != root {
		// Nothing in the part that was taken to be the text: take all.
		h.children(root)
		h.flush()
	}
}

// enoughLetters is how much text an element marked as the main part must hold
// to be believed, where the page has much else.
const enoughLetters = 400

// mainPart returns the part of a page that holds its text. Of the candidates
// (the element that the page itself marks as main, what readability finds, the
// body) it is the first that keeps at least half of the body's text outside of
// navigation: readability is made for articles, and drops most of a reference
// page, of a table, or of many short sections.
func mainPart(root *html.Node, size int) *html.Node {
	body := find(root, func(n *html.Node) bool { return n.Data == "body" })
	if body == nil {
		body = root
	}
	prune(body, false)
	all := weigh(body)
	if marked := markedMain(body); marked != nil {
		w := weigh(marked)
		if w.keepsMostOf(all) || marked.Data != "article" && w.letters >= enoughLetters {
			return marked
		}
	}
	if size <= maxReadableBytes {
		if article := readable(root); article != nil && weigh(article).keepsMostOf(all) {
			return article
		}
	}
	return body
}

// weight measures what a part of a page holds.
type weight struct{ letters, headings, rows, code int }

func (w weight) keepsMostOf(all weight) bool {
	return w.letters*2 >= all.letters && w.headings*2 >= all.headings && w.rows*2 >= all.rows && w.code*2 >= all.code
}

func weigh(n *html.Node) weight {
	var w weight
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch e := element(c); {
			case c.Type == html.TextNode:
				w.letters += utf8.RuneCountInString(strings.TrimSpace(c.Data))
				continue
			case unread[e]:
				continue
			case e == "h2" || e == "h3" || e == "h4":
				w.headings++
			case e == "tr":
				w.rows++
			case e == "pre":
				w.code++
			}
			walk(c)
		}
	}
	walk(n)
	return w
}

// markedMain returns the one element that the page marks as its main part.
func markedMain(body *html.Node) *html.Node {
	marks := []func(*html.Node) bool{
		func(n *html.Node) bool { return n.Data == "main" || attribute(n, "role") == "main" },
		func(n *html.Node) bool { return n.Data == "article" },
	}
	for _, mark := range marks {
		if found := findAll(body, mark, 2); len(found) == 1 {
			return found[0]
		}
	}
	return nil
}

// readable asks readability for the article of a page; nil where it finds none.
func readable(root *html.Node) *html.Node {
	p := readability.NewParser()
	p.MaxElemsToParse = maxReadableElements
	p.DisableJSONLD = true
	p.KeepClasses = true
	p.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	article, err := p.ParseDocument(root, nil)
	if err != nil {
		return nil
	}
	return article.Node
}

// prune removes what isn't the page's text: navigation, banners, footers,
// side bars. Headers and footers inside an article are part of it.
func prune(n *html.Node, inside bool) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.ElementNode {
			if chrome(c, inside) {
				n.RemoveChild(c)
			} else {
				prune(c, inside || c.Data == "main" || c.Data == "article" || attribute(c, "role") == "main")
			}
		}
		c = next
	}
}

// chrome tells whether an element is part of the site and not of the page.
func chrome(n *html.Node, inside bool) bool {
	switch n.Data {
	case "html", "body", "main", "article":
		return false
	case "nav":
		return true
	case "header", "footer", "aside":
		if !inside {
			return true
		}
	}
	switch attribute(n, "role") {
	case "navigation", "search", "contentinfo", "menu", "menubar", "toolbar":
		return true
	case "banner", "complementary":
		return !inside
	}
	for _, a := range n.Attr {
		if a.Key != "class" && a.Key != "id" {
			continue
		}
		for name := range strings.FieldsSeq(strings.ToLower(a.Val)) {
			if chromeNames[name] {
				return true
			}
		}
	}
	return false
}

// chromeNames are classes and ids that documentation generators and consent
// managers give to what isn't text.
var chromeNames = set(`sphinxsidebar sphinxsidebarwrapper related breadcrumb breadcrumbs wy-breadcrumbs toctree-wrapper-nav wy-nav-side
	rst-footer-buttons skip-link skip-to-content skiplink navbar navheader navfooter nav-links sidebar side-bar
	table-of-contents toc-container localtoc page-toc on-this-page edit-this-page edit-page-link pagination pager prev-next
	cookie-banner cookie-consent cookie-notice cookiebanner cookies-banner cookie-bar gdpr consent-banner onetrust-consent-sdk
	share-buttons social-share newsletter-signup site-header site-footer md-header md-footer md-sidebar md-nav theme-doc-toc-mobile
	theme-doc-footer pagination-nav menu__list print-only noprint no-print mw-editsection mw-jump-link`)

// find returns the first element in document order for which match holds.
func find(n *html.Node, match func(*html.Node) bool) *html.Node {
	if found := findAll(n, match, 1); len(found) > 0 {
		return found[0]
	}
	return nil
}

// findAll returns the first limit elements, without those inside others found.
func findAll(n *html.Node, match func(*html.Node) bool, limit int) []*html.Node {
	var found []*html.Node
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil && len(found) < limit; c = c.NextSibling {
			if c.Type == html.ElementNode && match(c) {
				found = append(found, c)
				continue
			}
			walk(c)
		}
	}
	walk(n)
	return found
}

// dateNames are the names under which pages give the date of their last change,
// best first.
var dateNames = []string{
	"article:modified_time", "og:updated_time", "last-modified", "dcterms.modified", "dc.date.modified", "datemodified", "revised",
	"article:published_time", "dcterms.date", "dc.date", "dcterms.created", "dc.date.issued", "dcterms.issued", "date", "datepublished",
}

// readHead takes the title, the language and the dates from a page's head.
func readHead(root *html.Node, d *draft) {
	d.meta = make(map[string]string)
	names := make(map[string]string)
	title := ""
	for _, n := range findAll(root, headElement, 500) {
		switch n.Data {
		case "title":
			if title == "" && n.Parent.Data != "svg" {
				title = squeeze(rawText(n, 1000))
			}
		case "meta":
			name := strings.ToLower(attribute(n, "name") + attribute(n, "property") + attribute(n, "itemprop"))
			if v := squeeze(attribute(n, "content")); v != "" && names[name] == "" {
				names[name] = v
			}
		}
	}
	if h := find(root, func(n *html.Node) bool { return n.Data == "html" }); h != nil {
		d.language = attribute(h, "lang")
	}
	d.title = title
	if d.title == "" {
		d.title = names["og:title"]
	}
	for _, keep := range []string{"description", "author", "keywords", "version", "status"} {
		if names[keep] != "" {
			d.meta[keep] = names[keep]
		}
	}
	if i := slices.IndexFunc(dateNames, func(n string) bool { return names[n] != "" }); i >= 0 {
		d.meta["date"] = names[dateNames[i]]
	}
	if d.meta["date"] == "" {
		d.meta["date"] = timeElement(root)
	}
	if d.meta["date"] == "" {
		delete(d.meta, "date")
	}
}

func isH1(n *html.Node) bool { return n.Data == "h1" }

func headElement(n *html.Node) bool { return n.Data == "title" || n.Data == "meta" }

// timeElement returns the date of the one time element that says when the page
// was published or changed.
func timeElement(root *html.Node) string {
	n := find(root, func(n *html.Node) bool {
		return n.Data == "time" && (n.Parent.Data == "header" || attribute(n, "itemprop") != "" || attribute(n, "pubdate") != "" ||
			strings.Contains(attribute(n, "class"), "updated") || strings.Contains(attribute(n, "class"), "published"))
	})
	return attribute(n, "datetime")
}
