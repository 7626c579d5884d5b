package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/assay-rag/assay"
)

// Counts says what was measured on.
type Counts struct {
	// Items and Positives count all items of the set, failures included.
	Items     int `json:"items"`
	Positives int `json:"positives"`
	// Groups is how many groups the intervals draw from. With fewer than about
	// twenty an interval is rough, and mostly too narrow.
	Groups int `json:"groups"`
}

// Quality is how well scores tell positives from negatives.
type Quality struct {
	AUROC Estimate `json:"auroc"`
	AUPRC Estimate `json:"auprc"`
	Brier Estimate `json:"brier"`
	// At has the lower and the upper threshold of the system.
	At []Decision `json:"at"`
}

// Decision is how well a threshold decides, with scores at or above it taken for
// positive.
type Decision struct {
	Threshold        float64  `json:"threshold"`
	BalancedAccuracy Estimate `json:"balanced_accuracy"`
	Accuracy         Estimate `json:"accuracy"`
}

// Example is an item that was judged badly.
type Example struct {
	// Subject is the question or the claim, Text what it was judged against.
	Subject  string  `json:"subject"`
	Text     string  `json:"text"`
	Score    float64 `json:"score"`
	Positive bool    `json:"positive"`
}

// judgement holds what a grader or a checker made of a set, without the items on
// which it failed: what the figures of both tasks are computed from.
type judgement struct {
	scored []Scored
	item   []int // the position in the set of each scored item
	boot   *Bootstrap
	counts Counts
}

// newJudgement takes the score of each item, and for those that failed an error.
func newJudgement(all []Scored, errs []error, o Options) judgement {
	j := judgement{counts: Counts{Items: len(all)}}
	var groups []string
	for i, s := range all {
		if s.Positive {
			j.counts.Positives++
		}
		if errs[i] == nil {
			j.scored = append(j.scored, s)
			j.item = append(j.item, i)
			groups = append(groups, s.Group)
		}
	}
	j.boot = NewBootstrap(groups, o.Resamples, o.Seed)
	j.counts.Groups = j.boot.Groups()
	return j
}

func (j judgement) quality(t assay.Thresholds) Quality {
	ranked := newRanking(j.scored)
	q := Quality{
		AUROC: j.boot.Estimate(ranked.auroc),
		AUPRC: j.boot.Estimate(ranked.auprc),
		Brier: j.boot.Estimate(func(w []int) float64 { return brier(j.scored, w) }),
	}
	for _, threshold := range []float64{t.Lower, t.Upper} {
		q.At = append(q.At, j.decision(j.scored, threshold))
	}
	return q
}

// decision is over scores in the order of the judgement's.
func (j judgement) decision(scored []Scored, threshold float64) Decision {
	return Decision{
		Threshold:        threshold,
		BalancedAccuracy: j.boot.Estimate(func(w []int) float64 { return balancedAccuracy(scored, threshold, w) }),
		Accuracy:         j.boot.Estimate(func(w []int) float64 { return accuracy(scored, threshold, w) }),
	}
}

// rescored is the judgement's items with other scores.
func (j judgement) rescored(score func(item int) float64) []Scored {
	out := slices.Clone(j.scored)
	for i := range out {
		out[i].Score = score(j.item[i])
	}
	return out
}

// worst makes examples of the n items whose score is farthest from their label,
// worst first.
func (j judgement) worst(n int, describe func(item int) (subject, text string)) []Example {
	order := make([]int, len(j.scored))
	for i := range order {
		order[i] = i
	}
	miss := func(i int) float64 { return math.Abs(j.scored[i].Score - indicator(j.scored[i].Positive)) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(miss(b), miss(a)) })
	examples := []Example{}
	for _, i := range order[:min(n, len(order))] {
		subject, text := describe(j.item[i])
		examples = append(examples, Example{subject, text, j.scored[i].Score, j.scored[i].Positive})
	}
	return examples
}
