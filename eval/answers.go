package eval

import (
	"slices"
	"strings"
	"unicode"
)

// Answers are compared with right ones as in SQuAD: lower-case, without punctuation
// and without articles (Rajpurkar et al. 2016, §6.1).

// ExactMatch is 1 where the answer is one of the right ones, else 0.
func ExactMatch(answer string, right []string) float64 {
	words := answerWords(answer)
	return indicator(slices.ContainsFunc(right, func(r string) bool { return slices.Equal(words, answerWords(r)) }))
}

// TokenF1 is the harmonic mean of the share of the answer's words that are in a
// right one, and of its words that are in the answer, each word as often as it
// occurs; of several right answers, with the nearest. In [0, 1].
func TokenF1(answer string, right []string) float64 {
	best := 0.0
	words := answerWords(answer)
	for _, r := range right {
		of := answerWords(r)
		if shared := float64(sharedWords(words, of)); shared > 0 {
			best = max(best, 2*shared/float64(len(words)+len(of)))
		}
	}
	return best
}

// longAnswer is from how many words on nobody says a right answer word for word.
const longAnswer = 10

// HoldsAnswer tells whether the answer says a right one: has it in it, whole words
// side by side. Of a right answer of ten words or more it must have half of the
// words, in any order.
func HoldsAnswer(answer string, right []string) bool {
	words := answerWords(answer)
	inOrder := " " + strings.Join(words, " ") + " "
	return slices.ContainsFunc(right, func(r string) bool {
		of := answerWords(r)
		switch {
		case len(of) == 0:
			return false
		case len(of) >= longAnswer:
			return 2*sharedWords(words, of) >= len(of)
		}
		return strings.Contains(inOrder, " "+strings.Join(of, " ")+" ")
	})
}

// answerWords are the words that count. ASCII punctuation goes without a trace, so
// that "U.S." is "us"; any other parts words, since what it stands between is not one
// ("1990–1995").
func answerWords(s string) []string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r < unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)):
			return -1
		case unicode.IsPunct(r):
			return ' '
		}
		return unicode.ToLower(r)
	}, s)
	return slices.DeleteFunc(strings.Fields(s), func(w string) bool { return w == "a" || w == "an" || w == "the" })
}

// sharedWords counts the words that both have, each as often as both have it.
func sharedWords(a, b []string) int {
	left := map[string]int{}
	for _, w := range a {
		left[w]++
	}
	shared := 0
	for _, w := range b {
		if left[w] > 0 {
			left[w]--
			shared++
		}
	}
	return shared
}
