package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-rag/assay"
)

// graderFunc grades one passage at a time.
type graderFunc func(question string, p assay.Passage) (assay.Grade, error)

func (f graderFunc) Grade(_ context.Context, q assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	var a assay.Assessment
	for _, p := range passages {
		g, err := f(q.Question, p)
		if err != nil {
			return assay.Assessment{}, err
		}
		a.Grades = append(a.Grades, g)
	}
	return a, nil
}

func (f graderFunc) GradeStrips(context.Context, assay.Query, []assay.Strip) ([]assay.Grade, error) {
	return nil, errors.New("strips are not measured")
}

// graded is the one system under test.
func graded(f graderFunc) []GateSystem { return []GateSystem{{Name: "made", Grader: f}} }

// gateSet has n groups of one positive and one negative item, whose passages say
// which they are.
func gateSet(n int) *Set {
	set := &Set{Name: "made"}
	for g := range n {
		for _, positive := range []bool{true, false} {
			body := fmt.Sprintf("passage %d about barley", g)
			if positive {
				body = fmt.Sprintf("passage %d tells the price of barley", g)
			}
			set.Gate = append(set.Gate, GateItem{
				Question: fmt.Sprintf("what is the price of barley in year %d", g),
				Passages: cut("d", "", []string{body}), Positive: positive, Group: fmt.Sprint(g),
			})
		}
	}
	return set
}

// oracle knows the labels of gateSet.
func oracle(_ string, p assay.Passage) (assay.Grade, error) {
	if strings.Contains(p.Text, "tells") {
		return assay.Grade{Score: 0.9}, nil
	}
	return assay.Grade{Score: 0.2}, nil
}

func TestGateWithOracle(t *testing.T) {
	set := gateSet(10)
	r, err := Gate(t.Context(), set, append(graded(oracle), BM25Gate(set), AlwaysGate()), &Options{Worst: 3})
	if err != nil {
		t.Fatal(err)
	}
	f := r.Systems[0]
	one := Estimate{1, 1, 1}
	if f.AUROC.Estimate != one || f.AUPRC.Estimate != one {
		t.Errorf("AUROC %v, AUPRC %v, want 1", f.AUROC, f.AUPRC)
	}
	if want := (0.01 + 0.04) / 2; !near(float64(f.Brier.Value), want) {
		t.Errorf("Brier is %v, want %v", f.Brier, want)
	}
	for i, threshold := range []Figure{0.35, 0.75} {
		if d := f.At[i]; d.Threshold != threshold || d.BalancedAccuracy.Estimate != one || d.Accuracy.Estimate != one || d.F1.Estimate != one {
			t.Errorf("at %v: %+v, want all right", threshold, d)
		}
	}
	if d := f.Fitted; d.Threshold.Defined() || d.BalancedAccuracy.Estimate != one {
		t.Errorf("fitted: %+v, want all right at no one threshold", d)
	}
	if want := (Counts{Part: PartAll, Items: 20, Positives: 10, Measured: 20, Groups: 10}); r.Counts != want {
		t.Errorf("counts are %+v, want %+v", r.Counts, want)
	}
	if want := []VerdictCount{{assay.Correct, 10, 0}, {assay.Ambiguous, 0, 0}, {assay.Incorrect, 0, 10}, {assay.Undetermined, 0, 0}}; !slices.Equal(f.Verdicts, want) {
		t.Errorf("verdicts are %+v, want %+v", f.Verdicts, want)
	}
	// The positives share "price" with the question, the negatives don't.
	if b := r.Systems[1]; b.AUROC.Value != 1 || *b.AUROC.Difference != (Difference{Estimate{0, 0, 0}, 1}) {
		t.Errorf("BM25 has AUROC %v, difference %v; want 1 and 0", b.AUROC.Estimate, b.AUROC.Difference)
	}
	// What passes everything tells nothing apart.
	a := r.Systems[2]
	if a.AUROC.Value != 0.5 || a.At[1].BalancedAccuracy.Value != 0.5 || a.AURC.Value != 0.5 || a.Fitted.BalancedAccuracy.Value != 0.5 {
		t.Errorf("always has AUROC %v, balanced accuracy %v, risk %v, fitted %v; want one half of all", a.AUROC, a.At[1].BalancedAccuracy, a.AURC, a.Fitted.BalancedAccuracy)
	}
	if d := a.AUROC.Difference; d.Value != -0.5 || d.P > 0.01 {
		t.Errorf("always differs by %v, want -0.5 beyond chance", d)
	}
	if len(r.Worst) != 3 || r.Worst[0].Score != 0.2 || r.Worst[0].Positive {
		t.Errorf("the worst are %+v, want the negatives, which miss by 0.2", r.Worst)
	}
}

