package prompted

import (
	"context"
	"errors"

	"github.com/assay-rag/assay"
)

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
