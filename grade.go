package assay

import "context"

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
