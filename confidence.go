package assay

import "math"

// confidence is the probability that an answer is right, from the best grade of
// its evidence, the support of its weakest claim, and its usefulness.
func confidence(grades []Grade, d *checkedDraft) float64 {
	best := 0.5 // ungraded evidence says nothing either way
	for i, g := range grades {
		if i == 0 {
			best = 0
		}
		if !g.Undetermined {
			best = max(best, g.Score)
		}
	}
	support, useful := 0.5, 3.0
	if d.checked {
		support = d.weakest()
	}
	if d.useful > 0 {
		useful = float64(d.useful)
	}
	w := confidenceWeights
	return 1 / (1 + math.Exp(-(w.bias + w.grade*best + w.support*support + w.useful*(useful-1)/4)))
}

// confidenceWeights are those of a logistic regression of "the answer holds the
// gold answer" on the three signals; see docs/evaluation.md.
var confidenceWeights = struct{ bias, grade, support, useful float64 }{-4, 3, 2, 1.5}
