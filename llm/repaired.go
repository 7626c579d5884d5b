package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/assay-rag/assay/llm/internal/plain"
)

// Repaired gives a model one chance to mend a reply that Request.Accept refuses:
// it is shown its own reply and what is wrong with it. A second refusal is an error
// of kind Malformed, or Truncated or Refused where the reply says so, that holds
// the reply as it came. Reading a reply generously is cheaper than asking again, so
// Accept should.
func Repaired(m Model) Model { return repaired{m} }

type repaired struct{ model Model }

// Generate implements Model.
func (m repaired) Generate(ctx context.Context, r Request) iter.Seq2[Chunk, error] {
	if r.Accept == nil || r.Stream || len(r.Messages) == 0 {
		return m.model.Generate(ctx, r)
	}
	return func(yield func(Chunk, error) bool) {
		reply, err := Ask(ctx, m.model, r)
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		why := r.Accept(reply)
		if why != nil && reply.Finish != FinishLength { // as long a reply would be cut again
			mended, err := Ask(ctx, m.model, r.again(reply, why))
			if errors.Is(err, ErrSpent) {
				useless := unusable(reply, why, nil)
				MeterFrom(ctx).fail(ctx, reply.Model, useless)
				yield(Chunk{}, fmt.Errorf("%w; no call is left to have it mended (%w)", useless, err))
				return
			}
			if err != nil {
				yield(Chunk{}, unusable(reply, why, err))
				return
			}
			reply, why = mended, r.Accept(mended)
		}
		if why != nil {
			err := unusable(reply, why, nil)
			MeterFrom(ctx).fail(ctx, reply.Model, err)
			yield(Chunk{}, err)
			return
		}
		yield(Chunk{Text: reply.Text, Reply: &reply}, nil)
	}
}

// again is the request that shows the model what is wrong with its reply.
func (r Request) again(reply Reply, why error) Request {
	said := reply.Text
	if said == "" {
		said = "(nothing)" // servers refuse an empty message
	}
	r.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)],
		Message{Assistant, plain.Cut(said, maxShown)},
		Message{User, "This reply can't be used: " + plain.Words(why) + ". Reply again, with nothing but the JSON that was asked for."})
	return r
}

// maxShown is how much of its reply a model is shown again, in bytes.
const maxShown = 2000

// unusable is the error for a reply that could not be used. Where the repair could
// not be asked for, that is its cause.
func unusable(reply Reply, why, cause error) error {
	kind := Malformed
	switch reply.Finish {
	case FinishLength:
		kind = Truncated
	case FinishRefused, FinishFiltered:
		kind = Refused
	}
	e := &Error{Kind: kind, Model: reply.Model, Message: plain.Words(why) + "; it said: " + quoted(reply), Raw: reply.Text, Err: cause}
	if e.Raw == "" {
		e.Raw = reply.Reasoning
	}
	return e
}

// quoted is a reply in an error, on one line.
func quoted(reply Reply) string {
	switch {
	case reply.Text != "":
		return `"` + plain.Line(plain.Cut(reply.Text, 300)) + `"`
	case reply.Reasoning != "":
		return `nothing, and thought: "` + plain.Line(plain.Cut(reply.Reasoning, 300)) + `"`
	}
	return "nothing"
}
