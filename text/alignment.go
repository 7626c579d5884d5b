package text

import "strings"

// alignment is a range of the text's words and how like the quote it is.
type alignment struct {
	from, to   int
	similarity float64
}

// The moves through the table of an alignment.
const (
	moveStart byte = iota
	moveMatch      // a word of the quote on a word of the text
	moveQuote      // a word of the quote that the text hasn't got
	moveText       // a word of the text that the quote hasn't got
)

// A word that stands alone costs a quarter of its weight; similar spelling is
// worth most of a match.
const (
	gapCost   = 0.25
	alikeness = 0.7
)

// window aligns the quote with the words of the text in w.
func (a *aligner) window(w Span) alignment {
	rows, columns := len(a.quote), w.Len()
	folded, weights := make([]string, columns), make([]float64, columns)
	for j := range folded {
		if id := a.id[w.Start+j]; id >= 0 {
			folded[j] = a.words[id]
		} else {
			folded[j] = Fold(a.at[w.Start+j].Of(a.text))
		}
		weights[j] = weight(folded[j])
	}
	moves := make([]byte, (rows+1)*(columns+1))
	above, row := make([]float64, columns+1), make([]float64, columns+1)
	for i := 1; i <= rows; i++ {
		id := a.quote[i-1]
		own := weight(a.words[id])
		row[0] = above[0] - gapCost*own
		at := moves[i*(columns+1):]
		at[0] = moveQuote
		for j := 1; j <= columns; j++ {
			score, move := above[j]-gapCost*own, moveQuote
			if s := row[j-1] - gapCost*weights[j-1]; s > score {
				score, move = s, moveText
			}
			if like := a.like(id, a.id[w.Start+j-1], folded[j-1]); like > 0 {
				if s := above[j-1] + like*own; s >= score {
					score, move = s, moveMatch
				}
			}
			row[j], at[j] = score, move
		}
		above, row = row, above
	}
	end := 0
	for j := range above {
		if above[j] > above[end] {
			end = j
		}
	}
	return a.trace(w, moves, end, weights, folded)
}

// trace follows the moves back from the end and measures what they aligned.
func (a *aligner) trace(w Span, moves []byte, end int, weights []float64, folded []string) alignment {
	columns := w.Len()
	got := alignment{from: -1}
	matched, left, inside := 0.0, 0.0, 0.0 // weights: on both sides, of the quote alone, of the text alone
	pending := 0.0                         // of the text, since the last match
	for i, j := len(a.quote), end; i > 0; {
		switch moves[i*(columns+1)+j] {
		case moveMatch:
			i, j = i-1, j-1
			like := a.like(a.quote[i], a.id[w.Start+j], folded[j])
			own := weight(a.words[a.quote[i]])
			matched += like * own
			left += (1 - like) * own
			if got.from < 0 {
				got.to = w.Start + j + 1
			} else {
				inside += pending
			}
			inside += (1 - like) * weights[j]
			pending, got.from = 0, w.Start+j
		case moveQuote:
			i--
			left += weight(a.words[a.quote[i]])
		default:
			j--
			pending += weights[j]
		}
	}
	if got.from >= 0 {
		got.similarity = 2 * matched / (2*matched + left + inside)
	}
	return got
}

// like says how like the quote's word is to a word of the text: 1 the same, 0
// another.
func (a *aligner) like(id, other int, folded string) float64 {
	if id == other {
		return 1
	}
	if alike(a.words[id], folded) {
		return alikeness
	}
	return 0
}

// alike tells whether two different folded words may be the same one, inflected
// or misspelt. Short words, very long ones
// and those with digits are not.
func alike(v, w string) bool {
	if len(v) < 5 || len(w) < 5 || len(v) > 64 || len(w) > 64 || v[0] != w[0] || strings.ContainsAny(v, "0123456789") || strings.ContainsAny(w, "0123456789") {
		return false
	}
	prefix := 0
	for prefix < len(v) && prefix < len(w) && v[prefix] == w[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < min(len(v), len(w))-prefix && v[len(v)-1-suffix] == w[len(w)-1-suffix] {
		suffix++
	}
	// What is between prefix and suffix differs: an ending of up to three bytes,
	// or one or two letters within.
	differ := max(len(v), len(w)) - prefix - suffix
	return differ <= 1 || prefix >= 4 && differ <= min(3, max(len(v), len(w))/3)
}
