package calibrate

import (
	"fmt"
	"math"
	"sort"
)

// Kind is a way to turn grades into probabilities.
type Kind string

// The kinds of maps.
const (
	Platt    Kind = "platt"
	Isotonic Kind = "isotonic"
)

// Map turns a grade into a probability. It rises strictly, so that it changes no
// order.
type Map struct {
	Kind Kind `json:"kind"`
	// Slope and Offset are of Platt: the log-odds of the probability are Slope times
	// those of the grade, plus Offset. 1 and 0 leave grades as they are.
	Slope  float64 `json:"slope,omitempty"`
	Offset float64 `json:"offset,omitempty"`
	// Knots are of Isotonic: the probability runs straight from one to the next.
	Knots []Knot `json:"knots,omitempty"`
}

// String says in a line what the map does.
func (m Map) String() string {
	if m.Kind == Platt {
		return fmt.Sprintf("platt: log-odds %.2f × those of the grade %+.2f", m.Slope, m.Offset)
	}
	return fmt.Sprintf("isotonic: %d knots from %.3f to %.3f", len(m.Knots), m.Knots[0].Probability, m.Knots[len(m.Knots)-1].Probability)
}

// Knot is a point of a map.
type Knot struct {
	Score       float64 `json:"score"`
	Probability float64 `json:"probability"`
}

// Probability is what a grade in [0, 1] means, in [0, 1].
func (m Map) Probability(score float64) float64 {
	if m.Kind == Platt {
		return logistic(m.Slope*logit(score) + m.Offset)
	}
	return along(m.Knots, score, func(k Knot) (x, y float64) { return k.Score, k.Probability })
}

// Score is the grade that means the probability; where none does, the nearest of 0
// and 1.
func (m Map) Score(probability float64) float64 {
	if m.Kind == Platt {
		return logistic((logit(probability) - m.Offset) / m.Slope)
	}
	switch {
	case probability < m.Knots[0].Probability:
		return 0
	case probability > m.Knots[len(m.Knots)-1].Probability:
		return 1
	}
	return along(m.Knots, probability, func(k Knot) (x, y float64) { return k.Probability, k.Score })
}

// along is the height at x of the line through the knots; beyond the ends it stays
// what it is there.
func along(knots []Knot, x float64, axes func(Knot) (x, y float64)) float64 {
	i := sort.Search(len(knots), func(i int) bool { kx, _ := axes(knots[i]); return kx >= x })
	if i == 0 {
		_, y := axes(knots[0])
		return y
	}
	x0, y0 := axes(knots[i-1])
	if i == len(knots) {
		return y0
	}
	x1, y1 := axes(knots[i])
	return y0 + (y1-y0)*(x-x0)/(x1-x0)
}

// validate refuses a map that doesn't rise, or leaves [0, 1].
func (m Map) validate() error {
	switch m.Kind {
	case Platt:
		if !(m.Slope > 0) || math.IsInf(m.Slope, 0) || math.IsNaN(m.Offset) || math.IsInf(m.Offset, 0) {
			return fmt.Errorf("a map of kind platt needs a slope above 0 and an offset, not %v and %v", m.Slope, m.Offset)
		}
		return nil
	case Isotonic:
		if len(m.Knots) < 2 {
			return fmt.Errorf("a map of kind isotonic needs at least 2 knots, not %d", len(m.Knots))
		}
		last := Knot{-1, -1}
		for i, k := range m.Knots {
			if !(last.Score < k.Score && k.Score <= 1 && last.Probability < k.Probability && k.Probability <= 1 && k.Score >= 0 && k.Probability >= 0) {
				return fmt.Errorf("knot %d of the map doesn't rise, or is not in [0, 1]", i+1)
			}
			last = k
		}
		return nil
	}
	return fmt.Errorf("there is no map of kind %q", m.Kind)
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// certain is how near a grade may come to 0 and 1: their log-odds are infinite.
const certain = 1e-6

// logit is the log-odds of a probability, kept finite.
func logit(p float64) float64 {
	p = min(max(p, certain), 1-certain)
	return math.Log(p / (1 - p))
}
