package eval

import (
	"fmt"
	"strconv"
)

// styles is how many colours the page has, dashes how many patterns. They have no common
// divisor, so that only the 29th system looks like the first.
const (
	styles = 7
	dashes = 4
)

// styleOf is the look of the nth of several curves: colour and dashes tell them apart,
// so that either will do.
func styleOf(n int) string { return fmt.Sprintf("c%d d%d", n%styles, n%dashes) }

// guide is the look of a line to compare with.
const guide = "guide"

// plots are those of a report with scores, in rows.
func (r *GateReport) plots() [][]plot {
	var all []Figures
	for _, s := range r.Systems {
		all = append(all, s.Figures)
	}
	return scorePlots(all, [3]string{"Correct", "Ambiguous", "Incorrect"})
}

func (r *SupportReport) plots() [][]plot {
	var all []Figures
	for _, s := range r.Systems {
		all = append(all, s.Figures)
	}
	return scorePlots(all, [3]string{"supported", "in between", "not supported"})
}

// scorePlots has a row of the systems together, then one of each with what can't be
// shown together. A choice of the threshold ends in one of three ways.
func scorePlots(systems []Figures, ways [3]string) [][]plot {
	out := [][]plot{{rocPlot(systems), riskPlot(systems), reliabilityPlot(systems)}}
	for _, f := range systems {
		out = append(out, []plot{barsPlot(f), sweepPlot(f, ways)})
	}
	return out
}

func rocPlot(systems []Figures) plot {
	p := plot{
		Title: "ROC", X: "negatives that pass (share)", Y: "positives that pass (share)",
		Note:  "The nearer to the upper left corner, the better. A point is a threshold.",
		Lines: []curve{{"chance", guide, []point{{X: 0, Y: 0}, {X: 1, Y: 1}}}},
	}
	for n, f := range systems {
		p.Lines = append(p.Lines, curveOf(n, f.Name, f.Curves.ROC, func(r ROCPoint) point {
			return point{r.FalsePositive, r.TruePositive, fmt.Sprintf("%s at %v: %s of the positives pass, %s of the negatives",
				f.Name, r.Threshold, percent(r.TruePositive), percent(r.FalsePositive))}
		}))
	}
	return p
}

func riskPlot(systems []Figures) plot {
	p := plot{
		Title: "Risk and coverage", X: "items taken, best scores first (share)", Y: "negatives among them (share)",
		Note: "The lower, the better: what is wrong where only the surest are taken for positive.",
	}
	for n, f := range systems {
		p.Lines = append(p.Lines, curveOf(n, f.Name, f.Curves.RiskCoverage, func(r RiskPoint) point {
			return point{r.Coverage, r.Risk, fmt.Sprintf("%s at %.3f: %s are taken, %s of them negative",
				f.Name, r.Threshold, percent(r.Coverage), percent(r.Risk))}
		}))
	}
	return p
}

func reliabilityPlot(systems []Figures) plot {
	p := plot{
		Title: "Reliability", X: "score (mean of a bin)", Y: "positives (share)",
		Note:  "On the diagonal a score is a probability. Below it a system is too sure of itself.",
		Lines: []curve{{"calibrated", guide, []point{{X: 0, Y: 0}, {X: 1, Y: 1}}}},
	}
	for n, f := range systems {
		p.Lines = append(p.Lines, curveOf(n, f.Name, f.Curves.Reliability, func(b ReliabilityBin) point {
			return point{b.Score, b.Positive, f.Name + ", " + b.describe()}
		}))
	}
	return p
}

// barsPlot is the reliability of one system, bin by bin.
func barsPlot(f Figures) plot {
	p := plot{
		Title: "Reliability of " + f.Name, X: "score", Y: "positives (share)",
		Note:  "A bar is a bin of neighbouring scores, with the number of its items.",
		Lines: []curve{{"calibrated", guide, []point{{X: 0, Y: 0}, {X: 1, Y: 1}}}},
	}
	for _, b := range f.Curves.Reliability {
		p.Bars = append(p.Bars, bar{b.Low, b.High, b.Positive, strconv.Itoa(b.Items), b.describe()})
	}
	return p
}

