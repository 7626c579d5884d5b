package calibrate

import "math"

// fitPlatt fits a logistic curve to the log-odds of the scores (Platt 1999; on
// log-odds rather than a margin, as Cox 1958 recalibrates probabilities, so that a
// grader that is right already keeps its grades). The targets are Platt's, which
// stay off 0 and 1 as if one more label of each kind had been seen. The maximum is
// found by Newton's method with backtracking (Lin, Lin and Weng 2007). The slope is
// not above 0 where the scores don't rise with the labels.
func fitPlatt(labels []Label, weights []int) Map {
	p := newPlattProblem(labels, weights)
	slope, offset := 0.0, logit(p.share)
	loss := p.loss(slope, offset)
	for range plattSteps {
		stepSlope, stepOffset, gain := p.newton(slope, offset)
		if gain < plattPrecision {
			break
		}
		length := 1.0
		for ; length > 1e-10; length /= 2 {
			next := p.loss(slope+length*stepSlope, offset+length*stepOffset)
			if next < loss-1e-4*length*gain { // enough of what the slope promised
				slope, offset, loss = slope+length*stepSlope, offset+length*stepOffset, next
				break
			}
		}
		if length <= 1e-10 {
			break
		}
	}
	return Map{Kind: Platt, Slope: slope, Offset: offset}
}

const (
	plattSteps     = 100
	plattPrecision = 1e-10 // of the loss, in nats
)

// plattProblem is the points to fit: log-odds, target and weight of each label.
type plattProblem struct {
	points []plattPoint
	share  float64 // of the positives
}

type plattPoint struct{ x, target, weight float64 }

func newPlattProblem(labels []Label, weights []int) plattProblem {
	var positives, negatives float64
	for i, l := range labels {
		if l.Positive {
			positives += weightOf(weights, i)
		} else {
			negatives += weightOf(weights, i)
		}
	}
	p := plattProblem{share: (positives + 1) / (positives + negatives + 2)}
	high, low := (positives+1)/(positives+2), 1/(negatives+2)
	for i, l := range labels {
		w := weightOf(weights, i)
		switch {
		case w == 0:
		case l.Positive:
			p.points = append(p.points, plattPoint{logit(l.Score), high, w})
		default:
			p.points = append(p.points, plattPoint{logit(l.Score), low, w})
		}
	}
	return p
}

// loss is the cross-entropy, written so that nothing overflows.
func (p plattProblem) loss(slope, offset float64) float64 {
	sum := 0.0
	for _, pt := range p.points {
		z := slope*pt.x + offset
		sum += pt.weight * (math.Log1p(math.Exp(-math.Abs(z))) + max(z, 0) - pt.target*z)
	}
	return sum
}

// newton is the step that Newton's method takes, and how much the loss would fall
// along it.
func (p plattProblem) newton(slope, offset float64) (stepSlope, stepOffset, gain float64) {
	const ridge = 1e-12 // where all scores are the same
	gs, go0, ss, so, oo := 0.0, 0.0, ridge, 0.0, ridge
	for _, pt := range p.points {
		q := logistic(slope*pt.x + offset)
		d, h := pt.weight*(q-pt.target), pt.weight*q*(1-q)
		gs += d * pt.x
		go0 += d
		ss += h * pt.x * pt.x
		so += h * pt.x
		oo += h
	}
	determinant := ss*oo - so*so
	if determinant <= 0 {
		return 0, 0, 0
	}
	stepSlope, stepOffset = -(oo*gs-so*go0)/determinant, -(ss*go0-so*gs)/determinant
	return stepSlope, stepOffset, -(gs*stepSlope + go0*stepOffset)
}
