package eval

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/assay-rag/assay"
)

// Counts says what was measured on.
type Counts struct {
	// Part is the part of the set, see Set.Part.
	Part Part `json:"part"`
	// Items and Positives count all items, failures included.
	Items     int `json:"items"`
	Positives int `json:"positives"`
	// Measured counts the items that no system failed on: all figures are of those.
	Measured int `json:"measured"`
	// Groups is how many groups the intervals draw from. With fewer than about
	// twenty an interval is rough, and mostly too narrow.
	Groups int `json:"groups"`
}

// Figures are how well the scores of one system tell positives from negatives.
type Figures struct {
	Name string `json:"name"`
	// Version is what the figures belong to: a model, weights. May be empty.
	Version    string           `json:"version"`
	Thresholds assay.Thresholds `json:"thresholds"`
	// Undetermined counts the items on which this system failed.
	Undetermined Failures `json:"undetermined"`
	AUROC        Compared `json:"auroc"`
	AUPRC        Compared `json:"auprc"`
	// Brier and CalibrationError read scores as probabilities, which those of a
	// system that only ranks are not.
	Brier            Compared `json:"brier"`
	CalibrationError Compared `json:"calibration_error"`
	// AURC is the area under the risk–coverage curve.
	AURC Compared `json:"aurc"`
	// At has the lower and the upper threshold of the system.
	At []Decision `json:"at"`
	// Fitted is with a threshold that serves balanced accuracy best, chosen for each
	// half of the groups on the other half: what the system decides when nobody
	// knew its scale beforehand. (Chosen and judged on the same items it would
	// flatter.)
	Fitted Decision `json:"fitted"`
	// Time is the mean in milliseconds: a passage, a claim or a strip.
	Time float64 `json:"ms"`
	// Usage is null where no language model was called.
	Usage  *Usage `json:"usage"`
	Curves Curves `json:"curves"`
	// Scores are those of the measured items, in their order, where Options.Scores
	// wants them.
	Scores []Scored `json:"scores,omitempty"`
}

// Compared is a figure of one system, and what it has more than the first one on
// the same items. The first has no difference.
type Compared struct {
	Estimate
	Difference *Difference `json:"difference,omitempty"`
}

// Decision is how well a threshold decides, with scores at or above it taken for
// positive.
type Decision struct {
	// Threshold is not defined (null) where it was fitted.
	Threshold        Figure   `json:"threshold"`
	BalancedAccuracy Compared `json:"balanced_accuracy"`
	Accuracy         Compared `json:"accuracy"`
	F1               Compared `json:"f1"`
}

// KindFigures are those of the first system on the items of one kind.
type KindFigures struct {
	Kind      string `json:"kind"`
	Items     int    `json:"items"`
	Positives int    `json:"positives"`
	// AUROC is not defined (null) where all items of the kind have the same label.
	AUROC Estimate `json:"auroc"`
	// Accuracy is that of the fitted threshold; of a router, that of what it decides.
	Accuracy Estimate `json:"accuracy"`
}

// fewestOfKind is how many items a kind needs to have figures.
const fewestOfKind = 20

// Example is an item that the first system judged badly.
type Example struct {
	// Subject is the question or the claim, Text what it was judged against.
	Subject  string  `json:"subject"`
	Text     string  `json:"text"`
	Kind     string  `json:"kind,omitempty"`
	Score    float64 `json:"score"`
	Positive bool    `json:"positive"`
}

// labelled is what a contest needs to know of an item.
type labelled struct {
	positive    bool
	group, kind string
}

// contest holds the scores of systems side by side, on the items that none failed
// on.
type contest struct {
	items   []labelled
	item    []int // the position in the set of each measured item
	systems []contestant
	scored  [][]Scored // by system, in the order of item
	boot    *Bootstrap
	counts  Counts
	keep    bool // the scores
}

// newContest takes the replies, from which score reads the score.
func newContest[T any](m measurement, items []labelled, all [][]reply[T], score func(T) float64, o Options) *contest {
	c := &contest{items: items, systems: m.systems, counts: Counts{Part: m.set.part(), Items: len(items)}, keep: o.Scores}
	var groups []string
	for i, it := range items {
		c.counts.Positives += int(indicator(it.positive))
		if !failedOn(all, i) {
			c.item, groups = append(c.item, i), append(groups, it.group)
		}
	}
	for _, of := range all {
		c.scored = append(c.scored, c.scores(func(i int) float64 { return score(of[i].value) }))
	}
	c.boot = NewBootstrap(groups, o.Resamples, o.Seed)
	c.counts.Measured, c.counts.Groups = len(c.item), c.boot.Groups()
	return c
}

// scores gives the measured items other scores.
func (c *contest) scores(score func(item int) float64) []Scored {
	out := make([]Scored, len(c.item))
	for n, i := range c.item {
		out[n] = Scored{score(i), c.items[i].positive, c.items[i].group}
	}
	return out
}

// metric is a figure of resampled items.
type metric = func(weights []int) float64

// compared estimates a metric of one system beside that of the first.
func (b *Bootstrap) compared(system int, of func(system int) metric) Compared {
	own := of(system)
	out := Compared{Estimate: b.Estimate(own)}
	if system > 0 {
		d := b.Compare(own, of(0))
		out.Difference = &d
	}
	return out
}

func (c *contest) compared(system int, of func(system int) metric) Compared {
	return c.boot.compared(system, of)
}

