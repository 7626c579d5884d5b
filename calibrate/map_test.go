package calibrate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn are labels whose score has normal log-odds around 0, each sufficient with
// the probability that truth says.
func drawn(r *rand.Rand, n int, truth func(score float64) float64) []Label {
	labels := make([]Label, n)
	for i := range labels {
		score := logistic(1.5 * r.NormFloat64())
		labels[i] = Label{Score: score, Positive: r.Float64() < truth(score)}
	}
	return sorted(labels)
}

func TestPlattFindsTheCurve(t *testing.T) {
	const slope, offset = 1.7, -0.6
	labels := drawn(rand.New(rand.NewPCG(1, 1)), 20000, func(s float64) float64 { return logistic(slope*logit(s) + offset) })
	m := fitPlatt(labels, nil)
	if math.Abs(m.Slope-slope) > 0.07 || math.Abs(m.Offset-offset) > 0.05 {
		t.Errorf("slope %.3f and offset %.3f, want about %v and %v", m.Slope, m.Offset, slope, offset)
	}
}

// At the optimum no small change lowers the loss.
func TestPlattIsOptimal(t *testing.T) {
	for name, labels := range map[string][]Label{
		"overlapping": drawn(rand.New(rand.NewPCG(2, 1)), 60, func(s float64) float64 { return s }),
		"apart":       {{Score: 0.1}, {Score: 0.2}, {Score: 0.8, Positive: true}, {Score: 0.9, Positive: true}},
		"certain":     {{Score: 0}, {Score: 0}, {Score: 1, Positive: true}, {Score: 1}},
	} {
		m := fitPlatt(labels, nil)
		p := newPlattProblem(labels, nil)
		best := p.loss(m.Slope, m.Offset)
		for _, d := range [][2]float64{{1e-3, 0}, {-1e-3, 0}, {0, 1e-3}, {0, -1e-3}} {
			if near := p.loss(m.Slope+d[0], m.Offset+d[1]); near < best {
				t.Errorf("%s: the loss is %v, and %v nearby", name, best, near)
			}
		}
	}
}

func TestIsotonicByHand(t *testing.T) {
	// 0.2 and 0.3 fall and are pooled; the two at 0.6 are one point.
	labels := []Label{
		{Score: 0.1}, {Score: 0.2, Positive: true}, {Score: 0.3}, {Score: 0.6, Positive: true},
		{Score: 0.6, Positive: true}, {Score: 0.6}, {Score: 0.9, Positive: true}, {Score: 0.9, Positive: true},
	}
	m := fitIsotonic(labels, nil)
	want := []Knot{{0, 0.09}, {0.1, 0.1}, {0.25, 0.5}, {0.6, 2. / 3}, {0.9, 0.9}, {1, 0.91}}
	if len(m.Knots) != len(want) {
		t.Fatalf("knots %v, want %v", m.Knots, want)
	}
	for i, k := range m.Knots {
		if math.Abs(k.Score-want[i].Score) > 1e-12 || math.Abs(k.Probability-want[i].Probability) > 1e-12 {
			t.Errorf("knot %d is %v, want %v", i, k, want[i])
		}
	}
}

// A weight of two is the same as the label twice, a weight of none as no label.
func TestWeightsAreRepetitions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	labels := drawn(r, 80, func(s float64) float64 { return s })
	weights := make([]int, len(labels))
	var repeated []Label
	for i, l := range labels {
		weights[i] = r.IntN(3)
		repeated = append(repeated, slices.Repeat([]Label{l}, weights[i])...)
	}
	for _, kind := range []Kind{Platt, Isotonic} {
		a, b := kind.fit(labels, weights), kind.fit(repeated, nil)
		for s := 0.0; s <= 1; s += 0.01 {
			if x, y := a.Probability(s), b.Probability(s); math.Abs(x-y) > 1e-6 {
				t.Errorf("%s of %.2f: %v weighted, %v repeated", kind, s, x, y)
			}
		}
	}
}

