package assay

import (
	"context"
	"fmt"
)

// mayFallBack tells whether there is another source and both the engine and the
// query let it be asked.
func (r *run) mayFallBack() bool {
	return r.parts.Fallback != nil && r.opts.Fallback == FallbackAllowed && r.query.Fallback == FallbackAllowed
}

// fallback asks the other source. It sees the words of the question and nothing
// else; what it finds is graded and refined as the index's passages are. A source
// that is down ends nothing: the run goes on with what it has, and says so.
func (r *run) fallback(ctx context.Context) (string, error) {
	r.fallbackAsked = true
	round, err := r.search(ctx, r.parts.Fallback, OriginFallback, r.query.Question)
	if err != nil {
		r.note(ReasonSourceDown, "the fallback source could not be asked: %v", err)
		return "the source could not be asked", err
	}
	return fmt.Sprintf("%q: %d found, %d of them new", round.Words, round.Found, round.New), nil
}