// figures are those of one system; pieces is how many passages, claims or strips
// the time was spent on.
func (c *contest) figures(system int, failures Failures, took time.Duration, pieces int, used *Usage) Figures {
	s := c.systems[system]
	ranked := func(of func(ranking, []int) float64) func(int) metric {
		return func(system int) metric {
			r := newRanking(c.scored[system])
			return func(w []int) float64 { return of(r, w) }
		}
	}
	f := Figures{
		Name: s.Name, Version: s.Version, Thresholds: s.thresholds, Undetermined: failures,
		AUROC: c.compared(system, ranked(ranking.auroc)),
		AUPRC: c.compared(system, ranked(ranking.auprc)),
		AURC:  c.compared(system, ranked(ranking.aurc)),
		Brier: c.compared(system, func(s int) metric {
			return func(w []int) float64 { return brier(c.scored[s], w) }
		}),
		CalibrationError: c.compared(system, func(s int) metric { return newBinning(c.scored[s]).calibrationError }),
		Fitted:           c.decision(system, c.fitted, func(int) float64 { return taken }),
		Time:             milliseconds(took) / float64(pieces), Usage: used,
		Curves: curves(c.scored[system], s.thresholds),
	}
	f.Fitted.Threshold = undefined
	if c.keep {
		f.Scores = c.scored[system]
	}
	own := func(system int) []Scored { return c.scored[system] }
	f.At = []Decision{
		c.decision(system, own, func(s int) float64 { return c.systems[s].thresholds.Lower }),
		c.decision(system, own, func(s int) float64 { return c.systems[s].thresholds.Upper }),
	}
	return f
}

// decision compares what systems decide, each by its own scores and threshold.
func (c *contest) decision(system int, scores func(system int) []Scored, threshold func(system int) float64) Decision {
	by := func(of func([]Scored, float64, []int) float64) Compared {
		return c.compared(system, func(s int) metric {
			items, t := scores(s), threshold(s)
			return func(w []int) float64 { return of(items, t, w) }
		})
	}
	return Decision{
		Threshold: Figure(threshold(system)), BalancedAccuracy: by(balancedAccuracy), Accuracy: by(accuracy), F1: by(f1),
	}
}

// taken is the score of an item that a fitted threshold takes for positive; the
// others have 0.
const taken = 1

func (c *contest) fitted(system int) []Scored { return fitted(c.scored[system]) }

// fitted decides each half of the groups by the threshold that serves the other
// half best.
func fitted(all []Scored) []Scored {
	var halves [2][]Scored
	for _, it := range all {
		half := halfOf(it.Group)
		halves[half] = append(halves[half], it)
	}
	thresholds := [2]float64{bestThreshold(halves[1]), bestThreshold(halves[0])}
	out := slices.Clone(all)
	for i, it := range all {
		out[i].Score = indicator(it.Score >= thresholds[halfOf(it.Group)])
	}
	return out
}

// bestThreshold is the score with the highest balanced accuracy, the highest such
// score where there are several; one half where a label is missing.
func bestThreshold(items []Scored) float64 {
	best, threshold := math.Inf(-1), 0.5
	_, _, positives, negatives := countAbove(items, 0)
	var positive, negative float64
	r := newRanking(items)
	at := 0
	r.ties(nil, func(p, n float64) {
		positive, negative = positive+p, negative+n
		if gain := positive/positives - negative/negatives; gain > best { // NaN never is
			best, threshold = gain, items[r.order[at]].Score
		}
		at += int(p + n)
	})
	return threshold
}

// kinds are the figures of the first system by kind, in the order of their names.
// decisions are what it takes for positive, see taken.
func (c *contest) kinds(decisions []Scored) []KindFigures {
	out := []KindFigures{}
	members := map[string][]int{} // positions among the measured items
	for n, i := range c.item {
		if kind := c.items[i].kind; kind != "" {
			members[kind] = append(members[kind], n)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(members)) {
		if len(members[kind]) < fewestOfKind {
			continue
		}
		var scored, decided []Scored
		var groups []string
		for _, n := range members[kind] {
			scored, decided = append(scored, c.scored[0][n]), append(decided, decisions[n])
			groups = append(groups, c.scored[0][n].Group)
		}
		boot := NewBootstrap(groups, c.boot.resamples, c.boot.seed)
		k := KindFigures{
			Kind: kind, Items: len(scored),
			AUROC:    boot.Estimate(newRanking(scored).auroc),
			Accuracy: boot.Estimate(func(w []int) float64 { return accuracy(decided, taken, w) }),
		}
		for _, s := range scored {
			k.Positives += int(indicator(s.Positive))
		}
		out = append(out, k)
	}
	return out
}

// worst makes examples of the n items whose score by the first system is farthest
// from their label, worst first.
func (c *contest) worst(n int, describe func(item int) (subject, text string)) []Example {
	scored := c.scored[0]
	order := make([]int, len(scored))
	for i := range order {
		order[i] = i
	}
	miss := func(i int) float64 { return math.Abs(scored[i].Score - indicator(scored[i].Positive)) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(miss(b), miss(a)) })
	examples := []Example{}
	for _, i := range order[:min(n, len(order))] {
		subject, text := describe(c.item[i])
		examples = append(examples, Example{subject, text, c.items[c.item[i]].kind, scored[i].Score, scored[i].Positive})
	}
	return examples
}
