package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/assay-rag/assay"
)

// TestPlainly wants what libraries say in words for a person. The errors are theirs, so
// that the test fails where a new version says it in other words.
func TestPlainly(t *testing.T) {
	read := func(text string) error {
		dec := json.NewDecoder(strings.NewReader(text))
		dec.DisallowUnknownFields()
		return dec.Decode(&batchLine{})
	}
	parse := func(text string) error { return yaml.Unmarshal([]byte(text), &configFile{}) }
	for want, err := range map[string]error{
		"question is a number, and must be text":         read(`{"question": 1}`),
		"history is text, and must be a list":            read(`{"history": "x"}`),
		"history.question is a list, and must be text":   read(`{"history": [{"question": []}]}`),
		"it is a list, and must be names with values":    json.Unmarshal([]byte("[]"), &map[string]int{}),
		`there is no field "x"`:                          read(`{"x": 1}`),
		"it ends in the middle":                          read(`{"question": "x`),
		"read: the time was up":                          fmt.Errorf("read: %w", context.DeadlineExceeded),
		"it was interrupted":                             context.Canceled,
		"there is a list, and must be names with values": parse("prices: [a]"),
		"prices is text, and must be a number":           parse("prices: {m: {in: much}}"),
		"the disk is full":                               fmt.Errorf("the disk is full"),
		"read a.md: it ends in the middle":               fmt.Errorf("read a.md: %w", io.ErrUnexpectedEOF),
	} {
		got := message(err)
		if !strings.Contains(got, want) || strings.Contains(got, "Go ") || strings.Contains(got, "json:") {
			t.Errorf("%q is put as %q, want %q", err, got, want)
		}
	}
}

// TestReadable wants one note of a spent budget, which says which bound it was.
func TestReadable(t *testing.T) {
	budget := func(text string) assay.Note { return assay.Note{Code: assay.ReasonBudget, Text: text} }
	other := assay.Note{Code: assay.ReasonUnchecked, Text: "unchecked: context canceled"}
	for _, c := range []struct {
		notes []assay.Note
		want  string
	}{
		{nil, "[]"},
		{[]assay.Note{budget("budget spent: time: at most 1ms")}, "[{budget budget spent: time: at most 1ms}]"},
		{[]assay.Note{budget("the model could not rate the answer: budget spent: calls: at most 1")}, "[{budget budget spent: calls: at most 1}]"},
		{[]assay.Note{budget("budget spent: time: at most 1s"), other, budget("the model could not be asked (context deadline exceeded)")},
			"[{unchecked unchecked: it was interrupted} {budget the model could not be asked (budget spent: time: at most 1s)}]"},
	} {
		if got := fmt.Sprint(readable(c.notes)); got != c.want {
			t.Errorf("%v are put as %s, want %s", c.notes, got, c.want)
		}
	}
}
