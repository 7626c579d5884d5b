package evaluator

import (
	"slices"
	"strings"

	"github.com/assay-rag/assay/text"
)

// leastSaid is how many words a claim must have to be found by its words alone:
// two words stand together by chance.
const leastSaid = 3

// saidBy returns the strip of a sentence that has the claim's words one after
// the other, -1 where there is none. What stands around them may not turn them
// around, and their figures and codes must be the same.
func saidBy(claim string, clues []clue) int {
	words := foldedWords(claim)
	if len(words) < leastSaid {
		return -1
	}
	for i := range clues {
		if c := &clues[i]; c.score >= likeBest*clues[0].score && !c.sentence.asks && saidIn(claim, words, c) {
			return c.strip
		}
	}
	return -1
}

func saidIn(claim string, words []string, c *clue) bool {
	body := c.sentence.Of(c.a.text)
	spans := text.Words(body)
	folded := foldedWords(body)
	for at := 0; at+len(words) <= len(folded); at++ {
		if !slices.Equal(folded[at:at+len(words)], words) {
			continue
		}
		run := text.Span{Start: spans[at].Start, End: spans[at+len(words)-1].End}
		if untouched(body, run) && sameExactly(claim, c, run) {
			return true
		}
	}
	return false
}

func foldedWords(s string) []string {
	var out []string
	for _, w := range text.Words(s) {
		out = append(out, text.Fold(w.Of(s)))
	}
	return out
}

// What makes the words that follow depend on something, or those before.
var (
	conditions   = set("if unless only except until when whether false untrue wrong non un may might could should instead")
	restrictions = set("if unless only except until")
	joints       = set("and or but when because which that so while since as")
)

// untouched tells whether nothing in the clause around a run of words denies
// them or makes them depend on something.
func untouched(body string, run text.Span) bool {
	start := 0
	for _, end := range clauseEnds(body) {
		if start < run.End && run.Start < end {
			before := text.Span{Start: start, End: max(start, run.Start)}
			after := text.Span{Start: min(end, run.End), End: end}
			if touched(before.Of(body), conditions, nil) || touched(after.Of(body), restrictions, joints) {
				return false
			}
		}
		start = end
	}
	return true
}

// touched tells whether s, as far as the first of the stops, has a negation or
// one of the words.
func touched(s string, words, stops map[string]bool) bool {
	for _, w := range text.Words(s) {
		word := strings.ToLower(w.Of(s))
		if stops[word] {
			return false
		}
		if words[word] || negated(word) {
			return true
		}
	}
	return false
}

// sameExactly tells whether the figures and codes of the claim are those of the
// run in the clue: no more digits, no other unit, no other sign.
func sameExactly(claim string, c *clue, run text.Span) bool {
	here := c.values()
	for _, v := range values(claim) {
		if !holdsValue(here, v) {
			return false
		}
	}
	near := c.sentence.Of(c.a.text)[run.Start:]
	body := c.sentence.Of(c.a.text)[max(0, run.Start-2) : run.End+min(3, len(near)-(run.End-run.Start))]
	for _, k := range codes(claim) {
		for _, p := range piecesOf(k.Of(claim)) {
			if place(body, p) < 0 {
				return false
			}
		}
	}
	return true
}
