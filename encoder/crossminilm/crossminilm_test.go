package crossminilm_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/crossminilm"
	"github.com/assay-rag/assay/encoder/minilm"
)

// TestReference compares what the network reads with what PyTorch computed of the
// weights in float32, before they were kept as int8; train/export.py wrote it.
func TestReference(t *testing.T) {
	raw, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		A, B   string
		Logits []float32
		Tokens [][]float32
		Absent []float32
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	const most = 0.5 // of logits that lie some eight apart
	for _, compute := range []encoder.Compute{encoder.ComputeFloat32, encoder.ComputeAuto} {
		base, err := encoder.Load(minilm.Source(), &encoder.Options{Compute: compute})
		if err != nil {
			t.Fatal(err)
		}
		network, err := crossminilm.Load(base, encoder.Options{Compute: compute})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			got, err := network.Read(t.Context(), []encoder.Pair{{A: row.A, B: row.B}})
			if err != nil {
				t.Fatal(err)
			}
			if len(got[0]) != 1 {
				t.Fatalf("%q is read in %d windows", row.B, len(got[0]))
			}
			w := got[0][0]
			near := func(what string, got, want []float32) {
				if len(got) != len(want) {
					t.Fatalf("%s: %d numbers for %q, PyTorch has %d", what, len(got), row.B, len(want))
				}
				for i := range want {
					if d := math.Abs(float64(got[i] - want[i])); d > most {
						t.Errorf("%s, %s, %q: number %d is %.2f, by PyTorch %.2f", compute, what, row.A, i, got[i], want[i])
					}
				}
			}
			near("the pair", w.Logits, row.Logits)
			near("no answer", w.Absent, row.Absent)
			var tokens []float32
			for _, x := range row.Tokens {
				tokens = append(tokens, x...)
			}
			near("tokens", w.Tokens, tokens)
		}
	}
}
