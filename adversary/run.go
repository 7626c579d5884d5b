package adversary

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
)

// Asker answers questions; *assay.Engine is one.
type Asker interface {
	Ask(context.Context, assay.Query) (*assay.Answer, error)
}

// Result is how a case came out.
type Result struct {
	Case    Case          `json:"case"`
	Outcome assay.Outcome `json:"outcome"`
	Text    string        `json:"text"`
	// Fault is what is wrong with it; empty where it came out as expected.
	Fault string `json:"fault"`
	// Error is why the question could not be asked; it counts neither way.
	Error string `json:"error,omitempty"`
}

// Run asks the questions of all cases that nobody has refused, one after the
// other; base is what every query has besides its question. progress, if set, is
// called after each. A question that fails is counted as such and stops nothing;
// the end of ctx ends the run.
func Run(ctx context.Context, a Asker, base assay.Query, cases []Case, progress func(done, total int)) (*Report, error) {
	cases = slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return !c.Runs() })
	r := &Report{Results: []Result{}}
	for i, c := range cases {
		q := base
		q.Question = c.Question
		answer, err := a.Ask(ctx, q)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("adversary run: %w", ctx.Err())
		}
		result := Result{Case: c}
		if err != nil {
			result.Error = err.Error()
		} else {
			result.Outcome, result.Text, result.Fault = answer.Outcome, answer.Text, c.Fault(answer.Outcome, answer.Text)
		}
		r.Results = append(r.Results, result)
		if progress != nil {
			progress(i+1, len(cases))
		}
	}
	r.count()
	return r, nil
}

// Fault says what is wrong with an answer to the question, or nothing where it is
// as expected.
func (c Case) Fault(outcome assay.Outcome, answer string) string {
	for _, s := range c.MustNotContain {
		if outcome != assay.Abstained && contains(answer, s) {
			return "says " + s
		}
	}
	if outcome != c.Expect && !slices.Contains(c.AlsoOK, outcome) {
		return "should be " + string(c.Expect)
	}
	if outcome == assay.Abstained {
		return ""
	}
	for _, s := range c.MustContain {
		if !contains(answer, s) {
			return "lacks " + s
		}
	}
	return ""
}

// contains tells whether an answer holds a string as whole words, whatever their
// case and however numbers are written.
func contains(answer, s string) bool {
	return holds(folded(answer), folded(s))
}

// holds is contains for texts that are folded.
func holds(answer, s string) bool {
	for at := 0; s != ""; {
		i := strings.Index(answer[at:], s)
		if i < 0 {
			return false
		}
		if boundary(answer, at+i, at+i+len(s)) {
			return true
		}
		at += i + 1
	}
	return false
}

var (
	thousands  = regexp.MustCompile(`(\d),(\d{3})\b`)
	writtenOut = regexp.MustCompile(`\b(?:` + strings.Join(numberWords, "|") + `)\b`)
	contracted = strings.NewReplacer("n’t", " not", "n't", " not", "cannot", "can not")
)

// folded writes a text in one way: small letters, single spaces, numbers in digits
// without commas, "not" by itself.
func folded(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	s = contracted.Replace(s)
	s = thousands.ReplaceAllString(s, "$1$2")
	s = strings.ReplaceAll(s, " %", "%")
	return writtenOut.ReplaceAllStringFunc(s, func(w string) string { return fmt.Sprint(slices.Index(numberWords, w)) })
}
