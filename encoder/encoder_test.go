package encoder_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
)

// reference is what testdata/reference.py worked out with 64-bit floats.
type reference struct {
	Texts  []string
	Pairs  [][2]string
	MiniLM [][]float64
	Tiny   [][]float64
	Logits [][][]float64
}

func readReference(t testing.TB) (r reference) {
	t.Helper()
	data, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func load(t testing.TB, source encoder.Source, o *encoder.Options) *encoder.Encoder {
	t.Helper()
	e, err := encoder.Load(source, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func tiny() encoder.Source { return encoder.Dir("testdata/tiny") }

// modes are all ways in which this processor can compute a model.
func modes() (out []encoder.Options) {
	for _, k := range encoder.Kernels() {
		out = append(out, encoder.Options{Kernels: k, Compute: encoder.ComputeFloat32})
		if strings.HasSuffix(k, "vnni") {
			out = append(out, encoder.Options{Kernels: k, Compute: encoder.ComputeInt8})
		}
	}
	return out
}

func cosine(a []float32, b []float64) float64 {
	var dot, x, y float64
	for i := range a {
		dot += float64(a[i]) * b[i]
		x += float64(a[i]) * float64(a[i])
		y += b[i] * b[i]
	}
	return dot / math.Sqrt(x*y)
}

// TestVectors compares the vectors of two models with those of an independent
// computation: long and short texts, empty ones, many scripts, several windows.
func TestVectors(t *testing.T) {
	r := readReference(t)
	for _, m := range []struct {
		source encoder.Source
		want   [][]float64
	}{{minilm.Source(), r.MiniLM}, {tiny(), r.Tiny}} {
		for _, o := range modes() {
			t.Run(m.source.Name+" "+o.Kernels+" "+string(o.Compute), func(t *testing.T) {
				least := 0.999999
				if o.Compute == encoder.ComputeInt8 {
					least = 0.985
				}
				texts := r.Texts
				if o.Kernels == "go" && m.source.Name == minilm.Name {
					texts = texts[:8] // it is some fifty times slower
				}
				got, err := load(t, m.source, &o).EmbedPassages(t.Context(), texts)
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range got {
					if c := cosine(v, m.want[i]); !(c >= least) {
						t.Errorf("%.40q: cosine %v", r.Texts[i], c)
					}
				}
			})
		}
	}
}

// TestLogits compares a cross-encoder with an independent computation, windows of
// long texts included.
func TestLogits(t *testing.T) {
	r := readReference(t)
	var pairs []encoder.Pair
	for _, p := range r.Pairs {
		pairs = append(pairs, encoder.Pair{A: p[0], B: p[1]})
	}
	for _, o := range modes() {
		t.Run(o.Kernels+" "+string(o.Compute), func(t *testing.T) {
			tolerance := 2e-5
			if o.Compute == encoder.ComputeInt8 {
				tolerance = 0.05
			}
			got, err := load(t, tiny(), &o).Read(t.Context(), pairs)
			if err != nil {
				t.Fatal(err)
			}
			for i, windows := range got {
				if len(windows) != len(r.Logits[i]) {
					t.Fatalf("pair %d: %d windows, want %d", i, len(windows), len(r.Logits[i]))
				}
				for w, reading := range windows {
					for h, x := range reading.Logits {
						if diff := math.Abs(float64(x) - r.Logits[i][w][h]); !(diff <= tolerance) {
							t.Errorf("pair %d, window %d, head %d: %v, want %v", i, w, h, x, r.Logits[i][w][h])
						}
					}
				}
			}
		})
	}
}

// TestAlone: a text's vector is the same to the bit alone and beside others, on one
// thread and on several.
func TestAlone(t *testing.T) {
	r := readReference(t)
	for _, o := range modes() {
		if o.Kernels == "go" {
			continue // the same code, and slow
		}
		o.Threads = 1
		alone := load(t, minilm.Source(), &o)
		o.Threads = 3
		together, err := load(t, minilm.Source(), &o).EmbedPassages(t.Context(), r.Texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range r.Texts {
			one, err := alone.EmbedQuery(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(one, together[i]) {
				t.Errorf("%s %s: %.40q has another vector alone", o.Kernels, o.Compute, text)
			}
		}
	}
}

// TestConcurrent lets many callers use one encoder at once.
func TestConcurrent(t *testing.T) {
	r := readReference(t)
	e := load(t, tiny(), nil)
	want, err := e.EmbedPassages(t.Context(), r.Texts)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range 40 {
				k := (n*7 + i) % len(r.Texts)
				got, err := e.EmbedPassages(t.Context(), r.Texts[k:])
				if err != nil || !slices.Equal(got[0], want[k]) {
					t.Errorf("caller %d, text %d: another vector, %v", n, k, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestCancel ends soon and leaves the encoder usable.
func TestCancel(t *testing.T) {
	e := load(t, minilm.Source(), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.EmbedPassages(ctx, []string{strings.Repeat("a long text ", 10_000)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if v, err := e.EmbedQuery(t.Context(), "a short text"); err != nil || len(v) != e.Dim() {
		t.Errorf("afterwards: %d numbers, %v", len(v), err)
	}
}

// TestNoAllocation: after the first call, a call into the caller's own memory
// allocates nothing.
func TestNoAllocation(t *testing.T) {
	if raceDetector {
		t.Skip("with the race detector, memory that was put by is forgotten at random")
	}
	e := load(t, tiny(), &encoder.Options{Threads: 1})
	texts := []string{"how long is leave?", "the room is kept by the desk, in weeks 26 to 40"}
	out := make([]float32, len(texts)*e.Dim())
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		if err := e.EmbedInto(ctx, out, texts); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations a call", n)
	}
}

// TestWindows: what stands at the end of a long text changes its vector, and the
// number of tokens is no limit.
func TestWindows(t *testing.T) {
	e := load(t, minilm.Source(), nil)
	long := strings.Repeat("The room is kept by the desk. ", 200)
	if n := e.Tokens(long); n < 3*e.MaxTokens() {
		t.Fatalf("%d tokens are not enough for this test", n)
	}
	v, err := e.EmbedPassages(t.Context(), []string{long, long + "Volcanoes erupt when magma rises. Lava is molten rock."})
	if err != nil {
		t.Fatal(err)
	}
	var dot float64
	for i := range v[0] {
		dot += float64(v[0][i]) * float64(v[1][i])
	}
	if dot > 0.9999 {
		t.Errorf("the end of the text was not read: cosine %v", dot)
	}
}

func TestTooLong(t *testing.T) {
	e := load(t, tiny(), nil)
	_, err := e.Read(t.Context(), []encoder.Pair{{A: "a", B: "b"}, {A: strings.Repeat("how long ", 17), B: "leave"}})
	if !errors.Is(err, encoder.ErrTooLong) || !strings.Contains(err.Error(), "pair 1") {
		t.Errorf("got %v", err)
	}
	if _, err := load(t, minilm.Source(), nil).Read(t.Context(), []encoder.Pair{{A: "a", B: "b"}}); !errors.Is(err, encoder.ErrNoClassifier) {
		t.Errorf("without heads: %v", err)
	}
}

// TestMeaning: the embedded model does what it is for.
func TestMeaning(t *testing.T) {
	e := load(t, minilm.Source(), nil)
	q, err := e.EmbedQuery(t.Context(), "How many days off do new parents get?")
	if err != nil {
		t.Fatal(err)
	}
	passages := []string{"The printer on floor two takes A3 paper.", "Mothers and fathers may take 26 weeks of leave after a birth.", "Days are longer in summer."}
	v, err := e.EmbedPassages(t.Context(), passages)
	if err != nil {
		t.Fatal(err)
	}
	score := make([]float32, len(v))
	for i := range v {
		for j := range q {
			score[i] += q[j] * v[i][j]
		}
	}
	if slices.Index(score, slices.Max(score)) != 1 {
		t.Errorf("scores %v", score)
	}
}
