package plain

import (
	"strings"
	"unicode/utf8"
)

// Cut bounds a text to n bytes, at a letter, and an ellipsis that says so.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Line puts a text on one line, with one blank wherever there was white space.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }
