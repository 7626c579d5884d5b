package evaluator

import (
	"context"
	"encoding/json"
	"io/fs"
	"math"
	"slices"
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

// compass is an Embedder: texts that begin with the same letter point the same way.
type compass struct{ asked int }

func (*compass) Model() string { return "compass@0" }

func (c *compass) EmbedPassages(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		c.asked++
		out[i] = make([]float32, 256)
		out[i][t[0]] = 1
	}
	return out, nil
}

func TestCosines(t *testing.T) {
	c := &compass{}
	e, err := New(nil, &Options{Reader: &scripted{}, Embedder: c, Weights: heedful(t)})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time from memory
		got, err := e.cosines(t.Context(), "alpha", []string{"beta", "alps", "beta"})
		if err != nil {
			t.Fatal(err)
		}
		if want := []float64{0, 1, 0}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if c.asked != 3 {
		t.Errorf("%d texts were embedded, 3 are different", c.asked)
	}
}

func TestPartsOf(t *testing.T) {
	for _, c := range []struct {
		claim string
		want  []string
	}{
		{"The leave is paid.", nil},
		{"The leave is paid in full, as agreed.", nil}, // two words say nothing by themselves
		{
			"The leave of parents is paid, and it lasts 26 weeks; staff in Lisbon get more of it.",
			[]string{"The leave of parents is paid", "and it lasts 26 weeks", "staff in Lisbon get more of it."},
		},
		{
			"He was born in 1980 in Lund, he studied law in Paris, he wrote nine books there, he married a judge in 1999, he died in May of 2020.",
			[]string{"He was born in 1980 in Lund", "he studied law in Paris", "he wrote nine books there", "he married a judge in 1999, he died in May of 2020."},
		},
	} {
		if got := partsOf(c.claim); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.claim, got, c.want)
		}
	}
}

// TestTheWeakestPartIsHeeded has a claim of two parts read, of which the evidence
// carries one.
func TestTheWeakestPartIsHeeded(t *testing.T) {
	e, err := New(nil, &Options{Reader: &bySubject{}, Embedder: &compass{}, Weights: heedful(t)})
	if err != nil {
		t.Fatal(err)
	}
	evidence := "The leave of parents is paid in full. Staff in Lisbon have a canteen."
	strips := assay.StripsOf(assay.Passage{Text: evidence, End: len(evidence), Language: "en"})
	names := networkClaimNames()
	for claim, want := range map[string]float64{
		"Parents are paid during leave, and so is the staff in Lisbon.": -3,
		"Parents are paid during leave, and their leave is in full.":    3,
	} {
		x, err := e.NetworkClaim(t.Context(), claim, strips)
		if err != nil {
			t.Fatal(err)
		}
		if got := x[slices.Index(names, "weakest")]; math.Abs(got-want) > 0.01 {
			t.Errorf("%q: its weakest part has %v, want %v", claim, got, want)
		}
	}
}

// bySubject is a Reader that supports what doesn't begin with the staff.
type bySubject struct{ scripted }

func (*bySubject) Read(_ context.Context, pairs []encoder.Pair) ([][]encoder.Reading, error) {
	out := make([][]encoder.Reading, len(pairs))
	for i, p := range pairs {
		supported := float32(3)
		if strings.HasPrefix(p.A, "and so is the staff") {
			supported = -3
		}
		w := windowOf(p.B, 0, 0, nil)
		w.Logits[readSupported], w.Logits[readNeutral], w.Logits[readContradicted] = supported, 0, -20
		out[i] = []encoder.Reading{w}
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
	e, err := New(nil, &Options{Reader: reader, Embedder: &compass{}, Weights: heedful(t)})
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

// narrow is a Reader that can't read first texts of more than 60 letters.
type narrow struct{ scripted }

func (n *narrow) Read(ctx context.Context, pairs []encoder.Pair) ([][]encoder.Reading, error) {
	for _, p := range pairs {
		if len(p.A) > 60 {
			return nil, encoder.ErrTooLong
		}
	}
	return n.scripted.Read(ctx, pairs)
}

func TestOneLongClaimIsLeftToTheWordsAlone(t *testing.T) {
	e, err := New(nil, &Options{Reader: &narrow{}, Embedder: &compass{}, Weights: heedful(t)})
	if err != nil {
		t.Fatal(err)
	}
	evidence := "Parents take leave for as long as they like in summer."
	strips := assay.StripsOf(assay.Passage{Text: evidence, End: len(evidence), Language: "en"})
	long := "Parents take leave" + strings.Repeat(" and take leave", 10)
	all := []checking{}
	for _, claim := range []string{"The leave of parents is long.", long} {
		all = append(all, e.newChecking(claim, strips, e.exhibits(strips)))
	}
	if err := e.readClaims(t.Context(), all, strips); err != nil {
		t.Fatal(err)
	}
	if all[0].reading == nil || all[1].reading != nil {
		t.Errorf("read: %v, %v; want the first alone", all[0].reading != nil, all[1].reading != nil)
	}
}

// TestTheBestStripsAreRead has more strips than are read with a claim, the one that
// speaks of it last.
func TestTheBestStripsAreRead(t *testing.T) {
	e := newEvaluator(t, nil)
	var strips []assay.Strip
	for range mostStrips + 8 {
		strips = append(strips, stripOf("Pat saw the cat."))
	}
	strips = append(strips, stripOf("Employees receive 25 days of leave."))
	found := e.compare("Employees have 25 days of leave.", e.exhibits(strips), false)
	read := found.evidenceText(strips)
	if !strings.HasSuffix(read, "Employees receive 25 days of leave.") {
		t.Errorf("%q is read", read)
	}
	if n := strings.Count(read, "."); n != mostStrips {
		t.Errorf("%d strips are read, want %d", n, mostStrips)
	}
}

func stripOf(s string) assay.Strip {
	return assay.Strip{Text: s, End: len(s), Passage: assay.Passage{Text: s, End: len(s), Language: "en"}}
}

// short is a Reader of other outputs.
type short struct{ scripted }

func (*short) Logits() int { return 1 }

func TestNewRefusesWhatItCantWeigh(t *testing.T) {
	if _, err := New(nil, &Options{Reader: &short{}}); err == nil || !strings.Contains(err.Error(), "numbers for a pair") {
		t.Errorf("another network: %v", err)
	}
	bare := heedful(t).(fstest.MapFS)
	var w Weights
	if err := json.Unmarshal(bare[modelFile].Data, &w); err != nil {
		t.Fatal(err)
	}
	w.Network = nil
	raw, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	bare[modelFile] = &fstest.MapFile{Data: raw}
	if _, err := New(nil, &Options{Reader: &scripted{}, Embedder: &compass{}, Weights: bare}); err == nil || !strings.Contains(err.Error(), "fit them") {
		t.Errorf("weights without a network: %v", err)
	}
	if _, err := New(nil, &Options{Reader: &scripted{}, Weights: heedful(t)}); err == nil || !strings.Contains(err.Error(), "no Embedder") {
		t.Errorf("a network without an encoder: %v", err)
	}
	if _, err := New(nil, &Options{Embedder: &compass{}}); err == nil || !strings.Contains(err.Error(), "no Reader") {
		t.Errorf("an encoder without a network: %v", err)
	}
}
