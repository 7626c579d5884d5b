package prompted

import (
	"slices"
	"unicode/utf8"

	"github.com/assay-rag/assay"
)

// drafting reads a draft as it comes: thoughts, a wrapping and marks are taken out, what
// is left is cut into units, and the sieve makes segments of them. In whatever pieces a text
// comes, what is made of it is the same.
type drafting struct {
	thoughts thoughts
	wrapping wrapping
	marks    marks
	units    units
	sieve    *sieve
	telling  *telling // nil where nobody wants the text
	partial  []byte   // of a rune
	worded   bool     // there is a letter or a digit besides thoughts and marks
	heard    int      // bytes
	answered int      // bytes of those that are no thoughts
}

// newDrafting makes a drafting that tells whoever asks for the draft. order holds the
// position in the evidence of each number that the model knows, from 1; what the
// model cites beyond it doesn't exist.
func newDrafting(r assay.DraftRequest, order []int) *drafting {
	d := &drafting{sieve: newSieve(slices.Concat(r.Said, draftEchoes(r)), r.OnSegment)}
	if r.OnText != nil {
		d.telling = newTelling(r.OnText)
	}
	d.units.out = d.sieve.write
	d.marks.cited = func(cites []int) {
		for i, c := range cites {
			if 0 <= c && c < len(order) {
				cites[i] = order[c]
			}
		}
		d.units.cite(cites)
	}
	d.marks.text = func(c rune) {
		d.worded = d.worded || isWordRune(c)
		d.units.write(c)
		if d.telling != nil {
			d.telling.write(c)
		}
	}
	d.wrapping.said = func(text string) {
		for _, c := range text {
			d.marks.write(c)
		}
	}
	d.thoughts.said = func(text string) {
		d.answered += len(text)
		d.wrapping.write(text)
	}
	d.thoughts.forget = func() {
		d.wrapping.forget()
		d.marks.end()
		d.marks.code, d.worded = codeLines{}, false
		d.units.drop()
		d.sieve.forget()
		if d.telling != nil {
			d.telling.forget()
		}
	}
	return d
}

// write takes in a piece of the reply.
func (d *drafting) write(piece string) {
	d.heard += len(piece)
	d.partial = append(d.partial, piece...)
	whole := len(d.partial)
	for back := 1; back < utf8.UTFMax && back <= len(d.partial); back++ {
		if at := len(d.partial) - back; utf8.RuneStart(d.partial[at]) {
			if !utf8.FullRune(d.partial[at:]) {
				whole = at
			}
			break
		}
	}
	d.thoughts.write(string(d.partial[:whole]))
	d.partial = append(d.partial[:0], d.partial[whole:]...)
	if d.telling != nil {
		d.telling.flush()
	}
}

// end takes in that the reply has ended. cut tells that it ended in the middle: then
// a unit at its end that isn't whole is left out.
func (d *drafting) end(cut bool) {
	d.thoughts.write(string(d.partial))
	d.thoughts.end()
	d.wrapping.end()
	d.marks.end()
	d.units.end(cut)
	if d.telling != nil {
		d.telling.end()
	}
}
