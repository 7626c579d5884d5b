package eval

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/assay-rag/assay"
)

// UsefulReport is how well raters of answers agree with people.
type UsefulReport struct {
	Task     Task   `json:"task"`
	Set      string `json:"set"`
	Seed     uint64 `json:"seed"`
	Part     Part   `json:"part"`
	Answers  int    `json:"answers"`
	Measured int    `json:"measured"` // that no system failed on
	Groups   int    `json:"groups"`
	// Systems are in the order in which they were given.
	Systems []UsefulFigures `json:"systems"`
	// Worst has the answers that the first system rates farthest from people. Score is
	// its rating, Positive whether people rated the answer 3 or more.
	Worst []Example `json:"worst"`
}

// UsefulFigures are those of one rater, see Figures.
type UsefulFigures struct {
	Name         string   `json:"name"`
	Version      string   `json:"version"`
	Undetermined Failures `json:"undetermined"`
	// Spearman is the rank correlation with the ratings of people (Spearman 1904, ties
	// having their mean rank). In [-1, 1].
	Spearman Compared `json:"spearman"`
	// Exact is the share of ratings that are the same.
	Exact Compared `json:"exact"`
	// Error is the mean distance in steps.
	Error Compared `json:"mean_absolute_error"`
	// Time is the mean time an answer in milliseconds.
	Time  float64 `json:"ms"`
	Usage *Usage  `json:"usage"`
}

// UsefulSystem is a rater under test, see GateSystem.
type UsefulSystem struct {
	Name    string
	Version string
	Rater   assay.Usefulness
}

// AlwaysUseful rates every answer 5.
func AlwaysUseful() UsefulSystem { return UsefulSystem{Name: "always", Rater: alwaysFive{}} }

type alwaysFive struct{}

// Rate implements assay.Usefulness.
func (alwaysFive) Rate(context.Context, assay.Query, string) (int, error) { return 5, nil }

// Useful measures raters on a set, side by side. Failures and errors are as with
// Gate.
func Useful(ctx context.Context, set *Set, systems []UsefulSystem, opts *Options) (*UsefulReport, error) {
	m, o, err := begin(TaskUseful, set, opts, len(systems), func(i int) (string, string, *assay.Thresholds) {
		return systems[i].Name, systems[i].Version, nil
	})
	if err != nil {
		return nil, err
	}
	m.items, m.key = len(set.Useful), func(i int) string { return itemKey(set.Useful[i].Question, set.Useful[i].Answer) }
	all, err := replies(ctx, o, m, func(ctx context.Context, s, i int) (int, error) {
		it := set.Useful[i]
		rating, err := systems[s].Rater.Rate(ctx, assay.Query{Question: it.Question, Asked: it.Question}, it.Answer)
		if err == nil && (rating < 1 || rating > 5) {
			err = fmt.Errorf("rating %d is not in 1 to 5", rating)
		}
		return rating, err
	})
	if err != nil {
		return nil, fmt.Errorf("eval useful: %w", err)
	}
	return usefulReport(m, all, o), nil
}

func usefulReport(m measurement, all [][]reply[int], o Options) *UsefulReport {
	r := &UsefulReport{Task: TaskUseful, Set: m.set.Name, Seed: o.Seed, Part: m.set.part(), Answers: m.items}
	var measured []int
	var groups []string
	var people []float64
	for i, it := range m.set.Useful {
		if !failedOn(all, i) {
			measured, groups, people = append(measured, i), append(groups, it.Group), append(people, float64(it.Rating))
		}
	}
	boot := NewBootstrap(groups, o.Resamples, o.Seed)
	r.Measured, r.Groups = len(measured), boot.Groups()
	each := func(s int, value func(rating, person float64) float64) []float64 {
		out := make([]float64, len(measured))
		for n, i := range measured {
			out[n] = value(float64(all[s][i].value), people[n])
		}
		return out
	}
	for s, system := range m.systems {
		took, used := spent(all[s])
		r.Systems = append(r.Systems, UsefulFigures{
			Name: system.Name, Version: system.Version, Undetermined: gatherFailures(errorsOf(all[s])),
			Spearman: boot.compared(s, func(s int) metric {
				ratings := each(s, func(rating, _ float64) float64 { return rating })
				return func(w []int) float64 { return spearman(ratings, people, w) }
			}),
			Exact: boot.compared(s, func(s int) metric {
				return mean(each(s, func(rating, person float64) float64 { return indicator(rating == person) }))
			}),
			Error: boot.compared(s, func(s int) metric {
				return mean(each(s, func(rating, person float64) float64 { return math.Abs(rating - person) }))
			}),
			Time: milliseconds(took) / float64(m.items), Usage: used,
		})
	}
	off := func(i int) int {
		return max(all[0][i].value-m.set.Useful[i].Rating, m.set.Useful[i].Rating-all[0][i].value)
	}
	slices.SortStableFunc(measured, func(a, b int) int { return cmp.Compare(off(b), off(a)) })
	r.Worst = []Example{}
	for _, i := range measured[:min(o.Worst, len(measured))] {
		it := m.set.Useful[i]
		r.Worst = append(r.Worst, Example{it.Question, it.Answer, it.Kind, float64(all[0][i].value), it.Rating >= 3})
	}
	return r
}

// spearman is the correlation of the ranks. NaN where all values of a side are equal.
func spearman(x, y []float64, weights []int) float64 {
	rx, ry := ranks(x, weights), ranks(y, weights)
	mx, my := mean(rx)(weights), mean(ry)(weights)
	var xy, xx, yy float64
	for i := range rx {
		w, dx, dy := weight(weights, i), rx[i]-mx, ry[i]-my
		xy, xx, yy = xy+w*dx*dy, xx+w*dx*dx, yy+w*dy*dy
	}
	return xy / math.Sqrt(xx*yy)
}

// ranks are the positions of the values in rising order; equal values have their mean.
func ranks(values []float64, weights []int) []float64 {
	order := byScore(values)
	slices.Reverse(order)
	out := make([]float64, len(values))
	before := 0.0
	for i := 0; i < len(order); {
		end, tied := i, 0.0
		for ; end < len(order) && values[order[end]] == values[order[i]]; end++ {
			tied += weight(weights, order[end])
		}
		for ; i < end; i++ {
			out[order[i]] = before + (tied+1)/2
		}
		before += tied
	}
	return out
}

// WriteTable implements Report.
func (r *UsefulReport) WriteTable(w io.Writer) error {
	t := newTable(w)
	t.line("useful · %s%s · %d answers", r.Set, r.Part.title(), r.Answers)
	var columns []column
	for _, f := range r.Systems {
		columns = append(columns, column{f.Name, f.Undetermined, f.Time, f.Usage, []row{
			{"rank correlation", f.Spearman}, {"same rating", f.Exact}, {"mean distance in steps", f.Error},
		}})
	}
	t.sideBySide(columns, "ms an answer", r.Answers, r.Measured, r.Groups)
	t.undetermined(columns)
	t.examples(r.Worst, "question")
	return t.close()
}
