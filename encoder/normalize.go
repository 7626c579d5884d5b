package encoder

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// form is how a model wants words written.
type form struct {
	lower      bool // in lower case
	strip      bool // decomposed, and without nonspacing marks
	ideographs bool // each Chinese character as a word of its own
}

// class is what a tokenizer sees in a character.
type class uint8

const (
	letter      class = iota // part of a word, as is all that the table doesn't hold
	ignored                  // U+0000, U+FFFD, and what isn't text: controls, formats, private use
	space                    // between words
	punctuation              // a word of its own
	ideograph                // Chinese: a word of its own where form says so
	mark                     // nonspacing, as accents are
	combining                // not nonspacing, and yet with a place in the canonical order of marks
)

// classRange is the class of characters that follow each other.
type classRange struct {
	first, last rune
	class       class
}

// classOf looks a character up in the table.
func classOf(r rune) class {
	low, high := 0, len(classes)
	for low < high {
		if middle := (low + high) / 2; classes[middle].last < r {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(classes) && classes[low].first <= r {
		return classes[low].class
	}
	return letter
}

// read takes in one character of the text.
func (s *speller) read(r rune) {
	switch c := classOf(r); {
	case c == ignored:
	case c == space:
		s.end()
	case c == ideograph && s.form.ideographs:
		s.end()
		s.decompose(r)
		s.end()
	default:
		s.decompose(r)
	}
}

// The syllables that Unicode takes apart by arithmetic (§3.12).
const (
	firstHangul, lastHangul = 0xAC00, 0xD7A3
	leading, vowel, final   = 0x1100, 0x1161, 0x11A7 // final itself stands for none
	vowels, finals          = 21, 28
)

// decompose puts a character into the word: in its canonical decomposition (The
// Unicode Standard, §3.7) where accents are to go, otherwise as it is.
func (s *speller) decompose(r rune) {
	if !s.form.strip {
		s.put(r, 0)
		return
	}
	if firstHangul <= r && r <= lastHangul {
		i := r - firstHangul
		s.put(leading+i/finals/vowels, 0)
		s.put(vowel+i/finals%vowels, 0)
		if i%finals > 0 {
			s.put(final+i%finals, 0)
		}
		return
	}
	var room [utf8.UTFMax]byte
	p := norm.NFD.Properties(utf8.AppendRune(room[:0], r))
	parts := p.Decomposition()
	if len(parts) == 0 || unicode.Is(undivided, r) {
		s.put(r, p.CCC())
		return
	}
	for len(parts) > 0 {
		r, n := utf8.DecodeRune(parts)
		s.put(r, norm.NFD.Properties(parts).CCC())
		parts = parts[n:]
	}
}

// put puts a character that can't be taken apart into the word; ccc is its
// canonical combining class.
func (s *speller) put(r rune, ccc uint8) {
	switch c := classOf(r); {
	case c == punctuation:
		s.alone(r)
	case c == mark && s.form.strip:
		if ccc == 0 {
			s.fixed = s.size
		}
	case c == combining && s.form.strip:
		s.combine(r, ccc)
	case r == 'İ' && s.form.lower:
		s.write('i')
		s.write('\u0307')
	default:
		s.write(s.form.letter(r))
	}
}

// combine writes a character in the canonical order (§3.11): before those of a
// higher class that it follows. What has class 0 keeps all others on their side.
func (s *speller) combine(r rune, ccc uint8) {
	at := s.size
	for at > s.fixed {
		last, n := utf8.DecodeLastRune(s.word[:at])
		if classOf(last) != combining || norm.NFD.Properties(s.word[at-n:]).CCC() <= ccc {
			break
		}
		at -= n
	}
	tail := string(s.word[at:s.size])
	s.size = at
	s.write(r)
	s.size += copy(s.word[s.size:], tail)
}

// letter is a letter as the model wants it. Lower case is that of characters one
// by one: Σ is σ at a word's end too.
func (f form) letter(r rune) rune {
	if !f.lower {
		return r
	}
	for _, u := range capitals {
		if u.first <= r && r <= u.last {
			return r + u.lower
		}
	}
	return unicode.ToLower(r)
}

// capitals are the capital letters that Unicode got in versions 16 and 17: the
// reference knows their lower case, and not every release of Go does.
var capitals = [...]struct{ first, last, lower rune }{
	{0x1C89, 0x1C89, 1},
	{0xA7CB, 0xA7CB, 0x0264 - 0xA7CB},
	{0xA7CC, 0xA7CC, 1},
	{0xA7CE, 0xA7CE, 1},
	{0xA7D2, 0xA7D2, 1},
	{0xA7D4, 0xA7D4, 1},
	{0xA7DA, 0xA7DA, 1},
	{0xA7DC, 0xA7DC, 0x019B - 0xA7DC},
	{0x10D50, 0x10D65, 0x20},
	{0x16EA0, 0x16EB8, 0x1B},
}

// undivided holds the characters whose decomposition is younger than the
// reference's tables, which are those of Unicode 9.
var undivided = &unicode.RangeTable{R32: []unicode.Range32{
	{Lo: 0x105C9, Hi: 0x105E4, Stride: 0x1B},
	{Lo: 0x11383, Hi: 0x113C8, Stride: 1},
	{Lo: 0x11938, Hi: 0x11938, Stride: 1},
	{Lo: 0x16121, Hi: 0x16128, Stride: 1},
	{Lo: 0x16D68, Hi: 0x16D6A, Stride: 1},
}}
