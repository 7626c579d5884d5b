package assay

import (
	"cmp"
	"context"
	"fmt"
)

// Grader judges how much passages and strips help to answer a question.
type Grader interface {
	// Grade grades the passages, one Grade each, in their order, and says what
	// the set as a whole shows. A passage on which the grader failed is graded
	// Undetermined; an error means that it failed on all. May be called
	// concurrently.
	Grade(ctx context.Context, q Query, passages []Passage) (Assessment, error)
	// GradeStrips grades strips in the same way, one Grade each, in their order.
	GradeStrips(ctx context.Context, q Query, strips []Strip) ([]Grade, error)
}

// Assessment is what a Grader says of a set of passages.
type Assessment struct {
	Grades []Grade
	// Strips are the grades of each passage's strips, as StripsOf cuts it, where the
	// Grader graded them on the way; nil for a passage, or for all, where it didn't.
	// Those are what GradeStrips is asked about.
	Strips [][]Grade
	// Conflicts names the pairs of passages that disagree on the answer.
	Conflicts []Conflict
	// Missing says in a few words what of the question no passage covers; empty
	// where nothing is known to be missing.
	Missing string
}

// Conflict is a pair of passages that give different answers.
type Conflict struct {
	// A and B are positions among the passages graded. Where one is known to be
	// superseded (by date, version or its own words) it is A.
	A, B int
	// Stale says that A is superseded by B; otherwise they stand against each
	// other.
	Stale bool
	// Note names the two values for a person: "20 days (2022-03-01) against 26 days (2025-06-15)".
	Note string
}

// grade has the passages graded that came last, together with those that hold so
// far, so that a contradiction between the two is seen; then it judges the set.
func (r *run) grade(ctx context.Context) (string, error) {
	items := r.toGrade()
	passages := make([]Passage, len(items))
	for i, it := range items {
		passages[i] = it.passage
	}
	assessment, err := r.parts.Grader.Grade(ctx, r.query, passages)
	grades, err := graded(assessment.Grades, len(passages), err)
	for i, it := range items {
		if err == nil || !it.graded { // a grade once given outlives a later failure
			it.graded, it.grade = true, grades[i]
			it.stripGrades = nil
			if err == nil && i < len(assessment.Strips) {
				it.stripGrades = assessment.Strips[i]
			}
		}
	}
	r.verdict = r.opts.Thresholds.Verdict(r.evidence.grades())
	for _, it := range items {
		it.kept, it.why = r.keeps(it.grade)
	}
	if err == nil {
		r.evidence.conflicts = conflictsOf(items, assessment.Conflicts)
	}
	return r.recordVerdict(items, assessment), err
}

// graded checks what a grader returned: one grade each, in [0, 1]. Where it failed
// it has said nothing, not that the evidence is bad: the grade is Undetermined.
func graded(grades []Grade, want int, err error) ([]Grade, error) {
	if err == nil && len(grades) != want {
		err = fmt.Errorf("the grader returned %d grades for %d texts", len(grades), want)
	}
	out := make([]Grade, want)
	for i := range out {
		out[i] = Grade{Undetermined: true, Note: "the grader failed"}
		if err == nil {
			out[i] = grades[i].checked()
		}
	}
	return out, err
}

// checked is the grade, or an undetermined one where its score is none.
func (g Grade) checked() Grade {
	if !g.Undetermined && !(0 <= g.Score && g.Score <= 1) { // written so that NaN fails
		return Grade{Undetermined: true, Note: "the grader failed"}
	}
	return g
}

// toGrade picks the passages kept so far and the best new ones.
func (r *run) toGrade() []*item {
	var items []*item
	for _, it := range r.evidence.items {
		if it.graded && it.kept || !it.graded && it.round == len(r.searches) {
			items = append(items, it)
		}
	}
	return items
}

// keeps tells whether a passage of this grade may be used, and why. What is stale
// may not where something current answers: newer beats older.
func (r *run) keeps(g Grade) (bool, string) {
	why := g.Note
	if why == "" {
		why = string(g.Reason)
	}
	switch {
	case g.Undetermined:
		return true, cmp.Or(why, "the grader failed")
	case g.Reason == Stale && r.verdict == Correct && g.Score < r.opts.Thresholds.Upper:
		return false, why
	case g.Score >= r.opts.Thresholds.Lower:
		return true, cmp.Or(why, "relevant")
	}
	return false, cmp.Or(why, string(Irrelevant))
}

// recordVerdict records the verdict with the search that led to it, and puts it in
// words.
func (r *run) recordVerdict(items []*item, a Assessment) string {
	best := 0.0
	for _, it := range items {
		if it.round == len(r.searches) {
			best = max(best, it.grade.Score)
		}
	}
	if n := len(r.searches); n > 0 {
		last := &r.searches[n-1]
		last.Verdict, last.Best, last.Missing = r.verdict, best, a.Missing
	}
	kept := len(r.evidence.kept())
	detail := fmt.Sprintf("%s: %d graded, %d kept, best %.2f", r.verdict, len(items), kept, best)
	if a.Missing != "" && r.verdict != Correct {
		detail += "; " + a.Missing
	}
	return detail
}

func conflictsOf(items []*item, conflicts []Conflict) []itemConflict {
	var out []itemConflict
	for _, c := range conflicts {
		if 0 <= c.A && c.A < len(items) && 0 <= c.B && c.B < len(items) && c.A != c.B {
			out = append(out, itemConflict{items[c.A], items[c.B], c.Stale, c.Note})
		}
	}
	return out
}
