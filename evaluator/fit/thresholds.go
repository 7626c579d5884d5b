package main

import (
	"fmt"
	"slices"

	"github.com/assay-rag/assay/evaluator"
)

// The precision wanted: where supported and other claims are equally frequent;
// and of contradicted ones among those that clash.
const (
	supportedPrecision    = 0.85
	contradictedPrecision = 0.75
)

// The columns of the claim features that show a clash where they are above 0; the last
// two are of the second model, log-odds by the words and by the network.
var clashes = []string{"clash", "denied", "denying", "opposite", "words contradicted", "contradicted"}

// chooseSupport chooses the thresholds between what is said of a claim, on the
// examples kept for tuning. A claim is supported from the least probability at
// which supportedPrecision of such claims are, contradicted likewise among those
// that clash with the evidence, and partly supported from where most claims that
// are not supported lie below and most others above (the highest Youden index).
func chooseSupport(m *evaluator.Model, examples []example) evaluator.SupportThresholds {
	tune := of(examples, partTune)
	supported := ranked(m, tune, 0, true, func(x *example) bool { return x.label == 0 })
	var clashing []example
	for _, x := range tune {
		for i, f := range m.Features {
			if slices.Contains(clashes, f.Name) && x.x[i] > 0 {
				clashing = append(clashing, x)
				break
			}
		}
	}
	contradicted := ranked(m, clashing, 2, false, func(x *example) bool { return x.label == 2 && !x.twoWay })
	t := evaluator.SupportThresholds{
		Supported:    atPrecision(supported, supportedPrecision),
		Contradicted: atPrecision(contradicted, contradictedPrecision),
	}
	t.Partial = min(youden(supported), t.Supported*2/3)
	fmt.Printf("thresholds of support: %+v\n", t)
	for _, p := range []float64{t.Partial, t.Supported} {
		hit, miss := rates(supported, p)
		fmt.Printf("  at %.3f: %.2f of the supported, %.2f of the others\n", p, hit, miss)
	}
	return t
}

// scored is an example by its probability.
type scored struct {
	p, weight float64
	positive  bool
}

// ranked sorts examples by an output, highest first; with even, positives and
// negatives weigh the same in all, else every example does.
func ranked(m *evaluator.Model, examples []example, output int, even bool, positive func(*example) bool) []scored {
	out := make([]scored, len(examples))
	var sum [2]float64
	for i := range examples {
		x := &examples[i]
		out[i] = scored{m.Probabilities(x.x)[output], x.weight, positive(x)}
		sum[side(out[i].positive)] += x.weight
	}
	for i := range out {
		out[i].weight /= sum[side(out[i].positive)]
		if !even {
			out[i].weight = 1
		}
	}
	slices.SortStableFunc(out, func(a, b scored) int {
		switch {
		case a.p > b.p:
			return -1
		case a.p < b.p:
			return 1
		}
		return 0
	})
	return out
}

func side(positive bool) int {
	if positive {
		return 1
	}
	return 0
}

// atPrecision returns the least probability from which the precision holds.
func atPrecision(rows []scored, wanted float64) float64 {
	least := 1.0
	var sum [2]float64
	for i, r := range rows {
		sum[side(r.positive)] += r.weight
		last := i+1 == len(rows) || rows[i+1].p < r.p
		if last && sum[1] >= wanted*(sum[0]+sum[1]) {
			least = r.p
		}
	}
	return least
}

// youden returns the probability at which the positives found exceed the
// negatives most (Youden 1950).
func youden(rows []scored) float64 {
	best, at := 0.0, 1.0
	gap := 0.0
	for _, r := range rows {
		if r.positive {
			gap += r.weight
		} else {
			gap -= r.weight
		}
		if gap > best {
			best, at = gap, r.p
		}
	}
	return at
}

func rates(rows []scored, p float64) (hit, miss float64) {
	for _, r := range rows {
		if r.p < p {
			break
		}
		if r.positive {
			hit += r.weight
		} else {
			miss += r.weight
		}
	}
	return hit, miss
}
