package ingest

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a block.
type Kind uint8

// The kinds.
const (
	Paragraph Kind = iota
	Heading        // one line: number signs and the heading
	Item           // one item of a list, without the items nested in it
	Table          // rows between pipes, a line each
	Code           // lines verbatim, between fences
)

// String returns the kind's name in lower case.
func (k Kind) String() string {
	return [...]string{"paragraph", "heading", "item", "table", "code"}[k]
}

// Block is a piece of a document's text: bytes Start to End.
type Block struct {
	Kind Kind
	// Level is the level of a heading (1 to 6) or the depth of an item (from 0).
	Level      int
	Start, End int
}

// hardBreak stands for a line break that the author asked for, in inline text
// before it is squeezed. Documents can't contain it: control characters are
// removed when they are decoded.
const hardBreak = '\x1e'

// maxIndent bounds the depth to which nested items are indented.
const maxIndent = 12

// writer builds a document's text and its blocks.
type writer struct {
	text   strings.Builder
	blocks []Block
	// depth counts the lists we are in; marker is that of the item that has
	// begun and has no text yet.
	depth  int
	marker string
}

// open writes the space before the next block and returns where it begins.
func (w *writer) open(kind Kind) int {
	if w.text.Len() == 0 {
		return 0
	}
	if last := w.blocks[len(w.blocks)-1]; kind == Item && last.Kind == Item {
		w.text.WriteByte('\n')
	} else {
		w.text.WriteString("\n\n")
	}
	return w.text.Len()
}

func (w *writer) close(kind Kind, level, start int) {
	w.blocks = append(w.blocks, Block{Kind: kind, Level: level, Start: start, End: w.text.Len()})
}

// heading writes a heading. Inside a list it is no heading of the document.
func (w *writer) heading(level int, inline string) {
	line := squeeze(inline)
	if line == "" {
		return
	}
	if w.depth > 0 {
		w.paragraph(line)
		return
	}
	start := w.open(Heading)
	w.text.WriteString("######"[:min(max(level, 1), 6)])
	w.text.WriteByte(' ')
	w.text.WriteString(strings.ReplaceAll(line, "\n", " "))
	w.close(Heading, min(max(level, 1), 6), start)
}

// paragraph writes a paragraph: in a list the item's text, or a further
// paragraph of the item.
func (w *writer) paragraph(inline string) {
	if line := squeeze(inline); line != "" && (w.marker != "" || !ornament(line)) {
		w.verbatim(line)
	}
}

// ornament tells whether a line is a rule or an icon: one sign, or one repeated.
func ornament(line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	return !unicode.IsLetter(first) && !unicode.IsDigit(first) && strings.Trim(line, string(first)) == ""
}

// verbatim writes a paragraph whose lines and spaces are to stay as they are.
func (w *writer) verbatim(s string) {
	if w.depth == 0 {
		start := w.open(Paragraph)
		w.text.WriteString(s)
		w.close(Paragraph, 0, start)
		return
	}
	level := w.depth - 1
	indent := strings.Repeat("  ", min(level, maxIndent))
	if w.marker == "" {
		w.further(s, indent+"  ")
		return
	}
	w.open(Item)
	w.text.WriteString(indent)
	start := w.text.Len()
	if s == "" {
		w.text.WriteString(strings.TrimSpace(w.marker))
	} else {
		w.text.WriteString(w.marker)
	}
	w.text.WriteString(strings.ReplaceAll(s, "\n", "\n"+indent+"  "))
	w.close(Item, level, start)
	w.marker = ""
}

// further writes another paragraph of an item that has one already.
func (w *writer) further(s, indent string) {
	start := w.open(Paragraph)
	w.text.WriteString(indent)
	w.text.WriteString(strings.ReplaceAll(s, "\n", "\n"+indent))
	if n := len(w.blocks); n > 0 && w.blocks[n-1].Kind == Item {
		w.blocks[n-1].End = w.text.Len()
		return
	}
	w.close(Paragraph, 0, start+len(indent))
}

