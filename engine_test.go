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
		if rng.IntN(3) == 0 {
			parts.Quoter = &assaytest.Answerer{}
		}
		if rng.IntN(2) == 0 {
			parts.Fallback = &assaytest.Retriever{Default: some(), Err: maybe()}
		}
		modes := []assay.Mode{"", assay.ModeStandard, assay.ModeCorrective, assay.ModeReflective, assay.ModeFull}
		budget := assay.Budget{Searches: rng.IntN(6), Drafts: rng.IntN(4)}
		q := assay.Query{Question: "how long is leave?", Mode: modes[rng.IntN(len(modes))], Budget: budget}
		q.Streaming = []assay.Streaming{assay.StreamNothing, assay.StreamDraft, assay.StreamVerified}[rng.IntN(3)]
		parts.Answerer.(*assaytest.Answerer).AtOnce = rng.IntN(4) == 0
		a, told := hear(t, newEngine(t, parts), q)
		checkPromises(t, a)
		checkTold(t, a, q, told)
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

// A table and a block of code are one claim each, and shown whole.
func TestTablesAndCodeStayWhole(t *testing.T) {
	parts := assaytest.Parts("0.9 a.")
	table, code := "| a | b |\n|---|---|\n| 1 | 2 |", "~~~\nx := 1\n\n```\ny := 2\n~~~"
	parts.Answerer = &assaytest.Answerer{Drafts: []assay.Draft{{Segments: []assay.Segment{
		{Text: table, Cites: []int{0}, Line: true}, {Text: code, Cites: []int{0}, Line: true},
	}}}}
	a, err := newEngine(t, parts).Ask(t.Context(), assay.Query{Question: "how long is leave?"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Text != table+"\n[1]\n"+code+"\n[1]" || len(a.Claims) != 2 {
		t.Errorf("%d claims: %q", len(a.Claims), a.Text)
	}
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
	if a.Outcome != assay.Abstained || codes(a) != "budget" {
		t.Errorf("%s %v", a.Outcome, a.Reasons)
	}
	checkPromises(t, a)
}

// TestShortSearch tells the reader, once, that a source could not search fully,
// and flags nothing for it.
func TestShortSearch(t *testing.T) {
	parts := assaytest.Parts()
	parts.Retriever = &assaytest.Retriever{Default: []string{"0.9 Leave lasts 26 weeks."}, Short: "half of the passages have no vector yet"}
	e := newEngine(t, parts)
	a, err := e.Ask(t.Context(), assay.Query{Question: "how long is leave?"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Outcome != assay.Answered || codes(a) != "search_short" {
		t.Errorf("ask: %s %v", a.Outcome, a.Reasons)
	}
	c, err := e.Check(t.Context(), assay.CheckRequest{Text: "Leave lasts 26 weeks. It is paid in full."})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Reasons) != 1 || c.Reasons[0].Code != assay.ReasonSearchShort {
		t.Errorf("check: %v", c.Reasons)
	}
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
