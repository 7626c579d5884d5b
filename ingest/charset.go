package ingest

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// declared finds the encoding that an HTML page or an XML declaration names.
var declared = lazily(`(?i)(?:<meta[^>]{0,512}?charset|<\?xml[^>]{0,128}?encoding)\s*=\s*["']?\s*([a-z0-9][a-z0-9_:.+-]*)`)

// declarationWithin is how far into a file a declaration is looked for, in
// bytes; the HTML standard's own limit is 1024.
const declarationWithin = 4096

// decode returns the file as valid UTF-8 with line feeds alone and without
// control characters. A byte order mark decides; then, whatever is declared,
// text that is valid UTF-8 is UTF-8; then the declaration, if it is an
// encoding that such bytes can be in; then whichever of UTF-8 with damage and
// Windows-1252 fits better.
func decode(data []byte, markup bool) string {
	return clean(toUTF8(data, markup))
}

func toUTF8(data []byte, markup bool) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return strings.ToValidUTF8(string(data[3:]), "\uFFFD")
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return decoded(unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), data)
	}
	name := ""
	if markup {
		if m := declared().FindSubmatch(data[:min(len(data), declarationWithin)]); m != nil {
			name = strings.ToLower(string(m[1]))
		}
	}
	escapes := strings.HasPrefix(name, "iso-2022") && bytes.IndexByte(data, 0x1b) >= 0
	if utf8.Valid(data) && !escapes {
		return string(data)
	}
	if e, canonical := charset.Lookup(name); e != nil && !strings.HasPrefix(canonical, "utf-") && canonical != "replacement" {
		if s := decoded(e, data); strings.Count(s, "\uFFFD") <= len(data)/100 {
			return s
		}
	}
	if damagedUTF8(data) {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return decoded(charmap.Windows1252, data)
}

func decoded(e encoding.Encoding, data []byte) string {
	out, err := e.NewDecoder().Bytes(data)
	if err != nil {
		// The decoders replace what they can't read, so this is a truncated end:
		// keep what came before it.
		out = append(out, "\uFFFD"...)
	}
	return strings.ToValidUTF8(string(out), "\uFFFD")
}

// damagedUTF8 tells whether the bytes beyond ASCII are well formed UTF-8 but for
// some damage. Sequences that happen to be well formed are rare in another
// encoding, the more so the longer they are: each byte that continues one speaks
// for UTF-8, each stray byte against it.
func damagedUTF8(data []byte) bool {
	good, bad := 0, 0
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && n == 1:
			bad++
		case n > 1:
			good += n - 1
		}
		data = data[n:]
	}
	return good > 0 && good >= bad
}

// clean turns all line ends into line feeds and drops control characters other
// than the tab.
func clean(s string) string {
	if strings.IndexByte(s, '\r') < 0 && strings.IndexFunc(s, unwanted) < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		switch {
		case r == '\r':
			if !strings.HasPrefix(s[i+1:], "\n") {
				b.WriteByte('\n')
			}
		case r == '\f' || r == '\v' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			b.WriteByte('\n')
		case unwanted(r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unwanted(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0, r == '\u2028', r == '\u2029', r == '\ufeff':
		return true
	}
	return false
}

// binary tells whether the beginning of a file is no text: it holds a NUL
// (UTF-16 with its mark apart), or a third of it is control characters.
func binary(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return false
	}
	if bytes.HasPrefix(head, []byte("%PDF-")) {
		return true
	}
	odd := 0
	for _, c := range head {
		if c == 0 {
			return true
		}
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b {
			odd++
		}
	}
	return odd*3 > len(head)
}
