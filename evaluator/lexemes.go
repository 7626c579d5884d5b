package evaluator

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay/text"
)

// lexeme is what values are read from: a run of letters, a number as it is
// written, or one sign.
type lexeme struct {
	text.Span
	kind lexemeKind
	// low is the text in lower case.
	low string
	// glued tells that no white space stands before it.
	glued bool
}

type lexemeKind int

const (
	wordLexeme   lexemeKind = iota
	numberLexeme            // digits, with the dots and commas between digits
	signLexeme
)

// lexemes cuts s. A number never ends in a dot or comma, so that the end of a
// sentence stays out of it.
func lexemes(s string) []lexeme {
	out := make([]lexeme, 0, len(s)/5+1) // about what a text has
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		start := at
		kind := signLexeme
		switch {
		case unicode.IsSpace(r):
			at += size
			continue
		case isDigit(r):
			kind = numberLexeme
			at = endOfNumber(s, at)
		case unicode.IsLetter(r):
			kind = wordLexeme
			at += wordLength(s[at:])
		default:
			at += size
		}
		out = append(out, lexeme{
			Span:  text.Span{Start: start, End: at},
			kind:  kind,
			low:   strings.ToLower(s[start:at]),
			glued: len(out) > 0 && out[len(out)-1].End == start,
		})
	}
	return out
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// wordLength is how many bytes of s, which begins with a letter, are one word.
// Chinese, Japanese and Korean letters stand alone: no space separates them
// from a unit.
func wordLength(s string) int {
	for i, r := range s {
		if i > 0 && !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return i
		}
		if r >= '\u1100' && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			if i > 0 {
				return i
			}
			return utf8.RuneLen(r)
		}
	}
	return len(s)
}

// endOfNumber is where the number that begins at byte at ends: over digits, and
// over a dot, comma or no-break space between digits.
func endOfNumber(s string, at int) int {
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if isDigit(r) {
			at += size
			continue
		}
		next := at + size
		if next >= len(s) || !isDigit(rune(s[next])) {
			return at
		}
		switch r {
		case '.', ',':
			at = next
		case '\u00a0', '\u202f', '\u2009': // a group of three must follow
			if digitsAt(s, next) != 3 {
				return at
			}
			at = next
		default:
			return at
		}
	}
	return at
}

func digitsAt(s string, at int) int {
	n := 0
	for at+n < len(s) && isDigit(rune(s[at+n])) {
		n++
	}
	return n
}
