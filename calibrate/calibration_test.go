package calibrate

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

// TestThresholdsCostLeast compares with all three verdicts at each probability.
func TestThresholdsCostLeast(t *testing.T) {
	for _, c := range []Costs{DefaultCosts, {1, 1, 0.1}, {10, 1, 0.9}, {5, 1, 3}, {1, 5, 0.5}} {
		limits := c.Thresholds()
		if err := limits.Validate(); err != nil {
			t.Errorf("%v: %v", c, err)
		}
		for p := 0.005; p < 1; p += 0.01 {
			expected := func(v assay.Verdict) float64 { return p*c.of(v, true) + (1-p)*c.of(v, false) }
			least := min(expected(assay.Correct), expected(assay.Ambiguous), expected(assay.Incorrect))
			if got := expected(verdictOf(limits, p)); got > least+1e-12 {
				t.Errorf("costs %v at %.3f: %v costs %v, and %v can do", c, p, verdictOf(limits, p), got, least)
			}
		}
	}
}

// overconfident is a grader whose grades are too far from a half.
func overconfident(n int) []Label {
	return drawn(rand.New(rand.NewPCG(6, 1)), n, func(s float64) float64 { return logistic(0.5 * logit(s)) })
}

func TestFit(t *testing.T) {
	c, err := Fit(overconfident(400), &Options{Seed: 1, Resamples: 200})
	if err != nil {
		t.Fatal(err)
	}
	if c.Brier.Gain.Low <= 0 || c.Cost.Gain.Value <= 0 {
		t.Errorf("nothing is gained: Brier %v, cost %v", c.Brier.Gain, c.Cost.Gain)
	}
	for _, th := range []Threshold{c.Upper, c.Lower} {
		truth := logistic(logit(th.Probability) / 0.5)
		if !(float64(th.Score.Low) <= truth && truth <= float64(th.Score.High)) {
			t.Errorf("probability %v lies at %.3f, not in %v", th.Probability, truth, th.Score)
		}
	}
	again, err := Fit(overconfident(400), &Options{Seed: 1, Resamples: 200})
	if err != nil || !reflect.DeepEqual(c, again) {
		t.Errorf("the same labels and seed give another calibration (%v)", err)
	}
}

// Four times the labels, half the width.
func TestHalfTheWidth(t *testing.T) {
	width := func(n int) float64 {
		c, err := Fit(overconfident(n), &Options{Seed: 1, Resamples: 300})
		if err != nil {
			t.Fatal(err)
		}
		if n == 40 && c.HalfTheWidth() != 160 {
			t.Errorf("half the width of 40 labels by %d", c.HalfTheWidth())
		}
		return float64(c.Lower.Score.High - c.Lower.Score.Low)
	}
	if ratio := width(1600) / width(400); ratio < 0.35 || ratio > 0.7 {
		t.Errorf("four times the labels make the interval %.2f times as wide", ratio)
	}
}

