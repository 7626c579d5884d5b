package evaluator

// hollowCap is the most that a text is graded which only looks like an answer, or
// is about other names than the question: just below the lower threshold, 0.35.
const hollowCap = 0.3

// A text is stuffed where the question's words make up a good part of it, each
// said again and again. The figures are judgements.
const (
	stuffedHits   = 8    // occurrences at least
	stuffedRepeat = 3    // of each word on average
	stuffedShare  = 0.45 // of all words
)

// hollow tells why a text that matches the question can't answer it, "" where it
// may: it only asks, it says nothing that the question doesn't, or it is
// stuffed with the question's words.
func (m *measurer) hollow(a *analysis) string {
	if len(m.q.terms) == 0 {
		return "can't be judged: the question has no word to look for"
	}
	if len(m.hits) == 0 {
		return ""
	}
	asks := true
	for _, s := range a.sentences {
		asks = asks && (s.asks || s.hi == s.lo)
	}
	if asks {
		return "asks, and does not answer"
	}
	matched := 0
	for _, c := range m.counts {
		if c > 0 {
			matched++
		}
	}
	said := distinctTokens(m.hits)
	if said == len(a.tokens) && m.q.kind != kindYesNo {
		return "only repeats words of the question"
	}
	if said >= stuffedHits && said >= stuffedRepeat*matched && float64(said) >= stuffedShare*float64(len(a.tokens)) {
		return "repeats the question's words over and over"
	}
	return ""
}

// A question about names is about something else where the text, its headings
// and its surroundings hold next to nothing of them. Both shares are judgements.
const (
	strangerNamed = 0.2 // of the weight of the names, at the most
	namesMatter   = 0.3 // share of the question that its names must make up
)

// leastCover is the share of a question below which nothing was found of it but
// chance: a long question has many words, and each counts for little. How
// much is a judgement.
const leastCover = 0.15

// stranger tells whether the text is about other names than the question, or
// about nothing in it, which other words for the same can hide where no network read it.
func (one *graded) stranger() bool {
	if one.reading == nil && one.x[fContext] < leastCover {
		return true
	}
	share := 0.0
	for _, t := range one.q.terms {
		if t.named {
			share += t.share
		}
	}
	return share >= namesMatter && one.x[fNamed] <= strangerNamed
}
