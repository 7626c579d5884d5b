package ingest

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of an HTML tree. Beyond the depth, elements are siblings of what they
// should be in; beyond the number of nodes, only text is kept.
const (
	maxTreeDepth = 200
	maxTreeNodes = 1 << 20
)

// tree builds a DOM from tokens in one pass.
//
// It isn't the algorithm of the HTML standard: that one is quadratic in
// misnested markup in time (x/net/html) and in memory (formatting elements are
// copied into each paragraph). This one closes what a tag implies, ignores end
// tags that match nothing, and never moves a node, which is enough for text.
type tree struct {
	open  []*html.Node   // from the root
	count map[string]int // how many elements of each name are open
	nodes int
	text  strings.Builder // adjacent text, not yet a node
}

// parseTree parses a page or a fragment. With xml set, a tag that ends in "/>"
// is empty whatever its name is.
func parseTree(s string, xml bool) *html.Node {
	t := &tree{open: []*html.Node{{Type: html.DocumentNode}}, count: make(map[string]int)}
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		switch z.Next() {
		case html.ErrorToken:
			// Reading a string has no error but its end.
			t.endText()
			return t.open[0]
		case html.TextToken:
			t.text.Write(z.Text())
		case html.StartTagToken:
			t.start(z, false)
		case html.SelfClosingTagToken:
			if xml {
				z.NextIsNotRawText()
			}
			t.start(z, xml)
		case html.EndTagToken:
			name, _ := z.TagName()
			t.end(string(name))
		}
	}
}

// endText makes a node of the text read so far.
func (t *tree) endText() {
	if t.text.Len() == 0 {
		return
	}
	t.append(&html.Node{Type: html.TextNode, Data: clean(t.text.String())})
	t.text.Reset()
}

func (t *tree) append(n *html.Node) {
	t.nodes++
	t.open[len(t.open)-1].AppendChild(n)
}

func (t *tree) start(z *html.Tokenizer, empty bool) {
	if t.nodes >= maxTreeNodes {
		t.text.WriteByte(' ')
		return
	}
	token := z.Token()
	t.endText()
	t.implied(token.Data)
	n := &html.Node{Type: html.ElementNode, Data: token.Data, DataAtom: token.DataAtom, Attr: token.Attr}
	t.append(n)
	if !empty && !voids[token.DataAtom] && len(t.open) < maxTreeDepth {
		t.open = append(t.open, n)
		t.count[n.Data]++
	}
}

// close closes the open elements from the i-th on.
func (t *tree) close(i int) {
	for _, n := range t.open[i:] {
		t.count[n.Data]--
	}
	t.open = t.open[:i]
}

// implied closes the elements that a start tag ends.
func (t *tree) implied(name string) {
	if blockElements[name] {
		t.pop("p", "button", "table", "td", "th", "caption")
	}
	switch name {
	case "li":
		t.pop("li", "ul", "ol", "menu")
	case "dt", "dd":
		t.pop("dt", "dl")
		t.pop("dd", "dl")
	case "td", "th":
		t.pop("td", "tr", "table")
		t.pop("th", "tr", "table")
	case "tr":
		t.pop("tr", "table")
	case "tbody", "thead", "tfoot":
		t.pop("tbody", "table")
		t.pop("thead", "table")
		t.pop("tfoot", "table")
	case "option":
		t.pop("option", "select")
	case "body":
		t.pop("head", "html")
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if top := t.open[len(t.open)-1].Data; len(top) == 2 && top[0] == 'h' && top >= "h1" && top <= "h6" {
			t.close(len(t.open) - 1)
		}
	}
}

// pop closes the innermost open element of that name, and what is in it, unless
// one of the barriers is open inside.
func (t *tree) pop(name string, barriers ...string) {
	if t.count[name] == 0 {
		return
	}
	for i := len(t.open) - 1; i > 0; i-- {
		open := t.open[i].Data
		if open == name {
			t.close(i)
			return
		}
		if slices.Contains(barriers, open) {
			return
		}
	}
}

func (t *tree) end(name string) {
	if t.nodes >= maxTreeNodes {
		t.text.WriteByte(' ')
		return
	}
	if name == "br" {
		t.text.WriteByte('\n')
		return
	}
	if t.count[name] == 0 || name == "html" || name == "body" {
		return // what follows still belongs to the page
	}
	t.endText()
	switch name {
	case "table":
		t.pop(name)
	case "li":
		t.pop(name, "ul", "ol", "menu", "table")
	default:
		t.pop(name, "table")
	}
}

var voids = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Embed: true, atom.Hr: true, atom.Img: true,
	atom.Input: true, atom.Link: true, atom.Meta: true, atom.Param: true, atom.Source: true, atom.Track: true, atom.Wbr: true,
}

// blockElements are those that end a paragraph.
var blockElements = set(`address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
	footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section summary
	table tbody td tfoot th thead title tr ul`)

// inlineElements are the others of the standard.
var inlineElements = set(`a abbr acronym area audio b base bdi bdo big br button canvas cite code col colgroup data datalist del dfn
	em embed font i iframe img input ins kbd label link map mark math meta meter noscript object output param picture progress q
	rp rt ruby s samp script select slot small source span strike strong style sub sup svg template textarea time track tt u var
	video wbr`)

func isElement(name string) bool { return blockElements[name] || inlineElements[name] }

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
