package prompted

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
)

// draftRequest is the request for a draft: the prompt after two examples, which show
// small models the form of an answer better than rules do.
func draftRequest(r assay.DraftRequest) llm.Request {
	request := draftPrompt(r).request()
	request.Messages = slices.Insert(request.Messages, 1, draftExamples()...)
	return request
}

// draftExample is a question with its answer.
type draftExample struct {
	question string
	answer   []string // sentences
}

// draftExampleList is what the examples ask about a passage that nobody has. They are
// always the same, so that servers which keep what they have read need not read them
// again.
var draftExampleList = []draftExample{
	{"Can I take a bicycle with me?", []string{"Yes, a bicycle travels on the Zennick ferry free of charge [2]."}},
	{"How do I get across on a winter morning with a bicycle?", []string{
		"In winter the first Zennick ferry leaves at 9 [1].", "Your bicycle travels on it free of charge [2].", "Push it on board behind the cars [3].",
	}},
}

// draftExamples are the examples as turns of a conversation.
var draftExamples = sync.OnceValue(func() []llm.Message {
	ferry := assay.Passage{
		Title: "Zennick ferry", Heading: []string{"Timetable"}, Date: time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC), DateFrom: assay.DateFromDocument,
		Text: "The first ferry leaves at 7 in summer and at 9 in winter. Nothing is charged for bicycles. They are pushed on board after the last car. Dogs stay on deck.",
	}
	var messages []llm.Message
	for _, e := range draftExampleList {
		q := assay.Query{Question: e.question, Asked: e.question}
		p := draftPrompt(assay.DraftRequest{Query: q, Evidence: assay.StripsOf(ferry)})
		messages = append(messages, llm.Message{Role: llm.User, Text: p.user}, llm.Message{Role: llm.Assistant, Text: strings.Join(e.answer, " ")})
	}
	return messages
})

// draftEchoes are sentences of the prompt that small models repeat instead of an
// answer.
func draftEchoes(r assay.DraftRequest) []string {
	language := languageOf(r.Query)
	echoes := []string{"Question: " + r.Query.Question, render("draft.order", struct{ Language string }{language})}
	for _, e := range draftExampleList {
		for _, sentence := range e.answer {
			marked, _, _ := strings.Cut(sentence, " [")
			echoes = append(echoes, marked)
		}
	}
	return echoes
}

// currentFirst puts the passages that newer evidence supersedes behind all others:
// small models go by what they read first, whatever the dates say. order holds the
// place that each strip had.
func currentFirst(r assay.DraftRequest) (sorted assay.DraftRequest, order []int) {
	var old []*assay.Passage
	for _, c := range r.Conflicts {
		if c.Stale && 0 <= c.A && c.A < len(r.Evidence) {
			old = append(old, &r.Evidence[c.A].Passage)
		}
	}
	for pass := range 2 {
		for i := range r.Evidence {
			superseded := slices.ContainsFunc(old, func(p *assay.Passage) bool { return samePassage(p, &r.Evidence[i].Passage) })
			if superseded == (pass == 1) {
				order = append(order, i)
			}
		}
	}
	sorted = r
	sorted.Evidence, sorted.Conflicts = make([]assay.Strip, len(order)), nil
	now := make([]int, len(order)) // where each strip is
	for i, was := range order {
		sorted.Evidence[i], now[was] = r.Evidence[was], i
	}
	for _, c := range r.Conflicts {
		if 0 <= c.A && c.A < len(now) && 0 <= c.B && c.B < len(now) {
			c.A, c.B = now[c.A], now[c.B]
			sorted.Conflicts = append(sorted.Conflicts, c)
		}
	}
	return sorted, order
}

// draftPrompt asks for an answer. Whatever others wrote or a model made of it stands
// between the marks: the evidence, the notes on its conflicts, the claims to avoid
// and those said.
func draftPrompt(r assay.DraftRequest) prompt {
	data := struct {
		Mark                   fence
		Evidence               string
		Conflicts, Said, Avoid []string
		Question, Asked        string
		Language               string
	}{
		Evidence: evidence(grouped(r.Evidence)), Conflicts: conflictNotes(r), Said: onALineEach(r.Said), Avoid: onALineEach(r.Avoid),
		Question: indented(r.Query.Question), Language: languageOf(r.Query),
	}
	if r.Query.Asked != r.Query.Question {
		data.Asked = indented(r.Query.Asked)
	}
	texts := []string{data.Evidence, data.Question, data.Asked}
	for _, list := range [][]string{data.Conflicts, data.Said, data.Avoid} {
		texts = append(texts, list...)
	}
	data.Mark = newFence(texts...)
	return prompt{system: render("draft.system", nil), user: render("draft.user", data)}
}

// conflictNotes says which evidence disagrees, by its numbers.
func conflictNotes(r assay.DraftRequest) []string {
	var notes []string
	for _, c := range r.Conflicts {
		note := fmt.Sprintf("[%d] and [%d] disagree", c.A+1, c.B+1)
		if c.Stale {
			note = fmt.Sprintf("[%d] is out of date: [%d] is newer", c.A+1, c.B+1)
		}
		if c.Note != "" {
			note += ": " + onALine(c.Note)
		}
		notes = append(notes, note)
	}
	return notes
}

// longestQuote bounds a claim, a question or a remark in a prompt, in bytes.
const longestQuote = 500

// onALine is a text on one line of a prompt.
func onALine(s string) string { return oneLine(inert(s), longestQuote) }

// onALineEach are texts on one line each.
func onALineEach(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = onALine(t)
	}
	return out
}
