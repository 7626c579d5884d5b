package ingest

import (
	"math"
	"strings"
	"unicode/utf8"
)

// readPlain reads text without marks, or with the light ones of
// reStructuredText, AsciiDoc and Org: it finds headings, lists and paragraphs
// wrapped by hand, and leaves all else as it is.
func readPlain(s, ext string, d *draft) {
	p := &plainReader{w: &d.writer, ext: ext}
	if d.unmarked = !marked[ext]; d.unmarked {
		d.title = openingTitle(s)
	}
	var block []string
	size := 0
	end := func() {
		if len(block) > 0 {
			p.block(block)
		}
		block, size = block[:0], 0
	}
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\n")
		if line == "" || size > maxLeaf {
			end()
		}
		if line != "" {
			block = append(block, line)
			size += len(line)
		}
	}
	end()
	p.endLiteral()
	if p.listed != "" { // never closed
		p.w.code("", strings.Join(p.code, "\n"))
	}
}

// marked are the formats that mark their headings.
var marked = map[string]bool{".rst": true, ".adoc": true, ".asciidoc": true, ".org": true}

// maxTitle is how long the first line of a text may be to be its title, in
// letters.
const maxTitle = 80

// plainReader writes runs of lines that stand between blank lines.
type plainReader struct {
	w      *writer
	ext    string
	adorns string // underlines of rst seen so far, outermost first
	listed string // the delimiter of the AsciiDoc listing that is open
	code   []string
	// literal is set where reStructuredText announced code: what is indented from
	// here on is.
	literal bool
}

func (p *plainReader) block(lines []string) {
	if p.literal {
		if indentOf(lines[0]) > 0 {
			if len(p.code) > 0 {
				p.code = append(p.code, "")
			}
			p.code = append(p.code, lines...)
			return
		}
		p.endLiteral()
	}
	for len(lines) > 0 {
		if len(lines[0]) > maxLeaf {
			p.w.paragraph(lines[0])
			lines = lines[1:]
			continue
		}
		if p.listed != "" || p.ext == ".adoc" || p.ext == ".asciidoc" {
			var done bool
			if lines, done = p.listing(lines); done {
				continue
			}
		}
		n := p.heading(lines)
		if n == 0 {
			n = p.body(lines)
		}
		lines = lines[n:]
	}
}

// endLiteral writes the code gathered since it was announced.
func (p *plainReader) endLiteral() {
	if p.literal && len(p.code) > 0 {
		p.w.code("", dedent(p.code))
		p.code = nil
	}
	p.literal = false
}

var listingMark = lazily(`^(?:-{4,}|\.{4,})$`)

// listing reads a listing between two equal lines of AsciiDoc.
func (p *plainReader) listing(lines []string) ([]string, bool) {
	if p.listed == "" {
		if !listingMark().MatchString(lines[0]) {
			return lines, false
		}
		p.listed = lines[0]
		return lines[1:], true
	}
	for i, l := range lines {
		if l == p.listed {
			p.w.code("", strings.Join(p.code, "\n"))
			p.listed, p.code = "", nil
			return lines[i+1:], true
		}
		p.code = append(p.code, l)
	}
	p.code = append(p.code, "")
	return nil, true
}

var (
	adocHeading = lazily(`^(={1,6})\s+(\S.*)$`)
	orgHeading  = lazily(`^(\*{1,6})\s+(\S.*)$`)
	hashHeading = lazily(`^(#{1,6})\s+(\S.*)$`)
	underline   = lazily(`^(?:={3,}|-{3,}|~{3,}|\^{3,}|"{3,}|\*{3,}|#{3,}|\+{3,}|'{3,}|` + "`{3,})$")
	adocNoise   = lazily(`^(?:\[[^\]]*\]|:[\w-]+!?:.*|//.*)$`)
	orgNoise    = lazily(`^#\+\w+:?.*$`)
	rstNoise    = lazily(`^\.\. (?:_[^:]+:.*|\|.*|(?:image|figure|toctree|contents|include|index|highlight|currentmodule|module|sectionauthor|moduleauthor|raw)::.*)$`)
	rstNote     = lazily(`^(\s*)\.\. ([a-z:-]+):: ?(.*)$`)
	rstField    = lazily(`^:(?:tocdepth|orphan|nosearch|nocomments)\b.*$`)
	rstStrong   = lazily(`(^|[\s(])(\*{1,2})(\S|\S[^*\n]*?\S)\*{1,2}([\s).,;:!?]|$)`)
	rstRef      = lazily("`([^`\n]+)`_{0,2}|\\b([A-Za-z][A-Za-z0-9-]*)_{1,2}\\b")
	rstRole     = lazily(":[a-zA-Z:+-]+:`([^`<]+?)(?:\\s*<[^`>]*>)?`")
	rstLink     = lazily("`([^`<]+?)\\s*<[^`>]*>`__?")
)

var bullet = lazily(`^(\s*)(?:[-*+•] +|o  +|(\d{1,3})[.)] +|#\. +)(\S.*)$`)

// body writes the lines up to the next heading or list, and returns how many.
func (p *plainReader) body(lines []string) int {
	if p.noise(lines[0]) {
		return 1
	}
	if m := rstNote().FindStringSubmatch(lines[0]); m != nil && p.ext == ".rst" {
		return p.directive(m, lines)
	}
	if bullet().MatchString(lines[0]) {
		return p.list(lines)
	}
	n := 1
	for n < len(lines) && !(bullet().MatchString(lines[n]) && indentOf(lines[n]) <= indentOf(lines[0])) && !p.noise(lines[n]) &&
		!(n+1 < len(lines) && underline().MatchString(lines[n+1]) && p.titled(lines[n], lines[n+1])) {
		n++
	}
	p.paragraph(lines[:n])
	return n
}