func TestPromiseRaisesUpper(t *testing.T) {
	// Costs that let nearly all pass, and a risk that doesn't.
	labels := drawn(rand.New(rand.NewPCG(7, 1)), 600, func(s float64) float64 { return logistic(3 * logit(s)) })
	c, err := Fit(labels, &Options{Costs: Costs{Wrong: 1, Fallback: 9, Ambiguous: 5}, Risk: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Promise.Reached || c.Thresholds.Upper <= c.Upper.Probability || c.Thresholds.Lower != c.Lower.Probability {
		t.Errorf("promise %+v, in force %v, cheapest %v", c.Promise, c.Thresholds, c.Upper.Probability)
	}
	passed, wrong := passedAt(independent(sorted(labels), 0), c.Map.Score(c.Thresholds.Upper)-1e-12)
	if passed != c.Promise.Passed || wrong != c.Promise.Wrong {
		t.Errorf("in force %d pass and %d are wrong; promised of %d and %d", passed, wrong, c.Promise.Passed, c.Promise.Wrong)
	}
}

func TestFitRefuses(t *testing.T) {
	labels := overconfident(60)
	with := func(change func(i int, l *Label)) []Label {
		out := overconfident(60)
		for i := range out {
			change(i, &out[i])
		}
		return out
	}
	for _, c := range []struct {
		name   string
		labels []Label
		want   error
	}{
		{"29 labels", labels[:29], ErrFewLabels},
		{"none", nil, ErrFewLabels},
		{"all positive", with(func(_ int, l *Label) { l.Positive = true }), ErrOneKind},
		{"all negative", with(func(_ int, l *Label) { l.Positive = false }), ErrOneKind},
		{"one group", with(func(_ int, l *Label) { l.Group = "all" }), ErrOneGroup},
		{"turned round", with(func(_ int, l *Label) { l.Positive = l.Score < 0.5 }), ErrUnrelated},
		{"one score", with(func(i int, l *Label) { l.Score, l.Positive = 0.5, i%2 == 0 }), ErrUnrelated},
	} {
		if _, err := Fit(c.labels, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for _, score := range []float64{math.NaN(), -0.1, 1.1} {
		if _, err := Fit(with(func(i int, l *Label) { l.Score = score }), nil); err == nil {
			t.Errorf("a score of %v passes", score)
		}
	}
	for _, o := range []Options{{Risk: 1}, {Risk: -1}, {Confidence: 95}, {Resamples: -1}, {Costs: Costs{Wrong: -1}}, {Costs: Costs{Wrong: math.Inf(1)}}, {Costs: Costs{Ambiguous: math.NaN()}}} {
		if _, err := Fit(labels, &o); err == nil {
			t.Errorf("options %+v pass", o)
		}
	}
}

func TestThirtyLabels(t *testing.T) {
	c, err := Fit(overconfident(30), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Map.Kind != Platt || !c.Upper.Score.Low.Defined() {
		t.Errorf("map %v, upper %v", c.Map, c.Upper)
	}
}

func TestFileRoundTrip(t *testing.T) {
	for _, n := range []int{60, 1000} {
		c, err := Fit(overconfident(n), &Options{Resamples: 50})
		if err != nil {
			t.Fatal(err)
		}
		if n == 1000 { // isotonic, whatever was chosen
			c.Map = fitIsotonic(overconfident(n), nil)
		}
		c.Grader, c.Made = Identity{"grader", "1"}, "2026-01-02T03:04:05Z"
		var file bytes.Buffer
		if err := c.Write(&file); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&file)
		if err != nil || !reflect.DeepEqual(c, again) {
			t.Errorf("%v:\n%+v\n%+v", err, c, again)
		}
		if err := again.For(Identity{"grader", "1"}); err != nil {
			t.Error(err)
		}
		for _, other := range []Identity{{"grader", "2"}, {"another", "1"}} {
			if err := again.For(other); !errors.Is(err, ErrOther) {
				t.Errorf("for %s: %v", other, err)
			}
		}
	}
}

const goodFile = `{"version": 1, "grader": {"name": "g"}, "map": {"kind": "platt", "slope": 1}, "thresholds": {"upper": 0.9, "lower": 0.5}}`

func TestReadRefuses(t *testing.T) {
	if _, err := Read(strings.NewReader(goodFile)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"another form":       {`"version": 1`, `"version": 2`},
		"no grader":          {`"name": "g"`, `"name": ""`},
		"a falling map":      {`"slope": 1`, `"slope": -1`},
		"an unknown map":     {`platt`, `spline`},
		"no knots":           {`platt`, `isotonic`},
		"falling knots":      {`{"kind": "platt", "slope": 1}`, `{"kind": "isotonic", "knots": [{"score": 0, "probability": 1}, {"score": 1, "probability": 0}]}`},
		"thresholds swapped": {`"upper": 0.9`, `"upper": 0.1`},
		"no JSON":            {`{`, ``},
	} {
		if _, err := Read(strings.NewReader(strings.Replace(goodFile, change[0], change[1], 1))); err == nil || !strings.HasPrefix(err.Error(), "calibrate read: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzRead: what is read can be used.
func FuzzRead(f *testing.F) {
	f.Add([]byte(goodFile))
	f.Add([]byte(strings.Replace(goodFile, `{"kind": "platt", "slope": 1}`, `{"kind": "isotonic", "knots": [{"score": 0, "probability": 0.1}, {"score": 1, "probability": 0.9}]}`, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, s := range []float64{0, 1e-300, 0.5, 1} {
			if p := c.Map.Probability(s); !(0 <= p && p <= 1) {
				t.Errorf("%v means %v", s, p)
			}
		}
	})
}

// scripted is a grader that says what it is told.
type scripted struct {
	assessment assay.Assessment
	err        error
}

func (s scripted) Grade(context.Context, assay.Query, []assay.Passage) (assay.Assessment, error) {
	return s.assessment, s.err
}

func (s scripted) GradeStrips(context.Context, assay.Query, []assay.Strip) ([]assay.Grade, error) {
	return s.assessment.Grades, s.err
}

func TestGrader(t *testing.T) {
	given := assay.Assessment{
		Grades:    []assay.Grade{{Score: 0.8, Reason: assay.Stale, Note: "old"}, {Score: 0.8, Undetermined: true}, {Score: 7}, {Score: math.NaN()}},
		Strips:    [][]assay.Grade{nil, {{Score: 0.8}}},
		Conflicts: []assay.Conflict{{A: 0, B: 1}}, Missing: "much",
	}
	c := &Calibration{Map: Map{Kind: Platt, Slope: 1, Offset: -logit(0.8)}} // 0.8 means 0.5
	broken := errors.New("broken")
	g := Grader(scripted{given, broken}, c)
	a, err := g.Grade(context.Background(), assay.Query{}, nil)
	if !errors.Is(err, broken) || a.Missing != "much" || len(a.Conflicts) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	strips, err := g.GradeStrips(context.Background(), assay.Query{}, nil)
	if !errors.Is(err, broken) || math.Abs(strips[0].Score-0.5) > 1e-12 {
		t.Errorf("strips %+v, %v", strips, err)
	}
	if one := a.Grades[0]; math.Abs(one.Score-0.5) > 1e-12 || one.Reason != assay.Stale || one.Note != "old" {
		t.Errorf("grade %+v", one)
	}
	if math.Abs(a.Strips[1][0].Score-0.5) > 1e-12 || a.Strips[0] != nil {
		t.Errorf("strips %+v", a.Strips)
	}
	if !a.Grades[1].Undetermined || a.Grades[1].Score != 0.8 || a.Grades[2].Score != 7 || !math.IsNaN(a.Grades[3].Score) {
		t.Errorf("what is no grade was mapped: %+v", a.Grades)
	}
	if given.Grades[0].Score != 0.8 || given.Strips[1][0].Score != 0.8 {
		t.Error("the grader's own grades were changed")
	}
}
