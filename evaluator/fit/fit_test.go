package main

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-rag/assay/evaluator"
)

func TestMinimise(t *testing.T) {
	rosenbrock := func(x, g []float64) float64 {
		a, b := 1-x[0], x[1]-x[0]*x[0]
		g[0], g[1] = -2*a-400*x[0]*b, 200*b
		return a*a + 100*b*b
	}
	x := minimise(rosenbrock, []float64{-1.2, 1}, 500)
	if math.Abs(x[0]-1) > 1e-3 || math.Abs(x[1]-1) > 1e-3 {
		t.Errorf("%v, want 1, 1", x)
	}
}

// data makes examples whose label depends on one of two features.
func data(n, outputs int) []example {
	rng := rand.New(rand.NewPCG(1, 1))
	out := make([]example, n)
	for i := range out {
		x := []float64{rng.Float64(), rng.Float64()}
		label := 0
		if rng.Float64() < 1/(1+math.Exp(-8*(x[0]-0.5))) {
			label = 1
		}
		if outputs == 3 && label == 1 && x[1] > 0.5 {
			label = 2
		}
		out[i] = example{x: x, label: label, set: "made", part: part(i % 3), weight: 1, twoWay: outputs == 3 && label != 0 && i%5 == 0}
	}
	return out
}

func TestGradientIsTheSlopeOfTheLoss(t *testing.T) {
	for _, outputs := range []int{1, 3} {
		examples := data(200, outputs)
		d := newDesign(newModel([]string{"a", "b"}, examples, outputs), examples, outputs)
		n := outputs * d.width
		theta, g, scratch := make([]float64, n), make([]float64, n), make([]float64, n)
		rng := rand.New(rand.NewPCG(2, 2))
		for i := range theta {
			theta[i] = rng.NormFloat64()
		}
		d.loss(theta, g)
		for i := range theta {
			const h = 1e-5
			old := theta[i]
			theta[i] = old + h
			up := d.loss(theta, scratch)
			theta[i] = old - h
			down := d.loss(theta, scratch)
			theta[i] = old
			if slope := (up - down) / (2 * h); math.Abs(slope-g[i]) > 1e-6 {
				t.Errorf("%d outputs, parameter %d: gradient %v, slope %v", outputs, i, g[i], slope)
			}
		}
	}
}

func TestFitLearnsAndIsCalibrated(t *testing.T) {
	examples := data(6000, 1)
	weigh(examples, 1, true)
	m := fit([]string{"a", "b"}, of(examples, partFit), 1)
	calibrate(m, of(examples, partTune), 1)
	var scores []float64
	var labels []bool
	var predicted, happened float64
	for _, x := range of(examples, partReport) {
		p := m.Probabilities(x.x)[0]
		scores, labels = append(scores, p), append(labels, x.label == 1)
		predicted += p
		happened += float64(x.label)
	}
	if a := auroc(scores, labels); a < 0.85 {
		t.Errorf("AUROC %.3f", a)
	}
	if math.Abs(predicted-happened) > 0.05*float64(len(scores)) {
		t.Errorf("predicted %.0f, happened %.0f of %d", predicted, happened, len(scores))
	}
	low, high := m.Probabilities([]float64{0.1, 0.5})[0], m.Probabilities([]float64{0.9, 0.5})[0]
	if !(low < 0.2 && high > 0.8) {
		t.Errorf("%.2f and %.2f", low, high)
	}
}

func TestAUROC(t *testing.T) {
	for _, c := range []struct {
		scores []float64
		labels []bool
		want   float64
	}{
		{[]float64{1, 2, 3, 4}, []bool{false, false, true, true}, 1},
		{[]float64{1, 2, 3, 4}, []bool{true, true, false, false}, 0},
		{[]float64{1, 1, 1, 1}, []bool{true, false, true, false}, 0.5},
		{[]float64{1, 2, 2, 3}, []bool{false, true, false, true}, 0.875},
	} {
		if got := auroc(c.scores, c.labels); got != c.want {
			t.Errorf("%v %v: %v, want %v", c.scores, c.labels, got, c.want)
		}
	}
}

func TestPartsDontMixDocuments(t *testing.T) {
	var n [3]int
	for i := range 3000 {
		g := string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
		p := partOf("set", g, 1)
		if p != partOf("set", g, 1) {
			t.Fatal("the split is not stable")
		}
		n[p]++
	}
	for i, want := range []float64{0.7, 0.1, 0.2} {
		if got := float64(n[i]) / 3000; math.Abs(got-want) > 0.03 {
			t.Errorf("part %d has %.2f, want %.2f", i, got, want)
		}
	}
}

func TestStrangersDontAnswer(t *testing.T) {
	rows := []answerRow{
		{Question: "Who wrote Hamlet the tragedy?", Text: "William Shakespeare wrote Hamlet.", Label: 1, Set: "a", Answer: "Shakespeare", Group: "1"},
		{Question: "Who wrote Hamlet in English?", Text: "Hamlet is by Shakespeare.", Label: 1, Set: "a", Answer: "Shakespeare", Group: "2"},
		{Question: "Who wrote Faust in Weimar?", Text: "Goethe wrote Faust.", Label: 1, Set: "a", Answer: "Goethe", Group: "3"},
		{Question: "How high is Everest?", Text: "Everest is 8,849 m high.", Label: 1, Set: "b", Answer: "8,849 m", Group: "4"},
	}
	for seed := range uint64(40) {
		for _, s := range strangers(rows, seed) {
			if s.Label != 0 || s.Question == rows[0].Question && s.Text == rows[1].Text || s.Question == rows[1].Question && s.Text == rows[0].Text {
				t.Errorf("%+v", s)
			}
		}
	}
}

func TestWrittenModelIsRead(t *testing.T) {
	folder := t.TempDir()
	passage, strip, claim := evaluator.FeatureNames()
	w := evaluator.Weights{Passage: blankModel(passage, 1), Strip: blankModel(strip, 1), Claim: blankModel(claim, 3)}
	w.Passage.Bias[0] = -1.25
	if err := writeModel(folder, w); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "background.txt"), []byte("passages 1 unseen 0.5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := evaluator.New(nil, &evaluator.Options{Weights: os.DirFS(folder)}); err != nil {
		t.Fatal(err)
	}
}

func TestChooseByPrecision(t *testing.T) {
	rows := []scored{{0.9, 1, true}, {0.8, 1, true}, {0.7, 1, false}, {0.6, 1, true}, {0.5, 1, false}, {0.4, 1, false}}
	if got := atPrecision(rows, 0.75); got != 0.6 {
		t.Errorf("precision: %v", got)
	}
	if got := youden(rows); got != 0.8 {
		t.Errorf("Youden: %v", got)
	}
	if hit, miss := rates(rows, 0.6); hit != 3 || miss != 1 {
		t.Errorf("rates: %v, %v", hit, miss)
	}
}
