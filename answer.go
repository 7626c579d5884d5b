package assay

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-rag/assay/llm"
)

// Answerer drafts an answer from evidence. It only drafts: the loop splits the
// draft into claims, checks them, and decides what is shown.
type Answerer interface {
	// Draft answers the question from the evidence alone. No segments means that
	// it found no answer there. May be called concurrently.
	Draft(ctx context.Context, r DraftRequest) (Draft, error)
}

// Usefulness rates an answer by the question alone, without the evidence
// (Self-RAG's IsUse).
type Usefulness interface {
	// Rate returns 1 (no help) to 5 (complete). May be called concurrently.
	Rate(ctx context.Context, q Query, answer string) (int, error)
}

// answer drafts from the strips kept, checks each claim against them, and rates
// the whole by the question alone.
func (r *run) answer(ctx context.Context) (string, error) {
	if err := r.meter.Reserve(llm.Usage{Drafts: 1}); err != nil {
		return "", err
	}
	strips := r.evidence.strips()
	request := DraftRequest{Query: r.query, Evidence: strips, Conflicts: r.evidence.conflictsAmong(strips)}
	for _, d := range r.drafts {
		for _, c := range d.removed {
			request.Avoid = append(request.Avoid, c.Text)
		}
	}
	draft, err := r.parts.Answerer.Draft(ctx, request)
	if err != nil {
		if len(r.drafts) == 0 && !errors.Is(err, llm.ErrSpent) && ctx.Err() == nil {
			return "", &fatalError{err}
		}
		return "", err
	}
	d := newCheckedDraft(r.query.Question, draft, strips)
	var problems []error
	if r.mode.checks() && len(d.claims) > 0 {
		problems = append(problems, r.check(ctx, &d), r.rate(ctx, &d))
	}
	r.drafts = append(r.drafts, d)
	return d.detail(r.mode.checks()), errors.Join(problems...)
}

// rate has what is shown rated for the question.
func (r *run) rate(ctx context.Context, d *checkedDraft) error {
	shown := d.text(false)
	if shown == "" {
		d.useful = 1
		return nil
	}
	useful, err := r.parts.Usefulness.Rate(ctx, r.query, shown)
	if err == nil && (useful < 1 || useful > 5) {
		err = fmt.Errorf("a usefulness of %d, where 1 to 5 is possible", useful)
	}
	if err == nil {
		d.useful = useful
	}
	return err
}
