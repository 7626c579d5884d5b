package assay

import "fmt"

// Verdict is what the gate says of a set of passages.
type Verdict string

// The verdicts.
const (
	// Correct: at least one passage is graded at or above the upper threshold.
	Correct Verdict = "correct"
	// Ambiguous: none reaches the upper threshold, some the lower.
	Ambiguous Verdict = "ambiguous"
	// Incorrect: all are below the lower threshold, or there is none.
	Incorrect Verdict = "incorrect"
	// Undetermined: the grader failed where it mattered. Never a grade of 0.
	Undetermined Verdict = "undetermined"
	// NoVerdict: nothing was graded, because the mode or the question wanted none.
	NoVerdict Verdict = "none"
)

// Reason says why a grade is poor, or what is wrong with an answer.
type Reason string

// Reasons for a poor grade (of a passage, a strip or the set).
const (
	Irrelevant    Reason = "irrelevant"    // about something else
	Stale         Reason = "stale"         // newer evidence says otherwise
	Contradictory Reason = "contradictory" // other evidence of like standing says otherwise
	Insufficient  Reason = "insufficient"  // on the subject, without the answer
)

// Grade is a grader's judgement of one passage or strip.
type Grade struct {
	// Score is a calibrated probability in [0, 1] that the text helps to answer.
	Score float64
	// Undetermined says that the grader failed on this text; Score means nothing.
	Undetermined bool
	// Reason says why the grade is poor; empty where it is not.
	Reason Reason
	// Note explains the grade in a few words for a person.
	Note string
	// Caveat says why the grade, good or poor, is less sure than it looks, in a few
	// words that follow the document's name; empty where it isn't.
	Caveat string
}

// Thresholds turn grades into a verdict. They belong to a grader: another grader,
// other thresholds.
type Thresholds struct {
	Upper float64 `json:"upper"` // a grade ≥ Upper makes the set Correct
	Lower float64 `json:"lower"` // all grades < Lower make it Incorrect
}

// DefaultThresholds are those of the built-in evaluator.
var DefaultThresholds = Thresholds{Upper: 0.75, Lower: 0.35}

// Validate refuses thresholds outside [0, 1] or in the wrong order.
func (t Thresholds) Validate() error {
	if !(0 <= t.Lower && t.Lower <= t.Upper && t.Upper <= 1) { // written so that NaN fails
		return fmt.Errorf("thresholds: lower %v and upper %v must satisfy 0 ≤ lower ≤ upper ≤ 1", t.Lower, t.Upper)
	}
	return nil
}

// Verdict is the verdict on a set of grades: any at or above the upper
// threshold, Correct; otherwise any undetermined, Undetermined; all below the
// lower, or none at all, Incorrect; else Ambiguous. (CRAG §4.3 and its
// process_flag, with boundaries inclusive upward.)
func (t Thresholds) Verdict(grades []Grade) Verdict {
	verdict := Incorrect
	for _, g := range grades {
		switch {
		case g.Undetermined:
			verdict = Undetermined
		case g.Score >= t.Upper:
			return Correct
		case g.Score >= t.Lower && verdict == Incorrect:
			verdict = Ambiguous
		}
	}
	return verdict
}
