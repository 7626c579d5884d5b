package eval

import (
	"math"

	"github.com/assay-rag/assay"
)

// Curves are what a plot of one system needs, at most 200 points each. They are of
// the same items as the figures.
type Curves struct {
	// ROC begins at (0, 0) and ends at (1, 1).
	ROC []ROCPoint `json:"roc"`
	// Reliability has bins of rising scores.
	Reliability []ReliabilityBin `json:"reliability"`
	// RiskCoverage is by rising coverage and ends at 1.
	RiskCoverage []RiskPoint `json:"risk_coverage"`
	// Sweep is by rising threshold, from 0 to 1.
	Sweep []SweepPoint `json:"sweep"`
}

// ROCPoint is what passes at a threshold: scores at or above it.
type ROCPoint struct {
	// Threshold is not defined (null) for the first point, where nothing passes.
	Threshold     Figure  `json:"threshold"`
	FalsePositive float64 `json:"false_positive"` // the share of negatives that pass
	TruePositive  float64 `json:"true_positive"`  // the share of positives that pass
}

// RiskPoint is what comes of treating only the items with the highest scores as
// positive.
type RiskPoint struct {
	Coverage  float64 `json:"coverage"` // their share of all items
	Risk      float64 `json:"risk"`     // the share of negatives among them
	Threshold float64 `json:"threshold"`
}

// SweepPoint is what one choice of the upper threshold costs. The lower one is the
// system's, or the upper where that is lower. For claims read "supported" for
// Correct.
type SweepPoint struct {
	Threshold float64 `json:"threshold"`
	// Correct, Ambiguous and Incorrect are shares of all items and sum to 1.
	Correct   float64 `json:"correct"`
	Ambiguous float64 `json:"ambiguous"`
	Incorrect float64 `json:"incorrect"`
	// Misses is the share of the negatives that pass as Correct.
	Misses float64 `json:"misses"`
	// Fallbacks is the share of the positives that don't pass: each costs a
	// correction that wasn't needed.
	Fallbacks float64 `json:"fallbacks"`
}

// mostPoints bounds a curve.
const mostPoints = 200

// curves needs both labels; without one, the shares of it are 0.
func curves(items []Scored, t assay.Thresholds) Curves {
	ranked := newRanking(items)
	return Curves{
		ROC:          thinned(ranked.roc()),
		Reliability:  newBinning(items).reliability(),
		RiskCoverage: thinned(ranked.riskCoverage()),
		Sweep:        sweep(items, t),
	}
}

func (r ranking) roc() []ROCPoint {
	_, _, positives, negatives := countAbove(r.items, math.Inf(-1))
	out := []ROCPoint{{Threshold: undefined}}
	var passedPositive, passedNegative float64
	at := 0
	r.ties(nil, func(positive, negative float64) {
		passedPositive += positive
		passedNegative += negative
		out = append(out, ROCPoint{
			Threshold:     Figure(r.items[r.order[at]].Score),
			FalsePositive: share(passedNegative, negatives), TruePositive: share(passedPositive, positives),
		})
		at += int(positive + negative)
	})
	return out
}

func (r ranking) riskCoverage() []RiskPoint {
	out := []RiskPoint{}
	var seen, negatives float64
	r.ties(nil, func(positive, negative float64) {
		score := r.items[r.order[int(seen)]].Score
		seen += positive + negative
		negatives += negative
		out = append(out, RiskPoint{Coverage: seen / float64(len(r.items)), Risk: negatives / seen, Threshold: score})
	})
	return out
}

// AURC is the area under the risk–coverage curve (Geifman and El-Yaniv 2017): the
// mean, over all numbers of items answered, best scores first, of the share of
// negatives among those. In [0, 1], lower is better; the share of negatives for a
// system that can't tell; NaN without items. Items with equal scores are taken in
// random order.
func AURC(items []Scored) float64 { return newRanking(items).aurc(nil) }

func (r ranking) aurc(weights []int) float64 {
	var seen, negatives, area float64
	r.ties(weights, func(positive, negative float64) {
		each := negative / (positive + negative) // the risk that one more of the run adds
		for n := 1.0; n <= positive+negative; n++ {
			area += (negatives + n*each) / (seen + n)
		}
		seen += positive + negative
		negatives += negative
	})
	return area / seen
}

// sweepSteps is how finely thresholds are tried.
const sweepSteps = 100

func sweep(items []Scored, t assay.Thresholds) []SweepPoint {
	out := make([]SweepPoint, sweepSteps+1)
	n := float64(len(items))
	for k := range out {
		threshold := float64(k) / sweepSteps
		positive, negative, positives, negatives := countAbove(items, threshold)
		lowPositive, lowNegative, _, _ := countAbove(items, min(threshold, t.Lower))
		passed, above := positive+negative, lowPositive+lowNegative
		out[k] = SweepPoint{
			Threshold: threshold,
			Correct:   share(passed, n), Ambiguous: share(above-passed, n), Incorrect: share(n-above, n),
			Misses: share(negative, negatives), Fallbacks: share(positives-positive, positives),
		}
	}
	return out
}

// countAbove counts the items of each label with scores at or above the threshold,
// and all of them.
func countAbove(items []Scored, threshold float64) (positive, negative, positives, negatives float64) {
	for _, it := range items {
		above := indicator(it.Score >= threshold)
		if it.Positive {
			positive += above
			positives++
		} else {
			negative += above
			negatives++
		}
	}
	return positive, negative, positives, negatives
}

// share is a part of a whole, 0 of nothing.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// thinned keeps the first and the last point and what lies between them at equal
// steps.
func thinned[T any](points []T) []T {
	if len(points) <= mostPoints {
		return points
	}
	out := make([]T, mostPoints)
	for k := range out {
		out[k] = points[k*(len(points)-1)/(mostPoints-1)]
	}
	return out
}
