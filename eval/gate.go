package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assay-rag/assay"
)

// GateReport is how well a grader tells passages that help from those that
// don't.
type GateReport struct {
	Task         Task             `json:"task"`
	Set          string           `json:"set"`
	Seed         uint64           `json:"seed"`
	Counts                        // the items are questions with passages
	Undetermined Failures         `json:"undetermined"`
	Thresholds   assay.Thresholds `json:"thresholds"`
	Quality      Quality          `json:"quality"`
	// BM25 is plain BM25 as the gate, on the same items.
	BM25 Baseline `json:"bm25"`
	// Verdicts counts the items by the verdict that the thresholds make of the
	// grades.
	Verdicts []VerdictCount `json:"verdicts"`
	// PassageTime is the mean time a passage in milliseconds.
	PassageTime float64   `json:"ms_per_passage"`
	Worst       []Example `json:"worst"`
}

// Baseline is a scorer that ranks only, and how far the system is ahead of it:
// positive differences are in favour of the system. The intervals of the
// differences are of pairs, on the same resamples.
type Baseline struct {
	AUROC           Estimate `json:"auroc"`
	AUPRC           Estimate `json:"auprc"`
	AUROCDifference Estimate `json:"auroc_difference"`
	AUPRCDifference Estimate `json:"auprc_difference"`
}

// VerdictCount is how many items of each label got a verdict.
type VerdictCount struct {
	Verdict   assay.Verdict `json:"verdict"`
	Positives int           `json:"positives"`
	Negatives int           `json:"negatives"`
}

// Gate measures a grader on a set. An item on which the grader failed, in part
// or whole, is undetermined. An error means that the set doesn't fit, that the
// options are wrong, that the context ended, or that the grader failed on every
// item.
func Gate(ctx context.Context, set *Set, grader assay.Grader, opts *Options) (*GateReport, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("eval gate: options: %w", err)
	}
	if err := set.require(TaskGate); err != nil {
		return nil, err
	}
	verdicts := make([]assay.Verdict, len(set.Gate))
	j, failures, times, err := o.judge(ctx, "the grader", len(set.Gate), func(i int) (Scored, error) {
		it := set.Gate[i]
		scored := Scored{Positive: it.Positive, Group: it.Group}
		verdicts[i] = assay.Undetermined
		grades, err := gradeItem(ctx, grader, it)
		if err == nil {
			verdicts[i] = o.Thresholds.Verdict(grades)
			scored.Score, err = bestGrade(grades)
		}
		return scored, err
	})
	if err != nil {
		return nil, fmt.Errorf("eval gate: %w", err)
	}
	return &GateReport{
		Task: TaskGate, Set: set.Name, Seed: o.Seed, Counts: j.counts,
		Undetermined: failures, Thresholds: *o.Thresholds,
		Quality:     j.quality(*o.Thresholds),
		BM25:        j.against(bm25Gate(set.Gate)),
		Verdicts:    countVerdicts(set.Gate, verdicts),
		PassageTime: meanPassageTime(set.Gate, times),
		Worst: j.worst(o.Worst, func(item int) (string, string) {
			return set.Gate[item].Question, joinPassages(set.Gate[item].Passages)
		}),
	}, nil
}

// gradeItem asks the grader and refuses an assessment that is not one.
func gradeItem(ctx context.Context, grader assay.Grader, it GateItem) ([]assay.Grade, error) {
	assessment, err := grader.Grade(ctx, assay.Query{Question: it.Question}, it.Passages)
	if err != nil {
		return nil, err
	}
	if got, want := len(assessment.Grades), len(it.Passages); got != want {
		return nil, fmt.Errorf("%d grades for %d passages", got, want)
	}
	for _, g := range assessment.Grades {
		if !g.Undetermined {
			if err := checkScore(g.Score); err != nil {
				return nil, err
			}
		}
	}
	return assessment.Grades, nil
}

// bestGrade is the item's score. With a grade missing the best is not known.
func bestGrade(grades []assay.Grade) (float64, error) {
	best := 0.0
	for _, g := range grades {
		if g.Undetermined {
			if g.Note != "" {
				return 0, errors.New("graded undetermined: " + g.Note)
			}
			return 0, errors.New("graded undetermined")
		}
		best = max(best, g.Score)
	}
	return best, nil
}

// bm25Gate scores each item by the best of its passages, with the frequencies of
// the distinct passages of the whole set.
func bm25Gate(items []GateItem) func(item int) float64 {
	var pool []string
	for _, it := range items {
		for _, p := range it.Passages {
			pool = append(pool, searchable(p))
		}
	}
	model := newBM25(pool)
	return func(item int) float64 {
		best := 0.0
		for _, p := range items[item].Passages {
			best = max(best, model.score(items[item].Question, searchable(p)))
		}
		return best
	}
}

// against sets a scorer beside the judgement.
func (j judgement) against(score func(item int) float64) Baseline {
	own, other := newRanking(j.scored), newRanking(j.rescored(score))
	return Baseline{
		AUROC:           j.boot.Estimate(other.auroc),
		AUPRC:           j.boot.Estimate(other.auprc),
		AUROCDifference: j.boot.Estimate(func(w []int) float64 { return own.auroc(w) - other.auroc(w) }),
		AUPRCDifference: j.boot.Estimate(func(w []int) float64 { return own.auprc(w) - other.auprc(w) }),
	}
}

func countVerdicts(items []GateItem, verdicts []assay.Verdict) []VerdictCount {
	out := []VerdictCount{
		{Verdict: assay.Correct}, {Verdict: assay.Ambiguous}, {Verdict: assay.Incorrect}, {Verdict: assay.Undetermined},
	}
	for i, v := range verdicts {
		for k := range out {
			switch {
			case out[k].Verdict != v:
			case items[i].Positive:
				out[k].Positives++
			default:
				out[k].Negatives++
			}
		}
	}
	return out
}

func meanPassageTime(items []GateItem, times []time.Duration) float64 {
	var total time.Duration
	passages := 0
	for i, it := range items {
		total += times[i]
		passages += len(it.Passages)
	}
	return milliseconds(total) / float64(passages)
}

func joinPassages(passages []assay.Passage) string {
	parts := make([]string, len(passages))
	for i, p := range passages {
		parts[i] = searchable(p)
	}
	return strings.Join(parts, "\n")
}
