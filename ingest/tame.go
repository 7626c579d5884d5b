package ingest

import (
	"strings"
)

// Bounds that keep the time to read Markdown linear in its size. The parser is
// quadratic in some paragraphs (of unclosed links) and in the depth of
// containers; no document that a person wrote comes near these.
const (
	maxLeaf       = 64 << 10 // bytes in a paragraph or in a row of a table
	maxLeafLinks  = 1000     // links in a paragraph
	maxContainers = 24       // quotes and lists opened on one line
	maxColumn     = 128      // white space before a line
	maxBlank      = 8        // blank lines in a row
)

// maxTree bounds what is parsed together, in bytes: a syntax tree takes up to 300
// times the memory of its text. Larger files are cut between two blocks or rows
// of a table, or, where there is no such place in as much again, between lines.
const maxTree = 512 << 10

// piece is a part of a Markdown file: Markdown, or, where raw is set, a
// paragraph too large to look for marks in, to be taken as it is.
type piece struct {
	text string
	raw  bool
	// header is how many bytes at the beginning repeat the header of the table
	// that this piece goes on with.
	header int
}

// tamer reads a Markdown file line by line and rewrites the lines that would
// cost too much, and those of dialects that the parser doesn't know: the fences
// of admonitions, the imports of MDX.
type tamer struct {
	mdx  bool
	out  strings.Builder
	emit func(piece)

	first  string // the line that a table would have as its header
	head   string // the header of the present table, two lines
	header int    // see piece

	leaf      int    // where in out the present paragraph begins
	leafLinks int    // links in it
	leafLines int    // lines of it
	inTable   bool   // it is a table
	raw       bool   // it is too large: it becomes a piece of its own
	fence     string // the open code fence
	blank     int    // blank lines before this one
	dedent    bool   // we are in the indented body of an admonition
	box       string // the open fence of an admonition
}

// tame splits a Markdown file into pieces that are safe to parse, and hands them
// to emit in order.
func tame(s string, mdx bool, emit func(piece)) {
	t := &tamer{mdx: mdx, emit: emit}
	for line := range strings.Lines(s) {
		t.line(strings.TrimSuffix(line, "\n"))
	}
	t.flush()
}

// flush ends the present piece.
func (t *tamer) flush() {
	if t.out.Len() > 0 {
		t.emit(piece{text: t.out.String(), raw: t.raw, header: t.header})
	}
	t.out.Reset()
	t.header = 0
	t.endLeaf()
}

// portion ends a piece that has grown large, if it may end before this line. A
// table or code that is cut goes on in the next piece. It returns the line as
// it is to begin that.
func (t *tamer) portion(line, body string) string {
	if t.raw || t.out.Len() < maxTree {
		return line
	}
	late := t.out.Len() >= 2*maxTree
	switch {
	case t.fence != "":
		if late && !closes(body, t.fence) {
			t.write(t.fence)
			t.flush()
			t.write(t.fence)
		}
	case t.inTable:
		t.flush()
		t.inTable = true
		t.write(t.head)
		t.header = t.out.Len()
	case late && (t.leafLines == 0 || beginsBlock(body)), beginsBlock(line), t.blankBefore() && len(line) == len(body):
		t.flush()
		if beginsBlock(body) {
			return body
		}
	}
	return line
}

// blankBefore tells whether the line before the present one was blank.
func (t *tamer) blankBefore() bool { return strings.HasSuffix(t.out.String(), "\n\n") }

func (t *tamer) endLeaf() {
	t.leaf, t.leafLinks, t.leafLines, t.inTable, t.raw = t.out.Len(), 0, 0, false, false
}

func (t *tamer) line(line string) {
	body := strings.TrimLeft(line, " \t")
	if body == "" {
		t.blankLine()
		return
	}
	t.blank = 0
	line = t.portion(line, body)
	if t.dedent = t.dedent && (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")); t.dedent {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "\t"), "    ")
		body = strings.TrimLeft(line, " \t")
	}
	if indent := len(line) - len(body); indent > maxColumn {
		line = line[:maxColumn] + body
	}
	switch {
	case t.fence != "":
		if closes(body, t.fence) {
			t.fence = ""
		}
		t.write(line)
		t.endLeaf()
	case strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~"):
		t.openFence(line, body)
	default:
		t.text(line, body)
	}
}

func (t *tamer) blankLine() {
	if t.raw {
		t.flush()
	}
	if t.blank++; t.blank <= maxBlank {
		t.out.WriteByte('\n')
	}
	t.endLeaf()
}

func (t *tamer) openFence(line, body string) {
	run := len(body) - len(strings.TrimLeft(body, body[:1]))
	if body[0] == '`' && strings.Contains(body[run:], "`") {
		t.text(line, body) // inline code on a line of its own
		return
	}
	if t.raw {
		t.flush()
	}
	if t.box != "" && closes(body, t.box) {
		t.box = ""
		t.blankLine()
		return
	}
	if m := boxed().FindStringSubmatch(body[run:]); m != nil && noteDirectives[m[1]] {
		t.box = body[:run]
		t.write(line[:len(line)-len(body)] + strings.TrimSpace(label(m[1], m[2])))
		t.blankLine()
		return
	}
	t.fence = body[:run]
	t.write(line)
	t.endLeaf()
}

// closes tells whether a line ends the code that fence began.
func closes(body, fence string) bool {
	body = strings.TrimRight(body, " \t")
	return len(body) >= len(fence) && strings.Trim(body, fence[:1]) == ""
}

