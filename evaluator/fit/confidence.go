package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"github.com/assay-rag/assay"
)

// perSet bounds the questions asked of one set.
const perSet = 600

// judged is an answer shown, as fitting sees it.
type judged struct {
	x       []float64 // its signals, in the order of signalNames
	support float64   // of the weakest claim
	right   bool
	set     string
	builtIn float64 // the confidence that the engine gave it
}

var signalNames = []string{"grade", "lead", "useful"}

// judge reads the signals of an answer as package assay does: the best grade of a
// passage cited, its lead over the best of the others, which documents that
// disagree take away, and the usefulness, 1 to 5 as 0 to 1.
func judge(o outcome) judged {
	a := o.answer
	best, rival := 0.0, 0.0
	for _, p := range a.Passages {
		cited := slices.ContainsFunc(a.Citations, func(c assay.Citation) bool {
			return c.Document == p.Document && c.Origin == p.Origin && p.Start <= c.Start && c.End <= p.End
		})
		switch {
		case p.Score == nil:
		case cited:
			best = max(best, *p.Score)
		default:
			rival = max(rival, *p.Score)
		}
	}
	lead := best - rival
	if slices.ContainsFunc(a.Reasons, func(n assay.Note) bool { return n.Code == assay.ReasonContradictory }) {
		lead = min(lead, 0)
	}
	j := judged{
		x: []float64{best, lead, float64(a.Useful-1) / 4}, support: 1,
		right: o.right, set: o.set, builtIn: a.Confidence,
	}
	for _, c := range a.Claims {
		j.support = min(j.support, c.Score)
	}
	return j
}

// fitConfidence asks questions whose answers are known and fits the probability
// that an answer shown is right.
func fitConfidence(data string, seed uint64) error {
	rows, err := readAnswers(filepath.Join(data, "train", "answer"))
	if err != nil {
		return err
	}
	outcomes, err := askAll(context.Background(), rows, questions(rows, perSet, seed), seed)
	if err != nil {
		return err
	}
	tally(outcomes)
	var fitting, held []judged
	for _, o := range outcomes {
		if o.answer.Outcome == assay.Abstained {
			continue
		}
		if o.held {
			held = append(held, judge(o))
		} else {
			fitting = append(fitting, judge(o))
		}
	}
	if len(fitting) == 0 || len(held) == 0 {
		return fmt.Errorf("no answer was shown: the confidence can't be fitted")
	}
	weights, err := logistic(fitting)
	if err != nil {
		return err
	}
	reportConfidence(weights, fitting, held)
	fmt.Printf("\nvar confidenceWeights = struct{ bias, grade, lead, useful float64 }{%.2f, %.2f, %.2f, %.2f}\n",
		weights[0], weights[1], weights[2], weights[3])
	return nil
}

// shrink is the penalty on the size of the weights, light beside a thousand
// answers.
const shrink = 0.0001

// logistic fits by maximum likelihood, with a ridge, the probability that an
// answer is right: the support of its weakest claim times a logistic of its
// signals. The first weight is the bias. A weight below zero, by which a better
// signal would make the answer less sure, is an error.
func logistic(rows []judged) ([]float64, error) {
	w := minimise(func(w, gradient []float64) float64 { return logisticLoss(rows, w, gradient) }, make([]float64, 1+len(signalNames)), 200)
	for i, name := range signalNames {
		if w[1+i] < 0 {
			return nil, fmt.Errorf("the weight of %s is %.2f: on these answers it speaks against itself", name, w[1+i])
		}
	}
	return w, nil
}

func logisticLoss(rows []judged, w, gradient []float64) float64 {
	clear(gradient)
	sum := 0.0
	for _, r := range rows {
		share := 1 / float64(len(rows))
		p := sigmoid(w, r.x)
		slope := p - 1
		if !r.right {
			slope = r.support * p * (1 - p) / max(1-r.support*p, 1e-12)
		}
		sum += share * logLoss(r.support*p, r.right)
		gradient[0] += share * slope
		for i, x := range r.x {
			gradient[1+i] += share * slope * x
		}
	}
	for i := 1; i < len(w); i++ {
		sum += shrink / 2 * w[i] * w[i]
		gradient[i] += shrink * w[i]
	}
	return sum
}

