package eval

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

// gateWith is a run of the gate on n groups, in which a grader is wrong about the first
// few.
func gateWith(t *testing.T, n, wrong int, systems ...GateSystem) *GateReport {
	t.Helper()
	grader := graderFunc(func(q string, p assay.Passage) (assay.Grade, error) {
		g, err := oracle(q, p)
		for i := range wrong {
			if strings.HasPrefix(p.Text, fmt.Sprintf("passage %d ", i)) {
				g.Score = 1 - g.Score
			}
		}
		return g, err
	})
	r, err := Gate(t.Context(), gateSet(n), append(graded(grader), systems...), &Options{Resamples: 50, Scores: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBaselineReportsComeBack(t *testing.T) {
	all := []Report{}
	for name, r := range reports(t) {
		all = append(all, r)
		all[len(all)-1] = comesBack(t, name, r)
	}
	comesBack(t, "together", Summarise(all))
	comesBack(t, "none", Summarise([]Report{}))
	comesBack(t, "with scores", gateWith(t, 20, 1))
}

func comesBack(t *testing.T, name string, r Report) Report {
	t.Helper()
	var first, second bytes.Buffer
	if err := WriteJSON(&first, r); err != nil {
		t.Fatal(err)
	}
	back, err := ReadReport(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := WriteJSON(&second, back); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Errorf("%s comes back as\n%s", name, second.String())
	}
	return back
}

func TestBaselineRefusesWhatIsNoReport(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "EOF"},
		{"[1, 2]", "cannot unmarshal"},
		{"{}", `there is no task ""`},
		{`{"task": "cooking"}`, `there is no task "cooking"`},
		{`{"task": "gate", "items": "many"}`, "gate: json"},
		{`{"reports": [{"task": "gate"}, {"task": 3}]}`, "cannot unmarshal"},
		{`{"reports": [7]}`, "cannot unmarshal"},
	} {
		if _, err := ReadReport(strings.NewReader(c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q", c.in, err, c.want)
		}
	}
}

// TestBaselineOfItself compares each kind of report with itself: all is there, nothing
// is worse.
func TestBaselineOfItself(t *testing.T) {
	for name, r := range reports(t) {
		if c := Compare(r, r, 0); !c.OK() || c.Compared < 4 || len(c.New) > 0 {
			t.Errorf("%s beside itself: %+v", name, c)
		}
	}
}

func TestBaselineFindsWhatIsWorse(t *testing.T) {
	before, now := gateWith(t, 40, 0), gateWith(t, 40, 10)
	c := Compare(before, now, 0.02)
	byName := map[string]Drop{}
	for _, d := range c.Worse {
		byName[d.Figure] = d
	}
	auroc, brier := byName["AUROC"], byName["Brier"]
	if auroc.By <= 0.02 || auroc.Before.Value != 1 || auroc.Task != TaskGate || auroc.Set != "made" || auroc.System != "made" {
		t.Errorf("AUROC: %+v", auroc)
	}
	if brier.By <= 0.02 || brier.Now.Value <= brier.Before.Value {
		t.Errorf("a higher Brier score is not worse: %+v", brier)
	}
	for figure, d := range byName {
		if d.Paired == nil {
			t.Errorf("%s is not compared in pairs", figure)
			continue
		}
		if got, want := float64(d.Paired.Value), float64(d.Now.Value-d.Before.Value); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: the scores differ by %v, the figures by %v", figure, got, want)
		}
	}
	if !(auroc.Paired.High < 0) || !(auroc.Paired.P < 0.05) {
		t.Errorf("the difference is not told from chance: %v", auroc.Paired)
	}
	if better := Compare(now, before, 0); !better.OK() {
		t.Errorf("what is better counts as worse: %+v", better.Worse)
	}
}

// TestBaselineMaxDrop sets how much may be lost just at, below and above what is lost.
func TestBaselineMaxDrop(t *testing.T) {
	report := func(accuracy Figure) *RouteReport {
		return &RouteReport{Task: TaskRoute, Set: "s", Systems: []RouteFigures{{Name: "r", Accuracy: Compared{Estimate: Estimate{Value: accuracy}}}}}
	}
	for _, c := range []struct {
		before, now Figure
		most        float64
		worse       int
	}{
		{0.80, 0.78, 0.02, 0}, // 0.80 − 0.78 is a little more than 0.02 in binary
		{0.80, 0.779, 0.02, 1},
		{0.80, 0.80, 0, 0},
		{0.80, 0.799, 0, 1},
		{0.80, 0.90, 0, 0},
	} {
		if got := Compare(report(c.before), report(c.now), c.most); len(got.Worse) != c.worse {
			t.Errorf("from %v to %v, %v allowed: %d worse, want %d", c.before, c.now, c.most, len(got.Worse), c.worse)
		}
	}
}

func TestBaselineSaysWhatIsLostAndNew(t *testing.T) {
	one := gateWith(t, 20, 0, AlwaysGate())
	seeded := gateWith(t, 20, 0, AlwaysGate())
	seeded.Seed = 7
	noLabel := gateWith(t, 20, 0, AlwaysGate())
	noLabel.Systems[0].AUROC.Value = undefined
	other := *one
	other.Set = "another"
	for _, c := range []struct {
		name        string
		before, now Report
		lost, new   []string
	}{
		{"a system", one, gateWith(t, 20, 0), []string{"gate · made, always: missing"}, nil},
		{"a new system", gateWith(t, 20, 0), one, nil, []string{"gate · made, always"}},
		{"other items", one, gateWith(t, 19, 0, AlwaysGate()), []string{
			"gate · made: measured on other items: part all, seed 0, items 38, positive 19, measured 38, groups 19; before: part all, seed 0, items 40, positive 20, measured 40, groups 20"}, nil},
		{"another seed", one, seeded, []string{
			"gate · made: measured on other items: part all, seed 7, items 40, positive 20, measured 40, groups 20; before: part all, seed 0, items 40, positive 20, measured 40, groups 20"}, nil},
		{"a figure", one, noLabel, []string{"gate · made, made, AUROC: missing"}, nil},
		{"a figure that was none", noLabel, one, nil, nil},
		{"a set", Summarise([]Report{one, &other}), one, []string{"gate · another: missing"}, nil},
		{"a new set", one, Summarise([]Report{one, &other}), nil, []string{"gate · another"}},
		{"two of one name", Summarise([]Report{one, gateWith(t, 19, 0, AlwaysGate())}), Summarise([]Report{one, gateWith(t, 19, 0, AlwaysGate())}), nil, nil},
		{"one of two of one name", Summarise([]Report{one, one}), one, []string{"gate · made: missing"}, nil},
	} {
		got := Compare(c.before, c.now, 0.02)
		if !slices.Equal(got.Lost, c.lost) || !slices.Equal(got.New, c.new) {
			t.Errorf("%s: lost %q, new %q", c.name, got.Lost, got.New)
		}
		if got.OK() != (len(c.lost) == 0) {
			t.Errorf("%s: OK is %v", c.name, got.OK())
		}
	}
}

// TestBaselineWithoutScores has nothing to pair: runs saved without scores, or with
// those of other items.
func TestBaselineWithoutScores(t *testing.T) {
	before, now := gateWith(t, 20, 0), gateWith(t, 20, 5)
	turned := gateWith(t, 20, 0)
	slices.Reverse(turned.Systems[0].Scores)
	none := gateWith(t, 20, 0)
	none.Systems[0].Scores = nil
	for name, b := range map[string]*GateReport{"none": none, "another order": turned} {
		for _, d := range Compare(b, now, 0.02).Worse {
			if d.Paired != nil {
				t.Errorf("%s: %s is paired", name, d.Figure)
			}
		}
	}
	if worse := Compare(before, now, 0.02).Worse; len(worse) == 0 || worse[0].Paired == nil {
		t.Errorf("with scores nothing is paired: %+v", worse)
	}
	if r, err := Gate(t.Context(), gateSet(20), graded(oracle), &Options{Resamples: 50}); err != nil || r.Systems[0].Scores != nil {
		t.Errorf("scores are kept though nobody wants them (%v)", err)
	}
}

func TestBaselineGolden(t *testing.T) {
	always := Summarise([]Report{gateWith(t, 20, 0, AlwaysGate()), &RouteReport{Task: TaskRoute, Set: "gone"}})
	c := Compare(always, Summarise([]Report{gateWith(t, 20, 2), &RouteReport{Task: TaskRoute, Set: "fresh"}}), 0.05)
	var b bytes.Buffer
	if err := c.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "baseline.txt", b.Bytes())
}
