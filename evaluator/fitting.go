package evaluator

import (
	"context"
	"io"
	"strings"

	"github.com/assay-rag/assay"
)

// FeatureNames names the columns of PassageFeatures (and StripFeatures), and of
// ClaimFeatures.
func FeatureNames() (passage, claim []string) { return passageFeatureNames(), claimFeatureNames() }

// WriteBackground writes a table of how often terms occur in passages at large:
// counts holds, for each term, the number of passages with it. Terms in fewer
// than five passages are left out, and all but the limit most frequent.
func WriteBackground(w io.Writer, passages int, counts map[string]int, limit int) error {
	return writeBackground(w, passages, counts, 5, limit)
}

// PassageFeatures returns what the grade of a passage rests on, in the order of
// FeatureNames.
func (e *Evaluator) PassageFeatures(ctx context.Context, q assay.Query, p assay.Passage) []float64 {
	x := make([]float64, featureCount)
	m := newMeasurer(e.question(ctx, q.Question, q.Collection, p.Language))
	m.measure(e.analyze(p.Text, p.Language), e.headings(p), nil, x)
	return x
}

// StripFeatures returns what the grade of a strip rests on.
func (e *Evaluator) StripFeatures(ctx context.Context, q assay.Query, s assay.Strip) []float64 {
	x := make([]float64, featureCount)
	p := s.Passage
	m := newMeasurer(e.question(ctx, q.Question, q.Collection, p.Language))
	m.measure(e.analyze(s.Text, p.Language), e.headings(p), e.surroundings(s), x)
	return x
}

// ClaimFeatures returns what the finding on a claim rests on.
func (e *Evaluator) ClaimFeatures(claim string, evidence []assay.Strip) []float64 {
	found := e.compare(claim, evidence)
	return found.x[:]
}

// headings is the title and the headings of a passage taken apart, nil where it
// has none.
func (e *Evaluator) headings(p assay.Passage) *analysis {
	s := strings.TrimSpace(p.Title + "\n" + strings.Join(p.Heading, "\n"))
	if s == "" {
		return nil
	}
	return e.analyze(s, p.Language)
}

// surroundings is the passage of a strip, nil where the strip is all of it.
func (e *Evaluator) surroundings(s assay.Strip) *analysis {
	if s.Passage.Text == "" || len(s.Passage.Text) == len(s.Text) {
		return nil
	}
	return e.analyze(s.Passage.Text, s.Passage.Language)
}

// compare takes a claim and its evidence apart and compares them.
func (e *Evaluator) compare(claim string, evidence []assay.Strip) support {
	language := ""
	if len(evidence) > 0 {
		language = evidence[0].Passage.Language
	}
	exhibits := make([]exhibit, len(evidence))
	for i, s := range evidence {
		exhibits[i] = exhibit{e.analyze(joined(s.Text), s.Passage.Language), e.headings(s.Passage)}
	}
	return e.weighSupport(e.statement(joined(claim), language), exhibits)
}