// text takes a line outside of code.
func (t *tamer) text(line, body string) {
	if replaced, ok := t.dialect(line, body); ok {
		line = replaced
		if body = strings.TrimLeft(line, " \t"); body == "" {
			t.blankLine()
			return
		}
	}
	body = shallow(body)
	line = line[:min(len(line)-len(strings.TrimLeft(line, " \t")), maxColumn)] + body
	if beginsBlock(body) || t.inTable {
		if t.raw {
			t.flush()
		}
		inTable, lines := t.inTable, t.leafLines
		t.endLeaf()
		t.inTable, t.leafLines = inTable, lines
	}
	t.leafLinks += strings.Count(line, "](")
	switch {
	case t.leafLines == 0:
		t.first = body
	case t.leafLines == 1 && delimiterRow(body):
		t.inTable, t.head = true, t.first+"\n"+body
	}
	t.leafLines++
	if !t.raw && (t.out.Len()-t.leaf+len(line) > maxLeaf || t.leafLinks > maxLeafLinks) {
		t.split()
	}
	t.write(line)
}

// split makes the paragraph that is being written a piece of its own.
func (t *tamer) split() {
	all := t.out.String()
	before, begun := all[:t.leaf], all[t.leaf:]
	lines, inTable := t.leafLines, t.inTable
	t.out.Reset()
	if before != "" {
		t.emit(piece{text: before, header: t.header})
	}
	t.header = 0
	t.endLeaf()
	t.leafLines, t.inTable, t.raw = lines, inTable, true
	t.out.WriteString(begun)
}

func (t *tamer) write(line string) {
	t.out.WriteString(line)
	t.out.WriteByte('\n')
}

// beginsBlock tells whether a line surely ends the paragraph before it.
func beginsBlock(body string) bool {
	switch c := body[0]; {
	case c == '-' || c == '*' || c == '+':
		return len(body) > 1 && (body[1] == ' ' || body[1] == '\t')
	case c == '#':
		rest := strings.TrimLeft(body, "#")
		return len(body)-len(rest) <= 6 && (rest == "" || rest[0] == ' ')
	}
	return false
}

// delimiterRow tells whether a line is the one below a table's header.
func delimiterRow(body string) bool {
	return strings.Contains(body, "-") && strings.Contains(body, "|") && strings.Trim(body, "|-: \t") == ""
}

// shallow removes the containers that a line opens beyond maxContainers.
func shallow(body string) string {
	opened, at := 0, 0
	for at < len(body) {
		switch c := body[at]; {
		case c == ' ' || c == '\t':
		case c == '>', (c == '-' || c == '*' || c == '+') && at+1 < len(body) && (body[at+1] == ' ' || body[at+1] == '\t'):
			opened++
		default:
			n := ordinal(body[at:])
			if n == 0 {
				return cutContainers(body, at, opened)
			}
			opened++
			at += n - 1
		}
		at++
	}
	return cutContainers(body, at, opened)
}

// ordinal returns the length of a marker such as "12." at the beginning of s,
// or 0.
func ordinal(s string) int {
	n := 0
	for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 0 || n+1 >= len(s) || s[n] != '.' && s[n] != ')' || s[n+1] != ' ' {
		return 0
	}
	return n + 1
}

func cutContainers(body string, end, opened int) string {
	if opened <= maxContainers {
		return body
	}
	return "> " + body[end:]
}

var (
	boxed      = lazily(`^\{([a-z-]+)\}\s*(.*)$`)
	target     = lazily(`^\([^()]{1,100}\)=$`)
	directive  = lazily(`^:{3,}\s*\{?([A-Za-z-]*)\}?\s*\[?([^\]{]*)\]?.*$`)
	admonition = lazily(`^(?:!!!|\?\?\?\+?)\s+([A-Za-z-]+)[^"]*(?:"([^"]*)")?\s*$`)
	tab        = lazily(`^===[!+]?\s+"([^"]*)"\s*$`)
	mdxImport  = lazily(`^(?:import\s.*from\s*['"]|import\s+['"]|export\s+(?:const|default|let|function)\b)`)
)

// dialect replaces a line of a dialect by plain Markdown: ":::note Title" and
// `!!! note "Title"` by "Note: Title", an import of MDX and the anchor of a
// heading in MyST by nothing.
func (t *tamer) dialect(line, body string) (string, bool) {
	switch body[0] {
	case ':':
		if m := directive().FindStringSubmatch(body); m != nil {
			return line[:len(line)-len(body)] + label(m[1], m[2]), true
		}
	case '!', '?':
		if m := admonition().FindStringSubmatch(body); m != nil {
			t.dedent = true
			return label(m[1], m[2]), true
		}
	case '(':
		if target().MatchString(body) {
			return "", true
		}
	case '=':
		if m := tab().FindStringSubmatch(body); m != nil {
			t.dedent = true
			return m[1] + ":\n", true
		}
	case 'i', 'e':
		if t.mdx && t.leafLines == 0 && mdxImport().MatchString(line) {
			return "", true
		}
	}
	return line, false
}

// label is the text of an admonition's head, a paragraph of its own.
func label(kind, title string) string {
	title = strings.TrimSpace(title)
	switch {
	case kind == "" && title == "":
		return ""
	case kind == "":
		return title + "\n"
	case title == "":
		return capital(kind) + ":\n"
	}
	return capital(kind) + ": " + title + "\n"
}

// capital writes the kind of an admonition as words.
func capital(kind string) string {
	if change, ok := strings.CutPrefix(kind, "version"); ok {
		return "Version " + change
	}
	return strings.ToUpper(kind[:1]) + kind[1:]
}
