package evaluator

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
)

func TestShapeBasis(t *testing.T) {
	s := Shape{Knots: []float64{0, 1, 3}}
	for _, c := range []struct {
		x     float64
		knot  int
		above float64
	}{{-1, 0, 0}, {0, 0, 0}, {0.25, 0, 0.25}, {1, 0, 1}, {2, 1, 0.5}, {3, 1, 1}, {9, 1, 1}} {
		if k, a := s.Basis(c.x); k != c.knot || math.Abs(a-c.above) > 1e-12 {
			t.Errorf("%v: knot %d and %v, want %d and %v", c.x, k, a, c.knot, c.above)
		}
	}
	single := Shape{Knots: []float64{2}}
	if k, a := single.Basis(5); k != 0 || a != 0 {
		t.Errorf("one knot: %d, %v", k, a)
	}
}

func TestModelProbabilities(t *testing.T) {
	m := Model{Bias: []float64{1}, Features: []Shape{{Name: "x", Knots: []float64{0, 1}, Values: [][]float64{{0, 2}}}}}
	if p := m.Probabilities([]float64{0.5})[0]; math.Abs(p-1/(1+math.Exp(-2))) > 1e-12 {
		t.Errorf("%v", p)
	}
	three := Model{Bias: []float64{0, 1, 2}, Features: []Shape{}}
	p := three.Probabilities(nil)
	if sum := p[0] + p[1] + p[2]; math.Abs(sum-1) > 1e-12 || !(p[0] < p[1] && p[1] < p[2]) {
		t.Errorf("%v", p)
	}
}

func TestNewRefusesOtherWeights(t *testing.T) {
	good := "passages 10 unseen 0.01\nx!\n"
	for _, c := range []struct{ name, model, table, want string }{
		{"no files", "", "", "background table"},
		{"no model", "", good, "model"},
		{"not JSON", "{", good, "model.json"},
		{"of another version", "{}", good, "passage part has 0 features"},
		{"bad table", "{}", "hello\n", "first line"},
		{"bad share", "{}", "passages 3 unseen 2\n", "unseen"},
	} {
		folder := fstest.MapFS{}
		if c.model != "" {
			folder[modelFile] = &fstest.MapFile{Data: []byte(c.model)}
		}
		if c.table != "" {
			folder[backgroundFile] = &fstest.MapFile{Data: []byte(c.table)}
		}
		if _, err := New(nil, &Options{Weights: folder}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestBuiltInWeightsBelong(t *testing.T) {
	e := newEvaluator(t, nil)
	w := e.weights
	if s := w.Support; !(0 < s.Partial && s.Partial < s.Supported && s.Supported < 1 && 0 < s.Contradicted && s.Contradicted < 1) {
		t.Errorf("thresholds %+v", s)
	}
	if the, rare := w.background.share("compani"), w.background.share("zyzzyva"); !(the > 20*rare && rare > 0) {
		t.Errorf("a common word has %v, an unknown one %v", the, rare)
	}
}

func TestBackground(t *testing.T) {
	counts := map[string]int{}
	for i := range 300 {
		counts[fmt.Sprintf("w%03d", i)] = 1 + i*i
	}
	const passages = 100_000
	var out bytes.Buffer
	if err := WriteBackground(&out, passages, counts, 200); err != nil {
		t.Fatal(err)
	}
	b, err := newBackground(out.String())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		term := fmt.Sprintf("w%03d", i)
		got := b.share(term)
		if i < 100 { // beyond the limit
			if got != b.unseen {
				t.Errorf("%s: %v, want it unseen", term, got)
			}
			continue
		}
		want := float64(counts[term]) / passages
		if math.Abs(math.Log(got/want)) > levelStep/2+1e-9 {
			t.Errorf("%s: %v, want %v", term, got, want)
		}
	}
	for _, term := range []string{"", "a", "zzz", "w1", "w2999"} {
		if got := b.share(term); got != b.unseen {
			t.Errorf("%q: %v", term, got)
		}
	}
}

func TestMemoForgetsTheOldest(t *testing.T) {
	m := newMemo[int, string](3)
	for i := range 20 {
		m.put(i, fmt.Sprint(i))
		m.get(0) // what is used stays
	}
	if v, ok := m.get(0); !ok || v != "0" {
		t.Error("what was used is gone")
	}
	if _, ok := m.get(5); ok {
		t.Error("what was not used is kept")
	}
	if n := len(m.young) + len(m.older); n > 6 {
		t.Errorf("%d are kept", n)
	}
}
