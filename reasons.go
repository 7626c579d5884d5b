package assay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-rag/assay/llm"
)

// ReasonCode names what keeps an answer from being complete, or what a reader
// should know of it.
type ReasonCode string

// The reason codes. A poor verdict brings the code of its reason.
const (
	ReasonIrrelevant    = ReasonCode(Irrelevant)
	ReasonStale         = ReasonCode(Stale) // the answer rests on old evidence, or newer was used and older says otherwise
	ReasonContradictory = ReasonCode(Contradictory)
	ReasonInsufficient  = ReasonCode(Insufficient)

	ReasonNothingFound ReasonCode = "nothing_found"
	ReasonAmbiguous    ReasonCode = "ambiguous"
	ReasonUndetermined ReasonCode = "undetermined"      // a grader or checker failed
	ReasonUngraded     ReasonCode = "ungraded"          // the mode has no gate
	ReasonUnchecked    ReasonCode = "unchecked"         // the mode has no checks
	ReasonUnsupported  ReasonCode = "unsupported_claim" // a claim was left out
	ReasonPartial      ReasonCode = "partial_claim"     // a claim is shown that is only partly supported
	ReasonNotUseful    ReasonCode = "not_useful"
	ReasonUnlikely     ReasonCode = "unlikely" // the answer is more likely wrong than right, by far
	ReasonBudget       ReasonCode = "budget"
	ReasonSourceDown   ReasonCode = "source_down"
	ReasonCaveat       ReasonCode = "caveat"       // a grade is less sure than it looks
	ReasonSearchShort  ReasonCode = "search_short" // a source searched less well than it could
	ReasonNoQuestion   ReasonCode = "no_question"  // small talk, or a text to check that claims nothing
	ReasonHistory      ReasonCode = "history"      // the follow-up could not be put into a question of its own
	ReasonTruncated    ReasonCode = "truncated"    // the draft ended in the middle
	ReasonRefused      ReasonCode = "refused"      // the model would not answer
	ReasonQuoted       ReasonCode = "quoted"       // nothing that a model wrote was carried, or it wrote nothing; the evidence is quoted instead
	ReasonModelDown    ReasonCode = "model_down"   // a model could not be asked or said nothing of use, and something else stood in for it
)

// noteNoAnswer says why there is nothing to show.
func (r *run) noteNoAnswer(best *checkedDraft) {
	if best != nil {
		for _, n := range best.notes {
			r.note(n.Code, "%s", n.Text)
		}
	}
	switch {
	case !r.needsRetrieval && r.query.Pasted == "":
		r.note(ReasonNoQuestion, "there is no question here that documents could answer")
	case !slices.ContainsFunc(r.searches, func(s SearchRound) bool { return s.Failed == "" }): // no search came to its end
	case len(r.evidence.items) == 0 && !r.query.Filter.IsZero():
		r.note(ReasonNothingFound, "nothing was found for the question's words among the documents that pass the filter")
	case len(r.evidence.items) == 0:
		r.note(ReasonNothingFound, "nothing was found for the question's words")
	case best != nil && best.mute(): // its notes say why
	case best != nil && len(best.removed) > 0:
		r.note(ReasonUnsupported, "no claim of the draft is carried by the evidence")
	case r.verdict == Incorrect:
		code, why := r.poorest()
		r.note(code, "%s", why)
	case r.spent == nil:
		r.note(ReasonInsufficient, "the passages are on the subject, without the answer")
	}
}

// poorest says why the passages failed the gate: in the grader's words on the
// set, else on the best passage.
func (r *run) poorest() (ReasonCode, string) {
	code, why, best := ReasonIrrelevant, "no passage is relevant", -1.0
	for _, it := range r.evidence.items {
		if it.graded && it.grade.Score > best {
			best = it.grade.Score
			if it.grade.Reason != "" {
				code = ReasonCode(it.grade.Reason)
			}
			if it.why != "" {
				why = it.why
			}
		}
	}
	// The first search was for the question itself and saw the most; what a later
	// one lacks an earlier one may have had.
	if len(r.searches) > 0 && r.searches[0].Missing != "" {
		why = r.searches[0].Missing
	}
	return code, why
}

// noteEvidence notes what is wrong with the evidence and tells whether it is
// good enough for an unflagged answer.
func (r *run) noteEvidence() bool {
	good := true
	switch {
	case !r.needsRetrieval:
	case !r.mode.gates():
		r.note(ReasonUngraded, "the passages were not graded in mode %s", r.mode)
		good = false
	case r.verdict == Ambiguous:
		r.note(ReasonAmbiguous, "the passages are relevant, but none surely answers")
		good = false
	case r.verdict == Undetermined:
		r.note(ReasonUndetermined, "the grader failed on passages that matter")
		good = false
	}
	for _, it := range r.evidence.kept() {
		if it.grade.Reason == Stale {
			r.note(ReasonStale, "%s: %s", it.passage.Document, it.why)
			good = false
		}
		if it.grade.Caveat != "" {
			r.note(ReasonCaveat, "%s %s", it.passage.Document, it.grade.Caveat)
		}
	}
	for _, c := range r.evidence.conflicts {
		if c.stale {
			r.note(ReasonStale, "%s is superseded by %s: %s", c.a.passage.Document, c.b.passage.Document, c.note)
			continue
		}
		r.note(ReasonContradictory, "%s and %s disagree: %s", c.a.passage.Document, c.b.passage.Document, c.note)
		good = false
	}
	return good
}

// noteClaims notes what is wrong with the answer and tells whether it can stand
// unflagged.
func (r *run) noteClaims(d *checkedDraft) bool {
	good := true
	if !r.mode.checks() {
		r.note(ReasonUnchecked, "the claims were not checked in mode %s", r.mode)
		good = false
	} else if !d.checked {
		r.note(ReasonUndetermined, "the checker failed; the claims are unchecked")
		good = false
	}
	for _, n := range d.notes {
		r.note(n.Code, "%s", n.Text)
		good = false
	}
	for _, c := range d.removed {
		r.note(ReasonUnsupported, "left out, because the evidence does not carry it: %s", quoted(c.Text))
	}
	for _, c := range d.claims {
		if d.checked && c.Support != Supported {
			r.note(ReasonPartial, "%s: %s", c.Support, quoted(c.Text))
			good = false
		}
	}
	if r.mode.checks() && d.useful == 0 {
		r.note(ReasonUndetermined, "the answer could not be rated")
		good = false
	} else if r.mode.checks() && d.useful < minUseful {
		r.note(ReasonNotUseful, "the answer is rated %d of 5 for the question", d.useful)
		good = false
	}
	return good
}

// notedFailures adds which models failed where something stood in for them: what an
// answer was graded or checked by is never passed over in silence. An error whose words
// a note has already is not said again: the Answerer's note quotes its model's, and a
// server that is down fails every step with the same ones.
func notedFailures(notes []Note, meter *llm.Meter) []Note {
	for _, f := range meter.Failures() {
		known := slices.ContainsFunc(notes, func(n Note) bool { return strings.Contains(n.Text, f.Err.Error()) })
		if !known {
			notes = noted(notes, Note{ReasonModelDown, fmt.Sprintf("%s: the model %s failed: %v", f.Step, f.Model, f.Err)})
		}
	}
	return notes
}

// quoted shortens a text for a note.
func quoted(s string) string {
	const most = 120
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("“%s”", s)
}
