package text

import (
	"unicode"
	"unicode/utf8"
)

// script is a writing system as far as words are found in it differently.
type script uint8

const (
	scriptNone   script = iota
	scriptLetter        // alphabets with spaces between words, and digits
	scriptHan           // Chinese characters
	scriptHira          // Hiragana
	scriptKata          // Katakana
	scriptHangul        // Korean; spaces between phrases, not words
	scriptThai          // Thai, Lao, Khmer, Burmese: no spaces between words
	scriptMark          // combining marks and invisible characters: they belong to what is before them
)

// scriptOf classifies r. ASCII is the caller's business.
func scriptOf(r rune) script {
	switch {
	case r < 0x300:
		switch {
		case r == 0xAD:
			return scriptMark
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			return scriptLetter
		}
		return scriptNone
	case 0x4E00 <= r && r <= 0x9FFF:
		return scriptHan
	case 0xAC00 <= r && r <= 0xD7A3:
		return scriptHangul
	case 0x2000 <= r && r <= 0x206F, 0x2190 <= r && r <= 0x2BFF:
		if ignorable(r) {
			return scriptMark
		}
		return scriptNone
	case 0x3041 <= r && r <= 0x3096, r == 0x309D, r == 0x309E:
		return scriptHira
	case 0x30A1 <= r && r <= 0x30FA, 0x30FC <= r && r <= 0x30FE, 0x31F0 <= r && r <= 0x31FF, 0xFF66 <= r && r <= 0xFF9D:
		return scriptKata
	case r == 0x3099, r == 0x309A, r == 0xFF9E, r == 0xFF9F:
		return scriptMark
	}
	return rareScriptOf(r)
}

func rareScriptOf(r rune) script {
	switch {
	case 0x0E01 <= r && r <= 0x0EFF && r != 0x0E3F || 0x1000 <= r && r <= 0x109F || 0x1780 <= r && r <= 0x17FF:
		switch {
		case unicode.IsMark(r):
			return scriptMark
		case unicode.IsDigit(r):
			return scriptLetter
		case unicode.IsLetter(r):
			return scriptThai
		}
		return scriptNone
	case r == 0x3005, r == 0x3006, r == 0x3007, 0x3400 <= r && r <= 0x4DBF, 0xF900 <= r && r <= 0xFAFF, 0x20000 <= r && r <= 0x3FFFF:
		return scriptHan
	case 0x1160 <= r && r <= 0x11FF, 0xD7B0 <= r && r <= 0xD7FF:
		return scriptMark // vowels and finals of a Korean syllable that is written in parts
	case 0x1100 <= r && r <= 0x115F, 0x3131 <= r && r <= 0x318E, 0xA960 <= r && r <= 0xA97C, 0xFFA1 <= r && r <= 0xFFDC:
		return scriptHangul
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return scriptLetter
	case unicode.IsMark(r), ignorable(r):
		return scriptMark
	}
	return scriptNone
}

// unspaced tells whether the script writes words without spaces between them,
// so that they are searched for by bigrams.
func (c script) unspaced() bool { return scriptHan <= c && c <= scriptThai }

// joins tells whether characters of the two scripts belong to one run of bigrams.
func (c script) joins(d script) bool {
	return c == d || c.unspaced() && d.unspaced() && c <= scriptKata && d <= scriptKata
}

// cluster returns the end of the character of s that begins at i: a rune with
// the marks that follow it.
func cluster(s string, i int) int {
	_, n := utf8.DecodeRuneInString(s[i:])
	for i += n; i < len(s) && s[i] >= utf8.RuneSelf; i += n {
		var r rune
		if r, n = utf8.DecodeRuneInString(s[i:]); scriptOf(r) != scriptMark {
			break
		}
	}
	return i
}
