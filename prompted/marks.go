package prompted

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay/text"
)

// marks takes the marks of citations out of a text as it comes: "[1]", "[1, 2]",
// "[1-3]", "([1])", "【1】" and their kin. What may be the beginning of one is held
// until that is clear. Brackets in code are text.
type marks struct {
	text  func(r rune)      // wants the text without marks
	cited func(cites []int) // wants the numbers of a mark, counted from 0

	code  codeLines
	held  []rune // from a bracket on
	gap   []rune // white space, and after a mark the comma before another one
	after bool   // a mark was the last but for the gap
	link  bool   // a mark ended right before
}

// longestMark is how long a mark can be, in runes.
const longestMark = 48

// write takes in the next rune of the text.
func (m *marks) write(r rune) {
	if len(m.held) == 0 {
		m.plain(r)
		return
	}
	m.held = append(m.held, r)
	switch done := m.complete(); {
	case done:
		if cites, ok := citesOf(string(m.held)); ok {
			m.held, m.after, m.link = m.held[:0], true, true
			m.gap = spacesOf(m.gap)
			m.cited(cites)
			return
		}
		if m.link && addressOf(string(m.held)) {
			m.held, m.link = m.held[:0], false
			return
		}
		m.release()
	case r == '\n', len(m.held) >= longestMark, m.hopeless(r):
		m.release()
	}
}

// hopeless tells whether what is held can be no mark any more, now that r has come.
func (m *marks) hopeless(r rune) bool {
	if m.held[0] == '(' {
		return len(m.held) == 2 && !m.link && !opensMark(r)
	}
	return opensMark(r)
}

// end passes on all that was held for a mark that never came.
func (m *marks) end() {
	for len(m.held) > 0 {
		m.release()
	}
}

// complete tells whether what is held ends as it began.
func (m *marks) complete() bool {
	switch last := m.held[len(m.held)-1]; m.held[0] {
	case '(':
		return last == ')'
	case '【':
		return last == '】'
	default:
		return last == ']' || last == '］'
	}
}

// release takes what is held for text: its first rune for good, and what comes
// after as if it came now.
func (m *marks) release() {
	held := m.held
	m.held, m.link = nil, false
	m.pass(held[0])
	for _, r := range held[1:] {
		m.write(r)
	}
}

// plain takes in a rune where no mark has begun.
func (m *marks) plain(r rune) {
	switch {
	case m.code.verbatim():
		m.pass(r)
	case opensMark(r), r == '(':
		m.held, m.link = append(m.held, r), m.link && r == '('
	case r == ' ', r == '\t', m.after && (r == ',' || r == ';'):
		m.gap, m.link = append(m.gap, r), false
	default:
		m.pass(r)
	}
}

// pass passes on a rune, with the space before it as it has to be where a mark was
// taken out between.
func (m *marks) pass(r rune) {
	gap := string(m.gap)
	if m.after {
		separator := strings.TrimSpace(gap)
		space := strings.HasSuffix(gap, " ") || separator == "" && gap != ""
		if gap = separator; space && m.code.begun && !strings.ContainsRune(".,;:!?)]}\n", r) {
			gap += " "
		}
	}
	for _, g := range gap {
		m.code.next(g)
		m.text(g)
	}
	m.gap, m.after, m.link = m.gap[:0], false, false
	m.code.next(r)
	m.text(r)
}

// spacesOf leaves out the commas.
func spacesOf(gap []rune) []rune {
	spaces := gap[:0]
	for _, r := range gap {
		if r == ' ' || r == '\t' {
			spaces = append(spaces, r)
		}
	}
	return spaces
}

// opensMark tells whether a mark may begin with the rune.
func opensMark(r rune) bool { return r == '[' || r == '【' || r == '［' }

// addressOf tells whether a text in parentheses is where a mark leads to, as in
// "[1](#1)".
func addressOf(s string) bool {
	return s[0] == '(' && strings.ContainsAny(s, "/#") && !strings.ContainsAny(s, " \t")
}

// markWords may stand before the number of a mark.
var markWords = map[string]bool{
	"": true, "^": true, "#": true, "source": true, "sources": true, "evidence": true, "citation": true, "ref": true, "reference": true,
	"document": true, "doc": true, "passage": true, "quelle": true, "quellen": true, "beleg": true, "belege": true,
}

