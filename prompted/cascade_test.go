package prompted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

// graderFunc is a grader that remembers which documents it was asked about.
type graderFunc struct {
	say    assay.Assessment
	err    error
	asked  []string
	strips int
}

func (g *graderFunc) Grade(_ context.Context, _ assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	for _, p := range passages {
		g.asked = append(g.asked, p.Document)
	}
	return g.say, g.err
}

func (g *graderFunc) GradeStrips(_ context.Context, _ assay.Query, strips []assay.Strip) ([]assay.Grade, error) {
	g.strips += len(strips)
	return make([]assay.Grade, len(strips)), nil
}

func scores(s ...float64) assay.Assessment {
	a := assay.Assessment{}
	for _, x := range s {
		a.Grades = append(a.Grades, assay.Grade{Score: x, Undetermined: x < 0})
	}
	return a
}

func TestCascadeAsksOnlyWhereUnsure(t *testing.T) {
	passages := []assay.Passage{{Document: "a"}, {Document: "b"}, {Document: "c"}, {Document: "d"}}
	spent := fmt.Errorf("%w: calls", llm.ErrSpent)
	for _, c := range []struct {
		name  string
		first graderFunc
		then  graderFunc
		asked string
		want  string
		is    error
	}{
		{"one is good enough", graderFunc{say: scores(0.5, 0.75, 0.4, 0)}, graderFunc{}, "", "0.5, 0.75, 0.4, 0", nil},
		{"all are poor", graderFunc{say: scores(0.1, 0.34, 0, 0.2)}, graderFunc{}, "", "0.1, 0.34, 0, 0.2", nil},
		{"the boundary is unsure", graderFunc{say: scores(0.1, 0.35, 0, 0.74)}, graderFunc{say: scores(0.9, 0.2)}, "b d", "0.1, 0.9, 0, 0.2", nil},
		{"what the first failed on", graderFunc{say: scores(0.1, -1, 0.5, 0)}, graderFunc{say: scores(0.8, 0.3)}, "b c", "0.1, 0.8, 0.3, 0", nil},
		{"the second fails on one", graderFunc{say: scores(0.1, 0.4, 0.5, 0)}, graderFunc{say: scores(-1, 0.3)}, "b c", "0.1, 0.4, 0.3, 0", nil},
		{"the second fails", graderFunc{say: scores(0.1, 0.4, 0.5, 0)}, graderFunc{err: errors.New("down")}, "b c", "0.1, 0.4, 0.5, 0", nil},
		{"the budget is spent", graderFunc{say: scores(0.1, 0.4, 0.5, 0)}, graderFunc{err: spent}, "b c", "0.1, 0.4, 0.5, 0", nil},
		{"the second returns too few", graderFunc{say: scores(0.1, 0.4, 0.5, 0)}, graderFunc{say: scores(0.9)}, "b c", "0.1, 0.4, 0.5, 0", nil},
		{"the first fails", graderFunc{err: errors.New("no weights")}, graderFunc{say: scores(0.1, 0.4, 0.5, 0)}, "a b c d", "0.1, 0.4, 0.5, 0", nil},
		{"the first has no budget", graderFunc{err: spent}, graderFunc{}, "", "", llm.ErrSpent},
		{"both fail", graderFunc{err: errors.New("no weights")}, graderFunc{err: spent}, "a b c d", "", llm.ErrSpent},
	} {
		a, err := NewCascade(&c.first, &c.then, nil).Grade(t.Context(), leave, passages)
		if got := gradesText(a.Grades); got != c.want || !matches(err, c.is) {
			t.Errorf("%s: got %s, %v; want %s, %v", c.name, got, err, c.want, c.is)
		}
		if got := strings.Join(c.then.asked, " "); got != c.asked {
			t.Errorf("%s: the second was asked about %q, want %q", c.name, got, c.asked)
		}
	}
}

