package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSentence is the longest sentence in bytes. What is longer, such as a table
// that lost its lines, is broken at a clause or between words.
const maxSentence = 1000

// Sentences returns the sentences of s in order, without the white space around
// them. They don't overlap, and every byte that is not white space is in one.
//
// A full stop ends a sentence unless it belongs to an abbreviation, an initial,
// a number, an address or a file name. A blank line always ends one; the end of
// a line does after a heading, a table row and a line of fenced code, before
// and between list items, and not within a wrapped paragraph. No sentence is
// longer than 1,000 bytes. The rules read the text alone, so that the language
// need not be known.
func Sentences(s string) []Span {
	p := splitter{s: s, out: make([]Span, 0, len(s)/80+1)}
	for i := 0; i < len(s); {
		end, next := len(s), len(s)
		if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
			end, next = i+n, i+n+1
		}
		p.line(i, end)
		i = next
	}
	p.flush(len(s))
	return p.out
}

// splitter walks over the lines of a text.
type splitter struct {
	s   string
	out []Span
	// start is where the sentence under way begins, or the white space before it.
	start  int
	prev   lineKind
	list   bool // a list item stood since the last blank line
	indent int  // where the text of that item begins in its line
	fence  string
}

type lineKind uint8

const (
	lineBlank lineKind = iota
	lineProse
	lineItem
	lineAlone // a heading, a table row, a rule, a line of code
)

// line takes the line from i to end.
func (p *splitter) line(i, end int) {
	text := strings.TrimLeft(p.s[i:end], " \t")
	column := end - i - len(text)
	kind, marker := p.kind(strings.TrimRight(text, " \t\r"), column)
	ends := kind == lineBlank || kind == lineItem || p.prev == lineAlone ||
		kind == lineAlone && !underline(text) || p.list && p.prev != lineBlank && column < p.indent
	if ends {
		p.flush(i)
	}
	switch kind {
	case lineBlank:
		p.list = false
	case lineItem:
		p.list, p.indent = true, column+1
		p.scan(end-len(text)+marker, end)
	case lineProse:
		p.list = p.list && !ends
		p.scan(end-len(text), end)
	}
	p.prev = kind
}

// kind classifies a line without its indentation, and returns the length of a
// list item's marker.
func (p *splitter) kind(text string, column int) (lineKind, int) {
	if p.fence != "" {
		if strings.HasPrefix(text, p.fence) {
			p.fence = ""
		}
		return lineAlone, 0
	}
	if strings.TrimSpace(text) == "" {
		return lineBlank, 0
	}
	switch c := text[0]; {
	case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
		if !strings.Contains(text[3:], text[:3]) {
			p.fence = text[:3]
		}
		return lineAlone, 0
	case c == '|', underline(text):
		return lineAlone, 0
	case c == '#':
		if h := strings.TrimLeft(text, "#"); h == "" || h[0] == ' ' || h[0] == '\t' {
			return lineAlone, 0
		}
	}
	if n := itemMarker(text, p.list || p.prev != lineProse); n > 0 {
		return lineItem, n
	}
	return lineProse, 0
}

// underline tells whether the line is a rule, or underlines the heading above.
func underline(text string) bool {
	text = strings.TrimRight(text, " \t\r")
	return len(text) >= 3 && (text[0] == '=' || text[0] == '-' || text[0] == '*' || text[0] == '_' || text[0] == '~') &&
		strings.Trim(text, text[:1]+" |") == ""
}

// itemMarker returns the length of the marker of a list item with the space
// after it, 0 where there is none. Within a paragraph only the number 1 begins
// a list, as in CommonMark: a wrapped line may well begin with "2024. ".
func itemMarker(text string, anyNumber bool) int {
	r, n := utf8.DecodeRuneInString(text)
	switch {
	case strings.ContainsRune("-*+•◦▪‣–●○■", r):
		if n < len(text) && (text[n] == ' ' || text[n] == '\t') {
			return n + 1
		}
		return 0
	case r == '(':
		n = 1
	case digit(text[0]), letter(text[0]):
		n = 0
	default:
		return 0
	}
	from := n
	for n < len(text) && n < from+3 && digit(text[n]) {
		n++
	}
	if n == from && n < len(text) && letter(text[n]) {
		n++ // "a)"
		if n < len(text) && text[n] == '.' {
			return 0 // rather an initial
		}
	}
	if n+1 >= len(text) || n == from || text[n] != '.' && text[n] != ')' || text[n+1] != ' ' && text[n+1] != '\t' {
		return 0
	}
	if !anyNumber && text[n] == '.' && text[from:n] != "1" {
		return 0
	}
	return n + 2
}

// scan ends sentences at the full stops between i and end.
func (p *splitter) scan(i, end int) {
	s := p.s
	for i < end {
		switch c := s[i]; {
		case c == '.' || c == '!' || c == '?':
			stop := stopAt(s, i)
			if p.ends(stop) {
				p.flush(stop.end)
			}
			i = stop.end
		case c == '`':
			i += codeSpan(s[i:end])
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if !fullStop(r) {
				i += n
				continue
			}
			stop := stopAt(s, i)
			if p.ends(stop) {
				p.flush(stop.end)
			}
			i = stop.end
		}
	}
}

// codeSpan returns the length of the code between backticks at the start of s,
// or of the backtick where it stands alone.
func codeSpan(s string) int {
	if n := strings.IndexByte(s[1:min(len(s), 200)], '`'); n > 0 {
		return n + 2
	}
	return 1
}

// flush ends the sentence under way before end.
func (p *splitter) flush(end int) {
	s := p.s
	start := p.start
	p.start = end
	for start < end {
		r, n := utf8.DecodeRuneInString(s[start:end])
		if !unicode.IsSpace(r) {
			break
		}
		start += n
	}
	for start < end {
		r, n := utf8.DecodeLastRuneInString(s[start:end])
		if !unicode.IsSpace(r) {
			break
		}
		end -= n
	}
	for end-start > maxSentence {
		cut := breakBefore(s, start, start+maxSentence)
		last := start + len(strings.TrimRightFunc(s[start:cut], unicode.IsSpace))
		if last > start {
			p.out = append(p.out, Span{start, last})
		}
		start = end - len(strings.TrimLeftFunc(s[cut:end], unicode.IsSpace))
	}
	if start < end {
		p.out = append(p.out, Span{start, end})
	}
}

// breakBefore returns the best place to break s[start:limit]: after the last
// clause in its second half, else between words, else between runes.
func breakBefore(s string, start, limit int) int {
	space := 0
	for i := limit; i > start+maxSentence/2; {
		r, n := utf8.DecodeLastRuneInString(s[start:i])
		switch {
		case strings.ContainsRune("，、；：。", r):
			return i
		case i < limit && (r == ',' || r == ';' || r == ':') && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t'):
			return i
		case space == 0 && unicode.IsSpace(r):
			space = i
		}
		i -= n
	}
	if space > 0 {
		return space
	}
	for i := limit; i > limit-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	return limit
}
