package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// FirstOf asks the models in turn, the next one where the one before failed in a
// way that another model may not, which is any way but two: that it refused, and that
// its reply ended in the middle. Once a piece of text has been yielded, its model is
// stayed with. A spent budget and the end of the context end it at once.
//
// Where it fails, the error names each model that was asked, the last one first:
// KindOf is that of the last.
func FirstOf(models ...Model) Model {
	if len(models) == 1 {
		return models[0]
	}
	return firstOf(models)
}

type firstOf []Model

// Generate implements Model.
func (f firstOf) Generate(ctx context.Context, r Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		failed := error(&Error{Kind: NoModel, Message: "no model is configured"})
		for i, m := range f {
			over, err := f.ask(ctx, m, r, yield)
			if over {
				return
			}
			switch {
			case i == 0:
				failed = err
			case KindOf(err) == "": // the budget or the context, not a model
				failed = fmt.Errorf("%w; before that: %v", err, failed)
			default:
				failed = fmt.Errorf("%w; before that: %w", err, failed)
			}
			if ctx.Err() != nil || !KindOf(err).elsewhere() || errors.Is(err, ErrSpent) {
				break
			}
		}
		yield(Chunk{}, failed)
	}
}

// ask asks one model. It is over where that replied, where the caller left, and
// where it failed in the middle of its reply, which it then has yielded.
func (firstOf) ask(ctx context.Context, m Model, r Request, yield func(Chunk, error) bool) (over bool, err error) {
	began := false
	for c, err := range m.Generate(ctx, r) {
		if err != nil && !began {
			return false, err
		}
		began = began || c.Text != ""
		if !yield(c, err) || err != nil || c.Reply != nil {
			return true, nil
		}
	}
	if began {
		yield(Chunk{}, NoReply())
		return true, nil
	}
	return false, NoReply()
}