// sigmoid is the logistic function of the bias and the weighted signals.
func sigmoid(w, x []float64) float64 { return 1 / (1 + math.Exp(-w[0]-dot(w[1:], x))) }

func (r judged) confidence(w []float64) float64 { return r.support * sigmoid(w, r.x) }

func number(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

func logLoss(p float64, right bool) float64 {
	if !right {
		p = 1 - p
	}
	return -math.Log(max(p, 1e-12))
}

// tally prints how the questions ended.
func tally(outcomes []outcome) {
	type key struct {
		covered bool
		ended   assay.Outcome
	}
	n, right := map[key]int{}, map[key]int{}
	for _, o := range outcomes {
		k := key{o.covered, o.answer.Outcome}
		n[k]++
		if o.right {
			right[k]++
		}
	}
	fmt.Println("             answered  right   partial  right   abstained")
	for _, covered := range []bool{true, false} {
		name := "covered"
		if !covered {
			name = "not covered"
		}
		a, p, s := key{covered, assay.Answered}, key{covered, assay.Partial}, key{covered, assay.Abstained}
		fmt.Printf("%-12s %8d  %5d  %8d  %5d  %10d\n", name, n[a], right[a], n[p], right[p], n[s])
	}
}

// reportConfidence prints what the answers held out say of the weights, beside
// the confidence that is built in and beside no signal at all.
func reportConfidence(w []float64, fitting, held []judged) {
	rate := 0.0
	for _, r := range fitting {
		rate += number(r.right) / float64(len(fitting))
	}
	fmt.Printf("fitted on %d answers shown, %.3f of them right; held out: %d\n\n", len(fitting), rate, len(held))
	fmt.Println("held out    Brier   log loss  AUROC")
	for _, c := range []struct {
		name string
		p    func(judged) float64
	}{
		{"fitted", func(r judged) float64 { return r.confidence(w) }},
		{"built in", func(r judged) float64 { return r.builtIn }},
		{"constant", func(judged) float64 { return rate }},
	} {
		brier, loss, auc := quality(held, c.p)
		fmt.Printf("%-10s  %.4f  %.4f    %.3f\n", c.name, brier, loss, auc)
	}
	for i, name := range signalNames {
		_, _, auc := quality(held, func(r judged) float64 { return r.x[i] })
		fmt.Printf("%-10s  by itself         %.3f\n", name, auc)
	}
	reliabilityOf(w, held)
	bySet := map[string][]judged{}
	for _, r := range held {
		bySet[r.set] = append(bySet[r.set], r)
	}
	fmt.Println("\nset                shown  confidence  right  AUROC")
	for _, set := range slices.Sorted(maps.Keys(bySet)) {
		rows := bySet[set]
		sure, right := 0.0, 0.0
		for _, r := range rows {
			sure += r.confidence(w) / float64(len(rows))
			right += number(r.right) / float64(len(rows))
		}
		_, _, auc := quality(rows, func(r judged) float64 { return r.confidence(w) })
		fmt.Printf("%-18s %5d  %.2f        %.2f   %.3f\n", set, len(rows), sure, right, auc)
	}
}

// quality returns the Brier score, the log loss and the AUROC of a confidence.
func quality(rows []judged, p func(judged) float64) (brier, loss, auc float64) {
	scores, labels := make([]float64, len(rows)), make([]bool, len(rows))
	for i, r := range rows {
		q := p(r)
		scores[i], labels[i] = q, r.right
		brier += (q - number(r.right)) * (q - number(r.right)) / float64(len(rows))
		loss += logLoss(q, r.right) / float64(len(rows))
	}
	return brier, loss, auroc(scores, labels)
}

// reliabilityOf prints how often the answers of each tenth of the confidence are
// right.
func reliabilityOf(w []float64, held []judged) {
	var n, sure, right [10]float64
	for _, r := range held {
		p := r.confidence(w)
		bin := min(int(p*10), 9)
		n[bin]++
		sure[bin] += p
		right[bin] += number(r.right)
	}
	fmt.Println("\nconfidence  answers  mean  right")
	for b := range n {
		if n[b] > 0 {
			fmt.Printf("%.1f to %.1f  %7.0f  %.2f  %.2f\n", float64(b)/10, float64(b+1)/10, n[b], sure[b]/n[b], right[b]/n[b])
		}
	}
}
