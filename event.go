package assay

// EventKind names what an event tells.
type EventKind string

// The kinds of event.
const (
	EventStarted EventKind = "started" // a step begins
	EventDone    EventKind = "done"    // a step ended, with the edge taken from it
	EventText    EventKind = "text"    // a piece of the answer, see Query.Streaming
	EventAnswer  EventKind = "answer"  // the end, with the whole answer
)

// Event tells of a run as it happens. Its slices are the receiver's to keep.
type Event struct {
	Kind EventKind `json:"kind"`
	At   float64   `json:"at_ms"` // milliseconds since the question was asked
	// Step is the one that runs; absent on EventAnswer.
	Step Step `json:"step,omitempty"`
	// Report is set on EventDone.
	Report *StepReport `json:"report,omitempty"`
	// Search is set after retrieve and fallback.
	Search *SearchRound `json:"search,omitempty"`
	// Passages are those held so far, set after retrieve, grade, refine and
	// fallback.
	Passages []PassageReport `json:"passages,omitempty"`
	// Text is a piece of the answer's text, to be put after those before it of the
	// same Draft; set on EventText. In verified streaming drafts continue each other.
	Text string `json:"text,omitempty"`
	// Draft counts the drafts from 1; set on EventText.
	Draft int `json:"draft,omitempty"`
	// Claims are those of the latest draft, checked; set after answer and
	// quote. On EventText, in verified streaming, those of the piece.
	Claims []Claim `json:"claims,omitempty"`
	// Answer is set on EventAnswer.
	Answer *Answer `json:"answer,omitempty"`
}
