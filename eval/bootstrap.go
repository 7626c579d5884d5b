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

// undefined is the figure that is not defined.
var undefined = Figure(math.NaN())

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

// Difference is what one system has more than another on the same items.
type Difference struct {
	Estimate
	// P is the two-sided p-value of the difference: how likely one as large would be
	// if the systems were alike. Not defined with fewer than two groups.
	P Figure `json:"p"`
}

// Compare estimates how much more the metric of one system is than that of another,
// on the same resamples. The p-value inverts the percentile interval: it is twice
// the share of the resamples on the other side of no difference (the paired
// bootstrap of Koehn 2004), never below 2 in the number of resamples (Davison and
// Hinkley 1997, §4.2).
func (b *Bootstrap) Compare(metric, other func(weights []int) float64) Difference {
	below, above, all := 0, 0, 0
	estimate := b.Estimate(func(weights []int) float64 {
		d := metric(weights) - other(weights)
		if weights != nil && !math.IsNaN(d) {
			all++
			below += int(indicator(d <= 0))
			above += int(indicator(d >= 0))
		}
		return d
	})
	p := undefined
	if all > 0 {
		p = Figure(min(1, 2*float64(min(below, above)+1)/float64(all+1)))
	}
	return Difference{estimate, p}
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
func (b *Bootstrap) Mean(values []float64) Estimate { return b.Estimate(mean(values)) }

// mean is the metric of one value an item. NaN without items.
func mean(values []float64) func(weights []int) float64 {
	return func(weights []int) float64 {
		var sum, total float64
		for i, v := range values {
			sum += weight(weights, i) * v
			total += weight(weights, i)
		}
		return sum / total
	}
}
