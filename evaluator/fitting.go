package evaluator

import (
	"context"

	"github.com/assay-rag/assay"
)

// HollowCap is the grade at which a rule holds down what only looks like an answer.
const HollowCap = hollowCap

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

// NetworkNames names the columns of the second models: what NetworkPassage,
// NetworkStrips and NetworkClaim return.
func NetworkNames() (passage, strip, claim []string) {
	return networkPassageNames(), networkStripNames(), networkClaimNames()
}

// NetworkPassage returns what the second model weighs for a passage, nil where it is
// left to the words. The Evaluator needs a Reader.
func (e *Evaluator) NetworkPassage(ctx context.Context, q assay.Query, p assay.Passage) ([]float64, error) {
	g := newGrading(ctx, e, q)
	if err := g.readAll([]assay.Passage{p}); err != nil {
		return nil, err
	}
	w := g.whole(&p)
	if w.reading == nil {
		return nil, nil
	}
	return w.reading.passageFeatures(odds(w.byWords), w.cosine, w.body, w.begin), nil
}

// NetworkStrips returns what the second model weighs for strips of passages, a row a
// strip, nil for one that is left to the words.
func (e *Evaluator) NetworkStrips(ctx context.Context, q assay.Query, strips []assay.Strip) ([][]float64, error) {
	g := newGrading(ctx, e, q)
	if err := g.readStrips(strips); err != nil {
		return nil, err
	}
	rows := make([][]float64, len(strips))
	for i, s := range strips {
		whole := g.whole(&s.Passage)
		if whole.reading == nil {
			continue
		}
		z := e.weights.Strip.logit(0, g.strip(s).x[:])
		rows[i] = whole.reading.stripFeatures(z, g.cosines[s.Text], s, whole.body, whole.begin)
	}
	return rows, nil
}

// NetworkClaim returns what the second model weighs for a claim.
func (e *Evaluator) NetworkClaim(ctx context.Context, claim string, evidence []assay.Strip) ([]float64, error) {
	exhibits := e.exhibits(evidence)
	all := []checking{{claim: claim, quoted: -1, exhibits: exhibits, found: e.compare(claim, exhibits, false)}}
	if err := e.readClaims(ctx, all, evidence); err != nil {
		return nil, err
	}
	c := &all[0]
	if c.reading == nil { // no sentence of the evidence states anything
		return nil, nil
	}
	return c.claimFeatures(e.weights.Claim.Probabilities(c.found.x[:])), nil
}

// ClaimFeatures returns what the finding on a claim rests on.
func (e *Evaluator) ClaimFeatures(claim string, evidence []assay.Strip) []float64 {
	found := e.compare(claim, e.exhibits(evidence), false)
	return found.x[:]
}
