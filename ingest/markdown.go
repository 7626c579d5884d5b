package ingest

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// commonMark is safe for concurrent use.
var commonMark = goldmark.New(goldmark.WithExtensions(
	extension.Table, extension.Footnote, extension.Strikethrough, extension.TaskList,
)).Parser()

// maxFootnotes is how many footnotes and marks of them are read as such; the
// parser is quadratic in them. With more, or in a file that isn't parsed at once,
// they are text where they stand.
const maxFootnotes = 4000

// maxReferences is how many definitions of links are looked for in a file that
// isn't parsed at once, so that all of it knows them.
const maxReferences = 10_000

// reference is the definition of a link that text refers to by a label.
var reference = lazily(`(?m)^ {0,3}\[([^\[\]\n^][^\[\]\n]{0,200})\]:[ \t]*\S`)

// readMarkdown reads CommonMark with GitHub's tables, task lists and footnotes,
// and front matter.
func readMarkdown(s string, mdx bool, d *draft) {
	meta, body := frontMatter(s)
	d.meta = meta
	var labels [][]string
	if len(body) > maxTree {
		labels = reference().FindAllStringSubmatch(body, maxReferences)
	}
	tame(body, mdx, func(p piece) {
		if p.raw {
			d.rawPiece(p.text)
			return
		}
		if len(body) > maxTree || strings.Count(p.text, "[^") > maxFootnotes {
			p.text = strings.ReplaceAll(p.text, "[^", `\[^`)
		}
		known := parser.NewContext()
		for _, l := range labels {
			known.AddReference(parser.NewReference([]byte(l[1]), nil, nil))
		}
		source := []byte(p.text)
		root := commonMark.Parse(gmtext.NewReader(source), parser.WithContext(known))
		_, rows := root.FirstChild().(*extast.Table)
		if p.header > 0 && !rows { // what looked like a table is none
			source = source[p.header:]
			root = commonMark.Parse(gmtext.NewReader(source), parser.WithContext(parser.NewContext()))
		}
		m := &mdReader{w: &d.writer, source: source, continued: p.header > 0 && rows}
		m.blocks(root)
	})
}

// rawPiece writes a paragraph that was too large to parse; rows of a table stay
// rows.
func (d *draft) rawPiece(s string) {
	if strings.HasPrefix(strings.TrimLeft(s, " "), "|") {
		d.verbatim(strings.TrimSpace(trimLines(s)))
		return
	}
	d.paragraph(s)
}

// mdReader writes a Markdown syntax tree.
type mdReader struct {
	w      *writer
	source []byte
	inline bytes.Buffer
	quoted int // quotes around this block
	linked int // links around this text
	// continued is set where the first block goes on with the table written last.
	continued bool
}

// blocks writes the children of a container.
func (m *mdReader) blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		m.block(n)
	}
}

func (m *mdReader) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		m.heading(n)
	case *ast.Paragraph, *ast.TextBlock:
		m.w.paragraph(m.line(n))
	case *ast.List:
		m.list(n)
	case *ast.FencedCodeBlock:
		m.w.code(string(n.Language(m.source)), m.lines(n))
	case *ast.CodeBlock:
		m.w.code("", m.lines(n))
	case *ast.HTMLBlock:
		m.html(n)
	case *extast.Table:
		m.table(n)
	case *extast.FootnoteList:
		m.footnotes(n)
	case *ast.Blockquote:
		m.quoted++
		m.blocks(n)
		m.quoted--
	case *ast.ThematicBreak, *ast.LinkReferenceDefinition:
	default:
		m.blocks(n)
	}
}

// headingID is the explicit anchor that some dialects put after a heading.
var headingID = lazily(`\s*\{#[^}]*\}\s*$`)

func (m *mdReader) heading(n *ast.Heading) {
	line := headingID().ReplaceAllString(m.line(n), "")
	if m.quoted > 0 {
		m.w.paragraph(line)
		return
	}
	m.w.heading(n.Level, line)
}

func (m *mdReader) list(n *ast.List) {
	number := -1
	if n.IsOrdered() {
		number = n.Start
	}
	m.w.depth++
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		m.w.item(number)
		m.blocks(item)
		if number >= 0 {
			number++
		}
	}
	m.w.depth--
	m.w.marker = ""
}

func (m *mdReader) lines(n ast.Node) string {
	return string(n.Lines().Value(m.source))
}

func (m *mdReader) html(n *ast.HTMLBlock) {
	s := m.lines(n)
	if n.HasClosure() {
		s += string(n.ClosureLine.Value(m.source))
	}
	if root := parseTree(s, false); root != nil {
		h := &htmlReader{w: m.w}
		h.children(root)
		h.flush()
	}
}

func (m *mdReader) table(n *extast.Table) {
	var rows [][]string
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var row []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, strings.ReplaceAll(m.line(c), string(hardBreak), " "))
		}
		rows = append(rows, row)
	}
	if m.continued {
		m.continued = false
		m.w.moreRows(rows[1:])
		return
	}
	m.w.table(rows, true)
}

func (m *mdReader) footnotes(list *extast.FootnoteList) {
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		note, ok := n.(*extast.Footnote)
		if !ok {
			continue
		}
		mark := footnoteMark(note.Index)
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if ast.IsParagraph(c) {
				m.w.paragraph(mark + m.line(c))
				mark = ""
				continue
			}
			m.block(c)
		}
	}
}

