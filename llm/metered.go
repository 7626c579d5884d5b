package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/assay-rag/assay/llm/internal/plain"
)

// MeterOptions say how a model is metered.
type MeterOptions struct {
	Name  string // the model, as the bill names it
	Price *Price // nil: not known, which is not the same as free
}

// Metered keeps a model within the budget of the Meter that the context carries.
// Before a call it reserves what the call may cost at the worst, and refuses with
// ErrSpent where that isn't left; after it, it settles what the call did cost, and
// records it. Every attempt counts, so this decorator belongs next to the provider,
// within those that try again; and every request of the provider does, see
// CountRequest. A reply to which the server gives no model's name gets Name, so that
// it shows which of several replied.
func Metered(m Model, o MeterOptions) Model { return &metered{m, o} }

type metered struct {
	model Model
	MeterOptions
}

// Generate implements Model.
func (m *metered) Generate(ctx context.Context, r Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		ctx, call, err := m.begin(ctx, Tokens{In: r.EstimateTokens(), Out: r.Limit()})
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		defer call.end()
		var said strings.Builder
		for c, err := range m.model.Generate(ctx, r) {
			switch {
			case err == nil && c.Reply == nil:
				said.WriteString(c.Text)
			case err == nil:
				call.Tokens = c.Reply.Tokens
				c.Reply = m.named(*c.Reply)
				if err = cutPrompt(r, *c.Reply); err != nil {
					c = Chunk{}
				} else if r.Accept != nil {
					if why := r.Accept(*c.Reply); why != nil {
						call.Error, call.Raw = why.Error(), c.Reply.Text
					}
				}
			}
			if err != nil {
				call.Error = plain.Words(err)
				call.meter.fail(ctx, m.Name, err)
				if call.Tokens == (Tokens{}) && begun(err) {
					call.Tokens = broken(r, said.String())
				}
			}
			if !yield(c, err) {
				if c.Reply == nil && err == nil {
					call.Error, call.Tokens = "left before its end", broken(r, said.String())
				}
				return
			}
			if err != nil || c.Reply != nil {
				return
			}
		}
	}
}

// named is the reply with the name of the model that gave it, be it that the server
// gives it none.
func (o MeterOptions) named(r Reply) *Reply {
	r.Model = cmp.Or(r.Model, o.Name)
	return &r
}

// usage is what tokens come to for one call.
func (o MeterOptions) usage(t Tokens) Usage {
	u := Usage{Calls: 1, Tokens: t.Total()}
	if o.Price == nil {
		u.Unpriced = 1
	} else {
		u.Money = o.Price.Of(t)
	}
	return u
}

// begun tells whether a call that failed may have been served in part, and so will
// be billed: a server that answers with an error status bills nothing.
func begun(err error) bool {
	var e *Error
	if errors.Is(err, ErrSpent) {
		return false // not sent
	}
	if errors.As(err, &e) {
		return e.Status < 300 && e.Kind != Resting && (e.Raw != "" || e.Kind == TimedOut)
	}
	return true // the context ended in the middle
}

// broken is what a call that broke off has used, about.
func broken(r Request, said string) Tokens {
	return Tokens{In: r.EstimateTokens(), Out: EstimateTokens(said), Estimated: true}
}

// A prompt of at least longPrompt tokens, by our estimate, of which the server read
// less than cutShare was cut: estimates are not that far off.
const (
	longPrompt = 400
	cutShare   = 0.4
)

// cutPrompt finds out that a server has silently cut a prompt to its context, as
// some do. What it then says is of another question.
func cutPrompt(r Request, reply Reply) error {
	r.Schema = nil // not every server counts it
	sent := r.EstimateTokens()
	if t := reply.Tokens; t.Estimated || t.In == 0 || sent < longPrompt || float64(t.In) >= cutShare*float64(sent) {
		return nil
	}
	return &Error{
		Kind: TooLong, Model: reply.Model, Raw: reply.Text,
		Message: fmt.Sprintf("the server read %d tokens of about %d: it cut the prompt without a word", reply.Tokens.In, sent),
	}
}