// describe is for the pointer.
func (b ReliabilityBin) describe() string {
	return fmt.Sprintf("scores %.3f to %.3f, mean %.3f: %s of %d are positive", b.Low, b.High, b.Score, percent(b.Positive), b.Items)
}

// sweepPlot is what each choice of the upper threshold of one system costs.
func sweepPlot(f Figures, ways [3]string) plot {
	p := plot{
		Title: "Thresholds of " + f.Name, X: "upper threshold", Y: "share",
		Note: fmt.Sprintf("What each choice would come to, the lower threshold staying at %.2f. Misses are negatives that pass as %s, fallbacks positives that don't.",
			f.Thresholds.Lower, ways[0]),
		Marks: []mark{{f.Thresholds.Lower, "lower"}, {f.Thresholds.Upper, "upper"}},
	}
	for n, of := range []struct {
		name  string
		value func(SweepPoint) float64
	}{
		{ways[0] + ", of all", func(s SweepPoint) float64 { return s.Correct }},
		{ways[1] + ", of all", func(s SweepPoint) float64 { return s.Ambiguous }},
		{ways[2] + ", of all", func(s SweepPoint) float64 { return s.Incorrect }},
		{"misses, of the negatives", func(s SweepPoint) float64 { return s.Misses }},
		{"fallbacks, of the positives", func(s SweepPoint) float64 { return s.Fallbacks }},
	} {
		c := curve{Name: of.name, Style: styleOf(n)}
		for _, s := range f.Curves.Sweep {
			c.Points = append(c.Points, point{X: s.Threshold, Y: of.value(s)})
		}
		p.Lines = append(p.Lines, c)
	}
	const half = 0.5 / sweepSteps
	for _, s := range f.Curves.Sweep {
		p.Zones = append(p.Zones, zone{max(0, s.Threshold-half), min(1, s.Threshold+half), fmt.Sprintf(
			"at %.2f: %s %s, %s %s, %s %s; misses %s of the negatives, fallbacks %s of the positives", s.Threshold,
			ways[0], percent(s.Correct), ways[1], percent(s.Ambiguous), ways[2], percent(s.Incorrect), percent(s.Misses), percent(s.Fallbacks))})
	}
	return p
}

// plots has the recall at each depth; the depths stand at equal distances.
func (r *RetrievalReport) plots() [][]plot {
	p := plot{Title: "Recall", X: "passages retrieved", Y: "gold passages among them (share)", XTicks: []tick{}}
	depths := r.Systems[0].Recall
	at := func(i int) float64 { return (float64(i) + 0.5) / float64(len(depths)) }
	for i, k := range depths {
		p.XTicks = append(p.XTicks, tick{at(i), strconv.Itoa(k.K)})
	}
	for n, f := range r.Systems {
		c := curve{Name: f.Name, Style: styleOf(n)}
		for i, k := range f.Recall {
			c.Points = append(c.Points, point{at(i), float64(k.Recall.Value), fmt.Sprintf("%s: recall@%d %v", f.Name, k.K, k.Recall.Estimate)})
		}
		p.Lines = append(p.Lines, c)
	}
	return [][]plot{{p}}
}

// curveOf makes the curve of a system. About fifty of its points have text under the
// pointer.
func curveOf[T any](n int, name string, points []T, place func(T) point) curve {
	const most = 50
	step := (len(points) + most - 1) / most
	c := curve{Name: name, Style: styleOf(n)}
	for i, p := range points {
		placed := place(p)
		if i%step != 0 && i < len(points)-1 {
			placed.Text = ""
		}
		c.Points = append(c.Points, placed)
	}
	return c
}

// percent formats a share.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
