package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold maps letters that differ only in case, width or diacritics to the same:
// "Ärger" and "arger", "ＡＢＣ" and "abc", "Straße" and "strasse". Ligatures are
// taken apart, soft hyphens and characters without width removed, typographic
// apostrophes and hyphens made plain. The result is in Unicode's form NFC, and
// folding it again changes nothing.
//
// Marks that make another letter stay: the Cyrillic й, the voiced Japanese
// kana, the vowel signs of India and Thailand, the syllables of Korean.
func Fold(s string) string {
	i, upper := 0, false
	for ; i < len(s) && s[i] < utf8.RuneSelf; i++ {
		upper = upper || 'A' <= s[i] && s[i] <= 'Z'
	}
	switch {
	case i < len(s):
		return string(appendFolded(make([]byte, 0, len(s)), s))
	case upper:
		return strings.ToLower(s)
	}
	return s
}

// appendFolded appends the folded form of s to b. Runes that fold each for
// itself take the short way; at the first other one it starts again with the
// whole of Unicode's normalisation.
func appendFolded(b []byte, s string) []byte {
	begin := len(b)
	table := foldTable()
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			b = append(b, byte(r))
		case r < rune(len(table)):
			b = append(b, table[r]...)
		case 0xFF01 <= r && r <= 0xFF5E: // full width
			if r -= 0xFEE0; 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			b = append(b, byte(r))
		case r == '\u2018' || r == '\u2019':
			b = append(b, '\'')
		case unchanged(r):
			b = utf8.AppendRune(b, r)
		default:
			return append(b[:begin], foldSlow(s)...)
		}
	}
	return b
}

// unchanged tells whether r is one of the common runes beyond the Latin blocks
// that fold to themselves.
func unchanged(r rune) bool {
	switch {
	case 0x4E00 <= r && r <= 0x9FFF, // Chinese characters
		0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FE, // kana
		0xAC00 <= r && r <= 0xD7A3, // Korean syllables
		0x3001 <= r && r <= 0x3020, 0x2013 <= r && r <= 0x2015, 0x201C <= r && r <= 0x201E:
		return true
	}
	return false
}

// foldTable returns the folded form of each rune up to the end of the Latin
// blocks, the combining marks not among them.
var foldTable = sync.OnceValue(func() *[0x250]string {
	var t [0x250]string
	for r := range t {
		t[r] = foldSlow(string(rune(r)))
	}
	return &t
})

func foldSlow(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	var base rune
	for _, r := range norm.NFKD.String(s) {
		if ignorable(r) || diacritic(r) && !makesLetter(base, r) {
			continue
		}
		r = unicode.ToLower(r)
		if plain, ok := plainLetter(r); ok {
			b.WriteString(plain)
		} else {
			b.WriteRune(r)
		}
		base = r
	}
	return norm.NFC.String(b.String())
}

// plainLetter spells letters that have no decomposition in Unicode.
func plainLetter(r rune) (string, bool) {
	switch r {
	case 'ß':
		return "ss", true
	case 'æ':
		return "ae", true
	case 'œ':
		return "oe", true
	case 'ø':
		return "o", true
	case 'đ', 'ð':
		return "d", true
	case 'þ':
		return "th", true
	case 'ł':
		return "l", true
	case 'ı':
		return "i", true
	case 'ħ':
		return "h", true
	case 'ς':
		return "σ", true
	case '\u2018', '\u2019', '\u02BC', '\u02B9':
		return "'", true
	case '\u2010', '\u2011':
		return "-", true
	}
	return "", false
}

// ignorable tells whether r is invisible and stands for nothing.
func ignorable(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x034F, r == 0x061C, r == 0x0640, r == 0x180E, r == 0xFEFF,
		0x200B <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x2064,
		0x2066 <= r && r <= 0x206F, 0xFE00 <= r && r <= 0xFE0F:
		return true
	}
	return false
}

// diacritic tells whether r is a mark that readers of its script leave out, or
// may: accents, Hebrew points, Arabic vowel signs.
func diacritic(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r <= 0x36F, 0x1AB0 <= r && r <= 0x1AFF, 0x1DC0 <= r && r <= 0x1DFF,
		0x20D0 <= r && r <= 0x20FF, 0xFE20 <= r && r <= 0xFE2F:
		return true
	case 0x0483 <= r && r <= 0x0487, 0x0591 <= r && r <= 0x05C7, 0x0610 <= r && r <= 0x061A,
		0x064B <= r && r <= 0x065F, r == 0x0670, 0x06D6 <= r && r <= 0x06ED:
		return unicode.Is(unicode.Mn, r)
	}
	return false
}

// makesLetter tells whether the mark makes another letter of the base: й is no
// more an и than a Q is an O.
func makesLetter(base, mark rune) bool {
	switch mark {
	case 0x306:
		return base == 'и' || base == 'у'
	case 0x308:
		return base == 'і'
	}
	return false
}
