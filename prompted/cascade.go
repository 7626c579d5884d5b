package prompted

import (
	"cmp"
	"context"
	"errors"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
)

// Cascade is a grader that asks a second one only where the first is unsure: a
// judge behind the evaluator, which is faster and free. Make one with NewCascade.
type Cascade struct {
	first, then assay.Grader
	unsure      assay.Thresholds
}

// NewCascade makes a Cascade. The first grader is unsure where its grades make the
// set neither Correct nor Incorrect by these thresholds, nil meaning
// [assay.DefaultThresholds]. They should be the engine's: a set that the engine calls
// Correct needs no second opinion.
func NewCascade(first, then assay.Grader, unsure *assay.Thresholds) *Cascade {
	if unsure == nil {
		unsure = &assay.DefaultThresholds
	}
	return &Cascade{first, then, *unsure}
}

// Grade implements [assay.Grader]. The second grader sees only the passages that the
// first graded between the thresholds or failed on, and its grades replace the
// first's. Where it fails, the first's stand.
func (c *Cascade) Grade(ctx context.Context, q assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	a, failed := c.first.Grade(ctx, q, passages)
	if failed != nil || len(a.Grades) != len(passages) {
		if ctx.Err() != nil || errors.Is(failed, llm.ErrSpent) {
			return a, failed
		}
		second, err := c.then.Grade(ctx, q, passages)
		if err != nil {
			return a, errors.Join(failed, err)
		}
		return second, nil
	}
	if v := c.unsure.Verdict(a.Grades); v == assay.Correct || v == assay.Incorrect {
		return a, nil
	}
	var at []int
	var open []assay.Passage
	for i, g := range a.Grades {
		if g.Undetermined || g.Score >= c.unsure.Lower {
			at, open = append(at, i), append(open, passages[i])
		}
	}
	second, err := c.then.Grade(ctx, q, open)
	if err != nil || len(second.Grades) != len(open) {
		return a, nil
	}
	return merged(a, second, at), nil
}

// merged puts what the second grader says in the places of what it was asked about.
func merged(first, second assay.Assessment, at []int) assay.Assessment {
	out := assay.Assessment{Missing: cmp.Or(second.Missing, first.Missing), Conflicts: first.Conflicts}
	out.Grades = append(out.Grades, first.Grades...)
	out.Strips = make([][]assay.Grade, len(first.Grades))
	copy(out.Strips, first.Strips)
	for i, g := range second.Grades {
		if g.Undetermined {
			continue
		}
		out.Grades[at[i]], out.Strips[at[i]] = g, nil
		if i < len(second.Strips) {
			out.Strips[at[i]] = second.Strips[i]
		}
	}
	for _, conflict := range second.Conflicts {
		if a, b := conflict.A, conflict.B; 0 <= min(a, b) && max(a, b) < len(at) {
			conflict.A, conflict.B = at[a], at[b]
			out.Conflicts = withConflict(out.Conflicts, conflict)
		}
	}
	return out
}

// withConflict adds a conflict, in the place of one between the same two.
func withConflict(conflicts []assay.Conflict, c assay.Conflict) []assay.Conflict {
	out := make([]assay.Conflict, 0, len(conflicts)+1)
	for _, old := range conflicts {
		if !(old.A == c.A && old.B == c.B || old.A == c.B && old.B == c.A) {
			out = append(out, old)
		}
	}
	return append(out, c)
}

// GradeStrips implements [assay.Grader] by the first grader: what the second graded,
// it graded with the sentences that matter.
func (c *Cascade) GradeStrips(ctx context.Context, q assay.Query, strips []assay.Strip) ([]assay.Grade, error) {
	return c.first.GradeStrips(ctx, q, strips)
}

// WorstCase implements [assay.Estimator].
func (c *Cascade) WorstCase(step string, of assay.Load) assay.Cost {
	if step == string(assay.StepRefine) {
		return worstOf(c.first, step, of)
	}
	return worstOf(c.then, step, of)
}

// CheckCascade checks with one checker and asks another only about the claims that
// the first doesn't find supported: a checker that goes by words takes a paraphrase
// for unsupported, and the second one reads it. It implements [assay.Checker].
type CheckCascade struct{ first, then assay.Checker }

// NewCheckCascade makes a cascade of two checkers.
func NewCheckCascade(first, then assay.Checker) *CheckCascade { return &CheckCascade{first, then} }

// Check implements [assay.Checker]. Where the second one fails, what the first said
// stands.
func (c *CheckCascade) Check(ctx context.Context, claims []string, evidence []assay.Strip) ([]assay.Finding, error) {
	findings, err := c.first.Check(ctx, claims, evidence)
	if err != nil || len(findings) != len(claims) {
		return checkAfter(ctx, err, c.then, claims, evidence)
	}
	var open []string
	var at []int
	for i, f := range findings {
		if f.Support != assay.Supported {
			open, at = append(open, claims[i]), append(at, i)
		}
	}
	if len(open) == 0 || len(evidence) == 0 {
		return findings, nil
	}
	second, err := c.then.Check(ctx, open, evidence)
	if err != nil {
		return findings, ctx.Err()
	}
	for i, f := range second {
		if i < len(at) && f.Support != assay.SupportUndetermined {
			findings[at[i]] = f
		}
	}
	return findings, nil
}

// checkAfter checks with what is left after another checker failed. Where that fails
// too, both errors are told.
func checkAfter(ctx context.Context, failed error, left assay.Checker, claims []string, evidence []assay.Strip) ([]assay.Finding, error) {
	findings, err := left.Check(ctx, claims, evidence)
	if err != nil {
		return findings, errors.Join(failed, err)
	}
	return findings, nil
}

// CheckElse checks with one checker and, where that fails, with another: what a model
// wrote is not shown unchecked while something can check it. It implements
// [assay.Checker].
type CheckElse struct{ first, otherwise assay.Checker }

// NewCheckElse makes a checker with another that stands in for it.
func NewCheckElse(first, otherwise assay.Checker) *CheckElse { return &CheckElse{first, otherwise} }

// Check implements [assay.Checker].
func (c *CheckElse) Check(ctx context.Context, claims []string, evidence []assay.Strip) ([]assay.Finding, error) {
	findings, err := c.first.Check(ctx, claims, evidence)
	if err != nil || len(findings) != len(claims) {
		return checkAfter(ctx, err, c.otherwise, claims, evidence)
	}
	for i, f := range findings {
		if f.Support != assay.SupportUndetermined {
			continue
		}
		again, err := c.otherwise.Check(ctx, claims[i:i+1], evidence)
		if err == nil && len(again) == 1 {
			findings[i] = again[0]
		}
	}
	return findings, nil
}

// WorstCase implements [assay.Estimator].
func (c *CheckElse) WorstCase(step string, of assay.Load) assay.Cost {
	return worstOf(c.first, step, of)
}

// WorstCase implements [assay.Estimator].
func (c *CheckCascade) WorstCase(step string, of assay.Load) assay.Cost {
	return worstOf(c.then, step, of)
}

// worstOf is the worst case of a part that may call models.
func worstOf(part any, step string, of assay.Load) assay.Cost {
	if e, ok := part.(assay.Estimator); ok {
		return e.WorstCase(step, of)
	}
	return assay.Cost{}
}
