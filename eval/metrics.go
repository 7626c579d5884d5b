package eval

import (
	"cmp"
	"math"
	"slices"
)

// Scored is one labelled item with the score that a system gave it.
type Scored struct {
	Score    float64 `json:"score"`
	Positive bool    `json:"positive"`
	// Group is what the bootstrap draws: items of one group stay together.
	Group string `json:"group"`
}

// AUROC is the area under the ROC curve: the probability that a positive item
// scores higher than a negative one, ties counting one half (Mann–Whitney U,
// exact). In [0, 1], 0.5 for a system that can't tell; NaN unless both labels
// occur.
func AUROC(items []Scored) float64 { return newRanking(items).auroc(nil) }

// AUPRC is the area under the precision–recall curve as average precision: the
// mean, over the positive items, of the precision among all that score at least
// as high. Items with equal scores enter the curve together, so the order of
// the input doesn't matter. In [0, 1], about the share of positives for a
// system that can't tell; NaN without a positive.
func AUPRC(items []Scored) float64 { return newRanking(items).auprc(nil) }

// Brier is the mean squared difference between the score, read as a
// probability, and the label (Brier 1950). In [0, 1], lower is better, 0.25 for
// a constant 0.5; NaN without items.
func Brier(items []Scored) float64 { return brier(items, nil) }

// BalancedAccuracy is the mean of the share of positives with score ≥ threshold
// and of negatives with score < threshold. In [0, 1]; NaN unless both labels
// occur.
func BalancedAccuracy(items []Scored, threshold float64) float64 {
	return balancedAccuracy(items, threshold, nil)
}

// Accuracy is the share of items on the right side of the threshold: positives
// with score ≥ threshold, negatives below it. In [0, 1]; NaN without items.
func Accuracy(items []Scored, threshold float64) float64 { return accuracy(items, threshold, nil) }

// F1 is the harmonic mean of precision and recall of the positives, with scores at
// or above the threshold taken for positive. In [0, 1]; NaN where there is no
// positive and none is taken for one.
func F1(items []Scored, threshold float64) float64 { return f1(items, threshold, nil) }

// ranking is a set of items ordered once, best first, so that each resample of
// a bootstrap costs one pass. A resample is a weight an item: how often it was
// drawn. Nil weights mean once each.
type ranking struct {
	items []Scored
	order []int // positions in items by falling score
}

func newRanking(items []Scored) ranking {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(items[b].Score, items[a].Score) })
	return ranking{items, order}
}

// ties calls visit for each run of equal scores, best first, with the weight of
// the positives and the negatives in it.
func (r ranking) ties(weights []int, visit func(positive, negative float64)) {
	for i := 0; i < len(r.order); {
		score := r.items[r.order[i]].Score
		var positive, negative float64
		for ; i < len(r.order) && r.items[r.order[i]].Score == score; i++ {
			if w := weight(weights, r.order[i]); r.items[r.order[i]].Positive {
				positive += w
			} else {
				negative += w
			}
		}
		visit(positive, negative)
	}
}

func (r ranking) auroc(weights []int) float64 {
	var positives, negatives, area float64
	r.ties(weights, func(positive, negative float64) {
		// Each negative of the run loses to all positives above and draws with
		// those beside it.
		area += negative * (positives + positive/2)
		positives += positive
		negatives += negative
	})
	return area / (positives * negatives) // 0/0 is the NaN promised
}

func (r ranking) auprc(weights []int) float64 {
	var positives, seen, area float64
	r.ties(weights, func(positive, negative float64) {
		positives += positive
		seen += positive + negative
		if positive > 0 {
			area += positive * positives / seen
		}
	})
	return area / positives
}

func brier(items []Scored, weights []int) float64 {
	var sum, total float64
	for i, it := range items {
		d := it.Score - indicator(it.Positive)
		sum += weight(weights, i) * d * d
		total += weight(weights, i)
	}
	return sum / total
}

func balancedAccuracy(items []Scored, threshold float64, weights []int) float64 {
	var right, total [2]float64
	for i, it := range items {
		class := int(indicator(it.Positive))
		total[class] += weight(weights, i)
		if (it.Score >= threshold) == it.Positive {
			right[class] += weight(weights, i)
		}
	}
	return (right[0]/total[0] + right[1]/total[1]) / 2
}

func accuracy(items []Scored, threshold float64, weights []int) float64 {
	var right, total float64
	for i, it := range items {
		total += weight(weights, i)
		if (it.Score >= threshold) == it.Positive {
			right += weight(weights, i)
		}
	}
	return right / total
}

func f1(items []Scored, threshold float64, weights []int) float64 {
	var right, wrong float64 // true positives; false ones and missed ones
	for i, it := range items {
		switch taken := it.Score >= threshold; {
		case taken && it.Positive:
			right += weight(weights, i)
		case taken != it.Positive:
			wrong += weight(weights, i)
		}
	}
	return 2 * right / (2*right + wrong)
}

func weight(weights []int, i int) float64 {
	if weights == nil {
		return 1
	}
	return float64(weights[i])
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// The metrics of retrieval take, for one question, the ranks (from 1) at which
// its gold passages were found, in any order, and how many gold passages there
// are. One that was not found has no rank.

// RecallAt is the share of the gold passages found among the first k. In
// [0, 1]; NaN where gold is 0.
func RecallAt(ranks []int, gold, k int) float64 {
	found := 0
	for _, r := range ranks {
		if r <= k {
			found++
		}
	}
	return float64(found) / float64(gold)
}

// ReciprocalRank is 1 over the rank of the first gold passage, 0 where none was
// found; its mean over questions is the MRR. In [0, 1].
func ReciprocalRank(ranks []int) float64 {
	if len(ranks) == 0 {
		return 0
	}
	return 1 / float64(slices.Min(ranks))
}

// NDCGAt is the normalised discounted cumulative gain of the first k with binary
// gain and the discount 1/log₂(rank+1) (Järvelin and Kekäläinen 2002, with the
// discount now usual). In [0, 1]; NaN where gold or k is 0.
func NDCGAt(ranks []int, gold, k int) float64 {
	var got, ideal float64
	for _, r := range ranks {
		if r <= k {
			got += discount(r)
		}
	}
	for r := 1; r <= min(gold, k); r++ {
		ideal += discount(r)
	}
	return got / ideal
}

func discount(rank int) float64 { return 1 / math.Log2(float64(rank)+1) }

// quantile interpolates linearly between the values, which must be sorted; q is
// in [0, 1]. NaN without values.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low == len(sorted)-1 {
		return sorted[low]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
