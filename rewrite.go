package assay

import "context"

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
	// Found counts the passages that came back, New those not seen before.
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