// FuzzMaps: whatever the labels, a map rises strictly, stays within (0, 1), and
// Score undoes Probability.
func FuzzMaps(f *testing.F) {
	f.Add([]byte{0, 1, 255, 3, 100, 0, 200, 1})
	f.Add([]byte{0, 0, 0, 1, 255, 1, 255, 0, 255, 1})
	f.Add([]byte{7, 1, 7, 0, 7, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		var labels []Label
		for i := 0; i+1 < len(data); i += 2 {
			labels = append(labels, Label{Score: float64(data[i]) / 255, Positive: data[i+1]%2 == 1})
		}
		if len(labels) == 0 {
			return
		}
		labels = sorted(labels)
		for _, kind := range []Kind{Platt, Isotonic} {
			m := kind.fit(labels, nil)
			if kind == Platt && m.validate() != nil {
				continue // the scores fall with the labels, which Fit refuses
			}
			if err := m.validate(); err != nil {
				t.Fatalf("%s: %v: %v", kind, err, m)
			}
			last := -1.0
			for i := range 101 {
				p := m.Probability(float64(i) / 100)
				if p < last || !(0 < p && p < 1) && kind == Isotonic {
					t.Fatalf("%s: %v after %v", kind, p, last)
				}
				last = p
			}
			if kind == Isotonic {
				for _, k := range m.Knots {
					if s := m.Score(k.Probability); math.Abs(s-k.Score) > 1e-9 {
						t.Fatalf("Score(%v) = %v, want %v", k.Probability, s, k.Score)
					}
				}
			}
		}
	})
}

func TestScoreUndoesProbability(t *testing.T) {
	m := Map{Kind: Platt, Slope: 2, Offset: -1}
	for s := 0.05; s < 1; s += 0.05 {
		if got := m.Score(m.Probability(s)); math.Abs(got-s) > 1e-9 {
			t.Errorf("Score(Probability(%v)) = %v", s, got)
		}
	}
	step := Map{Kind: Isotonic, Knots: []Knot{{0, 0.2}, {1, 0.6}}}
	for p, want := range map[float64]float64{0.1: 0, 0.2: 0, 0.4: 0.5, 0.6: 1, 0.9: 1} {
		if got := step.Score(p); math.Abs(got-want) > 1e-12 {
			t.Errorf("Score(%v) = %v, want %v", p, got, want)
		}
	}
}

func TestChooseKind(t *testing.T) {
	stair := func(s float64) float64 { // no logistic curve
		if 0.3 < s && s < 0.7 {
			return 0.5
		}
		return math.Round(s)*0.98 + 0.01
	}
	curve := func(s float64) float64 { return s }
	for _, c := range []struct {
		name  string
		n     int
		truth func(float64) float64
		want  Kind
	}{
		{"a stair, many labels", 2000, stair, Isotonic},
		{"a stair, few labels", manyLabels - 1, stair, Platt},
		{"a curve, many labels", 2000, curve, Platt},
	} {
		labels := drawn(rand.New(rand.NewPCG(4, 1)), c.n, c.truth)
		if got, unseen := chooseKind(labels, 1); got != c.want || len(unseen) != c.n {
			t.Errorf("%s: %s with %d probabilities, want %s with %d", c.name, got, len(unseen), c.want, c.n)
		}
	}
}

// A label's own group has no say in what is said of it: turn all labels of a group
// round, and it stays the same.
func TestCrossValidationLeavesGroupsOut(t *testing.T) {
	labels := drawn(rand.New(rand.NewPCG(5, 1)), 100, func(s float64) float64 { return s })
	for i := range labels {
		labels[i].Group = string(rune('a' + i%10))
	}
	turned := slices.Clone(labels)
	for i := range turned {
		if turned[i].Group == "c" {
			turned[i].Positive = !turned[i].Positive
		}
	}
	for _, kind := range []Kind{Platt, Isotonic} {
		before, after := crossValidated(kind, labels, 1), crossValidated(kind, turned, 1)
		changed := false
		for i, l := range labels {
			if l.Group == "c" && before[i] != after[i] {
				t.Errorf("%s: label %d is %v and %v", kind, i, before[i], after[i])
			}
			changed = changed || before[i] != after[i]
		}
		if !changed {
			t.Errorf("%s: the labels say nothing", kind)
		}
	}
}
