package assay

import (
	"math"
	"slices"
)

// confidence is the probability that an answer is right: that the evidence
// carries it, which the support of its weakest claim says, times that what the
// evidence carries is the answer, a logistic of three signals. What was not
// graded, checked or rated says nothing either way.
func confidence(e *evidence, d *checkedDraft) float64 {
	grade, lead := d.footing(e)
	support, useful := 0.5, 3.0
	if d.checked {
		support = d.weakest()
	}
	if d.useful > 0 {
		useful = float64(d.useful)
	}
	if d.hasCaveat(e) {
		support *= caveatShare
	}
	w := confidenceWeights
	return support / (1 + math.Exp(-(w.bias + w.grade*grade + w.lead*lead + w.useful*(useful-1)/4)))
}

// confidenceWeights were fitted by
//
//	go run ./evaluator/fit -data DIR -confidence
//
// to 719 answers of the built-in parts to questions of seven public
// question-answering sets, half of them covered by the index; an answer counts as
// right where it holds the gold answer. On 770 answers to questions about other
// documents the Brier score is 0.176, against 0.249 of always giving the share
// that is right. The network was trained on most of those documents, which flatters
// these figures; docs/evaluation.md says more.
var confidenceWeights = struct{ bias, grade, lead, useful float64 }{-4.78, 3.48, 2.00, 1.82}

// caveatShare is what is left of the confidence in an answer that rests on a grade
// with a caveat: a judgement.
const caveatShare = 0.8

func (d *checkedDraft) hasCaveat(e *evidence) bool {
	cited := d.cited()
	return slices.ContainsFunc(e.items, func(it *item) bool { return it.grade.Caveat != "" && cited[it.passage.key()] })
}

// cited are the passages that claims cite.
func (d *checkedDraft) cited() map[passageKey]bool {
	cited := map[passageKey]bool{}
	for _, c := range d.claims {
		for _, i := range c.evidence {
			cited[d.strips[i].Passage.key()] = true
		}
	}
	return cited
}

// footing is the best grade among the passages that the draft cites, in [0, 1],
// and its lead over the best of those that it doesn't, in [-1, 1]: a passage that
// is graded as high and says something else is a second answer, one that says the
// same is cited too. Passages that stand against each other leave no lead. A
// passage graded without result counts one half; where nothing cited was graded,
// the footing is one half without a lead.
func (d *checkedDraft) footing(e *evidence) (grade, lead float64) {
	cited := d.cited()
	graded, rival := false, 0.0
	for _, it := range e.items {
		if !it.graded {
			continue
		}
		score := it.grade.Score
		if it.grade.Undetermined {
			score = 0.5
		}
		if cited[it.passage.key()] {
			graded, grade = true, max(grade, score)
		} else {
			rival = max(rival, score)
		}
	}
	if !graded {
		return 0.5, 0
	}
	lead = grade - rival
	if slices.ContainsFunc(e.conflicts, func(c itemConflict) bool { return !c.stale }) {
		lead = min(lead, 0)
	}
	return grade, lead
}
