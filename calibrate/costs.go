package calibrate

import (
	"fmt"
	"math"

	"github.com/assay-rag/assay"
)

// Costs are what mistakes of the gate cost, in any unit.
type Costs struct {
	// Wrong is the cost of a wrong Correct: an answer that rests on insufficient
	// evidence, shown as good.
	Wrong float64 `json:"wrong"`
	// Fallback is the cost of a needless Incorrect: sufficient evidence is thrown
	// away, and another source is asked.
	Fallback float64 `json:"fallback"`
	// Ambiguous is the cost of an Ambiguous, whatever the evidence: the evidence is
	// kept, another source is asked beside it, and the answer is flagged for a person
	// to look at.
	Ambiguous float64 `json:"ambiguous"`
}

// DefaultCosts are five to one, with an Ambiguous at half of a needless fallback.
var DefaultCosts = Costs{Wrong: 5, Fallback: 1, Ambiguous: 0.5}

func (c Costs) validate() error {
	for _, v := range []float64{c.Wrong, c.Fallback, c.Ambiguous} {
		if !(v > 0) || math.IsInf(v, 0) { // written so that NaN fails
			return fmt.Errorf("costs must be above 0, and are wrong %v, fallback %v, ambiguous %v", c.Wrong, c.Fallback, c.Ambiguous)
		}
	}
	return nil
}

// Thresholds are the probabilities from which Correct, and below which Incorrect,
// costs least. Of evidence that is sufficient with probability p, Correct costs
// (1−p)·Wrong, Incorrect p·Fallback, and Ambiguous always the same; the least of
// three is taken (Chow 1970; Elkan 2001, §2). Where Ambiguous never is, both are
// where Correct and Incorrect cost the same.
func (c Costs) Thresholds() assay.Thresholds {
	t := assay.Thresholds{Upper: 1 - c.Ambiguous/c.Wrong, Lower: c.Ambiguous / c.Fallback}
	if t.Lower >= t.Upper {
		even := c.Wrong / (c.Wrong + c.Fallback)
		return assay.Thresholds{Upper: even, Lower: even}
	}
	return t
}

// of is what a verdict costs.
func (c Costs) of(v assay.Verdict, sufficient bool) float64 {
	switch {
	case v == assay.Ambiguous:
		return c.Ambiguous
	case v == assay.Correct && !sufficient:
		return c.Wrong
	case v == assay.Incorrect && sufficient:
		return c.Fallback
	}
	return 0
}