// line returns the inline text below a block.
func (m *mdReader) line(n ast.Node) string {
	m.inline.Reset()
	m.spans(n)
	s := m.inline.String()
	if strings.Contains(s, "{{") || strings.Contains(s, "{%") {
		s = shortcodes(s)
	}
	if strings.HasPrefix(s, "[!") {
		s = alert().ReplaceAllStringFunc(s, func(k string) string {
			return k[2:3] + strings.ToLower(k[3:strings.IndexByte(k, ']')]) + ": "
		})
	}
	return s
}

// alert is GitHub's mark at the beginning of a quote.
var alert = lazily(`^\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*`)

func (m *mdReader) spans(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		m.span(n)
	}
}

func (m *mdReader) span(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		m.text(n)
	case *ast.String:
		m.inline.Write(n.Value)
	case *ast.CodeSpan:
		m.codeSpan(n)
	case *ast.AutoLink:
		m.inline.Write(n.Label(m.source))
	case *ast.Image:
		m.image(n)
	case *ast.Link:
		m.linked++
		m.spans(n)
		m.linked--
	case *ast.RawHTML:
		m.inline.WriteString(rawTag(string(n.Segments.Value(m.source))))
	case *extast.FootnoteLink:
		m.inline.WriteString(strings.TrimSuffix(footnoteMark(n.Index), " "))
	case *extast.FootnoteBacklink:
	case *extast.TaskCheckBox:
		if n.IsChecked {
			m.inline.WriteString("[x] ")
		} else {
			m.inline.WriteString("[ ] ")
		}
	default:
		m.spans(n)
	}
}

// image writes what an image is said to show. Badges, which are links or have
// names of one word, aren't text.
func (m *mdReader) image(n *ast.Image) {
	start := m.inline.Len()
	m.spans(n)
	if m.linked > 0 || !bytes.Contains(m.inline.Bytes()[start:], []byte(" ")) {
		m.inline.Truncate(start)
	}
}

// text writes a piece of text with its escapes resolved.
func (m *mdReader) text(n *ast.Text) {
	v := n.Segment.Value(m.source)
	if !n.IsRaw() && bytes.ContainsAny(v, `\&`) {
		v = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(v)))
	}
	m.inline.Write(v)
	switch {
	case n.HardLineBreak():
		m.inline.WriteByte(hardBreak)
	case n.SoftLineBreak() && !m.insideCJK(v, n.NextSibling()):
		m.inline.WriteByte(' ')
	}
}

// insideCJK tells whether a line ends and the next begins with a script that is
// written without spaces.
func (m *mdReader) insideCJK(before []byte, next ast.Node) bool {
	t, ok := next.(*ast.Text)
	if !ok {
		return false
	}
	last, _ := utf8.DecodeLastRune(before)
	first, _ := utf8.DecodeRune(t.Segment.Value(m.source))
	return unspaced(last) && unspaced(first)
}

func unspaced(r rune) bool {
	return r >= 0x3000 && r <= 0x9fff || r >= 0xff00 && r <= 0xffef
}

// role is what MyST puts before a code span that isn't code.
var role = lazily(`\{[a-z][a-z:-]*\}$`)

// roleLabel is the text of a role that names its target too.
var roleLabel = lazily(`^(.*\S)\s*<[^<>]*>$`)

func (m *mdReader) codeSpan(n *ast.CodeSpan) {
	if b := m.inline.Bytes(); len(b) > 0 && b[len(b)-1] == '}' {
		if at := role().FindIndex(b[max(0, len(b)-40):]); at != nil {
			name := string(b[len(b)-(at[1]-at[0])+1 : len(b)-1])
			m.inline.Truncate(len(b) - (at[1] - at[0]))
			if name == "pep" || name == "rfc" {
				m.inline.WriteString(strings.ToUpper(name) + " ")
			}
			start := m.inline.Len()
			m.codeText(n)
			if label := roleLabel().FindSubmatch(m.inline.Bytes()[start:]); label != nil {
				m.inline.Truncate(start + len(label[1]))
			}
			return
		}
	}
	m.codeText(n)
}

func (m *mdReader) codeText(n *ast.CodeSpan) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			m.inline.Write(bytes.ReplaceAll(t.Segment.Value(m.source), []byte("\n"), []byte(" ")))
		}
	}
}

// rawTag is what stays of an HTML tag in a paragraph: a break, or, where it is
// no tag at all, a placeholder such as <name>.
func rawTag(tag string) string {
	name := strings.Trim(tag, "</> ")
	switch {
	case strings.EqualFold(name, "br"):
		return string(hardBreak)
	case placeholder().MatchString(tag) && !isElement(name):
		return tag
	}
	return ""
}

// placeholder is a tag without attributes, in lower case.
var placeholder = lazily(`^<[a-z][a-z0-9_-]*>$`)

var (
	shortcodeText = lazily(`\{\{[<%][^}]*?\btext="([^"]*)"[^}]*[>%]\}\}`)
	shortcode     = lazily(`\{\{[<%][^}]*[>%]\}\}|\{%[^%]*%\}`)
)

// shortcodes removes the calls of a site generator's templates, apart from the
// text that they were to show.
func shortcodes(s string) string {
	return shortcode().ReplaceAllString(shortcodeText().ReplaceAllString(s, "$1"), "")
}

func footnoteMark(index int) string {
	return "[" + strconv.Itoa(index) + "] "
}