func TestCascadeMerges(t *testing.T) {
	passages := []assay.Passage{{Document: "a"}, {Document: "b"}, {Document: "c"}, {Document: "d"}}
	strip := func(score float64) []assay.Grade { return []assay.Grade{{Score: score}} }
	first := &graderFunc{say: scores(0.1, 0.4, 0.5, 0.2)}
	first.say.Strips = [][]assay.Grade{strip(0.1), strip(0.4), strip(0.5), nil}
	first.say.Conflicts = []assay.Conflict{{A: 1, B: 2, Note: "by words"}, {A: 0, B: 1, Note: "kept"}}
	first.say.Missing = "by words"
	then := &graderFunc{say: scores(0.9, 0.3)}
	then.say.Strips = [][]assay.Grade{strip(0.9), nil}
	then.say.Conflicts = []assay.Conflict{{A: 1, B: 0, Stale: true, Note: "by the judge"}, {A: 0, B: 7}}
	then.say.Missing = "the year"
	before := cmp.Diff(nil, first.say)

	a, err := NewCascade(first, then, &assay.Thresholds{Upper: 0.8, Lower: 0.3}).Grade(t.Context(), leave, passages)
	want := scores(0.1, 0.9, 0.3, 0.2)
	want.Strips = [][]assay.Grade{strip(0.1), strip(0.9), nil, nil}
	want.Conflicts = []assay.Conflict{{A: 0, B: 1, Note: "kept"}, {A: 2, B: 1, Stale: true, Note: "by the judge"}}
	want.Missing = "the year"
	if diff := cmp.Diff(want, a); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if cmp.Diff(nil, first.say) != before {
		t.Error("it changes what the first grader holds")
	}
	if _, err := NewCascade(first, then, nil).GradeStrips(t.Context(), leave, make([]assay.Strip, 3)); err != nil || first.strips != 3 || then.strips != 0 {
		t.Errorf("strips: %v; %d to the first, %d to the second", err, first.strips, then.strips)
	}
}

// A judge that fails behind another grader or checker changes nothing and is no error,
// however it fails; the bill's calls tell of it. Only where both fail there is an error,
// that of either.
func TestCascadesOutliveTheirJudge(t *testing.T) {
	down := &llm.Error{Kind: llm.Unreachable, Message: "connection refused"}
	passages, strips := handbook(), assay.StripsOf(handbook()[0])
	claims := []string{"A clerk has 26 days of leave.", "It is taken by March."}
	for name, replies := range map[string][]any{
		"down": {down, down}, "prose": {"It is fine.", "It is fine."}, "nothing": {"", ""}, "refusing": {llm.Reply{Finish: llm.FinishRefused}, llm.Reply{Finish: llm.FinishRefused}},
	} {
		meter := llm.NewMeter(llm.Budget{})
		ctx := llm.WithMeter(t.Context(), meter)
		judge := func() *Judge {
			return NewJudge(llm.Metered(llmtest.InTurn(replies...), llm.MeterOptions{Name: "judge"}), nil)
		}
		recorded := func(what string) {
			t.Helper()
			calls := meter.Calls()
			if len(calls) == 0 || calls[len(calls)-1].Error == "" {
				t.Errorf("%s, %s: the calls %+v tell of no failure", name, what, calls)
			}
		}

		sure := &graderFunc{say: scores(0.1, 0.4, 0.5)}
		a, err := NewCascade(sure, judge(), nil).Grade(ctx, leave, passages)
		if got := gradesText(a.Grades); err != nil || got != "0.1, 0.4, 0.5" {
			t.Errorf("%s: graded %s, %v", name, got, err)
		}
		recorded("grading")
		says := func(string) assay.Finding {
			return assay.Finding{Support: assay.PartiallySupported, Score: 0.6, Evidence: []int{1}}
		}
		findings, err := NewCheckCascade(&checkerFunc{say: says}, judge()).Check(ctx, claims, strips)
		if err != nil || len(findings) != 2 || findings[1].Support != assay.PartiallySupported || findings[1].Score != 0.6 {
			t.Errorf("%s: found %+v, %v", name, findings, err)
		}
		recorded("checking")
		findings, err = NewCheckElse(judge(), &checkerFunc{say: says}).Check(ctx, claims, strips)
		if err != nil || len(findings) != 2 || findings[0].Support != assay.PartiallySupported {
			t.Errorf("%s: found instead %+v, %v", name, findings, err)
		}

		weights := errors.New("no weights")
		if _, err := NewCascade(&graderFunc{err: weights}, judge(), nil).Grade(ctx, leave, passages); !errors.Is(err, weights) || llm.KindOf(err) == "" {
			t.Errorf("%s, and no other grade: %v", name, err)
		}
		if _, err := NewCheckCascade(&checkerFunc{say: says, err: weights}, judge()).Check(ctx, claims, strips); !errors.Is(err, weights) || llm.KindOf(err) == "" {
			t.Errorf("%s, and no other check: %v", name, err)
		}
		if _, err := NewCheckElse(judge(), &checkerFunc{say: says, err: weights}).Check(ctx, claims, strips); !errors.Is(err, weights) || llm.KindOf(err) == "" {
			t.Errorf("%s, and nothing instead: %v", name, err)
		}
	}
}

