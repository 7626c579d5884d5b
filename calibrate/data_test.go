package calibrate

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/eval"
	"github.com/assay-rag/assay/evaluator"
)

// TestOnCLAPNQ calibrates on 150 questions of CLAPNQ and looks what comes of it on
// the others, for many ways to choose the 150. ASSAY_DATA names the folder with the
// sets; docs/evaluation.md has the figures.
func TestOnCLAPNQ(t *testing.T) {
	folder := os.Getenv("ASSAY_DATA")
	if folder == "" {
		t.Skip("ASSAY_DATA names no folder with public sets")
	}
	set, err := eval.Load(filepath.Join(folder, "clapnq"), 1)
	if err != nil {
		t.Fatal(err)
	}
	grader, err := evaluator.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []Label
	for _, it := range set.Gate {
		a, err := grader.Grade(context.Background(), assay.Query{Question: it.Question}, it.Passages)
		if err != nil {
			t.Fatal(err)
		}
		best := 0.0
		for _, g := range a.Grades {
			best = max(best, g.Score)
		}
		all = append(all, Label{Score: best, Positive: it.Positive, Group: it.Group})
	}
	for _, risk := range []float64{0.1, 0.2, 0.3} {
		compare(t, all, risk)
	}
}

// compare calibrates on 150 labels, many times, and measures on the others.
func compare(t *testing.T, all []Label, risk float64) {
	const draws, used = 200, 150
	random := rand.New(rand.NewPCG(1, 1))
	reached, broken, passed, wrong := 0, 0, 0, 0
	var brier, cost [2]float64
	for draw := range uint64(draws) {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		c, err := Fit(all[:used], &Options{Risk: risk, Seed: draw, Resamples: 1})
		if err != nil {
			t.Fatal(err)
		}
		others := all[used:]
		if c.Promise.Reached {
			reached++
			p, w := passedAt(others, c.Promise.Grade)
			passed, wrong = passed+p, wrong+w
			if float64(w) > risk*float64(p) {
				broken++
			}
		}
		for _, l := range others {
			p := c.Map.Probability(l.Score)
			brier[0] += square(l.Score-l.indicator()) / float64(draws*len(others))
			brier[1] += square(p-l.indicator()) / float64(draws*len(others))
			cost[0] += c.Costs.of(verdictOf(assay.DefaultThresholds, l.Score), l.Positive) / float64(draws*len(others))
			cost[1] += c.Costs.of(verdictOf(c.Costs.Thresholds(), p), l.Positive) / float64(draws*len(others))
		}
	}
	t.Logf("risk %.2f: promised in %d of %d draws; on the others %d of %d passed are wrong (%.3f), more than the risk in %d draws", risk, reached, draws, wrong, passed, float64(wrong)/float64(passed), broken)
	t.Logf("  Brier on the others %.4f as graded, %.4f calibrated; cost %.3f at the default thresholds, %.3f at those that cost least", brier[0], brier[1], cost[0], cost[1])
	if float64(broken) > 0.1*draws {
		t.Errorf("risk %v: %d of %d draws promise what the others don't bear out", risk, broken, draws)
	}
}
