package calibrate

import (
	"context"
	"slices"

	"github.com/assay-rag/assay"
)

// Grader is a grader whose grades are mapped to probabilities, those of strips too,
// so that one threshold means the same for both. All else that it says stays. Use it
// with Calibration.Thresholds, and only around the grader that the calibration is
// for. It may be called as the grader may.
func Grader(g assay.Grader, c *Calibration) assay.Grader { return mapped{g, c.Map} }

type mapped struct {
	grader assay.Grader
	to     Map
}

// Grade implements [assay.Grader].
func (m mapped) Grade(ctx context.Context, q assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	a, err := m.grader.Grade(ctx, q, passages)
	a.Grades = m.grades(a.Grades)
	a.Strips = slices.Clone(a.Strips)
	for i := range a.Strips {
		a.Strips[i] = m.grades(a.Strips[i])
	}
	return a, err
}

// GradeStrips implements [assay.Grader].
func (m mapped) GradeStrips(ctx context.Context, q assay.Query, strips []assay.Strip) ([]assay.Grade, error) {
	grades, err := m.grader.GradeStrips(ctx, q, strips)
	return m.grades(grades), err
}

// grades is a copy with other scores. What is no score stays none: the engine
// refuses it.
func (m mapped) grades(grades []assay.Grade) []assay.Grade {
	out := slices.Clone(grades)
	for i := range out {
		if s := out[i].Score; !out[i].Undetermined && 0 <= s && s <= 1 {
			out[i].Score = m.to.Probability(s)
		}
	}
	return out
}
