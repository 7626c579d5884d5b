package assay

import (
	"context"
	"slices"
	"time"
)

// finish labels the best draft for what it is, or abstains.
func (r *run) finish(context.Context) (string, error) {
	best := r.bestDraft()
	a := &Answer{
		Version: AnswerVersion, Question: r.query.Asked, Mode: r.mode, Verdict: r.verdict,
		Claims: []Claim{}, Citations: []Citation{}, Queries: r.searches, Thresholds: *r.opts.Thresholds,
		Passages: r.evidence.reports(maxReported),
	}
	r.result = a
	if r.query.Question != r.query.Asked {
		a.Standalone = r.query.Question
	}
	if best != nil {
		a.Useful = best.useful
	}
	a.Outcome = r.outcome(best)
	r.notes = notedFailures(r.notes, r.meter)
	if a.Outcome == Abstained {
		a.Text = Abstention
	} else {
		a.Citations = best.cite()
		a.Claims, a.Text = best.shown(), best.text(true)
		a.Confidence = confidence(&r.evidence, best)
		if best.checked {
			grounded := best.grounded()
			a.Grounded = &grounded
		}
	}
	if a.Outcome == Answered && r.verdict == Correct && best.verbatim && a.Confidence < minConfidence {
		r.note(ReasonUnlikely, "by its confidence the answer is hardly right")
		a.Outcome = Partial
	}
	if a.Queries == nil {
		a.Queries = []SearchRound{}
	}
	a.Reasons = append([]Note{}, r.notes...)
	a.Usage = usageReport(r.meter, time.Since(r.start))
	return string(a.Outcome), nil
}

// minConfidence is what a quotation needs to stand without a flag. Confidence was
// fitted to quotations; of what a model wrote it says too little to flag it.
const minConfidence = 0.25

// bestDraft is the best candidate, or nil. Of drafts that a reader was told as they
// were checked each continues the one before: the last holds all of it.
func (r *run) bestDraft() *checkedDraft {
	if len(r.told.claims) > 0 {
		return &r.drafts[len(r.drafts)-1]
	}
	var best *checkedDraft
	for i := range r.drafts {
		if d := &r.drafts[i]; best == nil || d.better(best) {
			best = d
		}
	}
	return best
}

// outcome labels the run and notes the reasons.
func (r *run) outcome(best *checkedDraft) Outcome {
	if r.spent == nil {
		r.spent = r.meter.Denied()
	}
	if r.spent != nil {
		r.note(ReasonBudget, "%v", r.spent)
	}
	if best == nil || len(best.claims) == 0 {
		r.noteNoAnswer(best)
		return Abstained
	}
	if best.useful == 1 && r.verdict != Correct && len(r.told.claims) == 0 {
		r.note(ReasonNotUseful, "what the evidence supports does not answer the question")
		return Abstained
	}
	evidence, claims := r.noteEvidence(), r.noteClaims(best)
	down := slices.ContainsFunc(r.notes, func(n Note) bool { return n.Code == ReasonSourceDown })
	if evidence && claims && !down && r.spent == nil {
		return Answered
	}
	return Partial
}
