package evaluator

import (
	"context"

	"github.com/assay-rag/assay"
)

// FeatureNames names the columns of PassageFeatures, StripFeatures and
// ClaimFeatures.
func FeatureNames() (passage, strip, claim []string) {
	return passageFeatureNames(), stripFeatureNames(), claimFeatureNames()
}

// PassageFeatures returns what the grade of a passage rests on, in the order of
// FeatureNames.
func (e *Evaluator) PassageFeatures(ctx context.Context, q assay.Query, p assay.Passage) []float64 {
	return newGrading(ctx, e, q).whole(&p).x[:featureCount]
}

// StripFeatures returns what the grades of strips rest on, a row a strip. They
// hold the grade of the passage, as the Evaluator's weights give it.
func (e *Evaluator) StripFeatures(ctx context.Context, q assay.Query, strips []assay.Strip) [][]float64 {
	g := newGrading(ctx, e, q)
	rows := make([][]float64, len(strips))
	for i, s := range strips {
		rows[i] = g.strip(s).x[:]
	}
	return rows
}

// ClaimFeatures returns what the finding on a claim rests on.
func (e *Evaluator) ClaimFeatures(claim string, evidence []assay.Strip) []float64 {
	found := e.compare(claim, evidence, false)
	return found.x[:]
}
