package eval

import (
	"fmt"
	"strings"
)

// run is a report as a later one is compared with it.
type run struct {
	task    Task
	set     string
	seed    uint64
	on      string // the items measured, in words: figures of others can't be compared
	systems []runSystem
}

// runSystem are the figures of one system.
type runSystem struct {
	name    string
	figures []runFigure
	scores  []Scored // may be missing
}

// runFigure is one figure of quality.
type runFigure struct {
	name string
	Estimate
	lowerIsBetter bool
	again         func(scores []Scored) metric // makes it of scores; nil: it isn't of those
}

// title names the run.
func (r run) title() string { return string(r.task) + " · " + r.set }

// runsOf are those of a report that can be compared.
func runsOf(r Report) []run {
	reports := []Report{r}
	if s, ok := r.(*Summary); ok {
		reports = s.Reports
	}
	var out []run
	for _, r := range reports {
		if r, ok := r.(interface{ run() run }); ok {
			out = append(out, r.run())
		}
	}
	return out
}

// newRun describes what was measured on: the part, and names and numbers in turns.
func newRun(task Task, set string, part Part, seed uint64, counts ...any) run {
	on := []string{fmt.Sprintf("part %s, seed %d", part, seed)}
	for i := 0; i < len(counts); i += 2 {
		on = append(on, fmt.Sprintf("%v %v", counts[i], counts[i+1]))
	}
	return run{task: task, set: set, seed: seed, on: strings.Join(on, ", ")}
}

func higher(name string, c Compared) runFigure { return runFigure{name: name, Estimate: c.Estimate} }

func lower(name string, c Compared) runFigure {
	return runFigure{name: name, Estimate: c.Estimate, lowerIsBetter: true}
}

// of says how the figure is made of scores.
func (f runFigure) of(again func(scores []Scored) metric) runFigure {
	f.again = again
	return f
}

// system are the figures of scores, those of the table.
func (f Figures) system(more ...runFigure) runSystem {
	out := []runFigure{
		higher("AUROC", f.AUROC).of(func(s []Scored) metric { return newRanking(s).auroc }),
		higher("AUPRC", f.AUPRC).of(func(s []Scored) metric { return newRanking(s).auprc }),
		lower("Brier", f.Brier).of(func(s []Scored) metric { return func(w []int) float64 { return brier(s, w) } }),
		lower("calibration error", f.CalibrationError).of(func(s []Scored) metric { return newBinning(s).calibrationError }),
		lower("area under risk–coverage", f.AURC).of(func(s []Scored) metric { return newRanking(s).aurc }),
	}
	out = append(out, f.Fitted.figures("fitted", func(s []Scored) ([]Scored, float64) { return fitted(s), taken })...)
	for i, d := range f.At {
		name := []string{"lower threshold", "upper threshold"}[i]
		out = append(out, d.figures(name, func(s []Scored) ([]Scored, float64) { return s, float64(d.Threshold) })...)
	}
	return runSystem{f.Name, append(out, more...), f.Scores}
}

// figures are those of a decision; decide makes it of scores, nil where that can't be.
func (d Decision) figures(name string, decide func([]Scored) ([]Scored, float64)) []runFigure {
	out := []runFigure{
		higher("balanced accuracy, "+name, d.BalancedAccuracy), higher("accuracy, "+name, d.Accuracy), higher("F1, "+name, d.F1),
	}
	if decide == nil {
		return out
	}
	for i, of := range []func([]Scored, float64, []int) float64{balancedAccuracy, accuracy, f1} {
		out[i] = out[i].of(func(s []Scored) metric {
			items, threshold := decide(s)
			return func(w []int) float64 { return of(items, threshold, w) }
		})
	}
	return out
}

func (c Counts) runOf(task Task, set string, seed uint64) run {
	return newRun(task, set, c.Part, seed, "items", c.Items, "positive", c.Positives, "measured", c.Measured, "groups", c.Groups)
}

func (r *GateReport) run() run {
	out := r.Counts.runOf(r.Task, r.Set, r.Seed)
	for _, f := range r.Systems {
		out.systems = append(out.systems, f.system())
	}
	return out
}

func (r *SupportReport) run() run {
	out := r.Counts.runOf(r.Task, r.Set, r.Seed)
	for _, f := range r.Systems {
		out.systems = append(out.systems, f.system(f.Labelled.figures("its labels", nil)...))
	}
	return out
}

func (r *StripsReport) run() run {
	out := newRun(r.Task, r.Set, r.Part, r.Seed, "questions", r.Questions, "strips", r.Strips, "helping", r.Helping, "measured", r.Measured, "groups", r.Groups)
	for _, f := range r.Systems {
		out.systems = append(out.systems, runSystem{name: f.Name, figures: []runFigure{
			higher("AUPRC", f.AUPRC), higher("AUROC", f.AUROC), higher("recall at half the text", f.RecallAtHalf),
		}})
	}
	return out
}

func (r *UsefulReport) run() run {
	out := newRun(r.Task, r.Set, r.Part, r.Seed, "answers", r.Answers, "measured", r.Measured, "groups", r.Groups)
	for _, f := range r.Systems {
		out.systems = append(out.systems, runSystem{name: f.Name, figures: []runFigure{
			higher("rank correlation", f.Spearman), higher("same rating", f.Exact), lower("mean distance in steps", f.Error),
		}})
	}
	return out
}

func (r *RouteReport) run() run {
	out := r.Counts.runOf(r.Task, r.Set, r.Seed)
	for _, f := range r.Systems {
		out.systems = append(out.systems, runSystem{name: f.Name, figures: []runFigure{
			higher("accuracy", f.Accuracy), higher("balanced accuracy", f.BalancedAccuracy),
			higher("retrieved for, of those that need it", f.Retrieved), higher("spared, of those that don't", f.Spared),
		}})
	}
	return out
}

func (r *RetrievalReport) run() run {
	out := newRun(r.Task, r.Set, r.Part, r.Seed, "questions", r.Questions, "documents", r.Documents, "passages", r.Passages, "groups", r.Groups)
	for _, f := range r.Systems {
		figures := []runFigure{higher(fmt.Sprintf("MRR@%d", r.Depth), f.MRR), higher("nDCG@10", f.NDCG10)}
		for _, k := range f.Recall {
			figures = append(figures, higher(fmt.Sprintf("recall@%d", k.K), k.Recall))
		}
		out.systems = append(out.systems, runSystem{name: f.Name, figures: figures})
	}
	return out
}

func (r *EndToEndReport) run() run {
	out := newRun(r.Task, r.Set, r.Part, r.Seed, "questions", r.Questions, "uncovered", r.Uncovered, "measured", r.Measured,
		"groups", r.Groups, "documents", r.Documents, "left out", r.LeftOut)
	for _, f := range r.Systems {
		out.systems = append(out.systems, runSystem{name: f.Name, figures: []runFigure{
			lower("wrong answer shown", f.Wrong), higher("covered: answer shown", f.Coverage),
			higher("right", f.Right), lower("wrong", f.WrongCovered), higher("exact match", f.ExactMatch), higher("token F1", f.F1),
			higher("a quote cited says it", f.Cited), lower("misled", f.Misled), higher("uncovered: abstained", f.Abstained),
			higher("all claims supported", f.Grounded), higher("right, if labelled answered", f.Answered),
		}})
	}
	return out
}
