package assay

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assay-rag/assay/llm"
)

// What a query may hold at the most, in bytes. Text to answer from that is longer
// than a question belongs in [Query.Pasted], and longer than that in an index.
const (
	MaxQuestion = 8 << 10
	MaxPasted   = 1 << 20
	MaxHistory  = 64 << 10
)

// Query is one question and how to treat it. The engine never changes the caller's:
// what a follow-up means is told to the parts and in [Answer.Standalone], what is
// searched for in [Answer.Queries].
type Query struct {
	// Question is the user's question, 1 to MaxQuestion bytes.
	Question string
	// Asked is the question as the user put it. The engine fills it in for its parts:
	// where the question leaned on History, Question is the one that stands alone.
	Asked string
	// History are the turns before this question, oldest first, up to MaxHistory
	// bytes.
	History []Turn
	// Pasted is text that the caller gives to answer from, up to MaxPasted bytes;
	// with it, nothing is retrieved. Empty: answer from the documents.
	Pasted string
	// Mode chooses which parts of the loop run. The zero value is ModeAuto.
	Mode Mode
	// Streaming says what Engine.Stream tells of the answer before its end. The zero
	// value is nothing.
	Streaming Streaming
	// Collection names the collection to search. The zero value is "default".
	Collection string
	// Filter narrows the documents that may be used.
	Filter Filter
	// Fallback says whether the fallback source may be asked. The zero value
	// allows what the engine has; a query can only be stricter than the engine.
	Fallback FallbackPolicy
	// Budget bounds the run. A zero field takes the engine's value.
	Budget Budget
}

// Turn is a question that was asked before, and its answer.
type Turn struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Budget bounds one run in searches, drafts, model calls, tokens, money and time.
type Budget = llm.Budget

// Mode chooses which parts of the loop run.
type Mode string

// The modes.
const (
	// ModeAuto lets the router choose; with graders that cost nothing it is
	// ModeFull.
	ModeAuto Mode = "auto"
	// ModeStandard retrieves once and answers once. Nothing is graded or
	// checked, and the answer says so.
	ModeStandard Mode = "standard"
	// ModeCorrective grades and corrects what was retrieved (the gate), without
	// checks after the answer.
	ModeCorrective Mode = "corrective"
	// ModeReflective checks the answer, without a gate before it.
	ModeReflective Mode = "reflective"
	// ModeFull does both.
	ModeFull Mode = "full"
)

// gates tells whether retrieval is graded in this mode.
func (m Mode) gates() bool { return m == ModeCorrective || m == ModeFull }

// checks tells whether the answer is checked in this mode.
func (m Mode) checks() bool { return m == ModeReflective || m == ModeFull }

// Streaming says what is told of an answer before its end.
type Streaming string

// The manners of streaming.
const (
	// StreamNothing tells nothing of it before it is whole.
	StreamNothing Streaming = ""
	// StreamDraft tells each draft as it is generated, unchecked, without citations.
	// A later draft supersedes an earlier one.
	StreamDraft Streaming = "draft"
	// StreamVerified tells a claim with its citations once the evidence is found to
	// carry it in full, and never one that it doesn't; what it carries in part comes
	// with the whole. What has been told stays: it is how
	// the text of the answer begins. A mode without checks tells nothing so.
	StreamVerified Streaming = "verified"
)

// FallbackPolicy says whether sources outside the index may be asked.
type FallbackPolicy string

// The fallback policies.
const (
	// FallbackAllowed asks the engine's fallback source where the index fails.
	FallbackAllowed FallbackPolicy = ""
	// FallbackOff never asks it: no word of the question leaves the index.
	FallbackOff FallbackPolicy = "off"
)

// Filter narrows a search to documents that satisfy all of its parts. The zero
// value lets every document pass.
type Filter struct {
	// Equal wants metadata fields with exactly these values.
	Equal map[string]string
	// PathPrefix wants documents whose ID starts so.
	PathPrefix string
	// After and Before want documents dated at or after, and before. A document
	// without a date passes neither.
	After, Before time.Time
	// Groups are those that whoever asks belongs to. A document whose metadata field
	// "groups" names groups, parted by commas, passes where it names one of them; one
	// that names none always does. nil lets all pass; an empty list only documents
	// that name no group. Names are compared exactly, without the space around them.
	Groups []string
}

// IsZero tells whether the filter lets every document pass.
func (f Filter) IsZero() bool {
	return len(f.Equal) == 0 && f.PathPrefix == "" && f.After.IsZero() && f.Before.IsZero() && f.Groups == nil
}

// ErrBadQuery marks a question that can't be asked as it stands.
var ErrBadQuery = errors.New("the question can't be asked")

// normalised returns the query with defaults filled in, or an error that wraps
// ErrBadQuery and says what to change.
func (q Query) normalised() (Query, error) {
	q.Question = strings.TrimSpace(strings.ToValidUTF8(q.Question, "\uFFFD"))
	switch {
	case q.Question == "":
		return q, fmt.Errorf("%w: it is empty", ErrBadQuery)
	case len(q.Question) > MaxQuestion:
		return q, fmt.Errorf("%w: it has %d bytes and may have %d; ask in fewer words, and put text to answer from in Pasted",
			ErrBadQuery, len(q.Question), MaxQuestion)
	}
	if len(q.Pasted) > MaxPasted {
		return q, fmt.Errorf("%w: the pasted text has %d bytes and may have %d; index it instead", ErrBadQuery, len(q.Pasted), MaxPasted)
	}
	q.Pasted = strings.ToValidUTF8(q.Pasted, "\uFFFD")
	q.Asked = q.Question
	if err := q.checkHistory(); err != nil {
		return q, err
	}
	if q.Mode == "" {
		q.Mode = ModeAuto
	}
	switch q.Mode {
	case ModeAuto, ModeStandard, ModeCorrective, ModeReflective, ModeFull:
	default:
		return q, fmt.Errorf("%w: there is no mode %q (auto, standard, corrective, reflective, full)", ErrBadQuery, q.Mode)
	}
	switch q.Fallback {
	case FallbackAllowed, FallbackOff:
	default:
		return q, fmt.Errorf("%w: there is no fallback policy %q (empty or off)", ErrBadQuery, q.Fallback)
	}
	switch q.Streaming {
	case StreamNothing, StreamDraft, StreamVerified:
	default:
		return q, fmt.Errorf("%w: there is no streaming %q (empty, draft or verified)", ErrBadQuery, q.Streaming)
	}
	if q.Collection == "" {
		q.Collection = DefaultCollection
	}
	return q, nil
}

// checkHistory refuses a history that is too long.
func (q Query) checkHistory() error {
	size := 0
	for _, t := range q.History {
		size += len(t.Question) + len(t.Answer)
	}
	if size > MaxHistory {
		return fmt.Errorf("%w: the history has %d bytes and may have %d; leave out the oldest turns", ErrBadQuery, size, MaxHistory)
	}
	return nil
}

// DefaultCollection is the collection used where none is named.
const DefaultCollection = "default"
