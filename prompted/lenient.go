package prompted

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// number reads a number that may stand in quotes. Its zero value is one that was not
// there.
type number struct {
	value float64
	given bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(data []byte) error {
	text := strings.Trim(strings.TrimSpace(string(data)), `"`)
	value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return fmt.Errorf("%s is not a number", data)
	}
	*n = number{value, true}
	return nil
}

// within returns the value where it was given and lies in [low, high].
func (n number) within(low, high float64) (float64, bool) {
	return n.value, n.given && low <= n.value && n.value <= high
}

// numbers reads a list of whole numbers, which may stand in quotes itself, as may
// each of them, with a letter before it ("S3"). One number alone is a list of one.
type numbers []int

// UnmarshalJSON implements json.Unmarshaler.
func (l *numbers) UnmarshalJSON(data []byte) error {
	var inQuotes string
	if json.Unmarshal(data, &inQuotes) == nil {
		data = []byte(inQuotes)
	}
	*l = nil
	for _, field := range strings.FieldsFunc(string(data), func(r rune) bool { return strings.ContainsRune("[]\", \t\r\n", r) }) {
		if field == "null" {
			continue
		}
		n, err := strconv.Atoi(strings.TrimLeft(field, "SDCEsdce"))
		if err != nil {
			return fmt.Errorf("%s is not a list of numbers", data)
		}
		*l = append(*l, n)
	}
	return nil
}

// yes reads a yes or a no, however it is put: true, "yes", "No.", "yes, relevant".
type yes struct{ value, given bool }

// UnmarshalJSON implements json.Unmarshaler.
func (y *yes) UnmarshalJSON(data []byte) error {
	text := strings.ToLower(strings.Trim(strings.TrimSpace(string(data)), `"`))
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch strings.Trim(first, ".,;:!") {
	case "yes", "true", "y":
		*y = yes{true, true}
	case "no", "false", "n":
		*y = yes{false, true}
	default:
		return fmt.Errorf("%s is neither yes nor no", data)
	}
	return nil
}
