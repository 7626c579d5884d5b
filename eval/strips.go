package eval

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/assay-rag/assay"
)

// StripsReport is how well graders find the sentences that help.
type StripsReport struct {
	Task      Task   `json:"task"`
	Set       string `json:"set"`
	Seed      uint64 `json:"seed"`
	Part      Part   `json:"part"`
	Questions int    `json:"questions"`
	Measured  int    `json:"measured"` // that no system failed on
	Strips    int    `json:"strips"`
	Helping   int    `json:"helping"`
	Groups    int    `json:"groups"`
	// Ceiling is the recall at half the text of who knows the labels: where more than
	// half of a text helps it is below 1.
	Ceiling float64 `json:"recall_ceiling"`
	// Systems are in the order in which they were given.
	Systems []StripsFigures `json:"systems"`
	// Worst has the sentences that help and that the first system grades lowest
	// beside the others of their question.
	Worst []Example `json:"worst"`
}

// StripsFigures are those of one grader, see Figures.
type StripsFigures struct {
	Name         string   `json:"name"`
	Version      string   `json:"version"`
	Undetermined Failures `json:"undetermined"`
	// AUPRC and AUROC are of all strips together.
	AUPRC Compared `json:"auprc"`
	AUROC Compared `json:"auroc"`
	// RecallAtHalf is the mean, over questions, of the share of the helping strips
	// that are kept when the best are, up to half of the text in bytes.
	RecallAtHalf Compared `json:"recall_at_half"`
	// Time is the mean time a strip in milliseconds.
	Time  float64 `json:"ms"`
	Usage *Usage  `json:"usage"`
}

// Strips measures graders on a set, side by side, by how they grade the sentences of a
// text. Failures and errors are as with Gate. The rivals of the gate serve here too.
func Strips(ctx context.Context, set *Set, systems []GateSystem, opts *Options) (*StripsReport, error) {
	m, o, err := begin(TaskStrips, set, opts, len(systems), func(i int) (string, string, *assay.Thresholds) {
		return systems[i].Name, systems[i].Version, systems[i].Thresholds
	})
	if err != nil {
		return nil, err
	}
	m.items, m.key = len(set.Strips), func(i int) string { return set.Strips[i].key() }
	all, err := replies(ctx, o, m, func(ctx context.Context, s, i int) ([]float64, error) {
		it := set.Strips[i]
		grades, err := systems[s].Grader.GradeStrips(ctx, assay.Query{Question: it.Question, Asked: it.Question}, it.Strips)
		if err != nil {
			return nil, err
		}
		return scoresOf(grades, len(it.Strips))
	})
	if err != nil {
		return nil, fmt.Errorf("eval strips: %w", err)
	}
	return stripsReport(m, all, o), nil
}

func stripsReport(m measurement, all [][]reply[[]float64], o Options) *StripsReport {
	r := &StripsReport{Task: TaskStrips, Set: m.set.Name, Seed: o.Seed, Part: m.set.part(), Questions: m.items}
	var measured []int
	var ofQuestions, ofStrips []string // the groups
	for i, it := range m.set.Strips {
		r.Strips += len(it.Strips)
		for _, h := range it.Helps {
			r.Helping += int(indicator(h))
		}
		if !failedOn(all, i) {
			measured, ofQuestions = append(measured, i), append(ofQuestions, it.Group)
			ofStrips = append(ofStrips, slices.Repeat([]string{it.Group}, len(it.Strips))...)
		}
	}
	// The groups come in the same order, so that both draw the same.
	questions, pieces := NewBootstrap(ofQuestions, o.Resamples, o.Seed), NewBootstrap(ofStrips, o.Resamples, o.Seed)
	r.Measured, r.Groups = len(measured), questions.Groups()
	var rankings []ranking
	var recalls [][]float64
	for s := range m.systems {
		var scored []Scored
		var recall []float64
		for _, i := range measured {
			it, scores := m.set.Strips[i], all[s][i].value
			for k, score := range scores {
				scored = append(scored, Scored{score, it.Helps[k], it.Group})
			}
			recall = append(recall, it.recallAtHalf(scores))
		}
		rankings, recalls = append(rankings, newRanking(scored)), append(recalls, recall)
	}
	for s, system := range m.systems {
		took, used := spent(all[s])
		r.Systems = append(r.Systems, StripsFigures{
			Name: system.Name, Version: system.Version, Undetermined: gatherFailures(errorsOf(all[s])),
			AUPRC:        pieces.compared(s, func(s int) metric { return rankings[s].auprc }),
			AUROC:        pieces.compared(s, func(s int) metric { return rankings[s].auroc }),
			RecallAtHalf: questions.compared(s, func(s int) metric { return mean(recalls[s]) }),
			Time:         milliseconds(took) / float64(r.Strips), Usage: used,
		})
	}
	for _, i := range measured {
		it := m.set.Strips[i]
		r.Ceiling += it.ceiling() / float64(len(measured))
	}
	r.Worst = worstStrips(m.set.Strips, all[0], measured, o.Worst)
	return r
}

