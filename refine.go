package assay

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// refine cuts the passages that passed the gate into strips, has those graded
// that weren't graded with their passage, and keeps the best in the order of the
// documents (CRAG §4.4, decompose-then-recompose; the paper's threshold and top k,
// which its code lacks).
func (r *run) refine(ctx context.Context) (string, error) {
	items := r.evidence.kept()
	var all, open []*heldStrip
	seen := map[passageKey]bool{} // neighbouring passages overlap
	for _, it := range items {
		cut := stripSpans(it.passage.Text)
		it.strips = make([]heldStrip, 0, len(cut))
		for i, span := range cut {
			strip := it.passage.strip(span)
			if seen[strip.key()] {
				continue
			}
			seen[strip.key()] = true
			it.strips = append(it.strips, heldStrip{Strip: strip})
			held := &it.strips[len(it.strips)-1]
			all = append(all, held)
			if len(it.stripGrades) == len(cut) {
				held.graded, held.Grade = true, it.stripGrades[i].checked()
			} else {
				open = append(open, held)
			}
		}
	}
	err := r.gradeStrips(ctx, open)
	kept := r.keepStrips(all)
	for _, it := range items {
		kept += keepLists(it.strips)
	}
	return fmt.Sprintf("%d of %d strips kept, from %d passages", kept, len(all), len(items)), err
}

// gradeStrips has strips graded.
func (r *run) gradeStrips(ctx context.Context, held []*heldStrip) error {
	if len(held) == 0 {
		return nil
	}
	strips := make([]Strip, len(held))
	for i, s := range held {
		strips[i] = s.Strip
	}
	grades, err := r.parts.Grader.GradeStrips(ctx, r.query, strips)
	grades, err = graded(grades, len(strips), err)
	for i, s := range held {
		s.graded, s.Grade = true, grades[i]
	}
	return err
}

// minStrips is how many strips reach the answer even if all are weak: a passage
// passed the gate, and may be better than each of its sentences.
const minStrips = 3

// keepStrips marks the strips that reach the answer: those at or above the lower
// threshold, the best of them if there are too many, and never fewer than
// minStrips.
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
		if s.kept = kept < r.opts.Strips && (enough || i < minStrips); s.kept {
			kept++
		}
	}
	return kept
}

// maxList is the longest list that is kept whole.
const maxList = 12

// keepLists keeps, with an item of a list, its other items and the line that
// introduces it, and returns how many strips that added: a procedure with a step
// missing is wrong, and an item may mean the opposite of what it says under "You
// may not:".
func keepLists(strips []heldStrip) (added int) {
	for start := 0; start < len(strips); start++ {
		end := start
		for end < len(strips) && isItem(strips[end].Text) {
			end++
		}
		if end == start || end-start > maxList {
			start = max(start, end-1)
			continue
		}
		list := strips[start:end]
		if start > 0 && strings.HasSuffix(strips[start-1].Text, ":") {
			list = strips[start-1 : end]
		}
		if slices.ContainsFunc(list, func(s heldStrip) bool { return s.kept }) {
			for i := range list {
				if !list[i].kept {
					list[i].kept = true
					added++
				}
			}
		}
		start = end - 1
	}
	return added
}

// isItem tells whether a strip is an item of a list.
func isItem(s string) bool {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch rest := s[digits:]; {
	case digits > 0 && digits < 4:
		return strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")
	default:
		return strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "* ") || strings.HasPrefix(s, "• ")
	}
}
