package assay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/assaytest"
)

// path is the way a run took: "route retrieve grade …".
func path(a *assay.Answer) string {
	var names []string
	for _, s := range a.Steps {
		names = append(names, string(s.Step))
	}
	return strings.Join(names, " ")
}

func codes(a *assay.Answer) string {
	var out []string
	for _, n := range a.Reasons {
		out = append(out, string(n.Code))
	}
	return strings.Join(out, " ")
}

func TestLoop(t *testing.T) {
	const good, fair, bad = "0.90 Leave lasts 26 weeks.", "0.50 Leave is generous.", "0.10 Lunch is at noon."
	for _, c := range []struct {
		name    string
		query   assay.Query
		parts   func(*assay.Parts)
		texts   []string
		path    string
		outcome assay.Outcome
		verdict assay.Verdict
		reasons string
	}{
		{
			name: "correct", texts: []string{bad, good},
			path: "route retrieve grade refine answer finish", outcome: assay.Answered, verdict: assay.Correct,
		},
		{
			name: "ambiguous without anything to blend in", texts: []string{fair},
			path: "route retrieve grade refine answer finish", outcome: assay.Partial, verdict: assay.Ambiguous, reasons: "ambiguous",
		},
		{
			name: "ambiguous blends", texts: []string{fair},
			parts: func(p *assay.Parts) { p.Fallback = &assaytest.Retriever{Default: []string{good}} },
			path:  "route retrieve grade fallback grade refine answer finish", outcome: assay.Answered, verdict: assay.Correct,
		},
		{
			name: "incorrect, rewritten", texts: []string{bad},
			parts: func(p *assay.Parts) {
				p.Retriever = &assaytest.Retriever{Default: []string{bad}, Results: map[string][]string{"parental leave": {good}}}
				p.Rewriter = &assaytest.Rewriter{Words: []string{"parental leave"}}
			},
			path: "route retrieve grade rewrite retrieve grade refine answer finish", outcome: assay.Answered, verdict: assay.Correct,
		},
		{
			name: "incorrect, same words again, falls back", texts: []string{bad},
			parts: func(p *assay.Parts) {
				p.Rewriter = &assaytest.Rewriter{Words: []string{"HOW LONG IS LEAVE?"}}
				p.Fallback = &assaytest.Retriever{Default: []string{good}}
			},
			path: "route retrieve grade rewrite fallback grade refine answer finish", outcome: assay.Answered, verdict: assay.Correct,
		},
		{
			name: "the same evidence twice ends the search", texts: []string{bad},
			parts:   func(p *assay.Parts) { p.Rewriter = &assaytest.Rewriter{Words: []string{"a", "b", "c", "d"}} },
			path:    "route retrieve grade rewrite retrieve finish",
			outcome: assay.Abstained, verdict: assay.Incorrect, reasons: "irrelevant",
		},
		{
			name: "nothing found", texts: nil,
			path: "route retrieve grade finish", outcome: assay.Abstained, verdict: assay.Incorrect, reasons: "nothing_found",
		},
		{
			name: "fallback forbidden", texts: []string{bad}, query: assay.Query{Fallback: assay.FallbackOff},
			parts: func(p *assay.Parts) { p.Fallback = &assaytest.Retriever{Default: []string{good}} },
			path:  "route retrieve grade finish", outcome: assay.Abstained, verdict: assay.Incorrect, reasons: "irrelevant",
		},
		{
			name: "fallback down", texts: []string{fair},
			parts: func(p *assay.Parts) { p.Fallback = &assaytest.Retriever{Err: errors.New("connection refused")} },
			path:  "route retrieve grade fallback grade refine answer finish", outcome: assay.Partial, verdict: assay.Ambiguous,
			reasons: "source_down ambiguous",
		},
		{
			name: "a failed grader is no verdict on the evidence", texts: []string{good},
			parts: func(p *assay.Parts) { p.Grader = &assaytest.Grader{Err: errors.New("timeout")} },
			path:  "route retrieve grade refine answer finish", outcome: assay.Partial, verdict: assay.Undetermined, reasons: "undetermined",
		},
		{
			name: "an unsupported claim is drafted again, then left out", texts: []string{good},
			parts: func(p *assay.Parts) {
				p.Answerer = &assaytest.Answerer{Drafts: []assay.Draft{assaytest.Says("It lasts 26 weeks.", "This is unsupported.")}}
			},
			path: "route retrieve grade refine answer answer finish", outcome: assay.Answered, verdict: assay.Correct, reasons: "unsupported_claim",
		},
		{
			name: "the better candidate is kept", texts: []string{good},
			parts: func(p *assay.Parts) {
				p.Answerer = &assaytest.Answerer{Drafts: []assay.Draft{
					assaytest.Says("It lasts 26 weeks.", "One is unsupported."), assaytest.Says("All contradicted.", "Both unsupported."),
				}}
			},
			path: "route retrieve grade refine answer answer finish", outcome: assay.Answered, verdict: assay.Correct, reasons: "unsupported_claim",
		},
		{
			name: "no claim holds", texts: []string{good},
			parts: func(p *assay.Parts) {
				p.Answerer = &assaytest.Answerer{Drafts: []assay.Draft{assaytest.Says("All contradicted.")}}
			},
			path: "route retrieve grade refine answer answer finish", outcome: assay.Abstained, verdict: assay.Correct, reasons: "unsupported_claim",
		},
		{
			name: "a claim partly supported is flagged", texts: []string{good},
			parts: func(p *assay.Parts) {
				p.Answerer = &assaytest.Answerer{Drafts: []assay.Draft{assaytest.Says("A partial truth.")}}
			},
			path: "route retrieve grade refine answer finish", outcome: assay.Partial, verdict: assay.Correct, reasons: "partial_claim",
		},
		{
			name: "a failed checker leaves claims undetermined", texts: []string{good},
			parts: func(p *assay.Parts) { p.Checker = &assaytest.Checker{Err: errors.New("timeout")} },
			path:  "route retrieve grade refine answer finish", outcome: assay.Partial, verdict: assay.Correct,
			reasons: "undetermined",
		},
		{
			name: "rewrites leave a search for the other source",
			parts: func(p *assay.Parts) {
				p.Retriever = &assaytest.Retriever{Default: []string{bad}, Results: map[string][]string{"a": {"0.1 One."}, "b": {"0.1 Two."}, "c": {"0.1 Three."}}}
				p.Rewriter = &assaytest.Rewriter{Words: []string{"a", "b", "c"}}
				p.Fallback = &assaytest.Retriever{Default: []string{good}}
			},
			path: "route retrieve grade rewrite retrieve grade fallback grade refine answer finish", outcome: assay.Answered, verdict: assay.Correct,
		},
		{
			name: "other words bring up what was too far down", query: assay.Query{},
			parts: func(p *assay.Parts) {
				p.Retriever = &assaytest.Retriever{Default: append(many(12), good), Results: map[string][]string{"a": append([]string{good}, many(12)...)}}
				p.Rewriter = &assaytest.Rewriter{Words: []string{"a"}}
			},
			path: "route retrieve grade rewrite retrieve grade refine answer finish", outcome: assay.Answered, verdict: assay.Correct,
		},
		{
			name: "what is new below the best is nothing new",
			parts: func(p *assay.Parts) {
				p.Retriever = &assaytest.Retriever{Default: many(12), Results: map[string][]string{"a": append(many(12), good)}}
				p.Rewriter = &assaytest.Rewriter{Words: []string{"a", "b"}}
			},
			path: "route retrieve grade rewrite retrieve finish", outcome: assay.Abstained, verdict: assay.Incorrect, reasons: "irrelevant",
		},
		{
			name: "not useful fetches more", texts: []string{good},
			parts: func(p *assay.Parts) {
				p.Usefulness = &assaytest.Usefulness{Ratings: []int{2, 5}}
				p.Fallback = &assaytest.Retriever{Default: []string{"0.95 It lasts 26 weeks at full pay."}}
			},
			path: "route retrieve grade refine answer fallback grade refine answer finish", outcome: assay.Answered, verdict: assay.Correct,
		},
		{
			name: "no help at all is not shown where the evidence is unsure", texts: []string{fair},
			parts: func(p *assay.Parts) { p.Usefulness = &assaytest.Usefulness{Ratings: []int{1}} },
			path:  "route retrieve grade refine answer finish", outcome: assay.Abstained, verdict: assay.Ambiguous, reasons: "not_useful",
		},
		{
			name: "little help is flagged", texts: []string{good},
			parts: func(p *assay.Parts) { p.Usefulness = &assaytest.Usefulness{Ratings: []int{1}} },
			path:  "route retrieve grade refine answer finish", outcome: assay.Partial, verdict: assay.Correct, reasons: "not_useful",
		},
		{
			name: "an empty draft abstains", texts: []string{good},
			parts: func(p *assay.Parts) { p.Answerer = &assaytest.Answerer{Drafts: []assay.Draft{{}}} },
			path:  "route retrieve grade refine answer finish", outcome: assay.Abstained, verdict: assay.Correct, reasons: "insufficient",
		},
		{
			name: "a conflict is said", texts: []string{good, "0.80 Leave lasts 20 weeks."},
			parts: func(p *assay.Parts) {
				p.Grader = &assaytest.Grader{Conflicts: []assay.Conflict{{A: 0, B: 1, Note: "26 weeks against 20"}, {A: 0, B: 7}}}
			},
			path: "route retrieve grade refine answer finish", outcome: assay.Partial, verdict: assay.Correct, reasons: "contradictory",
		},
		{
			name: "what is stale is said and does not flag", texts: []string{good, "0.80 Leave lasts 20 weeks."},
			parts: func(p *assay.Parts) {
				p.Grader = &assaytest.Grader{Conflicts: []assay.Conflict{{A: 1, B: 0, Stale: true, Note: "20 (2021) against 26 (2025)"}}}
			},
			path: "route retrieve grade refine answer finish", outcome: assay.Answered, verdict: assay.Correct, reasons: "stale",
		},
		{
			name: "nothing but what is stale answers", texts: []string{good},
			parts: func(p *assay.Parts) { p.Grader = staleGrader{&assaytest.Grader{}} },
			path:  "route retrieve grade refine answer finish", outcome: assay.Partial, verdict: assay.Correct, reasons: "stale",
		},
		{
			name: "standard", texts: []string{bad}, query: assay.Query{Mode: assay.ModeStandard},
			path: "route retrieve answer finish", outcome: assay.Partial, verdict: assay.NoVerdict, reasons: "ungraded unchecked",
		},
		{
			name: "corrective", texts: []string{good}, query: assay.Query{Mode: assay.ModeCorrective},
			path: "route retrieve grade refine answer finish", outcome: assay.Partial, verdict: assay.Correct, reasons: "unchecked",
		},
		{
			name: "reflective", texts: []string{good}, query: assay.Query{Mode: assay.ModeReflective},
			path: "route retrieve answer finish", outcome: assay.Partial, verdict: assay.NoVerdict, reasons: "ungraded",
		},
		{
			name: "small talk", texts: []string{good},
			parts: func(p *assay.Parts) {
				p.Router = &assaytest.Router{Decision: assay.Route{Retrieve: false, Why: "a greeting"}}
			},
			path: "route answer finish", outcome: assay.Abstained, verdict: assay.NoVerdict, reasons: "no_question",
		},
		{
			name: "pasted text", texts: []string{bad}, query: assay.Query{Pasted: "Leave lasts 26 weeks."},
			path: "route answer finish", outcome: assay.Answered, verdict: assay.NoVerdict,
		},
		{
			name: "a failed router retrieves", texts: []string{good},
			parts: func(p *assay.Parts) { p.Router = &assaytest.Router{Err: errors.New("timeout")} },
			path:  "route retrieve grade refine answer finish", outcome: assay.Answered, verdict: assay.Correct,
		},
		{
			name: "no search is affordable", texts: []string{good}, query: assay.Query{Budget: assay.Budget{Searches: -1}},
			path: "route retrieve finish", outcome: assay.Abstained, verdict: assay.NoVerdict, reasons: "budget",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts := assaytest.Parts(c.texts...)
			if c.parts != nil {
				c.parts(&parts)
			}
			c.query.Question = "how long is leave?"
			a, err := newEngine(t, parts).Ask(t.Context(), c.query)
			if err != nil {
				t.Fatal(err)
			}
			if got := path(a); got != c.path {
				t.Errorf("path    %s\nwant    %s", got, c.path)
			}
			if a.Outcome != c.outcome || a.Verdict != c.verdict || codes(a) != c.reasons {
				t.Errorf("got  %s, %s, %q (%v)\nwant %s, %s, %q", a.Outcome, a.Verdict, codes(a), a.Reasons, c.outcome, c.verdict, c.reasons)
			}
			checkPromises(t, a)
		})
	}
}

