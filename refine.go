package assay

import (
	"context"
	"fmt"
	"slices"
)

// refine cuts the passages that passed the gate into strips, grades them with
// the same grader, and keeps the best in the order of the documents (CRAG §4.4,
// decompose-then-recompose; the paper's threshold and top k, which its code
// lacks).
func (r *run) refine(ctx context.Context) (string, error) {
	items := r.evidence.kept()
	var strips []Strip
	var owner []*heldStrip
	seen := map[passageKey]bool{} // neighbouring passages overlap
	for _, it := range items {
		it.strips = nil
		for _, s := range StripsOf(it.passage) {
			place := passageKey{s.Passage.Document, s.Start, s.End, s.Passage.Origin}
			if !seen[place] {
				seen[place] = true
				it.strips = append(it.strips, heldStrip{Strip: s})
			}
		}
		for i := range it.strips {
			strips, owner = append(strips, it.strips[i].Strip), append(owner, &it.strips[i])
		}
	}
	grades, err := r.parts.Grader.GradeStrips(ctx, r.query, strips)
	if err == nil && len(grades) != len(strips) {
		err = fmt.Errorf("the grader returned %d grades for %d strips", len(grades), len(strips))
	}
	for i, s := range owner {
		s.graded, s.Grade = true, Grade{Undetermined: true}
		if err == nil {
			s.Grade = grades[i]
		}
	}
	kept := r.keepStrips(owner)
	return fmt.Sprintf("%d of %d strips kept, from %d passages", kept, len(strips), len(items)), err
}

// keepStrips marks the strips that reach the answer: those at or above the lower
// threshold, the best of them if there are too many, and never none where a
// passage passed the gate.
func (r *run) keepStrips(strips []*heldStrip) int {
	best := slices.Clone(strips)
	slices.SortStableFunc(best, func(a, b *heldStrip) int {
		switch {
		case a.Grade.Score > b.Grade.Score:
			return -1
		case a.Grade.Score < b.Grade.Score:
			return 1
		}
		return 0
	})
	kept := 0
	for i, s := range best {
		enough := s.Grade.Undetermined || s.Grade.Score >= r.opts.Thresholds.Lower
		if s.kept = kept < r.opts.Strips && (enough || i == 0); s.kept {
			kept++
		}
	}
	return kept
}
