package assay

import (
	"time"

	"github.com/assay-rag/assay/llm"
)

// AnswerVersion is the version of the JSON form of [Answer]. It rises when a
// field changes its meaning or goes; new fields don't raise it.
const AnswerVersion = 1

// Outcome says how a run ended.
type Outcome string

// The outcomes.
const (
	// Answered: the verdict is Correct (or none was needed), every claim shown is
	// supported, and the answer is useful (3 or more of 5).
	Answered Outcome = "answered"
	// Partial: something is shown with a flag; Reasons say which.
	Partial Outcome = "partial"
	// Abstained: no answer is shown. Passages are pointers to the nearest text.
	Abstained Outcome = "abstained"
)

// Abstention is the text of an answer where none can be given.
const Abstention = "I don't have reliable information on this."

// Answer is the end of a run.
type Answer struct {
	Version  int    `json:"version"`
	Question string `json:"question"`
	// Text is the answer, with [n] after each claim, or Abstention.
	Text    string  `json:"answer"`
	Outcome Outcome `json:"outcome"`
	Mode    Mode    `json:"mode"`
	// Verdict is the last one; Steps hold all of them.
	Verdict Verdict `json:"verdict"`
	// Confidence is the probability in [0, 1] that the answer is right; 0 where
	// none is shown.
	Confidence float64 `json:"confidence"`
	// Grounded tells whether all claims shown are supported; absent where nothing
	// is shown or nothing was checked.
	Grounded *bool `json:"grounded,omitempty"`
	// Useful is 1 to 5; 0 where it was not rated.
	Useful    int        `json:"useful"`
	Claims    []Claim    `json:"claims"`
	Citations []Citation `json:"citations"`
	// Passages are those graded, best first, then the nearest of the others; 20 at
	// the most.
	Passages   []PassageReport `json:"passages"`
	Queries    []SearchRound   `json:"queries"`
	Thresholds Thresholds      `json:"thresholds"`
	// Reasons say in words what keeps the answer from being complete.
	Reasons []Note       `json:"reasons"`
	Usage   UsageReport  `json:"usage"`
	Steps   []StepReport `json:"steps"`
}

// Note is a reason with its explanation.
type Note struct {
	Code ReasonCode `json:"code"`
	Text string     `json:"text"`
}

// PassageReport is what the run made of one passage.
type PassageReport struct {
	Document string        `json:"document"`
	Title    string        `json:"title"`
	Heading  string        `json:"heading"`
	Text     string        `json:"text"`
	Start    int           `json:"start"`
	End      int           `json:"end"`
	Origin   Origin        `json:"origin"`
	Date     string        `json:"date"`
	Score    *float64      `json:"score"` // the grade; null where none was given
	Kept     bool          `json:"kept"`
	Why      string        `json:"why"`
	Copies   []string      `json:"copies"` // other documents that say the same, see Passage.Copies
	Strips   []StripReport `json:"strips"`
}

// StripReport is what the run made of one strip.
type StripReport struct {
	Text  string   `json:"text"`
	Start int      `json:"start"`
	End   int      `json:"end"`
	Score *float64 `json:"score"`
	Kept  bool     `json:"kept"`
}

// UsageReport is what the run used.
type UsageReport struct {
	Searches int     `json:"searches"`
	Drafts   int     `json:"drafts"`
	Calls    int     `json:"calls"`
	Tokens   int     `json:"tokens"`
	Cost     float64 `json:"cost"` // US dollars
	// Elapsed is in milliseconds.
	Elapsed float64 `json:"elapsed_ms"`
}

// StepReport is one step as it ran.
type StepReport struct {
	Step Step `json:"step"`
	// Next and Why are the edge taken from here; Next is empty at the end.
	Next Step   `json:"next"`
	Why  string `json:"why"`
	// Verdict is the gate's, after the step grade.
	Verdict Verdict `json:"verdict,omitempty"`
	// Elapsed is in milliseconds.
	Elapsed float64 `json:"elapsed_ms"`
	// Detail says in a few words what the step did.
	Detail string `json:"detail"`
	// Error is what went wrong in the step, where the run went on without it.
	Error string `json:"error,omitempty"`
}

func usageReport(u llm.Usage, elapsed time.Duration) UsageReport {
	return UsageReport{
		Searches: u.Searches, Drafts: u.Drafts, Calls: u.Calls, Tokens: u.Tokens, Cost: u.Money, Elapsed: milliseconds(elapsed),
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func dateString(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}