// Failures must not move the figures: neither as 0 nor as 1.
func TestGateFailures(t *testing.T) {
	failing := graderFunc(func(q string, p assay.Passage) (assay.Grade, error) {
		switch {
		case strings.Contains(p.Text, "passage 3 "):
			return assay.Grade{}, errors.New("timeout")
		case strings.Contains(p.Text, "passage 4 "):
			return assay.Grade{Undetermined: true, Note: "unreadable reply"}, nil
		case strings.Contains(p.Text, "passage 5 "):
			return assay.Grade{Score: math.NaN()}, nil
		case strings.Contains(p.Text, "passage 6 "):
			return assay.Grade{Score: 1.5}, nil
		}
		return oracle(q, p)
	})
	r, err := Gate(t.Context(), gateSet(10), graded(failing), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := r.Systems[0]
	if want := (Failures{8, []string{"timeout", "graded undetermined: unreadable reply", "score NaN is not in [0, 1]", "score 1.5 is not in [0, 1]"}}); !reflect.DeepEqual(f.Undetermined, want) {
		t.Errorf("failures are %+v, want %+v", f.Undetermined, want)
	}
	if f.AUROC.Value != 1 || r.Groups != 6 || r.Items != 20 || r.Measured != 12 {
		t.Errorf("AUROC %v over %d groups of %d of %d items, want 1 over 6 of 12 of 20", f.AUROC, r.Groups, r.Measured, r.Items)
	}
	if v := f.Verdicts[3]; v.Positives != 4 || v.Negatives != 4 {
		t.Errorf("undetermined are %+v, want 4 and 4", v)
	}
}

func TestGateRefusesWrongNumberOfGrades(t *testing.T) {
	_, err := Gate(t.Context(), gateSet(2), []GateSystem{{Name: "made", Grader: shortGrader{}}}, nil)
	if err == nil || !strings.Contains(err.Error(), "failed on all 4 items; the first: 0 grades for 1 texts") {
		t.Errorf("error is %v", err)
	}
}

type shortGrader struct{ graderFunc }

func (shortGrader) Grade(context.Context, assay.Query, []assay.Passage) (assay.Assessment, error) {
	return assay.Assessment{}, nil
}

// An item of several passages is as good as its best one.
func TestGateTakesTheBestPassage(t *testing.T) {
	set := load(t, "own_gate.jsonl")
	r, err := Gate(t.Context(), set, graded(func(_ string, p assay.Passage) (assay.Grade, error) {
		if strings.Contains(p.Text, "café") || strings.Contains(p.Text, "opens") {
			return assay.Grade{Score: 0.8}, nil
		}
		return assay.Grade{Score: 0.1}, nil
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Systems[0]; f.AUROC.Value != 1 || f.Verdicts[0].Positives != 2 {
		t.Errorf("AUROC %v, verdicts %+v", f.AUROC, f.Verdicts)
	}
}

func TestGateWithOneLabel(t *testing.T) {
	r, err := Gate(t.Context(), load(t, "clapnq/unanswerable.jsonl"), graded(oracle), nil)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Systems[0]; f.AUROC.Value.Defined() {
		t.Errorf("AUROC of one label is %v, want none", f.AUROC)
	}
	var b strings.Builder
	if err := WriteJSON(&b, r); err != nil || !strings.Contains(b.String(), `"auroc": {
        "value": null,`) {
		t.Errorf("JSON: %v\n%s", err, b.String())
	}
}

func TestTaskRefusals(t *testing.T) {
	set := load(t, "squad.json")
	for _, c := range []struct {
		name string
		run  func() error
		want string
	}{
		{"wrong set", func() error {
			_, err := Support(t.Context(), set, nil, nil)
			return err
		}, "eval support: set squad2 doesn't fit this task; it fits: gate, retrieval"},
		{"empty set", func() error {
			_, err := Gate(t.Context(), &Set{Name: "none"}, nil, nil)
			return err
		}, "eval gate: set none has no items"},
		{"thresholds", func() error {
			_, err := Gate(t.Context(), set, []GateSystem{{Name: "made", Thresholds: &assay.Thresholds{Lower: 2}}}, nil)
			return err
		}, "eval gate: system made: thresholds"},
		{"none", func() error {
			_, err := Gate(t.Context(), set, nil, nil)
			return err
		}, "there is no system to measure"},
		{"no name", func() error {
			_, err := Gate(t.Context(), set, []GateSystem{{}}, nil)
			return err
		}, "system 1 has no name"},
		{"same name", func() error {
			_, err := Gate(t.Context(), set, []GateSystem{AlwaysGate(), AlwaysGate()}, nil)
			return err
		}, "two systems are named always"},
		{"workers", func() error {
			_, err := Gate(t.Context(), set, nil, &Options{Workers: -1})
			return err
		}, "must not be negative"},
		{"k", func() error {
			_, err := Retrieval(t.Context(), set, nil, []int{5, 0}, nil)
			return err
		}, "eval retrieval: k is 0"},
	} {
		if err := c.run(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestGateIsCancelled(t *testing.T) {
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		var calls atomic.Int64
		_, err := Gate(ctx, gateSet(100), graded(func(q string, p assay.Passage) (assay.Grade, error) {
			if calls.Add(1) == 10 {
				cancel()
			}
			return oracle(q, p)
		}), &Options{Workers: workers})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v, want that of the context", err)
		}
		if n := calls.Load(); n > 10+int64(workers) {
			t.Errorf("%d calls were made with %d workers, after it was cancelled at 10", n, workers)
		}
	}
}

// Apart from times, the report must not depend on how many work on it.
func TestGateIsDeterministic(t *testing.T) {
	hash := graderFunc(func(q string, p assay.Passage) (assay.Grade, error) {
		sum := 0
		for _, b := range []byte(q + p.Text) {
			sum = sum*31 + int(b)
		}
		return assay.Grade{Score: float64(uint(sum)%1000) / 1000}, nil
	})
	run := func(workers int) GateReport {
		var last, total int
		r, err := Gate(t.Context(), gateSet(40), append(graded(hash), AlwaysGate()), &Options{
			Workers: workers, Worst: 5, Seed: 3,
			Progress: func(d, n int) {
				if d != last+1 {
					t.Errorf("progress went from %d to %d", last, d)
				}
				last, total = d, n
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if last != 80 || total != 80 {
			t.Errorf("progress ended at %d of %d, want 80 of 80", last, total)
		}
		for i := range r.Systems {
			r.Systems[i].Time = 0
		}
		return *r
	}
	one, many := run(1), run(8)
	var first, second strings.Builder // as JSON: NaN is not equal to itself
	if err := errors.Join(WriteJSON(&first, &one), WriteJSON(&second, &many)); err != nil || first.String() != second.String() {
		t.Errorf("%v, one worker: %+v\neight: %+v", err, one, many)
	}
	if e := one.Systems[0].AUROC; !(e.Low < e.Value && e.Value < e.High) {
		t.Errorf("the interval of %v doesn't hold its value", e)
	}
}

func TestBM25(t *testing.T) {
	m := newBM25([]string{"barley rye", "barley oats oats", "barley oats oats", "wheat"})
	// Three distinct texts of 2, 3 and 1 terms: mean 2. "rye" is in one of three:
	// idf ln(1 + 2.5/1.5); length 2 is the mean, so norm is 1.2 and tf 1 gives
	// 2.2/2.2 = 1.
	if got, want := m.score("rye", "barley rye"), math.Log(1+2.5/1.5); !near(got, want) {
		t.Errorf("score of a rare term is %v, want %v", got, want)
	}
	// "barley" is in two: idf ln(1 + 1.5/2.5). Length 3: norm 1.2·(0.25 + 0.75·1.5).
	norm := 1.2 * (0.25 + 0.75*1.5)
	if got, want := m.score("barley barley", "barley oats oats"), math.Log(1+1.5/2.5)*2.2/(1+norm); !near(got, want) {
		t.Errorf("score of a common term, asked for twice, is %v, want %v", got, want)
	}
	if got := m.score("wheat", "barley rye"); got != 0 {
		t.Errorf("score without a shared term is %v, want 0", got)
	}
}