// key is of what a grader is shown.
func (it StripItem) key() string {
	parts := []string{it.Question}
	for _, s := range it.Strips {
		parts = append(parts, s.Text)
	}
	return itemKey(parts...)
}

// byScore are the positions of the strips, best first, equal ones in their order.
func byScore(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

// recallAtHalf keeps the best strips that have room in half of the text: one that is too
// long for what is left is passed over.
func (it StripItem) recallAtHalf(scores []float64) float64 {
	return it.recall(byScore(scores))
}

// ceiling is the recall where the helping strips are kept first, short ones before long.
func (it StripItem) ceiling() float64 {
	scores := make([]float64, len(it.Strips))
	for i, s := range it.Strips {
		scores[i] = indicator(it.Helps[i]) / float64(1+len(s.Text))
	}
	return it.recall(byScore(scores))
}

// recall is the share of the helping strips that are kept in this order.
func (it StripItem) recall(order []int) float64 {
	room := 0
	for _, s := range it.Strips {
		room += len(s.Text)
	}
	room /= 2
	kept, helping := 0.0, 0.0
	for _, i := range order {
		helping += indicator(it.Helps[i])
		if n := len(it.Strips[i].Text); n <= room {
			room -= n
			kept += indicator(it.Helps[i])
		}
	}
	return kept / helping
}

// worstStrips lists the helping strips that stand lowest beside the others of their
// question, with the share of those above as what is wrong with them.
func worstStrips(items []StripItem, of []reply[[]float64], measured []int, n int) []Example {
	type low struct {
		Example
		above float64
	}
	var all []low
	for _, i := range measured {
		it := items[i]
		for rank, k := range byScore(of[i].value) {
			if it.Helps[k] {
				e := Example{Subject: it.Question, Text: it.Strips[k].Text, Kind: it.Kind, Score: of[i].value[k], Positive: true}
				all = append(all, low{e, float64(rank) / float64(len(it.Strips))})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b low) int { return cmp.Compare(b.above, a.above) })
	out := []Example{}
	for _, l := range all[:min(n, len(all))] {
		out = append(out, l.Example)
	}
	return out
}

// WriteTable implements Report.
func (r *StripsReport) WriteTable(w io.Writer) error {
	t := newTable(w)
	t.line("strips · %s%s · %d questions, %d of %d strips help", r.Set, r.Part.title(), r.Questions, r.Helping, r.Strips)
	var columns []column
	for _, f := range r.Systems {
		columns = append(columns, column{f.Name, f.Undetermined, f.Time, f.Usage, []row{
			{"AUPRC", f.AUPRC}, {"AUROC", f.AUROC}, {"recall at half the text", f.RecallAtHalf},
		}})
	}
	t.sideBySide(columns, "ms a strip", r.Questions, r.Measured, r.Groups)
	t.line("of the helping strips %v have room in half of the text", Figure(r.Ceiling))
	t.undetermined(columns)
	t.examples(r.Worst, "question")
	return t.close()
}
