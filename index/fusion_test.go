package index

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
)

func TestFusion(t *testing.T) {
	none := math.NaN()
	for _, test := range []struct {
		name         string
		fusion       Fusion
		words, dense []float64
		want         []float64
	}{
		{"convex", Convex(0.5), []float64{10, 5, 0}, []float64{0.2, 0.7, 0.6}, []float64{0.5, 0.75, 0.4}},
		{"words alone", Convex(0), []float64{10, 5, 0}, []float64{0.2, 0.7, 0.6}, []float64{1, 0.5, 0}},
		{"vectors alone", Convex(1), []float64{10, 5, 0}, []float64{0.2, 0.7, 0.6}, []float64{0, 1, 0.8}},
		{"one without a vector", Convex(0.5), []float64{10, 5, 0}, []float64{none, 0.7, 0.2}, []float64{1, 0.75, 0}},
		{"none with a vector", Convex(0.5), []float64{10, 5}, []float64{none, none}, []float64{1, 0.5}},
		{"no shared word", Convex(0.5), []float64{0, 0}, []float64{0.9, 0.1}, []float64{0.5, 0}},
		{"all as near", Convex(0.5), []float64{4, 2}, []float64{0.3, 0.3}, []float64{0.5, 0.25}},
		{"nothing", Convex(0.5), nil, nil, nil},
		{"theoretical", ConvexTheoretical(0.5), []float64{10, 5, 0}, []float64{-1, 1, 0}, []float64{0.5, 0.75, 0.25}},
		{"theoretical, far below one", ConvexTheoretical(1), []float64{1, 1}, []float64{0, -0.5}, []float64{1, 0.5}},
		{"ranks", ReciprocalRank(60), []float64{10, 5, 0}, []float64{0.2, 0.7, 0.6}, []float64{1./61 + 1./63, 1./62 + 1./61, 1. / 62}},
		{"ranks, one without a vector", ReciprocalRank(60), []float64{10, 5, 0}, []float64{none, 0.7, 0.6}, []float64{2. / 61, 1./62 + 1./61, 1. / 62}},
		{"equal ranks", ReciprocalRank(1), []float64{3, 3, 1}, []float64{0.5, 0.5, 0.5}, []float64{1, 1, 0.75}},
	} {
		words, dense := slices.Clone(test.words), slices.Clone(test.dense)
		got := test.fusion(words, dense)
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
		if !slices.EqualFunc(got, test.want, same) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		if !slices.Equal(words, test.words) || !slices.EqualFunc(dense, test.dense, func(a, b float64) bool { return a == b || a != a && b != b }) {
			t.Errorf("%s: the scores given were changed", test.name)
		}
	}
}

// TestFusionRefuses gives weights that mean nothing.
func TestFusionRefuses(t *testing.T) {
	for name, f := range map[string]func(){
		"alpha below 0": func() { Convex(-0.1) }, "alpha above 1": func() { ConvexTheoretical(1.1) }, "no alpha": func() { Convex(nan()) },
		"k = 0": func() { ReciprocalRank(0) }, "no k": func() { ReciprocalRank(nan()) }, "k = ∞": func() { ReciprocalRank(math.Inf(1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is taken", name)
				}
			}()
			f()
		}()
	}
}

// TestFusionOfAnotherLength has a fusion that doesn't do what it must.
func TestFusionOfAnotherLength(t *testing.T) {
	x := openWith(t, t.TempDir(), &indextest.Embedder{})
	handbook(t, x)
	embed(t, x)
	for _, n := range []int{-1, 1} {
		x.opts.Fusion = func(words, _ []float64) []float64 { return make([]float64, len(words)+n) }
		if _, err := x.Retrieve(context.Background(), assay.Search{Words: "parental"}); err == nil || !strings.Contains(err.Error(), "Options.Fusion made") {
			t.Errorf("the error is %v", err)
		}
	}
}
