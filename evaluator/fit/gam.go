package main

import (
	"math"
	"slices"
	"strings"

	"github.com/assay-rag/assay/evaluator"
)

const (
	knotCount = 9
	rough     = 0.004  // penalty on bends
	ridge     = 0.0004 // penalty on size
)

// design is the examples in the basis of a model: for each row and feature the
// knot below and the share of the one above.
type design struct {
	model    *evaluator.Model
	outputs  int
	offsets  []int // of the features' first parameters within an output
	width    int   // parameters an output, the bias last
	knots    [][]uint8
	above    [][]float32
	examples []example
	total    float64
}

// newModel chooses knots at quantiles of the features.
func newModel(names []string, examples []example, outputs int) *evaluator.Model {
	m := &evaluator.Model{Bias: make([]float64, outputs)}
	for f, name := range names {
		var values []float64
		for i := 0; i < len(examples); i += 7 {
			values = append(values, examples[i].x[f])
		}
		slices.Sort(values)
		var knots []float64
		for k := range knotCount {
			v := math.Round(values[k*(len(values)-1)/(knotCount-1)]*1e3) / 1e3
			if len(knots) == 0 || v > knots[len(knots)-1]+0.01 {
				knots = append(knots, v)
			}
		}
		if last := math.Round(values[len(values)-1]*1e3) / 1e3; len(knots) == 1 && last > knots[0] {
			knots = append(knots, last)
		}
		if strings.HasSuffix(name, "met") { // the columns of the kinds are 0 or 1
			knots = []float64{0, 1}
		}
		s := evaluator.Shape{Name: name, Knots: knots}
		for range outputs {
			s.Values = append(s.Values, make([]float64, len(knots)))
		}
		m.Features = append(m.Features, s)
	}
	return m
}

func newDesign(m *evaluator.Model, examples []example, outputs int) *design {
	d := &design{model: m, outputs: outputs, examples: examples}
	for _, s := range m.Features {
		d.offsets = append(d.offsets, d.width)
		d.width += len(s.Knots)
	}
	d.width++
	for i := range examples {
		knots, above := make([]uint8, len(m.Features)), make([]float32, len(m.Features))
		for f := range m.Features {
			k, a := m.Features[f].Basis(examples[i].x[f])
			knots[f], above[f] = uint8(k), float32(a)
		}
		d.knots, d.above = append(d.knots, knots), append(d.above, above)
		d.total += examples[i].weight
	}
	return d
}

// loss returns the penalised mean log loss at the parameters and writes its
// gradient.
func (d *design) loss(theta, gradient []float64) float64 {
	clear(gradient)
	sum := 0.0
	p := make([]float64, max(2, d.outputs))
	for i := range d.examples {
		x := &d.examples[i]
		for k := range d.outputs {
			p[k] = d.sum(theta[k*d.width:], i)
		}
		w := x.weight / d.total
		if d.outputs == 1 {
			q := 1 / (1 + math.Exp(-p[0]))
			y := float64(x.label)
			sum -= w * (y*math.Log(max(q, 1e-12)) + (1-y)*math.Log(max(1-q, 1e-12)))
			d.add(gradient, i, w*(q-y))
			continue
		}
		sum += w * d.softmaxLoss(p, x)
		for k := range d.outputs {
			d.add(gradient[k*d.width:], i, w*p[k])
		}
	}
	return sum + d.penalty(theta, gradient)
}

// softmaxLoss turns log-odds into the gradient of the loss by them and returns
// the loss. Of a row that only tells supported from not, the two other
// outputs share the blame as they stand.
func (d *design) softmaxLoss(p []float64, x *example) float64 {
	most := slices.Max(p[:d.outputs])
	sum := 0.0
	for k := range d.outputs {
		p[k] = math.Exp(p[k] - most)
		sum += p[k]
	}
	for k := range d.outputs {
		p[k] /= sum
	}
	if x.twoWay && x.label != 0 {
		rest := max(1-p[0], 1e-12)
		loss := -math.Log(rest)
		for k := 1; k < d.outputs; k++ {
			p[k] -= p[k] / rest
		}
		return loss
	}
	loss := -math.Log(max(p[x.label], 1e-12))
	p[x.label]--
	return loss
}

func (d *design) sum(theta []float64, row int) float64 {
	z := theta[d.width-1]
	for f, o := range d.offsets {
		k := o + int(d.knots[row][f])
		z += theta[k]
		if a := float64(d.above[row][f]); a > 0 {
			z += a * (theta[k+1] - theta[k])
		}
	}
	return z
}

func (d *design) add(gradient []float64, row int, g float64) {
	gradient[d.width-1] += g
	for f, o := range d.offsets {
		k := o + int(d.knots[row][f])
		a := float64(d.above[row][f])
		gradient[k] += g * (1 - a)
		if a > 0 {
			gradient[k+1] += g * a
		}
	}
}

func (d *design) penalty(theta, gradient []float64) float64 {
	sum := 0.0
	for k := range d.outputs {
		t, g := theta[k*d.width:], gradient[k*d.width:]
		for f, o := range d.offsets {
			n := len(d.model.Features[f].Knots)
			for i := range n {
				sum += ridge / 2 * t[o+i] * t[o+i]
				g[o+i] += ridge * t[o+i]
			}
			for i := 1; i+1 < n; i++ {
				bend := t[o+i-1] - 2*t[o+i] + t[o+i+1]
				sum += rough / 2 * bend * bend
				g[o+i-1] += rough * bend
				g[o+i] -= 2 * rough * bend
				g[o+i+1] += rough * bend
			}
		}
	}
	return sum
}

// fit minimises the loss and returns the model.
func fit(names []string, examples []example, outputs int) *evaluator.Model {
	m := newModel(names, examples, outputs)
	d := newDesign(m, examples, outputs)
	theta := minimise(d.loss, make([]float64, outputs*d.width), 250)
	for k := range outputs {
		t := theta[k*d.width:]
		m.Bias[k] = t[d.width-1]
		for f, o := range d.offsets {
			copy(m.Features[f].Values[k], t[o:o+len(m.Features[f].Knots)])
		}
	}
	return m
}