// item begins an item of a list; number is that of an ordered list's item, or
// negative. Its text follows as paragraphs.
func (w *writer) item(number int) {
	w.marker = "- "
	if number >= 0 {
		w.marker = strconv.Itoa(number) + ". "
	}
}

// code writes a block of code. The fence is longer than any inside.
func (w *writer) code(language, s string) {
	s = strings.Trim(trimLines(s), "\n")
	if strings.TrimSpace(s) == "" {
		return
	}
	if w.marker != "" && w.marker != "- " {
		w.verbatim("")
	}
	w.marker = ""
	fence := "```"
	for strings.Contains(s, fence) && len(fence) < 16 {
		fence += "`"
	}
	start := w.open(Code)
	w.text.WriteString(fence)
	w.text.WriteString(language)
	w.text.WriteByte('\n')
	w.text.WriteString(s)
	w.text.WriteByte('\n')
	w.text.WriteString(fence)
	w.close(Code, 0, start)
}

// table writes rows of cells; the first is a header if header is set. A table
// of one column is a list of paragraphs.
func (w *writer) table(rows [][]string, header bool) {
	width := 0
	for _, r := range rows {
		width = max(width, len(r))
	}
	if width < 2 {
		for _, r := range rows {
			for _, c := range r {
				w.paragraph(c)
			}
		}
		return
	}
	w.marker = ""
	start := w.open(Table)
	for i, r := range rows {
		if i > 0 {
			w.text.WriteByte('\n')
		}
		w.row(r, width)
		if i == 0 && header {
			w.text.WriteString("\n|" + strings.Repeat(" --- |", width))
		}
	}
	w.close(Table, 0, start)
}

// moreRows goes on with the table that was written last, if one was: what has
// only one column is a list of paragraphs.
func (w *writer) moreRows(rows [][]string) {
	n := len(w.blocks) - 1
	if n < 0 || w.blocks[n].Kind != Table || len(rows) > 0 && len(rows[0]) < 2 {
		w.table(rows, false)
		return
	}
	for _, r := range rows {
		w.text.WriteByte('\n')
		w.row(r, len(r))
	}
	w.blocks[n].End = w.text.Len()
}

// row writes a line of a table, filled up to width cells.
func (w *writer) row(cells []string, width int) {
	w.text.WriteByte('|')
	for i := range width {
		cell := ""
		if i < len(cells) {
			cell = strings.ReplaceAll(squeeze(cells[i]), "\n", " ")
		}
		w.text.WriteByte(' ')
		w.text.WriteString(strings.ReplaceAll(cell, "|", `\|`))
		w.text.WriteString(" |")
	}
}

// squeeze makes a paragraph's line of inline text: runs of white space are one
// space, hard breaks are line ends, what can't be seen is dropped.
func squeeze(s string) string {
	if !needsSqueeze(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space, broke := false, false
	for _, r := range s {
		switch {
		case r == hardBreak:
			broke = true
		case unicode.IsSpace(r):
			space = true
		case invisible(r):
		default:
			if b.Len() > 0 && broke {
				b.WriteByte('\n')
			} else if b.Len() > 0 && space {
				b.WriteByte(' ')
			}
			space, broke = false, false
			b.WriteRune(r)
		}
	}
	return b.String()
}

// needsSqueeze is a quick look for what squeeze would change.
func needsSqueeze(s string) bool {
	before := byte(' ')
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c >= utf8.RuneSelf || c == 0x7f || c == ' ' && before == ' ' {
			return true
		}
		before = c
	}
	return s != "" && before == ' '
}

// invisible tells whether the rune is a control character or one that only
// guides line breaking or the choice of an encoding.
func invisible(r rune) bool {
	switch r {
	case '\u00ad', '\u200b', '\u2060', '\ufeff':
		return true
	}
	return unicode.IsControl(r)
}

// trimLines removes white space at the ends of lines.
func trimLines(s string) string {
	if !strings.Contains(s, " \n") && !strings.Contains(s, "\t\n") && !strings.HasSuffix(s, " ") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.Join(lines, "\n")
}
