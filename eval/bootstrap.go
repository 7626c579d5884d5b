package eval

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Figure is a number of a report. NaN means that it is not defined for this
// data (an AUROC where all labels are equal) and is null in JSON.
type Figure float64

// Defined tells whether the figure is a number.
func (f Figure) Defined() bool { return !math.IsNaN(float64(f)) }

// MarshalJSON writes the number, or null where it is not defined.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Figure) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*f = Figure(math.NaN())
		return nil
	}
	return json.Unmarshal(data, (*float64)(f))
}

// String formats the figure with three decimals, "–" where it is not defined.
func (f Figure) String() string {
	if !f.Defined() {
		return "–"
	}
	return strconv.FormatFloat(float64(f), 'f', 3, 64)
}

// Estimate is a figure with its 95 % interval. The interval is not defined with
// fewer than two groups.
type Estimate struct {
	Value Figure `json:"value"`
	Low   Figure `json:"low"`
	High  Figure `json:"high"`
}

// Bootstrap estimates metrics by the percentile bootstrap over groups (Efron
// and Tibshirani 1993, §13.3; drawing clusters as in Davison and Hinkley 1997,
// §3.8). Make one with NewBootstrap. All metrics see the same resamples, so
// that a difference of two systems is estimated in pairs.
type Bootstrap struct {
	member    []int // the group of each item
	groups    int
	resamples int
	seed      uint64
}

// defaultResamples is enough for two decimals at the ends of an interval.
const defaultResamples = 1000

// NewBootstrap prepares resamples of the items, whole groups at a time: group[i]
// is the group of item i. 0 resamples means 1000. The same seed gives the same
// resamples.
func NewBootstrap(group []string, resamples int, seed uint64) *Bootstrap {
	if resamples == 0 {
		resamples = defaultResamples
	}
	index := map[string]int{} // groups in the order of their first item
	member := make([]int, len(group))
	for i, g := range group {
		if _, ok := index[g]; !ok {
			index[g] = len(index)
		}
		member[i] = index[g]
	}
	return &Bootstrap{member: member, groups: len(index), resamples: resamples, seed: seed}
}

// Groups is the number of groups drawn from.
func (b *Bootstrap) Groups() int { return b.groups }

// Estimate returns the metric on the items as they are, with its interval. The
// metric gets how often each item was drawn, in a slice that is reused; nil
// means once each. Resamples for which it is NaN are left out.
func (b *Bootstrap) Estimate(metric func(weights []int) float64) Estimate {
	var values []float64
	b.each(func(weights []int) {
		if v := metric(weights); !math.IsNaN(v) {
			values = append(values, v)
		}
	})
	slices.Sort(values)
	return Estimate{
		Value: Figure(metric(nil)),
		Low:   Figure(quantile(values, 0.025)),
		High:  Figure(quantile(values, 0.975)),
	}
}

// each draws the resamples anew, the same each time: cheaper than to keep them.
func (b *Bootstrap) each(visit func(weights []int)) {
	if b.groups < 2 {
		return
	}
	random := rand.New(rand.NewPCG(b.seed, bootstrapStream))
	drawn := make([]int, b.groups)
	weights := make([]int, len(b.member))
	for range b.resamples {
		clear(drawn)
		for range drawn {
			drawn[random.IntN(b.groups)]++
		}
		for i, g := range b.member {
			weights[i] = drawn[g]
		}
		visit(weights)
	}
}

// Each use of a seed draws from a stream of its own.
const (
	bootstrapStream = 1
	negativeStream  = 2
)

// Mean estimates the mean of one value an item.
func (b *Bootstrap) Mean(values []float64) Estimate {
	return b.Estimate(func(weights []int) float64 {
		var sum, total float64
		for i, v := range values {
			sum += weight(weights, i) * v
			total += weight(weights, i)
		}
		return sum / total
	})
}
