package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/eval"
	"github.com/assay-rag/assay/evaluator"
)

// calibrateGate shifts and scales the grades of passages that a network read so that
// they hold for the best passage of a search: on the validation parts of two public
// sets, questions with a passage on their subject (CLAPNQ) and with the ten that a
// search finds, once with what answers among them and once without (PopQA, pooled).
// What the models are fitted on has no such passages, and the grades are too high for
// them. The test parts are left alone. The Evaluator has the model's weights.
func calibrateGate(data string, e *evaluator.Evaluator, m *evaluator.Model) error {
	var examples []example
	for _, name := range []string{"clapnq", "popqa/popqa.jsonl"} {
		set, err := eval.Load(filepath.Join(data, filepath.FromSlash(name)), 1)
		if err != nil {
			return err
		}
		if name != "clapnq" {
			if set, err = set.Pooled(); err != nil {
				return err
			}
		}
		if set, err = set.Part(eval.PartValidation); err != nil {
			return err
		}
		some, err := bestGrades(e, name, set.Gate)
		if err != nil {
			return err
		}
		examples = append(examples, some...)
	}
	weigh(examples, 1, true)
	// the examples are log-odds already: a model that hands them on is scaled, and that applied
	as := evaluator.Model{Bias: []float64{0}, Features: []evaluator.Shape{{
		Name: "grade", Knots: []float64{-20, 20}, Values: [][]float64{{-20, 20}},
	}}}
	calibrate(&as, examples, 1)
	scale := as.Features[0].Values[0][1] / 20
	m.Bias[0] = scale*m.Bias[0] + as.Bias[0]
	for _, s := range m.Features {
		for j := range s.Values[0] {
			s.Values[0][j] *= scale
		}
	}
	return nil
}

// bestGrades are the log-odds of the best grade of each item, less those that a rule
// holds down and those of nothing.
func bestGrades(e *evaluator.Evaluator, set string, items []eval.GateItem) ([]example, error) {
	type graded struct {
		example
		held bool
		err  error
	}
	var out []example
	for _, g := range parallel(items, func(it eval.GateItem) graded {
		a, err := e.Grade(context.Background(), assay.Query{Question: it.Question}, it.Passages)
		best := 0.0
		for _, grade := range a.Grades {
			best = max(best, grade.Score)
		}
		x := example{set: set, part: partTune, x: []float64{math.Log(best / (1 - best))}}
		if it.Positive {
			x.label = 1
		}
		return graded{x, best == evaluator.HollowCap || best == 0, err}
	}) {
		if g.err != nil {
			return nil, fmt.Errorf("%s: %w", set, g.err)
		}
		if !g.held {
			out = append(out, g.example)
		}
	}
	return out, nil
}
