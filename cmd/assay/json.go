package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
)

// writeJSON writes a value as JSON: indented for one result, in one line where
// there are many. HTML characters stay as they are; what would steer a terminal
// is escaped, which changes nothing for a program that reads it.
func writeJSON(w io.Writer, v any, indent bool) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err := w.Write(escapeHostile(b.Bytes()))
	return err
}

// escapeHostile replaces hostile characters, which JSON allows in strings alone,
// by their \u sequences.
func escapeHostile(text []byte) []byte {
	if bytes.IndexFunc(text, hostile) < 0 {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if !hostile(r) {
			b.WriteRune(r)
			continue
		}
		if high, low := utf16.EncodeRune(r); r > 0xFFFF {
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
			continue
		}
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.Bytes()
}
