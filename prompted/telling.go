package prompted

import (
	"strings"
	"unicode"
)

// telling passes on the text of a draft as it comes. How a line begins is held until
// it is clear that it isn't what the sieve leaves out: NO_ANSWER, "Answer:", the
// heading of a list of sources.
type telling struct {
	out func(piece string)

	ready strings.Builder
	line  []rune // how the line begins, held
	gap   int    // line breaks before it, held
	held  bool   // whether the line's beginning is
	began bool   // something has been told
	label bool   // "Answer:" has been left out
	over  bool   // the rest is no answer
}

func newTelling(out func(string)) *telling { return &telling{out: out, held: true} }

// write takes in the next rune.
func (t *telling) write(r rune) {
	switch {
	case t.over:
	case r == '\n':
		t.decide(true)
		t.gap++
		t.held, t.line = true, t.line[:0]
	case t.held:
		t.line = append(t.line, r)
		t.decide(false)
	default:
		t.ready.WriteRune(r)
	}
}

// flush tells what is ready.
func (t *telling) flush() {
	if t.ready.Len() > 0 {
		t.out(t.ready.String())
		t.ready.Reset()
	}
}

// end tells all that is left.
func (t *telling) end() {
	if !t.over {
		t.decide(true)
	}
	t.flush()
}

// forget drops what is held.
func (t *telling) forget() { t.line, t.held, t.over = t.line[:0], true, false }

// longestHeld is how much of a line is held, in runes: more than any of those it may
// become has.
const longestHeld = 48

// decide looks at how the line begins. whole tells that this is all of it.
func (t *telling) decide(whole bool) {
	if !t.held {
		return
	}
	line := string(t.line)
	begins := bare(line)
	switch {
	case len(t.line) > longestHeld:
		t.release()
	case begins == "" && (!whole || strings.TrimSpace(line) == ""): // not even a word
	case beginsNoAnswer(begins):
		t.over, t.held = !t.began, !t.began
		t.line = t.line[:0]
	case !t.began && isLabel(line):
		t.line, t.label = t.line[:0], true
	case whole && t.began && trailer(line):
		t.over = true
	case !whole && mayBeLeftOut(begins, t.began):
	default:
		t.release()
	}
}

// release tells the beginning of the line.
func (t *telling) release() {
	line := string(t.line)
	switch {
	case t.began:
		t.ready.WriteString(strings.Repeat("\n", t.gap))
	case t.label:
		line = strings.TrimLeft(line, "*_ \t")
	default:
		line = strings.TrimLeftFunc(line, unicode.IsSpace)
	}
	t.ready.WriteString(line)
	t.began, t.held, t.gap, t.line = true, false, 0, t.line[:0]
}
