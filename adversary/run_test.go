package adversary

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-rag/assay"
)

func TestFault(t *testing.T) {
	c := Case{
		Expect: assay.Abstained, AlsoOK: []assay.Outcome{assay.Partial},
		MustContain: []string{"35 days", "not"}, MustNotContain: []string{"70 days"},
	}
	tests := []struct {
		outcome assay.Outcome
		answer  string
		want    string
	}{
		{assay.Abstained, "I don't know; 70 days?", ""}, // nothing is shown
		{assay.Partial, "They aren't kept: thirty-five, I mean 35  Days.", ""},
		{assay.Partial, "They cannot be kept for 35 days.", ""},
		{assay.Partial, "They are kept for 135 days, not more.", "lacks 35 days"},
		{assay.Partial, "They are kept for 35 days.", "lacks not"},
		{assay.Partial, "For 35 days, not for 70 days.", "says 70 days"},
		{assay.Answered, "They are not kept for 35 days.", "should be abstained"},
	}
	for _, test := range tests {
		if got := c.Fault(test.outcome, test.answer); got != test.want {
			t.Errorf("%s %q: %q, not %q", test.outcome, test.answer, got, test.want)
		}
	}
}

func TestContains(t *testing.T) {
	tests := []struct {
		answer, s string
		want      bool
	}{
		{"up to 5,000 alarms", "5000 alarms", true},
		{"two years", "2 years", true},
		{"99.5 % a month", "99.5%", true},
		{"15 days", "5 days", false},
		{"1.5 kg", "5 kg", false},
		{"It costs €29.", "€29", true},
		{"It costs €290.", "€29", false},
		{"version 1.2.3", "1.2", false},
		{"", "x", false},
		{"x", "", false},
	}
	for _, test := range tests {
		if got := contains(test.answer, test.s); got != test.want {
			t.Errorf("%q in %q: %v", test.s, test.answer, got)
		}
	}
}

// askerFunc answers by a function.
type askerFunc func(question string) (*assay.Answer, error)

func (f askerFunc) Ask(_ context.Context, q assay.Query) (*assay.Answer, error) { return f(q.Question) }

func TestRun(t *testing.T) {
	no, yes := false, true
	cases := []Case{
		{ID: "c1", Question: "right", Kind: Control, Expect: assay.Answered, Accepted: &yes},
		{ID: "c2", Question: "right too", Kind: Control, Expect: assay.Answered},
		{ID: "s1", Question: "wrong", Kind: Stale, Expect: assay.Partial},
		{ID: "s2", Question: "right", Kind: Stale, Expect: assay.Answered},
		{ID: "n1", Question: "breaks", Kind: "of my own", Expect: assay.Abstained},
		{ID: "x", Question: "refused", Kind: Stale, Expect: assay.Answered, Accepted: &no},
	}
	var asked []string
	done := 0
	report, err := Run(t.Context(), askerFunc(func(q string) (*assay.Answer, error) {
		asked = append(asked, q)
		if q == "breaks" {
			return nil, errors.New("down")
		}
		return &assay.Answer{Outcome: assay.Answered, Text: "Yes."}, nil
	}), assay.Query{}, cases, func(n, total int) { done, _ = n, total })
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"right", "right too", "wrong", "right", "breaks"}; !cmp.Equal(asked, want) || done != 5 {
		t.Errorf("%q were asked, %d done", asked, done)
	}
	var kinds []string
	for _, k := range report.Kinds {
		kinds = append(kinds, string(k.Kind))
	}
	if want := []string{"of my own", "stale", "control"}; !cmp.Equal(kinds, want) {
		t.Errorf("in the order %q, not the worst first", kinds)
	}
	if n := report.Total; n.Asked != 4 || n.Right != 3 || n.Failed != 1 || n.Rate != 0.75 {
		t.Errorf("in total %+v", n)
	}
	var table bytes.Buffer
	if err := report.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"failed: down", "answered, and should be partial: Yes.", "all "} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, table.String())
		}
	}
}

// TestRunEnds holds that the end of the context ends a run, with no report of half
// of it.
func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, askerFunc(func(string) (*assay.Answer, error) {
		cancel()
		return nil, ctx.Err()
	}), assay.Query{}, []Case{{Question: "a"}, {Question: "b"}}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// TestWilson holds the interval to a published one: 1 of 10 gives 0.018 to 0.404
// (Brown, Cai and DasGupta 2001, by the formula of their section 3.1.1).
func TestWilson(t *testing.T) {
	k := KindReport{Asked: 10, Right: 1}
	k.estimate()
	if math.Abs(k.Low-0.0179) > 5e-4 || math.Abs(k.High-0.4042) > 5e-4 {
		t.Errorf("%.4f to %.4f", k.Low, k.High)
	}
	none := KindReport{}
	none.estimate()
	if none.Low != 0 || none.High != 1 {
		t.Errorf("of none: %.2f to %.2f", none.Low, none.High)
	}
}

func TestReadWrite(t *testing.T) {
	no := false
	cases := []Case{
		{ID: "a-1", Question: "a < b?", Kind: Stale, Expect: assay.Answered, MustContain: []string{"x"}, MustNotContain: []string{}, Documents: []string{}, Places: []Place{{Document: "d", Text: "t", End: 1}}, Accepted: &no},
		{ID: "a-2", Question: "c?", Kind: "mine", Expect: assay.Partial, AlsoOK: []assay.Outcome{assay.Abstained}, MustContain: []string{}, MustNotContain: []string{}, Documents: []string{}, Places: []Place{}},
	}
	var b bytes.Buffer
	if err := Write(&b, cases); err != nil {
		t.Fatal(err)
	}
	got, err := Read(strings.NewReader("\ufeff" + strings.ReplaceAll(b.String(), "\n", "\r\n\n")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(cases, got, cmp.AllowUnexported(Case{})); diff != "" {
		t.Error(diff)
	}
	for row, want := range map[string]string{
		"{": "line 1",
		`{"question":"a","kind":"stale","expect":"perhaps"}`:                           "no outcome",
		"\n" + `{"kind":"stale","expect":"answered"}`:                                  `line 2: "question"`,
		`{"question":"a","expect":"answered"}`:                                         `"kind"`,
		`{"question":"a","kind":"stale","expect":"answered","also_ok":["of course"]}`:  "no outcome",
		`{"question":"` + strings.Repeat("a", maxRow) + `","kind":"k","expect":"none"`: "line 1",
	} {
		if _, err := Read(strings.NewReader(row)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, without %q", row, err, want)
		}
	}
}
