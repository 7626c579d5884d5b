package eval

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

// checkerFunc checks one claim at a time.
type checkerFunc func(claim string, evidence []assay.Strip) (assay.Finding, error)

func (f checkerFunc) Check(_ context.Context, claims []string, evidence []assay.Strip) ([]assay.Finding, error) {
	var out []assay.Finding
	for _, c := range claims {
		finding, err := f(c, evidence)
		if err != nil {
			return nil, err
		}
		out = append(out, finding)
	}
	return out, nil
}

// checked is the one system under test.
func checked(f checkerFunc) []SupportSystem { return []SupportSystem{{Name: "made", Checker: f}} }

// verbatim supports what stands in the evidence word for word.
func verbatim(claim string, evidence []assay.Strip) (assay.Finding, error) {
	for i, s := range evidence {
		if strings.Contains(s.Text, claim) {
			return assay.Finding{Support: assay.Supported, Score: 0.95, Evidence: []int{i}}, nil
		}
	}
	if len(evidence) == 0 {
		return assay.Finding{Support: assay.Unsupported, Score: 0}, nil
	}
	return assay.Finding{Support: assay.Contradicted, Score: 0.4}, nil
}

func TestSupport(t *testing.T) {
	r, err := Support(t.Context(), load(t, "own_support.jsonl"), checked(verbatim), &Options{Worst: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := r.Systems[0]
	if want := (Counts{Part: PartAll, Items: 3, Positives: 1, Measured: 3, Groups: 2}); r.Counts != want {
		t.Errorf("counts are %+v, want %+v", r.Counts, want)
	}
	if f.AUROC.Value != 1 || f.Labelled.BalancedAccuracy.Value != 1 || f.Labelled.Accuracy.Value != 1 {
		t.Errorf("quality is %+v, labels %+v; want all right", f.Figures, f.Labelled)
	}
	// At 0.35 the contradicted claim passes: one of two negatives.
	if got := f.At[0].BalancedAccuracy.Value; got != 0.75 {
		t.Errorf("balanced accuracy at 0.35 is %v, want 0.75", got)
	}
	want := []FindingCount{
		{assay.Supported, 1, 0}, {assay.PartiallySupported, 0, 0}, {assay.Unsupported, 0, 1},
		{assay.Contradicted, 0, 1}, {assay.SupportUndetermined, 0, 0},
	}
	if !slices.Equal(f.Findings, want) {
		t.Errorf("findings are %+v, want %+v", f.Findings, want)
	}
	if len(r.Worst) != 1 || r.Worst[0].Subject != "The sauna costs 5 euros." {
		t.Errorf("the worst is %+v", r.Worst)
	}
}

// supportSet has n claims, every second one supported, each of a group of its
// own.
func supportSet(n int) *Set {
	set := &Set{Name: "made"}
	for i := range n {
		set.Support = append(set.Support, SupportItem{
			Claim: fmt.Sprintf("claim %d.", i), Group: fmt.Sprint(i), Positive: i%2 == 0,
			Evidence: strips("d", "", []string{fmt.Sprintf("claim %d.", i-i%2)}),
		})
	}
	return set
}

func TestSupportFailures(t *testing.T) {
	r, err := Support(t.Context(), supportSet(12), checked(func(claim string, evidence []assay.Strip) (assay.Finding, error) {
		switch claim {
		case "claim 0.":
			return assay.Finding{}, errors.New("no model")
		case "claim 2.":
			return assay.Finding{Support: assay.SupportUndetermined}, nil
		case "claim 3.":
			return assay.Finding{Support: "perhaps"}, nil
		case "claim 5.":
			return assay.Finding{Support: assay.Supported, Score: -1}, nil
		}
		return verbatim(claim, evidence)
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := r.Systems[0]
	if want := (Failures{4, []string{"no model", "found undetermined", `unknown support "perhaps"`, "score -1 is not in [0, 1]"}}); !reflect.DeepEqual(f.Undetermined, want) {
		t.Errorf("failures are %+v, want %+v", f.Undetermined, want)
	}
	if f.AUROC.Value != 1 || f.Labelled.Accuracy.Value != 1 || r.Groups != 8 {
		t.Errorf("AUROC %v, labels %v, %d groups: failures moved the figures", f.AUROC, f.Labelled, r.Groups)
	}
	if want := (FindingCount{assay.SupportUndetermined, 2, 2}); f.Findings[4] != want {
		t.Errorf("undetermined are %+v, want %+v", f.Findings[4], want)
	}
	_, err = Support(t.Context(), supportSet(4), checked(func(string, []assay.Strip) (assay.Finding, error) {
		return assay.Finding{}, errors.New("no model")
	}), nil)
	if err == nil || !strings.Contains(err.Error(), "eval support: made failed on all 4 items; the first: no model") {
		t.Errorf("error is %v", err)
	}
}
