package evaluator

import (
	"math"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
)

// windowOf is a window over some words of a text, each with the log-odds of standing in
// a sentence that answers.
func windowOf(text string, helps, supported float32, holds map[string]float32) encoder.Reading {
	w := encoder.Reading{Logits: []float32{helps, helps, supported, 0, 0}, Absent: []float32{0, 1, 1}}
	at := 0
	for word := range strings.FieldsSeq(text) {
		at = strings.Index(text[at:], word) + at
		w.Places = append(w.Places, encoder.Span{Start: at, End: at + len(word)})
		w.Tokens = append(w.Tokens, holds[word], 0, 0)
		at += len(word)
	}
	return w
}

func TestReadingsOfWindowsArePutTogether(t *testing.T) {
	const text = "one two three four five six"
	first, second := windowOf(text, -2, 1, map[string]float32{"one": -4, "four": 1}), windowOf(text, 3, -1, map[string]float32{"four": 3, "six": 5})
	first.Places, first.Tokens = first.Places[:4], first.Tokens[:4*tokenOutputs]
	second.Places, second.Tokens = second.Places[2:], second.Tokens[2*tokenOutputs:]
	second.Tokens[2*tokenOutputs+tokenBegins], second.Tokens[3*tokenOutputs+tokenEnds] = 4, 5 // "five six"
	r := readingOf([]encoder.Reading{first, second})
	if r.helps != 3 || math.Abs(r.supported-(1-math.Log(2))) > 1e-6 {
		t.Errorf("helps %v, supported %v", r.helps, r.supported)
	}
	if r.span != 4+5-2 {
		t.Errorf("the place of the answer has %v", r.span)
	}
	if len(r.tokens) != 6 {
		t.Fatalf("%d tokens", len(r.tokens))
	}
	for word, want := range map[string]float64{"one": -4, "four": 2, "six": 5} { // "four" stands in both
		at := strings.Index(text, word)
		if got := r.holds(at, at+len(word)); got != want {
			t.Errorf("%s holds %v, want %v", word, got, want)
		}
	}
	if got := r.holds(100, 110); got != -4 {
		t.Errorf("what wasn't read holds %v", got)
	}
}

func TestReadable(t *testing.T) {
	for _, c := range []struct {
		passage assay.Passage
		want    string
	}{
		{assay.Passage{Text: "It is paid."}, "It is paid."},
		{assay.Passage{Title: "Leave", Heading: []string{"Leave", "Parental"}, Text: "It is paid."}, "Leave. Parental. It is paid."},
		{assay.Passage{Title: "Leave", Text: "Leave is paid."}, "Leave is paid."},
	} {
		got, begin := readable(&c.passage)
		if got != c.want || got[begin:] != c.passage.Text {
			t.Errorf("%q, beginning at %d", got, begin)
		}
	}
}
