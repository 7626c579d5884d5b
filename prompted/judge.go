package prompted

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
)

// Judge grades passages, checks claims and rates answers by asking a model with a
// rubric. Make one with NewJudge; it may be used concurrently. It implements
// [assay.Grader], [assay.Checker] and [assay.Usefulness], each of which sees only
// what it may: the grader the question and the passages, the checker the claims and
// the evidence, the rating the question and the answer.
type Judge struct {
	model llm.Model
	opts  JudgeOptions
}

// JudgeOptions tune a Judge. The zero value is the default.
type JudgeOptions struct {
	// PerPassage asks for a grade of each passage in a call of its own, side by side,
	// instead of all in one. No call sees two passages, so that no conflicts are
	// found. It takes more tokens, and a model that can grade: one of 1.5B gave 0.8 or
	// more to 34 of 36 passages, and in one call named the right one of six in 8 of 8.
	PerPassage bool
	// Parallel is how many of those calls run at once; 0 means 8.
	Parallel int
}

// NewJudge makes a Judge of a model. nil options are the default.
func NewJudge(m llm.Model, o *JudgeOptions) *Judge {
	j := &Judge{model: m}
	if o != nil {
		j.opts = *o
	}
	if j.opts.Parallel <= 0 {
		j.opts.Parallel = 8
	}
	return j
}

// Grade implements [assay.Grader], the strips always with their passages, so that
// refining costs no call of its own.
func (j *Judge) Grade(ctx context.Context, q assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	if len(passages) == 0 {
		return assay.Assessment{}, nil
	}
	if j.opts.PerPassage {
		return j.gradeEach(ctx, q, passages)
	}
	g := newGrading(blocksOf(passages))
	err := g.failed(ask(ctx, j.model, g.prompt(q.Question), g.take))
	return g.Assessment, err
}

// gradeEach asks about each passage by itself.
func (j *Judge) gradeEach(ctx context.Context, q assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	all := assay.Assessment{Grades: make([]assay.Grade, len(passages)), Strips: make([][]assay.Grade, len(passages))}
	errs := make([]error, len(passages))
	var calls errgroup.Group
	calls.SetLimit(j.opts.Parallel)
	for i := range passages {
		calls.Go(func() error {
			g := newGrading(blocksOf(passages[i : i+1]))
			errs[i] = g.failed(ask(ctx, j.model, g.promptOne(q.Question), g.takeOne))
			all.Grades[i], all.Strips[i] = g.Grades[0], g.Strips[0]
			return nil // one that fails leaves the others be
		})
	}
	_ = calls.Wait()
	for _, err := range errs {
		if err == nil {
			return all, nil
		}
	}
	return all, worst(errs)
}

// worst is the error that stands for several: that the budget is spent, where one
// says so, else the first.
func worst(errs []error) error {
	for _, err := range errs {
		if errors.Is(err, llm.ErrSpent) {
			return err
		}
	}
	return errs[0]
}

// GradeStrips implements [assay.Grader], for strips that somebody else cut.
func (j *Judge) GradeStrips(ctx context.Context, q assay.Query, strips []assay.Strip) ([]assay.Grade, error) {
	if len(strips) == 0 {
		return nil, nil
	}
	g := newGrading(grouped(strips))
	err := g.failed(ask(ctx, j.model, g.prompt(q.Question), g.take))
	return slices.Concat(g.Strips...), err
}

// wrapped names the part that failed.
func wrapped(part string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("prompted %s: %w", part, err)
}
