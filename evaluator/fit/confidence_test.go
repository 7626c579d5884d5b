package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-rag/assay"
)

// answersBy makes answers that are right as often as the weights say.
func answersBy(w []float64, n int) []judged {
	rng := rand.New(rand.NewPCG(3, 3))
	out := make([]judged, n)
	for i := range out {
		r := judged{x: []float64{rng.Float64(), rng.Float64()*2 - 1, rng.Float64()}, support: 0.4 + 0.6*rng.Float64()}
		r.right = rng.Float64() < r.confidence(w)
		out[i] = r
	}
	return out
}

func TestLogisticFindsTheWeights(t *testing.T) {
	want := []float64{-2, 3, 2, 1}
	got, err := logistic(answersBy(want, 40000))
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 0.2 {
			t.Errorf("%.2f, want %.2f", got, want)
			break
		}
	}
	if _, err := logistic(answersBy([]float64{0, -3, 2, 1}, 2000)); err == nil {
		t.Error("a signal that speaks against itself is taken")
	}
}

func TestLogisticGradient(t *testing.T) {
	rows := answersBy([]float64{-1, 1, 1, 1}, 200)
	w, g, scratch := []float64{0.5, -1, 2, 0.3}, make([]float64, 4), make([]float64, 4)
	logisticLoss(rows, w, g)
	for i := range w {
		const h = 1e-5
		old := w[i]
		w[i] = old + h
		up := logisticLoss(rows, w, scratch)
		w[i] = old - h
		down := logisticLoss(rows, w, scratch)
		w[i] = old
		if slope := (up - down) / (2 * h); math.Abs(slope-g[i]) > 1e-6 {
			t.Errorf("weight %d: gradient %v, slope %v", i, g[i], slope)
		}
	}
}

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		shown, gold string
		want        bool
	}{
		{"It was founded in 1823, in Łódź. [1]", "1823", true},
		{"It was founded in 1823, in Łódź. [1]", "182", false},
		{"The Duke of Wellington won.", "a duke of wellington", true},
		{"Washington, D.C., is the capital.", "washington d.c.", true},
		{"Red, green and blue.", "red; blue", true},
		{"Red, green and blue.", "red; yellow", false},
		{"Anything at all.", "the", false},
		{"Anything at all.", "", false},
	} {
		if got := holds(c.shown, c.gold); got != c.want {
			t.Errorf("%q in %q: %v", c.gold, c.shown, got)
		}
	}
}

func TestQuestionsToAsk(t *testing.T) {
	var rows []answerRow
	for i := range 400 {
		r := answerRow{Set: "nq_oracle", Label: 1, Question: fmt.Sprintf("question %d", i), Group: fmt.Sprint(i), Text: "It is the blue whale.", Answer: "blue whale"}
		switch i % 4 {
		case 1:
			r.Label = 0
		case 2:
			r.Answer = "a mammal of the sea" // not in the passage
		case 3:
			r.Set = "hotpotqa" // takes several passages
		}
		rows = append(rows, r, r)
	}
	asked := questions(rows, 1000, 1)
	covered, held := 0, 0
	for _, q := range asked {
		if q.set != "nq_oracle" || partOf(q.set, q.group, 1) == partFit || len(q.golds) != 2 {
			t.Errorf("%+v", q)
		}
		if q.covered {
			covered++
		}
		if q.held {
			held++
		}
	}
	if n := len(asked); n < 15 || covered == 0 || covered == n || held == 0 || held == n {
		t.Errorf("%d asked, %d covered, %d held out", n, covered, held)
	}
	if few := questions(rows, 5, 1); len(few) != 5 || few[0].question != asked[0].question {
		t.Errorf("bounded: %+v", few)
	}
}

func TestUncoveredAnswersAreNotInTheIndex(t *testing.T) {
	var rows []answerRow
	for i := range 60 {
		group := fmt.Sprint(i)
		body := fmt.Sprintf("The lighthouse of harbour%d is painted colour%d.", i, i)
		rows = append(rows, answerRow{
			Set: "nq_oracle", Label: 1, Group: group, Text: body, Answer: fmt.Sprintf("colour%d", i),
			Question: fmt.Sprintf("How is the lighthouse of harbour%d painted?", i),
		}, answerRow{Set: "nq_oracle", Group: fmt.Sprint(i + 1), Text: body, Question: "Who lives there?"})
	}
	outcomes, err := askAll(t.Context(), rows, questions(rows, 100, 1), 1)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for _, o := range outcomes {
		if o.right && !o.covered {
			t.Errorf("%q has no passage in the index, and the answer is right: %s", o.question, o.answer.Text)
		}
		if o.right {
			right++
		}
		if j := judge(o); o.answer.Outcome != assay.Abstained && (j.builtIn <= 0 || j.x[0] <= 0 || j.support <= 0) {
			t.Errorf("%q: %+v", o.question, j)
		}
	}
	if right == 0 {
		t.Error("no covered question is answered rightly")
	}
}
