package calibrate

import (
	"fmt"
	"math"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/eval"
)

// Options tune Fit. The zero value is the default.
type Options struct {
	// Costs that are zero are DefaultCosts; a zero Ambiguous is half of Fallback.
	Costs Costs
	// Risk and Confidence are those of the promise; 0 means 0.1 and 0.95.
	Risk, Confidence float64
	// Seed chooses the folds, the resamples and the questions of the promise.
	Seed uint64
	// Resamples is how many the intervals rest on; 0 means 1000.
	Resamples int
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Costs.Wrong == 0 {
		out.Costs.Wrong = DefaultCosts.Wrong
	}
	if out.Costs.Fallback == 0 {
		out.Costs.Fallback = DefaultCosts.Fallback
	}
	if out.Costs.Ambiguous == 0 {
		out.Costs.Ambiguous = out.Costs.Fallback / 2
	}
	if out.Risk == 0 {
		out.Risk = 0.1
	}
	if out.Confidence == 0 {
		out.Confidence = 0.95
	}
	if !(0 < out.Risk && out.Risk < 1 && 0 < out.Confidence && out.Confidence < 1) {
		return out, fmt.Errorf("risk %v and confidence %v must lie between 0 and 1", out.Risk, out.Confidence)
	}
	if out.Resamples < 0 {
		return out, fmt.Errorf("resamples %d must not be negative", out.Resamples)
	}
	return out, out.Costs.validate()
}

// Calibration is what labels say about a grader. Its JSON form is the file.
type Calibration struct {
	Version int      `json:"version"`
	Grader  Identity `json:"grader"`
	Made    string   `json:"made"` // RFC 3339
	Counts
	Map   Map   `json:"map"`
	Brier Brier `json:"brier"`
	Costs Costs `json:"costs"`
	// Upper and Lower are the thresholds that cost least.
	Upper Threshold `json:"upper"`
	Lower Threshold `json:"lower"`
	// Cost is what a question costs on average.
	Cost    Cost    `json:"cost"`
	Promise Promise `json:"promise"`
	// Thresholds are those in force, on probabilities: those that cost least, the
	// upper raised where the promise wants it.
	Thresholds assay.Thresholds `json:"thresholds"`
}

// Brier has the mean squared error of the grades as they are, of the probabilities
// on labels that they were not fitted to, and how much the one is above the other.
type Brier struct {
	Before eval.Estimate `json:"before"`
	After  eval.Estimate `json:"after"`
	Gain   eval.Estimate `json:"gain"`
}

// Cost has the mean cost of a question at the default thresholds on the grades as
// they are, at those in force on probabilities of labels that they were not fitted
// to, and how much the one is above the other.
type Cost struct {
	Before eval.Estimate `json:"before"`
	After  eval.Estimate `json:"after"`
	Gain   eval.Estimate `json:"gain"`
}

// Threshold is a probability and where it lies among the grades.
type Threshold struct {
	Probability float64 `json:"probability"`
	// Score is the grade that means this probability, with its interval.
	Score eval.Estimate `json:"score"`
	// Passed and Wrong count the labels graded at least so, and those of them whose
	// evidence is insufficient.
	Passed int `json:"passed"`
	Wrong  int `json:"wrong"`
}

// HalfTheWidth estimates how many labels would make the intervals half as wide:
// four times as many, since a width goes with one over the root of their number.
func (c Calibration) HalfTheWidth() int { return 4 * c.Labels }

// Fit makes a calibration of at least MinLabels labels; ErrFewLabels, ErrOneKind,
// ErrOneGroup and ErrUnrelated say of labels that nothing can be fitted to them. It
// doesn't know the grader and the time: fill those in. The same labels, in the same
// order, and options give the same calibration.
func Fit(labels []Label, opts *Options) (*Calibration, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("calibrate: options: %w", err)
	}
	if err := checkLabels(labels); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	labels = sorted(labels)
	if labels[0].Score == labels[len(labels)-1].Score || !(fitPlatt(labels, nil).Slope > 0) {
		return nil, fmt.Errorf("calibrate: %w", ErrUnrelated)
	}
	kind, unseen := chooseKind(labels, o.Seed)
	c := &Calibration{
		Version: fileVersion, Costs: o.Costs, Map: kind.fit(labels, nil),
		Promise: promise(labels, o.Risk, o.Confidence, o.Seed),
	}
	boot := eval.NewBootstrap(groupNames(labels), o.Resamples, o.Seed)
	c.Counts = Counts{len(labels), countPositives(labels), boot.Groups()}
	cheapest := o.Costs.Thresholds()
	c.Upper = c.threshold(cheapest.Upper, labels, boot)
	c.Lower = c.threshold(cheapest.Lower, labels, boot)
	c.Thresholds = cheapest
	if c.Promise.Reached {
		c.Thresholds.Upper = max(cheapest.Upper, c.Map.Probability(c.Promise.Grade))
	}
	c.measure(labels, unseen, boot)
	return c, nil
}

// threshold finds where a probability lies among the grades. Each resample fits the
// map anew.
func (c *Calibration) threshold(probability float64, labels []Label, boot *eval.Bootstrap) Threshold {
	t := Threshold{Probability: probability}
	t.Score = boot.Estimate(func(weights []int) float64 {
		m := c.Map.Kind.fit(labels, weights)
		if m.validate() != nil { // a resample in which the scores don't rise with the labels
			return math.NaN()
		}
		return m.Score(probability)
	})
	for _, l := range labels {
		if c.Map.Probability(l.Score) >= probability {
			t.Passed++
			if !l.Positive {
				t.Wrong++
			}
		}
	}
	return t
}

// measure fills in what the calibration gains. unseen are the probabilities of the
// labels by maps that were fitted without them.
func (c *Calibration) measure(labels []Label, unseen []float64, boot *eval.Bootstrap) {
	n := len(labels)
	errors, costs := [3][]float64{}, [3][]float64{} // before, after, gain
	for k := range errors {
		errors[k], costs[k] = make([]float64, n), make([]float64, n)
	}
	for i, l := range labels {
		errors[0][i] = square(l.Score - l.indicator())
		errors[1][i] = square(unseen[i] - l.indicator())
		costs[0][i] = c.Costs.of(verdictOf(assay.DefaultThresholds, l.Score), l.Positive)
		costs[1][i] = c.Costs.of(verdictOf(c.Thresholds, unseen[i]), l.Positive)
		errors[2][i], costs[2][i] = errors[0][i]-errors[1][i], costs[0][i]-costs[1][i]
	}
	c.Brier = Brier{boot.Mean(errors[0]), boot.Mean(errors[1]), boot.Mean(errors[2])}
	c.Cost = Cost{boot.Mean(costs[0]), boot.Mean(costs[1]), boot.Mean(costs[2])}
}

func square(x float64) float64 { return x * x }
