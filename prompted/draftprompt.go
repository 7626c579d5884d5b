package prompted

import (
	"fmt"

	"github.com/assay-rag/assay"
)

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
		Evidence: evidence(grouped(r.Evidence)), Conflicts: conflictNotes(r), Said: oneLines(r.Said), Avoid: oneLines(r.Avoid),
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
		if !(0 <= c.A && c.A < len(r.Evidence) && 0 <= c.B && c.B < len(r.Evidence)) {
			continue
		}
		note := fmt.Sprintf("[%d] and [%d] disagree", c.A+1, c.B+1)
		if c.Stale {
			note = fmt.Sprintf("[%d] is out of date: [%d] is newer", c.A+1, c.B+1)
		}
		if c.Note != "" {
			note += ": " + oneLine(c.Note, 200)
		}
		notes = append(notes, note)
	}
	return notes
}

// longestQuote bounds a claim in a prompt, in bytes.
const longestQuote = 500

// oneLines are texts on one line each.
func oneLines(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = oneLine(t, longestQuote)
	}
	return out
}
