package evaluator

import (
	"context"
	"io"
	"strings"

	"github.com/assay-rag/assay"
)

// FeatureNames names the columns of PassageFeatures, StripFeatures and
// ClaimFeatures.
func FeatureNames() (passage, strip, claim []string) {
	return passageFeatureNames(), stripFeatureNames(), claimFeatureNames()
}

// WriteBackground writes a table of how often terms occur in passages at large:
// counts holds, for each term, the number of passages with it. Terms in fewer
// than five passages are left out, and all but the limit most frequent.
func WriteBackground(w io.Writer, passages int, counts map[string]int, limit int) error {
	return writeBackground(w, passages, counts, 5, limit)
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
