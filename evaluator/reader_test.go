package evaluator

import (
	"context"
	"encoding/json"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

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

// scripted is a Reader that finds each second text as its words say.
type scripted struct {
	helps map[string]float32 // by a word of the second text
	asked int
}

func (*scripted) Model() string    { return "scripted@0" }
func (*scripted) Logits() int      { return readOutputs }
func (*scripted) TokenLogits() int { return tokenOutputs }

func (s *scripted) Read(_ context.Context, pairs []encoder.Pair) ([][]encoder.Reading, error) {
	out := make([][]encoder.Reading, len(pairs))
	for i, p := range pairs {
		s.asked++
		var helps float32
		for word, x := range s.helps {
			if strings.Contains(p.B, word) {
				helps = x
			}
		}
		out[i] = []encoder.Reading{windowOf(p.B, helps, helps, s.helps)}
	}
	return out, nil
}

// heedful are the built-in weights, and second models that go by the network alone.
func heedful(t *testing.T) fs.FS {
	t.Helper()
	built, err := fs.Sub(embedded, "weights")
	if err != nil {
		t.Fatal(err)
	}
	w, err := loadWeights(built)
	if err != nil {
		t.Fatal(err)
	}
	by := func(names []string, outputs int, heeded string) Model {
		m := Model{Bias: make([]float64, outputs)}
		for _, name := range names {
			s := Shape{Name: name, Knots: []float64{-10, 10}}
			for k := range outputs {
				row := []float64{0, 0}
				if name == heeded && k == 0 {
					row = []float64{-10, 10}
				}
				s.Values = append(s.Values, row)
			}
			m.Features = append(m.Features, s)
		}
		return m
	}
	w.Network = &NetworkWeights{
		Passage: by(networkPassageNames(), 1, "helps"), Strip: by(networkStripNames(), 1, "holds"),
		Claim: by(networkClaimNames(), claimOutputs, "supported"), Support: w.Support,
	}
	raw, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	table, err := fs.ReadFile(built, backgroundFile)
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{modelFile: {Data: raw}, backgroundFile: {Data: table}}
}

func TestTheNetworkIsHeeded(t *testing.T) {
	reader := &scripted{helps: map[string]float32{"Employees": 3, "Parents": -3}}
	e, err := New(nil, &Options{Reader: reader, Weights: heedful(t)})
	if err != nil {
		t.Fatal(err)
	}
	q := assay.Query{Question: "How long is the leave of employees and parents?"}
	var passages []assay.Passage
	for _, s := range []string{"Employees get 26 weeks of leave.", "Parents get 26 weeks of leave."} {
		passages = append(passages, assay.Passage{Document: s, Text: s, End: len(s), Language: "en"})
	}
	a, err := e.Grade(t.Context(), q, passages)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{logistic(3), logistic(-3)} {
		if got := a.Grades[i].Score; math.Abs(got-want) > 1e-6 {
			t.Errorf("%q: %v, want %v", passages[i].Text, got, want)
		}
	}
	strips, err := e.GradeStrips(t.Context(), q, append(assay.StripsOf(passages[0]), assay.StripsOf(passages[1])...))
	if err != nil {
		t.Fatal(err)
	}
	if !(strips[0].Score > strips[1].Score) {
		t.Errorf("strips: %v and %v", strips[0].Score, strips[1].Score)
	}
	if reader.asked != 2 {
		t.Errorf("%d pairs were read; the strips are read with their passages, once", reader.asked)
	}
	long := strings.Repeat("Employees of all sites have leave. ", 2)
	findings, err := e.Check(t.Context(), []string{"The leave of the staff lasts some time."}, assay.StripsOf(assay.Passage{Text: long, End: len(long), Language: "en"}))
	if err != nil {
		t.Fatal(err)
	}
	if !(findings[0].Score > 0.8) {
		t.Errorf("the claim: %+v", findings[0])
	}
	if e.Version() == newEvaluator(t, nil).Version() {
		t.Error("with and without the network it has the same version")
	}
}

// short is a Reader of other outputs.
type short struct{ scripted }

func (*short) Logits() int { return 1 }

func TestNewRefusesWhatItCantWeigh(t *testing.T) {
	if _, err := New(nil, &Options{Reader: &short{}}); err == nil || !strings.Contains(err.Error(), "numbers for a pair") {
		t.Errorf("another network: %v", err)
	}
	if _, err := New(nil, &Options{Reader: &scripted{}}); err == nil || !strings.Contains(err.Error(), "fit them") {
		t.Errorf("weights without a network: %v", err)
	}
}
