package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxQuote is the longest quote in words that Align takes.
const maxQuote = 2000

// Align finds the span of text that says what quote says, allowing for
// differences in case, white space, punctuation, spelling and single words. The
// similarity is in [0, 1]: 1 means the same to the letter but for white space,
// 0.99 the same words, 0 nothing in common (the span is then empty, as for a
// quote without words or of more than 2,000).
//
// Windows of the text that hold the most of the quote's words, rare ones first,
// are aligned word by word (Smith and Waterman 1981, the quote in full, the text
// locally). The similarity is Dice's coefficient of the words aligned and those
// left out on either side, in which numbers and negations count double and
// function words half. It takes time linear in the text, and quadratic in the
// quote, which is short.
func Align(quote, text string) (Span, float64) {
	quote = strings.TrimSpace(quote)
	if quote == "" {
		return Span{}, 0
	}
	if i := strings.Index(text, quote); i >= 0 {
		return Span{i, i + len(quote)}, 1
	}
	a := aligner{text: text, ids: make(map[string]int)}
	if !a.readQuote(quote) {
		return Span{}, 0
	}
	a.readText()
	var best alignment
	for _, w := range a.windows() {
		if got := a.window(w); got.similarity > best.similarity {
			best = got
		}
	}
	if best.similarity == 0 {
		return Span{}, 0
	}
	span := dress(quote, text, Span{a.at[best.from].Start, a.at[best.to-1].End})
	if sameButSpace(quote, span.Of(text)) {
		return span, 1
	}
	return span, min(best.similarity, 0.99)
}

// aligner holds the words of a quote and a text.
type aligner struct {
	text  string
	ids   map[string]int // the quote's words, folded
	words []string       // by id
	count []int          // by id: how often it stands in the quote
	seen  []int          // by id: how often in the text
	quote []int          // the ids of the quote's words in order
	at    []Span         // the text's words
	id    []int          // their ids, -1 where the quote hasn't got them
}

// readQuote numbers the words of the quote. It returns false where there are
// none, or too many.
func (a *aligner) readQuote(quote string) bool {
	at := Words(quote)
	for _, p := range at {
		w := Fold(p.Of(quote))
		id, known := a.ids[w]
		if !known {
			id = len(a.words)
			a.ids[w] = id
			a.words, a.count = append(a.words, w), append(a.count, 0)
		}
		a.count[id]++
		a.quote = append(a.quote, id)
	}
	a.seen = make([]int, len(a.words))
	return len(at) > 0 && len(at) <= maxQuote
}

// readText finds the quote's words in the text.
func (a *aligner) readText() {
	a.at = Words(a.text)
	a.id = make([]int, len(a.at))
	var buf []byte
	for i, p := range a.at {
		buf = appendFolded(buf[:0], p.Of(a.text))
		id, known := a.ids[string(buf)]
		if !known {
			id = -1
		} else {
			a.seen[id]++
		}
		a.id[i] = id
	}
}

// windows returns up to three ranges of words of the text, without overlap, that
// hold most of the quote's words, the rarer counting more.
func (a *aligner) windows() []Span {
	width := len(a.quote) + len(a.quote)/2 + 8
	if len(a.at) <= 2*width {
		return []Span{{0, len(a.at)}}
	}
	sum := a.slide(width)
	var out []Span
	for len(out) < 3 {
		best := -1
		for end := range sum {
			if sum[end] > 0 && (best < 0 || sum[end] > sum[best]) && !near(out, end+1, width) {
				best = end
			}
		}
		if best < 0 {
			break
		}
		// The sum peaks when the last word enters; leave room on both sides.
		out = append(out, Span{max(0, best+1-width), min(len(a.at), best+1+width/4)})
	}
	return out
}

// near tells whether a window of the width that ends at end overlaps one of those.
func near(windows []Span, end, width int) bool {
	for _, w := range windows {
		if end > w.Start && end-width < w.End {
			return true
		}
	}
	return false
}

// slide returns for each word of the text how much of the quote's words the
// width up to it holds.
func (a *aligner) slide(width int) []float64 {
	sum := make([]float64, len(a.at))
	inside := make([]int, len(a.words))
	now := 0.0
	for i, id := range a.id {
		if id >= 0 {
			if inside[id]++; inside[id] <= a.count[id] {
				now += weight(a.words[id]) / float64(a.seen[id])
			}
		}
		if i >= width {
			if id := a.id[i-width]; id >= 0 {
				if inside[id]--; inside[id] < a.count[id] {
					now -= weight(a.words[id]) / float64(a.seen[id])
				}
			}
		}
		sum[i] = now
	}
	return sum
}

// weight says how much a folded word says.
func weight(w string) float64 {
	switch w {
	case "not", "no", "never", "without", "cannot", "nicht", "kein", "keine", "ohne", "pas", "jamais", "sans", "nunca", "sin", "non", "mai", "niet", "не", "нет":
		return 2
	}
	switch {
	case strings.HasSuffix(w, "n't"), strings.ContainsAny(w, "0123456789"):
		return 2
	case IsStop(w, "en"):
		return 0.5
	}
	return 1
}

// dress widens the span by the punctuation around it that the quote has too.
func dress(quote, text string, p Span) Span {
	words := Words(quote)
	for lead := quote[:words[0].Start]; lead != ""; {
		r, n := utf8.DecodeLastRuneInString(lead)
		if !strings.HasSuffix(text[:p.Start], lead[len(lead)-n:]) || unicode.IsSpace(r) {
			break
		}
		p.Start -= n
		lead = lead[:len(lead)-n]
	}
	for trail := quote[words[len(words)-1].End:]; trail != ""; {
		r, n := utf8.DecodeRuneInString(trail)
		if !strings.HasPrefix(text[p.End:], trail[:n]) || unicode.IsSpace(r) {
			break
		}
		p.End += n
		trail = trail[n:]
	}
	return p
}

// sameButSpace tells whether a and b differ in white space alone. White space
// against none is a difference.
func sameButSpace(a, b string) bool {
	for a != "" && b != "" {
		n, m := spaces(a), spaces(b)
		if (n == 0) != (m == 0) {
			return false
		}
		a, b = a[n:], b[m:]
		if a == "" || b == "" {
			break
		}
		if a[0] != b[0] {
			return false
		}
		a, b = a[1:], b[1:]
	}
	return strings.TrimSpace(a) == "" && strings.TrimSpace(b) == ""
}
