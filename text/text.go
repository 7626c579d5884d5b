package text

// Span is the half-open range of bytes [Start, End).
type Span struct{ Start, End int }

// Of returns the part of s that the span covers.
func (p Span) Of(s string) string { return s[p.Start:p.End] }

// Len returns the number of bytes that the span covers.
func (p Span) Len() int { return p.End - p.Start }

// Token is a word of a text with the term under which it is indexed.
type Token struct {
	Span
	// Term is the folded stem of a word, or a bigram of a Chinese, Japanese or
	// Korean run.
	Term string
}
