package text

import "unicode/utf8"

// Words returns the words and numbers of s in order; punctuation and white
// space are left out.
//
// What people search for as one word is one: 3.5, 1,000, 10:30, 2024-05-01,
// v1.2.3, 401(k), don't, snake_case, --dry-run, http.Handler, e-mail,
// jane@example.com, C++, C#, AT&T. Other hyphens and slashes separate words. In
// Chinese, Hiragana and Thai each character is a word, in Katakana and Korean
// each run.
func Words(s string) []Span {
	out := make([]Span, 0, len(s)/6+1)
	sc := scanner{s: s}
	for sc.next() {
		if sc.script == scriptLetter || sc.script == scriptHangul {
			out = append(out, sc.Span)
			continue
		}
		out = appendCharacters(out, s, sc.Span)
	}
	return out
}

// appendCharacters appends the words of a run of an unspaced script.
func appendCharacters(out []Span, s string, run Span) []Span {
	last := scriptNone
	for i := run.Start; i < run.End; {
		r, _ := utf8.DecodeRuneInString(s[i:])
		end, c := min(cluster(s, i), run.End), scriptOf(r)
		if c == scriptKata && last == scriptKata {
			out[len(out)-1].End = end
		} else {
			out = append(out, Span{i, end})
		}
		i, last = end, c
	}
	return out
}

// shape says what was seen in a word, so that plain ones can be treated fast.
type shape uint8

const (
	shapeUpper   shape = 1 << iota // an ASCII capital after the first letter
	shapeDigit                     // a digit
	shapeJoined                    // punctuation within: . , : - _ @ & ( + #
	shapeForeign                   // anything beyond ASCII
	shapeQuote                     // an apostrophe
	shapeInitial                   // an ASCII capital as the first letter
	shapeLower                     // an ASCII small letter
)

// scanner finds the words of s one after the other. A run of an unspaced script
// counts as one word.
type scanner struct {
	s string
	Span
	script script
	shape  shape
}

// class sorts the ASCII characters.
var class = func() (t [utf8.RuneSelf]shape) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z':
			t[c] = shapeLower
		case 'A' <= c && c <= 'Z':
			t[c] = shapeUpper
		case '0' <= c && c <= '9':
			t[c] = shapeDigit
		}
	}
	return t
}()

func alnum(c byte) bool { return c < utf8.RuneSelf && class[c] != 0 }
func digit(c byte) bool { return '0' <= c && c <= '9' }
func letter(c byte) bool {
	return c < utf8.RuneSelf && class[c]&(shapeLower|shapeUpper) != 0
}

// next finds the next word; it returns false at the end of s.
func (sc *scanner) next() bool {
	s := sc.s
	for i := sc.End; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			switch {
			case class[c] != 0:
				sc.letters(i, i)
				return true
			case c == '-' && sc.flag(i):
				sc.letters(i, i+2)
				return true
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch k := scriptOf(r); {
		case k == scriptLetter:
			sc.letters(i, i)
			return true
		case k.unspaced():
			sc.run(i, k)
			return true
		}
		i += n
	}
	sc.Start, sc.End = len(s), len(s)
	return false
}

// flag tells whether a command's long option begins at i.
func (sc *scanner) flag(i int) bool {
	s := sc.s
	return i+2 < len(s) && s[i+1] == '-' && letter(s[i+2]) && (i == 0 || s[i-1] != '-' && !alnum(s[i-1]) && s[i-1] < utf8.RuneSelf)
}

// run takes the characters of an unspaced script from i on.
func (sc *scanner) run(i int, k script) {
	sc.Start, sc.script, sc.shape = i, k, shapeForeign
	for i = cluster(sc.s, i); i < len(sc.s) && sc.s[i] >= utf8.RuneSelf; i = cluster(sc.s, i) {
		r, _ := utf8.DecodeRuneInString(sc.s[i:])
		if !k.joins(scriptOf(r)) {
			break
		}
	}
	sc.End = i
}

// letters takes the word that begins at start, of which the letters from i on
// are still to be read.
func (sc *scanner) letters(start, i int) {
	s := sc.s
	sc.Start, sc.script, sc.shape = start, scriptLetter, 0
	if i > start {
		sc.shape = shapeJoined
	} else if c := s[i]; c < utf8.RuneSelf && class[c] == shapeUpper {
		sc.shape = shapeInitial
		i++
	}
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if class[c] != 0 {
				sc.shape |= class[c]
				i++
				continue
			}
			n := sc.joint(i)
			if n == 0 {
				break
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		k := scriptOf(r)
		if r == '\u2019' && i > start && i+n < len(s) && wordAt(s, i+n) {
			sc.shape |= shapeQuote
		} else if k != scriptLetter && k != scriptMark {
			break
		}
		sc.shape |= shapeForeign
		i += n
	}
	sc.End = i
	for sc.End > start+1 && s[sc.End-1] == '_' {
		sc.End--
	}
}

// wordAt tells whether a letter or digit begins at i.
func wordAt(s string, i int) bool {
	if s[i] < utf8.RuneSelf {
		return class[s[i]] != 0
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return scriptOf(r) == scriptLetter
}