func (p *plainReader) noise(line string) bool {
	switch p.ext {
	case ".rst":
		return rstNoise().MatchString(line) || rstField().MatchString(line)
	case ".adoc", ".asciidoc":
		return adocNoise().MatchString(line)
	case ".org":
		return orgNoise().MatchString(line)
	}
	return false
}

// directive writes the head of a directive of reStructuredText: "Note:" and the
// like, or the name of what is described; the options below it are dropped.
func (p *plainReader) directive(m, lines []string) int {
	n := 1
	for n < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[n]), ":") {
		n++
	}
	switch {
	case codeDirectives[m[2]]:
		p.literal = true
		if n < len(lines) {
			p.code = append(p.code, lines[n:]...)
			n = len(lines)
		}
	case noteDirectives[m[2]]:
		head := capital(m[2]) + ": " + m[3]
		for n < len(lines) && strings.HasPrefix(lines[n], " ") {
			head += " " + strings.TrimSpace(lines[n])
			n++
		}
		p.w.paragraph(p.marks(head))
	case namedDirectives[m[2]]:
		p.w.paragraph(p.marks(m[3]))
	}
	return n
}

var (
	codeDirectives = set("code-block code sourcecode parsed-literal testcode testsetup testcleanup testoutput doctest highlight literalinclude math")
	noteDirectives = set(`note warning tip important caution danger hint attention error seealso versionadded versionchanged
		deprecated deprecated-removed versionremoved`)
	namedDirectives = set(`class function method data attribute decorator exception envvar option describe rubric topic admonition
		cmdoption confval module program glossary staticmethod classmethod property c:function c:type c:macro c:var c:member
		autoclass autofunction automethod autoattribute autoexception autodata py:function py:class py:method py:data py:attribute js:function`)
)

// list writes the items that lines begin with.
func (p *plainReader) list(lines []string) int {
	n := 0
	base := indentOf(lines[0])
	for n < len(lines) {
		m := bullet().FindStringSubmatch(lines[n])
		if m == nil {
			break
		}
		item := m[3]
		n++
		for n < len(lines) && !bullet().MatchString(lines[n]) && indentOf(lines[n]) > len(m[1]) {
			item += " " + strings.TrimSpace(lines[n])
			n++
		}
		number := -1
		if m[2] != "" {
			number = atoi(m[2])
		}
		depth := p.w.depth
		p.w.depth += 1 + min(max(0, len(m[1])-base)/2, 4)
		p.w.item(number)
		p.w.paragraph(p.marks(item))
		p.w.depth, p.w.marker = depth, ""
	}
	return n
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

func atoi(s string) int {
	n := 0
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}

// paragraph writes lines: joined if they are prose that was wrapped by hand,
// else as they are. In reStructuredText a paragraph may announce code.
func (p *plainReader) paragraph(lines []string) {
	last := len(lines) - 1
	if p.ext == ".rst" && strings.HasSuffix(lines[last], "::") {
		p.literal = true
		lines[last] = lines[last][:len(lines[last])-1]
		if lines[last] == ":" {
			return
		}
	}
	if wrapped(lines) {
		p.w.paragraph(p.marks(joinLines(lines)))
		return
	}
	p.w.verbatim(p.marks(dedent(lines)))
}

// wrapped tells whether lines are one paragraph of prose: equally indented, but
// for the first, without columns, and all but the last nearly full. What is
// indented by four and doesn't end as a sentence does is an example.
func wrapped(lines []string) bool {
	if len(lines) == 1 {
		return true
	}
	longest := 0
	for _, l := range lines {
		longest = max(longest, len(l))
	}
	indent := indentOf(lines[1])
	last := lines[len(lines)-1]
	if indent >= 4 && indentOf(lines[0]) >= 4 && !strings.ContainsAny(last[len(last)-1:], ".!?:;)\"") {
		return false
	}
	for i, l := range lines {
		body := strings.TrimLeft(l, " \t")
		if i > 0 && indentOf(l) != indent || strings.ContainsAny(body[:1], "|+>$#%{}") {
			return false
		}
		if strings.Contains(body, "   ") || strings.Contains(body, "\t") {
			return false
		}
		if i < len(lines)-1 && (len(l) < 40 || len(l) < longest*6/10) {
			return false
		}
	}
	return indent-indentOf(lines[0]) < 8
}

func joinLines(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if i > 0 {
			before, _ := utf8.DecodeLastRuneInString(b.String())
			after, _ := utf8.DecodeRuneInString(l)
			if !unspaced(before) || !unspaced(after) {
				b.WriteByte(' ')
			}
		}
		b.WriteString(l)
	}
	return b.String()
}

// dedent joins lines without the white space that all begin with.
func dedent(lines []string) string {
	least := math.MaxInt
	for _, l := range lines {
		if l != "" {
			least = min(least, indentOf(l))
		}
	}
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l[min(least, len(l)):])
	}
	return b.String()
}

// marks removes the inline marks of reStructuredText.
func (p *plainReader) marks(s string) string {
	if p.ext != ".rst" || !strings.ContainsAny(s, "`*_") {
		return s
	}
	s = strings.NewReplacer(":pep:`", ":pep:`PEP ", ":rfc:`", ":rfc:`RFC ").Replace(s)
	s = rstLink().ReplaceAllString(rstRole().ReplaceAllString(s, "$1"), "$1")
	parts := strings.Split(s, "``") // each second one is code
	for i := 0; i < len(parts); i += 2 {
		parts[i] = rstRef().ReplaceAllString(parts[i], "$1$2")
		parts[i] = rstStrong().ReplaceAllString(parts[i], "$1$3$4")
	}
	return strings.Join(parts, "")
}
