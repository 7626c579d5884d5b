package assay

import (
	"context"
	"errors"
	"strings"

	"github.com/assay-rag/assay/llm"
)

// Condenser makes a question stand alone that leans on the turns before it.
type Condenser interface {
	// Condense returns the question that q.Question means after q.History, in the
	// same language, or q.Question itself where it stands alone. May be called
	// concurrently.
	Condense(ctx context.Context, q Query) (string, error)
}

// condense replaces a follow-up by the question that it means. What the user asked
// stays beside it, in Query.Asked. Where it fails the question is taken as it
// stands, and the answer says so.
func (r *run) condense(ctx context.Context) error {
	if len(r.query.History) == 0 {
		return nil
	}
	if r.parts.Condenser == nil {
		r.note(ReasonHistory, "nothing here reads a history; the question was taken as it stands")
		return nil
	}
	alone, err := r.parts.Condenser.Condense(llm.WithStep(ctx, BillCondense), r.query)
	alone = strings.TrimSpace(strings.ToValidUTF8(alone, "\uFFFD"))
	if err == nil && len(alone) > MaxQuestion {
		err = errors.New("the question that it was condensed to is too long")
	}
	if err != nil {
		r.note(ReasonHistory, "the question was taken as it stands, without the turns before it: %v", err)
		return err
	}
	if alone != "" {
		r.query.Question = alone
	}
	return nil
}