// citesOf reads a mark, or several in parentheses, as positions in the evidence. A
// mark that names none, "[n]", cites what doesn't exist.
func citesOf(s string) ([]int, bool) {
	if inner, ok := strings.CutPrefix(s, "("); ok {
		var all []int
		for part := range strings.FieldsFuncSeq(strings.TrimSuffix(inner, ")"), func(r rune) bool { return r == ']' || r == '】' || r == '］' }) {
			part = strings.Trim(part, ",; ")
			if first, _ := utf8.DecodeRuneInString(part); !opensMark(first) {
				return nil, false
			}
			cites, ok := citesOf(part)
			if !ok {
				return nil, false
			}
			all = append(all, cites...)
		}
		return all, len(all) > 0
	}
	inner := strings.ToLower(strings.Trim(s, "[]【】［］ "))
	inner, _, _ = strings.Cut(inner, "†") // 【4:0†source】
	inner, _, _ = strings.Cut(inner, ":0")
	if inner == "n" {
		return []int{-1}, true
	}
	number := strings.IndexFunc(inner, unicode.IsDigit)
	if number < 0 || !markWords[strings.TrimRight(inner[:number], " :.")] {
		return nil, false
	}
	return listed(inner[number:])
}

// inLists puts the signs and words of a list of numbers as "-" and ",".
var inLists = strings.NewReplacer("–", "-", "—", "-", " - ", "-", " to ", "-", " and ", ",", " und ", ",", "&", ",", ";", ",")

// listed reads "1", "1, 2", "1 and 2", "1-3" and mixtures of them.
func listed(list string) ([]int, bool) {
	var cites []int
	for part := range strings.SplitSeq(inLists.Replace(list), ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		first, ok := markNumber(from)
		last := first
		if isRange && ok {
			last, ok = markNumber(to)
		}
		if !ok || last < first {
			return nil, false
		}
		for n := first; n <= min(last, first+longestRange); n++ {
			cites = append(cites, n-1)
		}
	}
	return cites, true
}

// longestRange bounds how much one range cites.
const longestRange = 30

// markNumber reads a number of one to three digits: one of four is rather a year.
func markNumber(s string) (int, bool) {
	s = strings.TrimLeft(strings.TrimSpace(s), "#^")
	if n := utf8.RuneCountInString(s); n == 0 || n > 3 {
		return 0, false
	}
	number, err := strconv.Atoi(strings.Map(func(r rune) rune {
		if '０' <= r && r <= '９' {
			return r - '０' + '0'
		}
		return r
	}, s))
	return number, err == nil
}

// codeLines follows a text, and knows whether its end is within code.
type codeLines struct {
	line   []rune // so far
	begun  bool   // there is more than space in it
	fence  string // that is open
	inline bool   // between backticks
}

// next takes in the next rune.
func (c *codeLines) next(r rune) {
	if r == '\n' {
		c.fence, c.line, c.begun, c.inline = c.fenceAfter(), c.line[:0], false, false
		return
	}
	c.line = append(c.line, r)
	c.begun = c.begun || !unicode.IsSpace(r)
	if r == '`' && c.fence == "" && c.lineFence() == "" {
		c.inline = !c.inline
	}
}

// verbatim tells whether what comes next is code, also after the opening of a fence.
func (c *codeLines) verbatim() bool {
	if c.fence != "" {
		return c.lineFence() != c.fence // what stands after a closing fence isn't
	}
	return c.inline || c.lineFence() != ""
}

// within tells whether a fence is open.
func (c *codeLines) within() bool { return c.fence != "" }

// lineFence is the fence that the line begins with, or "".
func (c *codeLines) lineFence() string {
	return text.Fence(strings.TrimLeft(string(c.line[:min(len(c.line), 16)]), " \t"))
}

// fenceAfter is the fence that is open after the line.
func (c *codeLines) fenceAfter() string {
	fence := c.lineFence()
	switch {
	case c.fence != "" && fence == c.fence:
		return ""
	case c.fence != "" || fence == "":
		return c.fence
	case strings.Count(string(c.line), fence) > 1: // opened and closed
		return ""
	}
	return fence
}