// many are n irrelevant texts.
func many(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("0.10 Lunch %d is at noon.", i))
	}
	return out
}

// checkPromises checks what every answer promises, whatever it says.
func checkPromises(t *testing.T, a *assay.Answer) {
	t.Helper()
	if a.Question != "how long is leave?" {
		t.Errorf("the question became %q", a.Question)
	}
	if a.Claims == nil || a.Citations == nil || a.Passages == nil || a.Queries == nil || a.Reasons == nil || a.Steps == nil {
		t.Error("a list is null where it should be empty")
	}
	for i, c := range a.Citations {
		if c.N != i+1 || c.End-c.Start != len(c.Quote) {
			t.Errorf("citation %d: %+v", i, c)
		}
	}
	for _, c := range a.Claims {
		for _, n := range c.Citations {
			if n < 1 || n > len(a.Citations) {
				t.Errorf("claim %q cites %d of %d", c.Text, n, len(a.Citations))
			}
		}
		if c.Support == assay.Unsupported || c.Support == assay.Contradicted {
			t.Errorf("a claim is shown that the evidence does not carry: %+v", c)
		}
	}
	switch a.Outcome {
	case assay.Abstained:
		if a.Text != assay.Abstention || len(a.Claims) > 0 || a.Grounded != nil || a.Confidence != 0 || len(a.Reasons) == 0 {
			t.Errorf("an abstention that shows or hides something: %+v", a)
		}
	case assay.Answered:
		if a.Grounded == nil || !*a.Grounded || a.Useful < 3 || (a.Verdict != assay.Correct && a.Verdict != assay.NoVerdict) {
			t.Errorf("answered without the right to say so: %+v", a)
		}
	case assay.Partial:
		if len(a.Reasons) == 0 {
			t.Error("partial without a reason")
		}
	}
	if a.Confidence < 0 || a.Confidence > 1 {
		t.Errorf("confidence %v", a.Confidence)
	}
}

func newEngine(t testing.TB, parts assay.Parts) *assay.Engine {
	t.Helper()
	e, err := assay.New(parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
