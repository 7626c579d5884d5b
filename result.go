package assay

import "time"

// AnswerVersion is the version of the JSON form of [Answer]. It rises when a
// field changes its meaning or goes; new fields don't raise it.
const AnswerVersion = 1

// Outcome says how a run ended.
type Outcome string

// The outcomes.
const (
	// Answered: the verdict is Correct (or none was needed), every claim shown is
	// supported, and the answer is useful (3 or more of 5). A quotation from Correct
	// evidence needs a Confidence of a quarter besides.
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
	Version int `json:"version"`
	// Question is the question as it was asked; Standalone is what it was taken to
	// mean after the turns before it, where that is another.
	Question   string `json:"question"`
	Standalone string `json:"standalone,omitempty"`
	// Text is the answer, with [n] after each claim, or Abstention.
	Text    string  `json:"answer"`
	Outcome Outcome `json:"outcome"`
	Mode    Mode    `json:"mode"`
	// Verdict is the last one; Steps hold all of them.
	Verdict Verdict `json:"verdict"`
	// Confidence is the probability in [0, 1] that the answer is right; 0 where
	// none is shown. It is fitted to quotations: for what a model wrote it is no more
	// than an indication.
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
	// Reasons say in words what keeps the answer from being complete, or what to
	// know of it.
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
	Searches int `json:"searches"`
	Drafts   int `json:"drafts"`
	Calls    int `json:"calls"` // of models, those answered from a cache not counted
	Tokens   int `json:"tokens"`
	// Cost is in US dollars; null where the price of a call isn't known.
	Cost *float64 `json:"cost"`
	// Elapsed is in milliseconds.
	Elapsed float64 `json:"elapsed_ms"`
	// Bill has a line for each step that called a model, in the order in which they
	// first did.
	Bill []BillLine `json:"bill"`
	// ModelCalls are the calls of models one by one, in the order in which they
	// ended.
	ModelCalls []CallReport `json:"model_calls"`
}

// BillLine is what the model calls of one step came to.
type BillLine struct {
	// Step is a step of the loop, or check, useful or condense.
	Step   string   `json:"step"`
	Calls  int      `json:"calls"`
	Cached int      `json:"cached_calls"` // answered from a cache besides
	In     int      `json:"tokens_in"`
	Out    int      `json:"tokens_out"`
	Cost   *float64 `json:"cost"`
	// Elapsed adds up the calls, in milliseconds; those side by side count each.
	Elapsed float64 `json:"elapsed_ms"`
}

// CallReport is one call of a model.
type CallReport struct {
	Step    string   `json:"step"`
	Model   string   `json:"model"`
	Elapsed float64  `json:"elapsed_ms"`
	Cached  bool     `json:"cached"` // answered from our own cache
	Tokens  Tokens   `json:"tokens"`
	Cost    *float64 `json:"cost"`
	// Error is what went wrong, or why the reply could not be used; Raw is that
	// reply.
	Error string `json:"error,omitempty"`
	Raw   string `json:"raw,omitempty"`
}

// Tokens counts the tokens of a call as the provider bills them.
type Tokens struct {
	In        int  `json:"in"`        // of the prompt
	Cached    int  `json:"cached"`    // of those, read from the provider's cache
	Out       int  `json:"out"`       // of the reply
	Reasoning int  `json:"reasoning"` // of those, thoughts
	Estimated bool `json:"estimated"` // the provider reported nothing
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

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func dateString(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}
