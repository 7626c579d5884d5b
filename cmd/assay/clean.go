package main

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text from a document, a file name or an error safe for a terminal:
// no control character, no escape sequence, nothing that reorders what stands
// around it. Control characters become their visible pictures, so that a reader
// sees that something was there. Newlines stay, tabs become spaces.
func clean(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r == '\r' || r == '\t' || r == utf8.RuneError || hostile(r) }) < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\t", "    ")
	return strings.Map(func(r rune) rune {
		switch {
		case !hostile(r):
			return r
		case r < 0x20:
			return 0x2400 + r // ␀ to ␟
		case r == 0x7F:
			return 0x2421 // ␡
		}
		return utf8.RuneError
	}, s)
}

// cleanLine is clean for what must stay in one line.
func cleanLine(s string) string {
	return strings.Join(strings.Fields(clean(s)), " ")
}

// hostile tells whether a character steers a terminal or the order of the text
// instead of showing something. Marks that Arabic, Hebrew and Indic texts need,
// and joiners, are not among them.
func hostile(r rune) bool {
	switch {
	case r == '\n':
		return false
	case unicode.Is(unicode.Cc, r): // C0, DEL, C1
		return true
	case 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069: // embeddings, overrides, isolates
		return true
	case r == 0x2028, r == 0x2029: // line and paragraph separators
		return true
	case 0xFFF9 <= r && r <= 0xFFFB, r == 0xFEFF: // annotations, byte order mark
		return true
	case 0xE0000 <= r && r <= 0xE007F: // invisible tags
		return true
	}
	return false
}

// cleanWriter cleans whole writes on their way to a person.
type cleanWriter struct{ w io.Writer }

// Write writes the cleaned text.
func (c cleanWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(c.w, clean(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
