package prompted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The types here read what models write where a schema is not enforced. What is of
// another kind altogether (an object where a number is wanted, as in a schema that is
// echoed) is an error; what can't be read otherwise is as if it were not there, so
// that one bad value doesn't take the good ones with it.

// nested tells whether JSON is an object or a list.
func nested(data []byte) bool {
	return bytes.HasPrefix(data, []byte("{")) || bytes.HasPrefix(data, []byte("["))
}

// number reads a number that may stand in quotes. Its zero value is one that was not
// there.
type number struct {
	value float64
	given bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(data []byte) error {
	*n = number{}
	if nested(data) {
		return fmt.Errorf("%.40s is not a number", data)
	}
	value, err := strconv.ParseFloat(strings.Trim(string(data), "\" \t"), 64)
	if err == nil && !math.IsNaN(value) && !math.IsInf(value, 0) {
		*n = number{value, true}
	}
	return nil
}

// within returns the value where it was given and lies in [low, high].
func (n number) within(low, high float64) (float64, bool) {
	return n.value, n.given && low <= n.value && n.value <= high
}

// whole returns the value where it was given and is a whole number.
func (n number) whole() (int, bool) {
	return int(n.value), n.given && n.value == math.Trunc(n.value) && math.Abs(n.value) < 1<<31
}

// id reads a whole number that names something: as it is, in quotes, with a letter
// or in brackets ("S3", "[3]"). 0 is one that was not there.
type id int

// UnmarshalJSON implements json.Unmarshaler.
func (n *id) UnmarshalJSON(data []byte) error {
	var l numbers
	err := l.UnmarshalJSON(data)
	if *n = 0; len(l) == 1 {
		*n = id(l[0])
	}
	return err
}

// numbers reads a list of whole numbers that name things. The list may stand in
// quotes ("1, 3 and 5"), as may each of them, with letters or a sign before it ("S3",
// "#3"). One number alone is a list of one. A sentence in the place of its number
// names nothing, whatever figures are in it.
type numbers []int

// UnmarshalJSON implements json.Unmarshaler.
func (l *numbers) UnmarshalJSON(data []byte) error {
	*l = nil
	if bytes.HasPrefix(data, []byte("{")) {
		return fmt.Errorf("%.40s is not a list of numbers", data)
	}
	if !bytes.ContainsRune(data, '"') { // as it should be, and nothing to take apart
		*l = numbersIn(string(data))
		return nil
	}
	elements := []json.RawMessage{data}
	if bytes.HasPrefix(data, []byte("[")) && json.Unmarshal(data, &elements) != nil {
		return nil
	}
	for _, e := range elements {
		var quoted string
		if json.Unmarshal(e, &quoted) != nil {
			quoted = string(e)
		}
		*l = append(*l, numbersIn(quoted)...)
	}
	return nil
}

// numbersIn are the numbers in a text of nothing else.
func numbersIn(s string) []int {
	var out []int
	for _, field := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("[]()\"',; \t\r\n", r) }) {
		digits := strings.TrimSuffix(strings.TrimLeft(field, "#ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), ".")
		n, err := strconv.Atoi(digits)
		switch {
		case err == nil:
			out = append(out, n)
		case !strings.Contains(" and & sentence sentences passage claim evidence ", " "+strings.ToLower(field)+" "):
			return nil
		}
	}
	return out
}

// words reads a text; null, and what is none, is empty.
type words string

// UnmarshalJSON implements json.Unmarshaler.
func (w *words) UnmarshalJSON(data []byte) error {
	*w = ""
	if nested(data) {
		return fmt.Errorf("%.40s is not a text", data)
	}
	var s string
	if json.Unmarshal(data, &s) == nil {
		*w = words(strings.TrimSpace(s))
	}
	return nil
}

// label is the text as one of a set of labels: in small letters, without the stops
// after it.
func (w words) label() string { return strings.ToLower(strings.Trim(string(w), " .,;:!\"'`*")) }

// empty tells whether the text says nothing, or says so.
func (w words) empty() bool {
	switch w.label() {
	case "", "none", "nothing", "n/a", "null", "unknown", "empty":
		return true
	}
	return false
}

// list reads a list, without those of its elements that can't be read. What is no
// list, such as null or "none", is an empty one.
type list[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *list[T]) UnmarshalJSON(data []byte) error {
	*l = nil
	if bytes.HasPrefix(data, []byte("{")) {
		return fmt.Errorf("%.40s is not a list", data)
	}
	var elements []json.RawMessage
	if json.Unmarshal(data, &elements) != nil {
		return nil
	}
	for _, e := range elements {
		var v T
		if json.Unmarshal(e, &v) == nil {
			*l = append(*l, v)
		}
	}
	return nil
}

// yes reads a yes or a no, however it is put: true, "yes", "No.", "yes, relevant".
type yes struct{ value, given bool }

// UnmarshalJSON implements json.Unmarshaler.
func (y *yes) UnmarshalJSON(data []byte) error {
	*y = yes{}
	if nested(data) {
		return fmt.Errorf("%.40s is neither yes nor no", data)
	}
	first, _, _ := strings.Cut(strings.ToLower(strings.Trim(string(data), "\" \t")), " ")
	switch strings.Trim(first, ".,;:!") {
	case "yes", "true", "y":
		*y = yes{true, true}
	case "no", "false", "n":
		*y = yes{false, true}
	}
	return nil
}
