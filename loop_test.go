package assay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/assaytest"
	"github.com/assay-rag/assay/llm"
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

// TestLoopEnds runs the loop with parts that behave at random: whatever they do,
// it ends within its budget in a labelled answer.
func TestLoopEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	texts := []string{"0.9 a.", "0.5 b.", "0.1 c.", "? d.", "0.34 e.", "0.8 unsupported f.", "0.76 partial g."}
	some := func() []string {
		return slices.DeleteFunc(slices.Clone(texts), func(string) bool { return rng.IntN(3) > 0 })
	}
	maybe := func() error {
		if rng.IntN(8) == 0 {
			return errors.New("down")
		}
		return nil
	}
	for range 3000 {
		parts := assay.Parts{
			Retriever:  &assaytest.Retriever{Default: some(), Results: map[string][]string{"w1": some(), "w2": some(), "w3": some(), "w4": some()}},
			Grader:     &assaytest.Grader{Err: maybe()},
			Answerer:   &assaytest.Answerer{Drafts: []assay.Draft{assaytest.Says(some()...), assaytest.Says(some()...)}},
			Checker:    &assaytest.Checker{Err: maybe()},
			Usefulness: &assaytest.Usefulness{Ratings: []int{rng.IntN(7), rng.IntN(7)}, Err: maybe()},
			Rewriter:   &assaytest.Rewriter{Words: []string{"w1", "w2", "w3", "w4"}, Err: maybe()},
		}
		if rng.IntN(2) == 0 {
			parts.Fallback = &assaytest.Retriever{Default: some(), Err: maybe()}
		}
		modes := []assay.Mode{"", assay.ModeStandard, assay.ModeCorrective, assay.ModeReflective, assay.ModeFull}
		budget := assay.Budget{Searches: rng.IntN(6), Drafts: rng.IntN(4)}
		q := assay.Query{Question: "how long is leave?", Mode: modes[rng.IntN(len(modes))], Budget: budget}
		a, err := newEngine(t, parts).Ask(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		checkPromises(t, a)
		if s := max(budget.Searches, 3*btoi(budget.Searches == 0)); a.Usage.Searches > s || len(a.Queries) > s {
			t.Fatalf("%d searches where %d are allowed", a.Usage.Searches, s)
		}
		if d := max(budget.Drafts, 2*btoi(budget.Drafts == 0)); a.Usage.Drafts > d {
			t.Fatalf("%d drafts where %d are allowed", a.Usage.Drafts, d)
		}
		asked := map[string]bool{}
		for _, s := range a.Queries {
			if asked[string(s.Origin)+s.Words] {
				t.Fatalf("the same words twice against the same source: %+v", a.Queries)
			}
			asked[string(s.Origin)+s.Words] = true
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// What was found out once outlives a later failure.
func TestLaterFailuresKeepWhatThereIs(t *testing.T) {
	t.Run("grader", func(t *testing.T) {
		parts := assaytest.Parts("0.50 fair.")
		parts.Fallback = &assaytest.Retriever{Default: []string{"0.10 bad."}}
		parts.Grader = &failingLater{}
		a, err := newEngine(t, parts).Ask(t.Context(), assay.Query{Question: "how long is leave?"})
		if err != nil {
			t.Fatal(err)
		}
		if a.Verdict != assay.Undetermined || a.Passages[0].Score == nil || *a.Passages[0].Score != 0.5 {
			t.Errorf("%s, %+v", a.Verdict, a.Passages)
		}
		checkPromises(t, a)
	})
	t.Run("index", func(t *testing.T) {
		parts := assaytest.Parts()
		asked := 0
		parts.Retriever = assay.RetrieverFunc(func(context.Context, assay.Search) ([]assay.Passage, error) {
			if asked++; asked > 1 {
				return nil, errors.New("connection reset")
			}
			return assaytest.Passages("0.90 good."), nil
		})
		parts.Usefulness = &assaytest.Usefulness{Ratings: []int{2}}
		parts.Rewriter = &assaytest.Rewriter{Words: []string{"other words"}}
		a, err := newEngine(t, parts).Ask(t.Context(), assay.Query{Question: "how long is leave?"})
		if err != nil {
			t.Fatal(err)
		}
		if a.Outcome != assay.Partial || codes(a) != "source_down not_useful" {
			t.Errorf("%s %v", a.Outcome, a.Reasons)
		}
		checkPromises(t, a)
	})
}

// staleGrader finds all stale, and none the less good.
type staleGrader struct{ *assaytest.Grader }

func (g staleGrader) Grade(ctx context.Context, q assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	a, err := g.Grader.Grade(ctx, q, passages)
	for i := range a.Grades {
		a.Grades[i].Reason = assay.Stale
	}
	return a, err
}

// failingLater grades the first set and fails on the next.
type failingLater struct {
	assaytest.Grader
	asked int
}

func (g *failingLater) Grade(ctx context.Context, q assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	if g.asked++; g.asked > 1 {
		return assay.Assessment{}, errors.New("timeout")
	}
	return g.Grader.Grade(ctx, q, passages)
}

// Grades outside [0, 1] are failures of the grader, not verdicts.
func TestGradesAreChecked(t *testing.T) {
	for _, text := range []string{"7 high.", "-1 low.", "NaN none."} {
		a, err := newEngine(t, assaytest.Parts(text)).Ask(t.Context(), assay.Query{Question: "how long is leave?"})
		if err != nil || a.Verdict != assay.Undetermined || a.Passages[0].Score != nil {
			t.Errorf("%q: %+v, %v", text, a, err)
		}
		if _, err := json.Marshal(a); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// So are findings that are none.
func TestFindingsAreChecked(t *testing.T) {
	for _, f := range []assay.Finding{{Support: "sure", Score: 1}, {Support: assay.Supported, Score: math.NaN()}, {Support: assay.Supported, Score: 2}, {}} {
		parts := assaytest.Parts("0.9 Leave lasts 26 weeks.")
		parts.Checker = always(f)
		a, err := newEngine(t, parts).Ask(t.Context(), assay.Query{Question: "how long is leave?"})
		if err != nil || a.Outcome != assay.Partial || a.Claims[0].Support != assay.SupportUndetermined {
			t.Errorf("%+v: %+v, %v", f, a, err)
		}
	}
}

// always finds the same of every claim.
type always assay.Finding

func (f always) Check(_ context.Context, claims []string, _ []assay.Strip) ([]assay.Finding, error) {
	out := make([]assay.Finding, len(claims))
	for i := range out {
		out[i] = assay.Finding(f)
	}
	return out, nil
}

func TestHugeBudgetsEnd(t *testing.T) {
	parts := assaytest.Parts()
	n := 0
	parts.Retriever = assay.RetrieverFunc(func(context.Context, assay.Search) ([]assay.Passage, error) {
		n++
		return assaytest.Passages(fmt.Sprintf("0.1 bad %d.", n)), nil
	})
	words := make([]string, 1000)
	for i := range words {
		words[i] = fmt.Sprint("words ", i)
	}
	parts.Rewriter = &assaytest.Rewriter{Words: words}
	budget := assay.Budget{Searches: llm.Unlimited, Drafts: llm.Unlimited, Time: llm.UnlimitedTime}
	a, err := newEngine(t, parts).Ask(t.Context(), assay.Query{Question: "how long is leave?", Budget: budget})
	if err != nil || a.Outcome != assay.Abstained || !strings.Contains(codes(a), "budget") {
		t.Fatalf("%+v, %v", a, err)
	}
}

func TestFallbackSeesOnlyWords(t *testing.T) {
	parts := assaytest.Parts("0.5 secret.")
	outside := &assaytest.Retriever{}
	parts.Fallback = outside
	if _, err := newEngine(t, parts).Ask(t.Context(), assay.Query{
		Question: "how long is leave?", Collection: "secret", Filter: assay.Filter{Equal: map[string]string{"customer": "ACME"}},
	}); err != nil {
		t.Fatal(err)
	}
	want := []assay.Search{{Words: "how long is leave?", K: 50}}
	if diff := cmp.Diff(want, outside.Asked); diff != "" {
		t.Error(diff)
	}
}

func TestStricterDraftIsTold(t *testing.T) {
	parts := assaytest.Parts("0.9 a.")
	answerer := &assaytest.Answerer{Drafts: []assay.Draft{assaytest.Says("Good. This is unsupported."), assaytest.Says("Good.")}}
	parts.Answerer = answerer
	a, err := newEngine(t, parts).Ask(t.Context(), assay.Query{Question: "q?"})
	if err != nil {
		t.Fatal(err)
	}
	if len(answerer.Asked) != 2 || !slices.Equal(answerer.Asked[1].Avoid, []string{"This is unsupported."}) {
		t.Errorf("asked %+v", answerer.Asked)
	}
	if a.Text != "Good. [1]" || a.Outcome != assay.Answered || len(a.Reasons) != 0 {
		t.Errorf("%q, %s, %v", a.Text, a.Outcome, a.Reasons)
	}
}

func TestCitationsOfNothingAreDropped(t *testing.T) {
	parts := assaytest.Parts("0.9 a.")
	parts.Checker = nopChecker{}
	parts.Answerer = &assaytest.Answerer{Drafts: []assay.Draft{{Segments: []assay.Segment{{Text: "Yes.", Cites: []int{0, 1, -1, 99}, Short: true}}}}}
	a, err := newEngine(t, parts).Ask(t.Context(), assay.Query{Question: "how long is leave?"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Text != "Yes. [1]" || len(a.Citations) != 1 {
		t.Errorf("%q %v", a.Text, a.Citations)
	}
	checkPromises(t, a)
}

// nopChecker supports the claim without naming evidence, and with evidence that
// does not exist.
type nopChecker struct{}

func (nopChecker) Check(_ context.Context, claims []string, _ []assay.Strip) ([]assay.Finding, error) {
	if claims[0] != "Question: how long is leave? Answer: Yes." {
		return nil, errors.New("a short answer must be checked with its question, got " + claims[0])
	}
	return []assay.Finding{{Support: assay.Supported, Score: 1, Evidence: []int{5, -2}}}, nil
}

func TestErrorsAreErrors(t *testing.T) {
	down := errors.New("disk on fire")
	for name, change := range map[string]func(*assay.Parts){
		"retriever": func(p *assay.Parts) { p.Retriever = &assaytest.Retriever{Err: down} },
		"answerer":  func(p *assay.Parts) { p.Answerer = &assaytest.Answerer{Err: down} },
	} {
		parts := assaytest.Parts("0.9 a.")
		change(&parts)
		if a, err := newEngine(t, parts).Ask(t.Context(), assay.Query{Question: "q"}); !errors.Is(err, down) {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}

func TestBadQueries(t *testing.T) {
	e := newEngine(t, assaytest.Parts("0.9 a."))
	for _, q := range []assay.Query{
		{}, {Question: " \n"}, {Question: strings.Repeat("a", assay.MaxQuestion+1)}, {Question: "q", Mode: "fast"}, {Question: "q", Pasted: strings.Repeat("a", assay.MaxPasted+1)}, {Question: "q", Fallback: "web"},
	} {
		if _, err := e.Ask(t.Context(), q); !errors.Is(err, assay.ErrBadQuery) {
			t.Errorf("%.20q: %v", q.Question, err)
		}
	}
	if _, err := e.Ask(t.Context(), assay.Query{Question: "broken \xff\xfe utf-8"}); err != nil {
		t.Error(err)
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := assay.New(assay.Parts{}, nil); err == nil || !strings.Contains(err.Error(), "part Retriever") || !strings.Contains(err.Error(), "part Checker") {
		t.Errorf("all missing parts should be named: %v", err)
	}
	for _, o := range []assay.Options{
		{Thresholds: &assay.Thresholds{Upper: 0.3, Lower: 0.6}}, {Thresholds: &assay.Thresholds{Upper: 75, Lower: 35}},
		{Narrow: 60}, {Wide: -1}, {Strips: -1}, {Fallback: "web"},
	} {
		if _, err := assay.New(assaytest.Parts("x"), &o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func TestTimeBudgetEndsHonestly(t *testing.T) {
	parts := assaytest.Parts()
	parts.Retriever = assay.RetrieverFunc(func(ctx context.Context, _ assay.Search) ([]assay.Passage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	a, err := newEngine(t, parts).Ask(t.Context(), assay.Query{Question: "how long is leave?", Budget: assay.Budget{Time: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	if a.Outcome != assay.Abstained || codes(a) != "budget nothing_found" {
		t.Errorf("%s %v", a.Outcome, a.Reasons)
	}
	checkPromises(t, a)
}

func TestCallerCancels(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	parts := assaytest.Parts()
	parts.Retriever = assay.RetrieverFunc(func(context.Context, assay.Search) ([]assay.Passage, error) {
		cancel()
		return nil, nil
	})
	if _, err := newEngine(t, parts).Ask(ctx, assay.Query{Question: "q"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestStream(t *testing.T) {
	e := newEngine(t, assaytest.Parts("0.9 Leave lasts 26 weeks."))
	var kinds []string
	var last assay.Event
	for ev, err := range e.Stream(t.Context(), assay.Query{Question: "how long is leave?"}) {
		if err != nil {
			t.Fatal(err)
		}
		kinds, last = append(kinds, string(ev.Kind)+" "+string(ev.Step)), ev
	}
	want := "started route,done route,started retrieve,done retrieve,started grade,done grade,started refine,done refine,started answer,done answer,started finish,done finish,answer "
	if got := strings.Join(kinds, ","); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if last.Answer == nil || last.Answer.Outcome != assay.Answered {
		t.Errorf("the last event is %+v", last)
	}
	for range e.Stream(t.Context(), assay.Query{Question: "q"}) {
		break // leaving the range must neither panic nor yield again
	}
	var failed error
	for _, err := range e.Stream(t.Context(), assay.Query{}) {
		failed = err
	}
	if !errors.Is(failed, assay.ErrBadQuery) {
		t.Errorf("got %v", failed)
	}
}

func TestSameInputSameAnswer(t *testing.T) {
	e := newEngine(t, assaytest.Parts("0.9 a b.", "0.9 c d.", "0.5 e f."))
	var first *assay.Answer
	for range 20 {
		a, err := e.Ask(t.Context(), assay.Query{Question: "q"})
		if err != nil {
			t.Fatal(err)
		}
		a.Usage.Elapsed = 0
		for i := range a.Steps {
			a.Steps[i].Elapsed = 0
		}
		if first == nil {
			first = a
		}
		if diff := cmp.Diff(first, a); diff != "" {
			t.Fatal(diff)
		}
	}
}

// BenchmarkLoop measures the loop's own overhead, with parts that take no time.
func BenchmarkLoop(b *testing.B) {
	texts := make([]string, 10)
	for i := range texts {
		texts[i] = "0.9 Leave lasts 26 weeks. It is paid in full."
	}
	e := newEngine(b, assaytest.Parts(texts...))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Ask(b.Context(), assay.Query{Question: "how long is leave?"}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}

func TestRefineKeepsListsWhole(t *testing.T) {
	const doc = "Above.\n\nYou may not:\n\n- smoke\n- 0.90 drink\n\nBelow."
	parts := assaytest.Parts()
	parts.Retriever = assay.RetrieverFunc(func(context.Context, assay.Search) ([]assay.Passage, error) {
		return []assay.Passage{{Document: "d", Text: doc, End: len(doc)}}, nil
	})
	parts.Grader = gradeByMark{}
	e, err := assay.New(parts, &assay.Options{Strips: 1})
	if err != nil {
		t.Fatal(err)
	}
	a, err := e.Ask(t.Context(), assay.Query{Question: "how long is leave?"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "You may not: [1] - smoke [1] - 0.90 drink [1]"; a.Text != want {
		t.Errorf("got %q, want %q", a.Text, want)
	}
}

// gradeByMark grades texts high that hold "0.90".
type gradeByMark struct{}

func (gradeByMark) Grade(_ context.Context, _ assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	a := assay.Assessment{}
	for range passages {
		a.Grades = append(a.Grades, assay.Grade{Score: 0.9})
	}
	return a, nil
}

func (gradeByMark) GradeStrips(_ context.Context, _ assay.Query, strips []assay.Strip) ([]assay.Grade, error) {
	out := make([]assay.Grade, len(strips))
	for i, s := range strips {
		if strings.Contains(s.Text, "0.90") {
			out[i].Score = 0.9
		}
	}
	return out, nil
}
