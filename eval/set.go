package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
)

// Task is something that can be measured.
type Task string

// The tasks.
const (
	TaskGate      Task = "gate"
	TaskStrips    Task = "strips"
	TaskSupport   Task = "support"
	TaskUseful    Task = "useful"
	TaskRoute     Task = "route"
	TaskRetrieval Task = "retrieval"
	TaskEndToEnd  Task = "end-to-end"
)

// Set is labelled data for one or more tasks. Make one with Load.
type Set struct {
	// Name says which public set it is ("squad2"), or whose format ("own-gate").
	Name string
	// Of is the part of the set that this is; empty means all of it.
	Of Part
	// The items of each task; empty or nil where the set doesn't fit it.
	Gate      []GateItem
	Strips    []StripItem
	Support   []SupportItem
	Useful    []UsefulItem
	Route     []RouteItem
	Retrieval *Pool
	// Answers are questions to be answered from the documents of Retrieval.
	Answers []AnswerItem
}

// GateItem is a question with passages, and whether they help to answer it.
type GateItem struct {
	Question string
	// Passages are graded together; the item's score is the best of their grades.
	Passages []assay.Passage
	Positive bool
	Group    string
	// Kind is what figures are broken down by, such as a kind of question; may be
	// empty.
	Kind string
	// History are the turns before the question, oldest first.
	History []assay.Turn
}

// StripItem is a question, or a claim, with the sentences of a text.
type StripItem struct {
	Question string
	Strips   []assay.Strip
	// Helps says of each strip whether it helps; at least one does.
	Helps []bool
	Group string
	Kind  string // see GateItem
}

// UsefulItem is an answer that a person has rated.
type UsefulItem struct {
	Question, Answer string
	// Rating is from 1, no help, to 5, complete.
	Rating int
	Group  string
	Kind   string // see GateItem
}

// RouteItem is a message, and whether it can only be answered from documents.
type RouteItem struct {
	Question string
	Retrieve bool
	Group    string
	Kind     string // see GateItem
}

// SupportItem is a claim with evidence, and whether the evidence carries it in
// full.
type SupportItem struct {
	Claim    string
	Evidence []assay.Strip
	Positive bool
	Group    string
	Kind     string // see GateItem
}

// Pool is a corpus with questions whose passages are known.
type Pool struct {
	Documents []assay.Document
	// Passages are those of each document, in the order of Documents.
	Passages  [][]assay.Passage
	Questions []RetrievalItem
}

// RetrievalItem is a question with the passages of the pool that answer it; any
// passage that shares most of its text with one of them is a hit too, so that an
// index may cut documents in its own way.
type RetrievalItem struct {
	Question string
	Gold     []assay.Passage
	// Own are all the passages that are in the pool because of the question, Gold
	// among them; nil means Gold.
	Own   []assay.Passage
	Group string
	Kind  string // see GateItem
}

// Tasks lists the tasks that the set fits.
func (s *Set) Tasks() []Task {
	questions, answers := 0, 0
	if s.Retrieval != nil {
		questions, answers = len(s.Retrieval.Questions), len(s.Answers)
	}
	var out []Task
	for _, t := range []struct {
		task  Task
		items int
	}{
		{TaskGate, len(s.Gate)}, {TaskStrips, len(s.Strips)}, {TaskSupport, len(s.Support)},
		{TaskUseful, len(s.Useful)}, {TaskRoute, len(s.Route)}, {TaskRetrieval, questions}, {TaskEndToEnd, answers},
	} {
		if t.items > 0 {
			out = append(out, t.task)
		}
	}
	return out
}

// require refuses a set that doesn't fit the task.
func (s *Set) require(task Task) error {
	fits := s.Tasks()
	if slices.Contains(fits, task) {
		return nil
	}
	if len(fits) == 0 {
		return fmt.Errorf("eval %s: set %s has no items", task, s.Name)
	}
	names := make([]string, len(fits))
	for i, t := range fits {
		names[i] = string(t)
	}
	return fmt.Errorf("eval %s: set %s doesn't fit this task; it fits: %s", task, s.Name, strings.Join(names, ", "))
}

// poolBuilder collects a pool whose documents are made of passages.
type poolBuilder struct {
	pool Pool
	at   map[string]int // position of a document by its ID
}

func newPoolBuilder() *poolBuilder { return &poolBuilder{at: map[string]int{}} }

// add puts a document of the given pieces into the pool, a passage each, and
// returns the passages. A document that is there already with the same text is
// shared; one with the same ID and another text gets a number behind its ID.
func (b *poolBuilder) add(id, title string, pieces ...string) []assay.Passage {
	body := strings.Join(pieces, pieceBreak)
	id = cmp.Or(id, "untitled") // an index wants a name
	name := id
	for n := 2; ; n++ {
		i, ok := b.at[name]
		if !ok {
			break
		}
		if b.pool.Documents[i].Text == body && b.pool.Documents[i].Title == title {
			return b.pool.Passages[i]
		}
		name = fmt.Sprintf("%s (%d)", id, n)
	}
	passages := cut(name, title, pieces)
	b.at[name] = len(b.pool.Documents)
	b.pool.Documents = append(b.pool.Documents, assay.Document{ID: name, Title: title, Text: body})
	b.pool.Passages = append(b.pool.Passages, passages)
	return passages
}

// pieceBreak stands between the pieces of a document.
const pieceBreak = "\n\n"

// cut makes passages of pieces that are joined by pieceBreak.
func cut(id, title string, pieces []string) []assay.Passage {
	passages := make([]assay.Passage, len(pieces))
	start := 0
	for i, p := range pieces {
		passages[i] = assay.Passage{
			Document: id, Title: title, Text: p,
			Start: start, End: start + len(p), Origin: assay.OriginIndex,
		}
		start += len(p) + len(pieceBreak)
	}
	return passages
}

// strips makes evidence of sentences: one document, one strip a sentence.
func strips(id, title string, sentences []string) []assay.Strip {
	body := strings.Join(sentences, "\n")
	passage := cut(id, title, []string{body})[0]
	out := make([]assay.Strip, len(sentences))
	start := 0
	for i, s := range sentences {
		out[i] = assay.Strip{Passage: passage, Text: s, Start: start, End: start + len(s)}
		start += len(s) + 1
	}
	return out
}
