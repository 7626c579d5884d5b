package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// Form is what a body turns out to be, whatever its Content-Type says.
type Form int

// The forms.
const (
	Other  Form = iota // a page, a sentence, or nothing at all
	JSON               // one JSON value
	Stream             // server-sent events
)

// Sniff looks at the beginning of a body, past white space, which some servers
// send to keep a connection alive. It consumes nothing else.
func Sniff(in *bufio.Reader) (Form, error) {
	for {
		b, err := in.ReadByte()
		switch {
		case err == io.EOF:
			return Other, nil
		case err != nil:
			return Other, err
		case b == ' ' || b == '\t' || b == '\r' || b == '\n':
			continue
		}
		if err := in.UnreadByte(); err != nil {
			return Other, err
		}
		break
	}
	begin, err := in.Peek(6)
	if err != nil && err != io.EOF {
		return Other, err
	}
	begin = bytes.TrimPrefix(begin, []byte("\ufeff"))
	if len(begin) > 0 && (begin[0] == '{' || begin[0] == '[') {
		return JSON, nil
	}
	for _, field := range []string{":", "data:", "event:", "id:", "retry:", "error:"} {
		if n := min(len(field), len(begin)); n > 0 && string(begin[:n]) == field[:n] {
			return Stream, nil
		}
	}
	return Other, nil
}

// Decode reads JSON into v as far as the types agree; what doesn't fit is left
// out. whole is false where it breaks off, and err tells what is no JSON.
func Decode(data []byte, v any) (whole bool, err error) {
	err = json.Unmarshal(data, v)
	var mismatch *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil, errors.As(err, &mismatch):
		return true, nil
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		return false, nil
	}
	return true, err
}

// Count is a number of tokens, in any of the forms in which servers put it; it is
// 0 where it can't be one.
type Count int

// UnmarshalJSON never fails.
func (c *Count) UnmarshalJSON(b []byte) error {
	*c = 0
	n, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err == nil && n > 0 && n < 1<<40 {
		*c = Count(n)
	}
	return nil
}

// Words is a text; it is empty where something else came.
type Words string

// UnmarshalJSON never fails.
func (w *Words) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*w = Words(s)
	}
	return nil
}

// Told tells whether a field that tells of an error does.
func Told(raw json.RawMessage) bool { return len(raw) > 2 && string(raw) != "null" }
