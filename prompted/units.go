package prompted

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay/text"
)

// unit is a sentence, list item, table or block of code of a draft.
type unit struct {
	text  string
	cites []int
	line  bool // it begins a line
	whole bool // it ends as such a thing ends
}

// units cuts a text into units as it comes. A unit is passed on once the next has
// begun, with a whole word: what is decided depends on the text alone, and not on
// the pieces in which it came.
type units struct {
	out func(unit)

	block []byte // the text since the last blank line
	done  int    // bytes of it that are in units
	marks []markAt
	code  codeLines
	ahead []int // what the marks cite that the line under way begins with
	ripe  bool  // a stop has come since the units were last looked at
	word  bool  // and a part of a word after it
	blank bool  // the block has ended
	cut   bool  // the text ends in the middle
	loose *unit // its last unit, which isn't whole
}

// markAt is a mark in the block.
type markAt struct {
	at    int
	cites []int
	ahead bool // it stands before what it is for, at the beginning of a line
}

// cite takes in a mark.
func (u *units) cite(cites []int) {
	if !u.code.begun {
		u.ahead = append(u.ahead, cites...)
		return
	}
	u.marks = append(u.marks, markAt{at: len(u.block), cites: cites})
}

// write takes in the next rune.
func (u *units) write(r rune) {
	if r == '\n' {
		u.newline()
		return
	}
	if !unicode.IsSpace(r) && !u.code.begun {
		u.beginLine()
	}
	u.code.next(r)
	u.block = append(u.block, string(r)...)
	u.word = u.word || isWordRune(r)
	wordEnds := unicode.IsSpace(r) || r >= '⺀' // which scripts without spaces begin at
	switch {
	case strings.ContainsRune(stops, r):
		u.ripe, u.word = true, false
	case wordEnds && u.ripe && u.word && !u.code.within():
		u.ripe = !u.settle(false) && r >= '⺀'
	}
}

// stops are what sentences end with.
const stops = ".!?…。！？｡؟।"

// beginLine is told before the first rune of a line that isn't space. A line that
// begins with a mark doesn't go on with what the last one said.
func (u *units) beginLine() {
	if u.blank || len(u.ahead) > 0 {
		u.closeBlock()
	}
	if len(u.ahead) > 0 {
		u.marks = append(u.marks, markAt{at: len(u.block), cites: u.ahead, ahead: true})
		u.ahead = nil
	}
}

func (u *units) newline() {
	if len(u.ahead) > 0 { // marks on a line of their own belong to what stands before
		u.marks = append(u.marks, markAt{at: len(u.block), cites: u.ahead})
		u.ahead = nil
	}
	if !u.code.within() {
		u.blank = u.blank || !u.code.begun
		if line := strings.TrimLeftFunc(string(u.code.line), unicode.IsSpace); trailer(line) {
			u.setApart(line)
		}
	}
	u.code.next('\n')
	u.block = append(u.block, '\n')
	u.ripe, u.word = true, false
}

// setApart makes a unit of the line under way.
func (u *units) setApart(line string) {
	var marks []markAt
	at := len(u.block) - len(line)
	for i, m := range u.marks {
		if m.at > at {
			marks, u.marks = u.marks[i:], u.marks[:i]
			break
		}
	}
	u.block = u.block[:at]
	u.closeBlock()
	u.block, u.blank = append(u.block, line...), true
	for _, m := range marks {
		u.marks = append(u.marks, markAt{at: m.at - at, cites: m.cites})
	}
}

// end passes on all that is left. Of a text that was cut it keeps back the last unit,
// in u.loose, where that isn't whole.
func (u *units) end(cut bool) {
	u.newline()
	u.cut = cut
	u.closeBlock()
}

// drop forgets what isn't passed on yet.
func (u *units) drop() { *u = units{out: u.out} }

func (u *units) closeBlock() {
	u.settle(true)
	u.block, u.marks, u.done, u.blank, u.ripe = u.block[:0], nil, 0, false, false
}

// settle passes on the units that have ended, all of them or all but the last, and
// tells whether there were any.
func (u *units) settle(all bool) (some bool) {
	block := string(u.block)
	spans := unitsOf(block)
	for i, span := range spans {
		next := len(block) + 1
		if i+1 < len(spans) {
			next = spans[i+1].Start
		} else if !all {
			break
		}
		if span.End <= u.done {
			continue
		}
		span.Start = max(span.Start, u.done)
		u.done = span.End
		u.pass(block, span, next)
		some = true
	}
	return some
}

// pass passes on one unit with the marks that stand before the next one.
func (u *units) pass(block string, span text.Span, next int) {
	out := unit{text: strings.TrimSpace(span.Of(block))}
	before := block[:span.Start]
	out.line = strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:]) == ""
	switch {
	case strings.HasPrefix(out.text, "|"):
		out.text = rowStart().ReplaceAllString(out.text, "\n|")
	case text.Fence(out.text) == "":
		out.text = strings.Join(strings.Fields(out.text), " ")
	}
	marked := false
	for len(u.marks) > 0 && (u.marks[0].at < next || u.marks[0].at == next && !u.marks[0].ahead) {
		for _, c := range u.marks[0].cites {
			if !slices.Contains(out.cites, c) {
				out.cites = append(out.cites, c)
			}
		}
		marked = marked || u.marks[0].at >= span.End
		u.marks = u.marks[1:]
	}
	out.whole = marked || endsWhole(out.text)
	switch {
	case out.text == "":
	case u.cut && !out.whole && next > len(block):
		u.loose = &out
	default:
		u.out(out)
	}
}

// unitsOf cuts a text without blank lines outside of code into units.
func unitsOf(block string) []text.Span {
	var out []text.Span
	fence := "" // that is open
	for _, s := range text.Sentences(block) {
		words := s.Of(block)
		last := len(out) - 1
		switch begins := text.Fence(words); {
		case fence != "":
			out[last].End = s.End
			if begins == fence {
				fence = ""
			}
		case begins != "" && strings.Count(words, begins) == 1:
			out = append(out, s)
			fence = begins
		case words[0] == '|' && last >= 0 && block[out[last].Start] == '|':
			out[last].End = s.End
		default:
			out = append(out, s)
		}
	}
	return out
}

// rowStart is where a row of a table begins after another, indented or not.
var rowStart = lazily(`\n[ \t]+\|`)

// endsWhole tells whether a text ends as a sentence, a table or a block of code ends.
func endsWhole(s string) bool {
	if fence := text.Fence(s); fence != "" {
		return strings.Count(s, fence) > 1
	}
	if strings.HasPrefix(s, "|") {
		return strings.HasSuffix(s, "|")
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "\"'”’»）」』)]*_` "))
	return strings.ContainsRune(stops, last)
}
