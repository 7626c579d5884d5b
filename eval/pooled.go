package eval

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-rag/assay"
)

// PooledPassages is how many passages Pooled retrieves, as many as the engine grades.
const PooledPassages = 10

// Pooled makes the gate's items of a retrieval set: each question with the ten
// passages that BM25 finds for it among all, once with the question's own passages in
// the pool and once without them and what else stands in documents of their names.
// An item is positive where a passage that answers is among the ten. An error means
// that the set has no pool.
func (s *Set) Pooled() (*Set, error) {
	if err := s.require(TaskRetrieval); err != nil {
		return nil, fmt.Errorf("%w: it has no passages to be pooled", err)
	}
	pool := slices.Concat(s.Retrieval.Passages...)
	ranker := newRanker(pool)
	out := &Set{Name: s.Name + " pooled", Of: s.Of}
	for _, q := range s.Retrieval.Questions {
		add := func(leaveOut func(assay.Passage) bool) {
			found := ranker.best(q.Question, PooledPassages, leaveOut)
			if len(found) == 0 {
				return // nothing is left to be graded
			}
			out.Gate = append(out.Gate, GateItem{
				Question: q.Question, Passages: found, Group: q.Group, Kind: q.Kind,
				Positive: slices.ContainsFunc(found, func(p assay.Passage) bool {
					return slices.ContainsFunc(q.Gold, func(g assay.Passage) bool { return samePlace(p, g) })
				}),
			})
		}
		add(nil)
		own := slices.Concat(q.Gold, q.Own)
		add(func(p assay.Passage) bool {
			return slices.ContainsFunc(own, func(o assay.Passage) bool {
				return p.Document == o.Document || p.Title != "" && p.Title == o.Title
			})
		})
	}
	return out, nil
}

// ranker finds the best of a fixed list of passages by BM25.
type ranker struct {
	passages []assay.Passage
	model    *bm25
}

func newRanker(passages []assay.Passage) *ranker {
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = searchable(p)
	}
	return &ranker{passages, newBM25(texts)}
}

// best returns up to n passages, best first, without those that are left out (nil:
// none is). Those that share no word with the question come last, in their order.
func (r *ranker) best(question string, n int, leaveOut func(assay.Passage) bool) []assay.Passage {
	type scored struct {
		at    int
		score float64
	}
	var all []scored
	for i, p := range r.passages {
		if leaveOut == nil || !leaveOut(p) {
			all = append(all, scored{i, r.model.score(question, searchable(p))})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []assay.Passage
	for _, s := range all[:min(n, len(all))] {
		out = append(out, r.passages[s.at])
	}
	return out
}
