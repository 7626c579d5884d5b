package eval

import "math"

// CalibrationError is how far scores, read as probabilities, are from the share of
// positives among items of such scores: the root of the mean squared gap over bins
// of about equally many items, less what chance alone adds to it (the debiased
// estimator of Kumar, Liang and Ma 2019, §4: "Verified Uncertainty Calibration").
// In [0, 1], lower is better. Where chance explains all of the gap it is 0. NaN
// without items.
//
// Within a bin gaps of different signs cancel, so that it is a lower bound.
func CalibrationError(items []Scored) float64 { return newBinning(items).calibrationError(nil) }

// reliabilityBins is how many bins scores are put into, where there are items
// enough: the usual number.
const (
	reliabilityBins  = 15
	fewestItemsInBin = 10
)

// binning is a set of items in bins of neighbouring scores. The bins are those of
// the items as they are, in every resample.
type binning struct {
	items []Scored
	bins  [][]int // positions in items, by rising score
}

// newBinning makes bins of equally many items, but for equal scores, which stay
// together.
func newBinning(items []Scored) binning {
	order := newRanking(items).order
	size := max(fewestItemsInBin, (len(items)+reliabilityBins-1)/reliabilityBins)
	b := binning{items: items}
	var bin []int
	for k := len(order) - 1; k >= 0; k-- {
		bin = append(bin, order[k])
		last := k == 0
		if last || len(bin) >= size && items[order[k]].Score != items[order[k-1]].Score {
			b.bins, bin = append(b.bins, bin), nil
		}
	}
	return b
}

// binMeans are those of one bin in a resample.
type binMeans struct{ items, score, positive float64 }

func (b binning) means(bin []int, weights []int) (m binMeans) {
	for _, i := range bin {
		w := weight(weights, i)
		m.items += w
		m.score += w * b.items[i].Score
		m.positive += w * indicator(b.items[i].Positive)
	}
	m.score /= m.items
	m.positive /= m.items
	return m
}

func (b binning) calibrationError(weights []int) float64 {
	// A resample has the chance of the items and that of the drawing: what chance
	// adds comes twice.
	chance := 1.0
	if weights != nil {
		chance = 2
	}
	var sum, total float64
	for _, bin := range b.bins {
		m := b.means(bin, weights)
		if m.items < 2 {
			continue // its variance is not known
		}
		gap := m.score - m.positive
		sum += m.items * (gap*gap - chance*m.positive*(1-m.positive)/(m.items-1))
		total += m.items
	}
	return math.Sqrt(max(0, sum/total)) // NaN stays NaN
}

// ReliabilityBin is a bar of a reliability diagram: items of neighbouring scores.
type ReliabilityBin struct {
	Low   float64 `json:"low"` // the lowest score in it
	High  float64 `json:"high"`
	Score float64 `json:"score"` // the mean
	// Positive is the share of positives, which is the score where a system is
	// calibrated.
	Positive float64 `json:"positive"`
	Items    int     `json:"items"`
}

func (b binning) reliability() []ReliabilityBin {
	out := []ReliabilityBin{}
	for _, bin := range b.bins {
		m := b.means(bin, nil)
		out = append(out, ReliabilityBin{
			Low: b.items[bin[0]].Score, High: b.items[bin[len(bin)-1]].Score,
			Score: m.score, Positive: m.positive, Items: len(bin),
		})
	}
	return out
}