// checkerFunc is a checker that remembers what it was asked.
type checkerFunc struct {
	say   func(claim string) assay.Finding
	err   error
	asked []string
}

func (c *checkerFunc) Check(_ context.Context, claims []string, _ []assay.Strip) ([]assay.Finding, error) {
	c.asked = append(c.asked, claims...)
	var out []assay.Finding
	for _, claim := range claims {
		out = append(out, c.say(claim))
	}
	return out, c.err
}

func TestCheckCascade(t *testing.T) {
	of := func(s assay.Support) func(string) assay.Finding {
		return func(claim string) assay.Finding {
			if claim == "plain" {
				return assay.Finding{Support: assay.Supported, Score: 0.9}
			}
			return assay.Finding{Support: s, Score: 0.5}
		}
	}
	for _, c := range []struct {
		name        string
		first, then *checkerFunc
		want        assay.Support // of the other claim
		asked       []string      // of the second checker
	}{
		{"the second one decides", &checkerFunc{say: of(assay.Unsupported)}, &checkerFunc{say: of(assay.Supported)}, assay.Supported, []string{"other"}},
		{"it isn't asked about what is supported", &checkerFunc{say: of(assay.Supported)}, &checkerFunc{say: of(assay.Unsupported)}, assay.Supported, nil},
		{"its failure changes nothing", &checkerFunc{say: of(assay.PartiallySupported)}, &checkerFunc{say: of(assay.Supported), err: errors.New("down")}, assay.PartiallySupported, []string{"other"}},
		{"nor does what it can't tell", &checkerFunc{say: of(assay.Unsupported)}, &checkerFunc{say: of(assay.SupportUndetermined)}, assay.Unsupported, []string{"other"}},
		{"the first one fails", &checkerFunc{say: of(assay.Unsupported), err: errors.New("down")}, &checkerFunc{say: of(assay.Supported)}, assay.Supported, []string{"plain", "other"}},
	} {
		findings, err := NewCheckCascade(c.first, c.then).Check(t.Context(), []string{"plain", "other"}, make([]assay.Strip, 1))
		if err != nil || findings[0].Support != assay.Supported || findings[1].Support != c.want || !slices.Equal(c.then.asked, c.asked) {
			t.Errorf("%s: %v, %v, asked %v", c.name, findings, err, c.then.asked)
		}
	}
}

func TestCheckElse(t *testing.T) {
	of := func(other assay.Support) func(string) assay.Finding {
		return func(claim string) assay.Finding {
			if claim == "plain" {
				return assay.Finding{Support: assay.Supported, Score: 0.9}
			}
			return assay.Finding{Support: other, Score: 0.5}
		}
	}
	for _, c := range []struct {
		name             string
		first, otherwise *checkerFunc
		want             assay.Support // of the other claim
		asked            []string      // of the one that stands in
	}{
		{"what the first says stands", &checkerFunc{say: of(assay.Contradicted)}, &checkerFunc{say: of(assay.Supported)}, assay.Contradicted, nil},
		{"where it can't tell the other does", &checkerFunc{say: of(assay.SupportUndetermined)}, &checkerFunc{say: of(assay.Unsupported)}, assay.Unsupported, []string{"other"}},
		{"where it fails the other checks all", &checkerFunc{say: of(assay.Supported), err: errors.New("down")}, &checkerFunc{say: of(assay.Unsupported)}, assay.Unsupported, []string{"plain", "other"}},
	} {
		findings, err := NewCheckElse(c.first, c.otherwise).Check(t.Context(), []string{"plain", "other"}, make([]assay.Strip, 1))
		if err != nil || findings[1].Support != c.want || !slices.Equal(c.otherwise.asked, c.asked) {
			t.Errorf("%s: %v, %v, asked %v", c.name, findings, err, c.otherwise.asked)
		}
	}
}
