package assay

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Rewriter finds other words for a question whose search failed. The question
// itself is never replaced.
type Rewriter interface {
	// Rewrite returns words not tried yet, or "" when it knows none. tried holds
	// the searches made so far, with what came of them. May be called
	// concurrently.
	Rewrite(ctx context.Context, q Query, tried []SearchRound) (string, error)
}

// SearchRound is one search of a run and what came of it.
type SearchRound struct {
	Words  string `json:"words"`
	Origin Origin `json:"origin"`
	// Found counts the passages that came back, New those of the best of them (as
	// many as are graded) that no earlier search had among its best.
	Found int `json:"found"`
	New   int `json:"new"`
	// Verdict is the gate's on the evidence after this search.
	Verdict Verdict `json:"verdict"`
	// Best is the best grade among the passages of this search.
	Best float64 `json:"best"`
	// Missing says what no passage covered, as the Grader put it.
	Missing string `json:"missing,omitempty"`
	// Failed says why the source could not be asked; empty where it could.
	Failed string `json:"failed,omitempty"`
}

// rewrite finds other words to search the index for. Words already tried there
// are no new words, whatever the Rewriter says.
func (r *run) rewrite(ctx context.Context) (string, error) {
	words, err := r.parts.Rewriter.Rewrite(ctx, r.query, slices.Clone(r.searches))
	words = strings.TrimSpace(words)
	for _, s := range r.searches {
		if s.Origin == OriginIndex && strings.EqualFold(s.Words, words) {
			words = ""
		}
	}
	r.words = words
	if r.indexDry = words == ""; r.indexDry {
		return "no other words", err
	}
	return fmt.Sprintf("%q", words), err
}
