package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/assay-rag/assay/evaluator"
)

// fitAndReport fits on the first part, calibrates on the second and prints what
// the third says.
func fitAndReport(what string, names []string, examples []example, outputs int, balanced bool) evaluator.Model {
	weigh(examples, outputs, balanced)
	m := fit(names, of(examples, partFit), outputs)
	calibrate(m, of(examples, partTune), outputs)
	report(what, m, of(examples, partReport), outputs)
	return *m
}

func of(examples []example, p part) []example {
	var out []example
	for _, x := range examples {
		if x.part == p {
			out = append(out, x)
		}
	}
	return out
}

// calibrate scales the log-odds so that the log loss on examples that were not
// fitted is least: temperature scaling (Guo et al. 2017, §4.2), with one shift
// an output.
func calibrate(m *evaluator.Model, examples []example, outputs int) {
	d := &design{outputs: outputs, width: 2, examples: examples}
	logits := make([][]float64, len(examples))
	for i, x := range examples {
		logits[i] = m.Logits(x.x)
		d.total += x.weight
	}
	loss := func(theta, gradient []float64) float64 {
		clear(gradient)
		sum := 0.0
		p := make([]float64, max(2, outputs))
		for i := range examples {
			x := &examples[i]
			w := x.weight / d.total
			for k := range outputs {
				p[k] = theta[0]*logits[i][k] + theta[1+k]
			}
			if outputs == 1 {
				q := 1 / (1 + math.Exp(-p[0]))
				y := float64(x.label)
				sum -= w * (y*math.Log(max(q, 1e-12)) + (1-y)*math.Log(max(1-q, 1e-12)))
				p[0] = q - y
			} else {
				sum += w * d.softmaxLoss(p, x)
			}
			for k := range outputs {
				gradient[0] += w * p[k] * logits[i][k]
				gradient[1+k] += w * p[k]
			}
		}
		return sum
	}
	start := make([]float64, 1+outputs)
	start[0] = 1
	theta := minimise(loss, start, 60)
	for k := range outputs {
		m.Bias[k] = theta[0]*m.Bias[k] + theta[1+k]
		for _, s := range m.Features {
			for j := range s.Values[k] {
				s.Values[k][j] *= theta[0]
			}
		}
	}
	fmt.Printf("calibration: scale %.3f, shift %.3f\n", theta[0], theta[1:])
}

// positive tells whether an example is one that the first output stands for.
func positive(x *example, outputs int) bool {
	if outputs == 1 {
		return x.label == 1
	}
	return x.label == 0
}

func report(what string, m *evaluator.Model, examples []example, outputs int) {
	bySet := map[string][]int{}
	scores := make([]float64, len(examples))
	for i := range examples {
		scores[i] = m.Probabilities(examples[i].x)[0]
		bySet[examples[i].set] = append(bySet[examples[i].set], i)
	}
	fmt.Printf("%s, held out          rows  AUROC  Brier  >=.75 of positives, negatives  <.35 of negatives\n", what)
	var aucs []float64
	for _, set := range slices.Sorted(maps.Keys(bySet)) {
		rows := bySet[set]
		var labels []bool
		var ps []float64
		brier, total := 0.0, 0.0
		var high, low [2]float64
		var n [2]float64
		for _, i := range rows {
			y := positive(&examples[i], outputs)
			labels, ps = append(labels, y), append(ps, scores[i])
			k := 0
			if y {
				k = 1
			}
			brier += examples[i].weight * (scores[i] - float64(k)) * (scores[i] - float64(k))
			total += examples[i].weight
			n[k]++
			if scores[i] >= 0.75 {
				high[k]++
			}
			if scores[i] < 0.35 {
				low[k]++
			}
		}
		auc := auroc(ps, labels)
		if !math.IsNaN(auc) { // a set with one label has none
			aucs = append(aucs, auc)
		}
		fmt.Printf("  %-26s %6d  %.3f  %.3f  %.2f  %.2f  %.2f\n", set, len(rows), auc, brier/total, high[1]/max(1, n[1]), high[0]/max(1, n[0]), low[0]/max(1, n[0]))
	}
	fmt.Printf("  mean AUROC %.4f of %d sets\n", mean(aucs), len(aucs))
	reliability(m, examples, outputs)
}

// reliability prints how often the positives come in each tenth of the score,
// weighted as in fitting.
func reliability(m *evaluator.Model, examples []example, outputs int) {
	var sum, hit, score [10]float64
	for i := range examples {
		p := m.Probabilities(examples[i].x)[0]
		bin := min(int(p*10), 9)
		sum[bin] += examples[i].weight
		score[bin] += p * examples[i].weight
		if positive(&examples[i], outputs) {
			hit[bin] += examples[i].weight
		}
	}
	for b := range sum {
		if sum[b] > 0 {
			fmt.Printf("  score %.2f: true %.2f\n", score[b]/sum[b], hit[b]/sum[b])
		}
	}
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// auroc is the probability that a positive scores above a negative; NaN where
// there are none of either.
func auroc(scores []float64, labels []bool) float64 {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case scores[a] < scores[b]:
			return -1
		case scores[a] > scores[b]:
			return 1
		}
		return 0
	})
	ranks, positives, negatives := 0.0, 0.0, 0.0
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && scores[order[j]] == scores[order[i]] {
			j++
		}
		rank := float64(i+j+1) / 2
		for ; i < j; i++ {
			if labels[order[i]] {
				ranks += rank
				positives++
			} else {
				negatives++
			}
		}
	}
	if positives == 0 || negatives == 0 {
		return math.NaN()
	}
	return (ranks - positives*(positives+1)/2) / (positives * negatives)
}
