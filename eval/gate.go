package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-rag/assay"
)

// GateReport is how well graders tell passages that help from those that don't.
type GateReport struct {
	Task   Task   `json:"task"`
	Set    string `json:"set"`
	Seed   uint64 `json:"seed"`
	Counts        // the items are questions with passages
	// Systems are in the order in which they were given.
	Systems []GateFigures `json:"systems"`
	// Kinds has the kinds with twenty items or more.
	Kinds []KindFigures `json:"kinds"`
	Worst []Example     `json:"worst"`
}

// GateFigures are those of one grader.
type GateFigures struct {
	Figures
	// Verdicts counts all items by the verdict that the thresholds make of the grades.
	Verdicts []VerdictCount `json:"verdicts"`
}

// VerdictCount is how many items of each label got a verdict.
type VerdictCount struct {
	Verdict   assay.Verdict `json:"verdict"`
	Positives int           `json:"positives"`
	Negatives int           `json:"negatives"`
}

// GateSystem is a grader under test.
type GateSystem struct {
	// Name stands above its figures.
	Name string
	// Version is what its figures belong to, such as the name of a model; a Journal
	// refuses those of another. May be empty.
	Version string
	Grader  assay.Grader
	// Condenser makes a question with a history stand alone before it is graded, as
	// the engine does; nil leaves it as it is.
	Condenser assay.Condenser
	// Thresholds are the grader's; nil means assay.DefaultThresholds.
	Thresholds *assay.Thresholds
}

// Gate measures graders on a set, side by side: the others are compared with the
// first. An item is scored by the best grade of its passages. One on which any of
// the graders failed, in part or whole, is in no figure but that grader's
// Undetermined, so that all figures are of the same items.
//
// An error means that the set doesn't fit, that the options or systems are wrong,
// that the context ended, that a grader failed on every item, or that the journal
// doesn't fit.
func Gate(ctx context.Context, set *Set, systems []GateSystem, opts *Options) (*GateReport, error) {
	m, o, err := begin(TaskGate, set, opts, len(systems), func(i int) (string, string, *assay.Thresholds) {
		return systems[i].Name, systems[i].Version, systems[i].Thresholds
	})
	if err != nil {
		return nil, err
	}
	m.items, m.key = len(set.Gate), func(i int) string { return set.Gate[i].key() }
	all, err := replies(ctx, o, m, func(ctx context.Context, s, i int) (float64, error) {
		return systems[s].score(ctx, set.Gate[i])
	})
	if err != nil {
		return nil, fmt.Errorf("eval gate: %w", err)
	}
	return gateReport(m, all, o), nil
}

func gateReport(m measurement, all [][]reply[float64], o Options) *GateReport {
	passages := 0
	items := make([]labelled, m.items)
	for i, it := range m.set.Gate {
		items[i] = labelled{it.Positive, it.Group, it.Kind}
		passages += len(it.Passages)
	}
	c := newContest(m, items, all, func(score float64) float64 { return score }, o)
	r := &GateReport{
		Task: TaskGate, Set: m.set.Name, Seed: o.Seed, Counts: c.counts, Kinds: c.kinds(c.fitted(0)),
		Worst: c.worst(o.Worst, func(i int) (string, string) {
			return m.set.Gate[i].Question, joinPassages(m.set.Gate[i].Passages)
		}),
	}
	for s := range m.systems {
		took, used := spent(all[s])
		r.Systems = append(r.Systems, GateFigures{
			Figures:  c.figures(s, gatherFailures(errorsOf(all[s])), took, passages, used),
			Verdicts: countVerdicts(m.set.Gate, all[s], m.systems[s].thresholds),
		})
	}
	return r
}

// key is of what a grader is shown.
func (it GateItem) key() string {
	parts := []string{it.Question}
	for _, t := range it.History {
		parts = append(parts, t.Question, t.Answer)
	}
	for _, p := range it.Passages {
		parts = append(parts, p.Title, p.Text)
	}
	return itemKey(parts...)
}

// score asks the grader and refuses an assessment that is not one. With a grade
// missing the best is not known.
func (s GateSystem) score(ctx context.Context, it GateItem) (float64, error) {
	q := assay.Query{Question: it.Question, Asked: it.Question, History: it.History}
	if len(it.History) > 0 && s.Condenser != nil {
		meant, err := s.Condenser.Condense(ctx, q)
		if err != nil {
			return 0, fmt.Errorf("condense: %w", err)
		}
		q.Question = meant
	}
	assessment, err := s.Grader.Grade(ctx, q, it.Passages)
	if err != nil {
		return 0, err
	}
	return bestGrade(assessment.Grades, len(it.Passages))
}

// bestGrade is the item's score.
func bestGrade(grades []assay.Grade, passages int) (float64, error) {
	scores, err := scoresOf(grades, passages)
	best := 0.0
	for _, s := range scores {
		best = max(best, s)
	}
	return best, err
}

// scoresOf refuses grades that are none, and those that were not reached.
func scoresOf(grades []assay.Grade, texts int) ([]float64, error) {
	if len(grades) != texts {
		return nil, fmt.Errorf("%d grades for %d texts", len(grades), texts)
	}
	out := make([]float64, texts)
	for i, g := range grades {
		switch {
		case g.Undetermined && g.Note != "":
			return nil, errors.New("graded undetermined: " + g.Note)
		case g.Undetermined:
			return nil, errors.New("graded undetermined")
		}
		if err := checkScore(g.Score); err != nil {
			return nil, err
		}
		out[i] = g.Score
	}
	return out, nil
}

func countVerdicts(items []GateItem, of []reply[float64], t assay.Thresholds) []VerdictCount {
	out := []VerdictCount{
		{Verdict: assay.Correct}, {Verdict: assay.Ambiguous}, {Verdict: assay.Incorrect}, {Verdict: assay.Undetermined},
	}
	for i, r := range of {
		verdict := t.Verdict([]assay.Grade{{Score: r.value, Undetermined: r.err != nil}})
		for k := range out {
			switch {
			case out[k].Verdict != verdict:
			case items[i].Positive:
				out[k].Positives++
			default:
				out[k].Negatives++
			}
		}
	}
	return out
}

func joinPassages(passages []assay.Passage) string {
	parts := make([]string, len(passages))
	for i, p := range passages {
		parts[i] = searchable(p)
	}
	return strings.Join(parts, "\n")
}
