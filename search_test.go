package assay_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/assaytest"
)

func TestSearchGradesAndGeneratesNothing(t *testing.T) {
	parts := assaytest.Parts("0.10 lunch.", "0.90 leave.", "0.50 holidays.")
	answerer := &assaytest.Answerer{}
	parts.Answerer = answerer
	got, err := newEngine(t, parts).Search(t.Context(), assay.Query{Question: "how long is leave?"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Verdict != assay.Correct || len(got.Passages) != 3 || got.Passages[0].Text != "0.90 leave." || got.Passages[2].Kept {
		t.Errorf("%+v", got)
	}
	if len(answerer.Asked) != 0 || got.Usage.Searches != 1 {
		t.Errorf("asked the answerer %d times, searched %d times", len(answerer.Asked), got.Usage.Searches)
	}
}

func TestSearchOfNothingSaysWhy(t *testing.T) {
	got, err := newEngine(t, assaytest.Parts()).Search(t.Context(), assay.Query{Question: "q"})
	if err != nil || got.Verdict != assay.Incorrect || len(got.Reasons) != 1 || got.Reasons[0].Code != assay.ReasonNothingFound {
		t.Errorf("%+v, %v", got, err)
	}
	parts := assaytest.Parts("0.9 a.")
	parts.Grader = &assaytest.Grader{Err: errors.New("timeout")}
	got, err = newEngine(t, parts).Search(t.Context(), assay.Query{Question: "q"})
	if err != nil || got.Verdict != assay.Undetermined || got.Passages[0].Score != nil {
		t.Errorf("a failed grader grades nothing: %+v, %v", got, err)
	}
}

func TestCheck(t *testing.T) {
	e := newEngine(t, assaytest.Parts("Leave lasts 26 weeks.", "It is paid."))
	got, err := e.Check(t.Context(), assay.CheckRequest{Text: "# Leave\n\nIt lasts 26 weeks. This is contradicted.\n\n- Partial pay.\n"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Grounded || len(got.Claims) != 3 || got.Usage.Searches != 3 {
		t.Fatalf("%+v", got)
	}
	if c := got.Claims[0]; c.Support != assay.Supported || len(c.Citations) != 1 || got.Citations[0].Quote != "Leave lasts 26 weeks." {
		t.Errorf("%+v, %+v", c, got.Citations)
	}
	if got.Claims[1].Support != assay.Contradicted {
		t.Errorf("%+v", got.Claims[1])
	}
	if len(got.Citations) != 1 {
		t.Errorf("the same evidence is cited once: %+v", got.Citations)
	}
}

func TestCheckChecksHeadingsThatClaim(t *testing.T) {
	e := newEngine(t, assaytest.Parts("Leave lasts 26 weeks."))
	for text, claims := range map[string]int{
		"#1 fact: leave is contradicted.":                                  1,
		"# Leave costs 900 euros, contradicted":                            1,
		"## Leave\n\nLeave lasts 26 weeks.":                                1,
		"## What contradicted leave means to you\n\nLeave lasts 26 weeks.": 2,
	} {
		got, err := e.Check(t.Context(), assay.CheckRequest{Text: text})
		if err != nil || len(got.Claims) != claims || got.Grounded == strings.Contains(text, "contradicted") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestCheckBeyondTheBudgetIsUndetermined(t *testing.T) {
	parts := assaytest.Parts()
	calls := 0
	parts.Retriever = assay.RetrieverFunc(func(ctx context.Context, _ assay.Search) ([]assay.Passage, error) {
		if calls++; calls > 1 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return assaytest.Passages("Leave lasts 26 weeks."), nil
	})
	e, err := assay.New(parts, &assay.Options{Budget: assay.Budget{Time: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Check(t.Context(), assay.CheckRequest{Text: "It lasts. It is paid. It is long."})
	if err != nil {
		t.Fatal(err)
	}
	if got.Grounded || len(got.Claims) != 3 || got.Claims[0].Support != assay.Supported || got.Claims[2].Support != assay.SupportUndetermined ||
		len(got.Reasons) != 1 || got.Reasons[0].Code != assay.ReasonBudget {
		t.Errorf("%+v", got)
	}
}

// A check must never pass because it had nothing to check, or nothing to check
// it against.
func TestCheckNeverPassesVacuously(t *testing.T) {
	e := newEngine(t, assaytest.Parts("Leave lasts 26 weeks."))
	for name, c := range map[string]assay.CheckRequest{
		"no claim":    {Text: " \n"},
		"courtesies":  {Text: "Is it so?\n\nThanks! OK. [1]"},
		"no evidence": {Text: "It lasts 26 weeks.", Evidence: []assay.Passage{}},
	} {
		got, err := e.Check(t.Context(), c)
		if err != nil || got.Grounded {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	parts := assaytest.Parts("Leave lasts 26 weeks.")
	parts.Checker = &assaytest.Checker{Err: errors.New("timeout")}
	if got, err := newEngine(t, parts).Check(t.Context(), assay.CheckRequest{Text: "It lasts."}); err == nil {
		t.Errorf("a failed check passed: %+v", got)
	}
	if _, err := e.Check(t.Context(), assay.CheckRequest{Text: strings.Repeat("a ", assay.MaxChecked)}); !errors.Is(err, assay.ErrBadQuery) {
		t.Errorf("got %v", err)
	}
}
