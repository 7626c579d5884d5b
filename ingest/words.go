package ingest

import (
	"unicode"
	"unicode/utf8"
)

// What makes text wordless. Prose has a word in five to ten bytes, a list of
// SHA-256 sums with the names of files one in 15 to 40, base64 hardly any.
const (
	maxWord      = 40      // letters and digits in a row; more are no word
	plainWord    = 12      // up to here, letters and digits may be mixed in any way
	bytesPerWord = 48      // with more to each word, text is wordless
	minDump      = 8       // bytes or groups of them; fewer are no dump
	minWordless  = 1 << 10 // bytes; a shorter stretch (a key, a sum) stays with the words around it
)

// wordless tells whether text holds hardly any words for its size: base64, a
// dump in hexadecimal, one letter repeated, only punctuation. Numbers are words,
// and so is each letter of a script that doesn't separate words by spaces.
func wordless(s string) bool {
	var c wordCount
	start := -1 // of the present token
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		in := tokenRune(r)
		switch {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			c.token(s[start:i], standsAlone(s, start, i))
			start = -1
		}
		if !in && unicode.IsLetter(r) {
			c.words++
			c.bytes += n
		}
		i += n
	}
	if start >= 0 {
		c.token(s[start:], standsAlone(s, start, len(s)))
	}
	return c.words*bytesPerWord < c.bytes || c.words == 0 || c.dump()
}

// standsAlone tells whether white space, or nothing, is around a token.
func standsAlone(s string, start, end int) bool {
	return (start == 0 || s[start-1] <= ' ') && (end == len(s) || s[end] <= ' ')
}

// tokenRune tells whether a rune can be in an unbroken run: letters and digits,
// and what the alphabets of base64 and paths hold besides.
func tokenRune(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return alnum(r) || r == '+' || r == '/' || r == '=' || r == '_' || r == '-'
	case unicode.Is(unicode.Nd, r) || unicode.Is(unicode.M, r):
		return true
	}
	return unicode.IsLetter(r) && !unicode.In(r, unspacedScripts...)
}

func alnum(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// unspacedScripts are those that don't put spaces between words.
var unspacedScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi, unicode.Thai, unicode.Lao, unicode.Khmer,
	unicode.Myanmar, unicode.Tibetan, unicode.Javanese, unicode.Balinese, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet,
}

// wordCount counts words and the letters and digits of text.
type wordCount struct {
	words, bytes int
	changes      int // between kinds of letters, see run
	hex          int // words between spaces that could be bytes in hexadecimal
	lettered     int // those of them that hold a letter
}

// dump tells whether half of the words are those of a dump of bytes. Tables of
// numbers hold no letters, and the bytes of addresses don't stand alone.
func (c wordCount) dump() bool {
	return c.hex*2 >= c.words && c.lettered*4 >= c.hex && c.hex >= minDump
}

// token counts the words of an unbroken run: none, where a quarter of it is no
// words or it changes as often as base64 does, whatever stands between the rest.
func (c *wordCount) token(s string, alone bool) {
	var w wordCount
	good, all := 0, len(s)
	for len(s) > 0 {
		n, ok := w.run(s)
		if n == 0 {
			s = s[1:] // one of + / = _ -
			continue
		}
		if ok {
			good += n
			w.words++
		}
		w.bytes += n
		s = s[n:]
	}
	c.bytes += w.bytes
	if good*4 < w.bytes*3 || w.bytes > maxWord && w.changes*4 > w.bytes {
		return
	}
	c.words += w.words
	if alone && w.bytes == all { // it is one run
		c.hex, c.lettered = c.hex+w.hex, c.lettered+w.lettered
	}
}

// The kinds of letters between which a run changes.
const (
	lower = iota // and letters without case
	upper
	figure
)

// run measures the letters and digits that s begins with, in bytes, and tells
// whether they are a word: not too long, and, where they are long, with few
// changes between digits and letters and from small letters to capitals.
func (c *wordCount) run(s string) (n int, word bool) {
	length, changes, last := 0, 0, upper
	hex, letters := true, false
	for _, r := range s {
		if r < utf8.RuneSelf && !alnum(r) {
			break
		}
		kind := lower
		switch {
		case unicode.IsUpper(r):
			kind = upper
		case unicode.IsDigit(r):
			kind = figure
		}
		if kind != last && (kind != lower || last == figure) {
			changes++
		}
		letter := 'a' <= r && r <= 'f' || 'A' <= r && r <= 'F'
		hex, letters = hex && (letter || '0' <= r && r <= '9'), letters || letter
		last = kind
		length++
		n += utf8.RuneLen(r)
	}
	if hex && (n == 2 || n == 4 || n == 8) {
		c.hex++
		if letters {
			c.lettered++
		}
	}
	c.changes += changes
	return n, length <= plainWord || length <= maxWord && changes <= length/5
}
