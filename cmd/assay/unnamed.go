package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assay-rag/assay/llm"
)

// unnamed is the model of an API that the settings don't name. Which it is is found out
// with the first request, within the time of that; where it can't be, the request fails
// as it does with any model that can't be asked, and the next one tries again.
type unnamed struct {
	at      remote
	listing time.Duration                   // how long the API may take to say which model it has
	shared  *llm.Endpoint                   // with the model, once that is named
	named   func(remote) (llm.Model, error) // makes the model of a name
	found   atomic.Pointer[namedModel]
}

// mostListing is how long an API may take to list its models at the most.
const mostListing = 10 * time.Second

// newUnnamed is the model at p, whose API may take the share of a call of the time for an
// answer to say which it has.
func newUnnamed(p remote, c *config, m *models) (*unnamed, error) {
	listing, err := c.within(min(p.timeout, mostListing))
	if err != nil {
		return nil, err
	}
	shared, err := m.endpoint(p.base, c)
	return &unnamed{at: p, listing: listing, shared: shared, named: func(p remote) (llm.Model, error) { return p.safe(c, m) }}, err
}

type namedModel struct {
	llm.Model
	name string
}

var _ llm.Model = (*unnamed)(nil)

// Generate implements llm.Model.
func (u *unnamed) Generate(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		m, err := u.find(ctx)
		if err != nil {
			nothing := llm.Request{MaxTokens: 1}
			llm.Metered(failing{err}, llm.MeterOptions{Name: anyModel}).Generate(ctx, nothing)(yield)
			return
		}
		m.Generate(ctx, r)(yield)
	}
}

// failing is a model that can't be asked. Where it is metered, the bill tells of it, as
// of any other that can't be.
type failing struct{ err error }

// Generate implements llm.Model.
func (f failing) Generate(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { yield(llm.Chunk{}, f.err) }
}

// find returns the model. Two requests at once may both ask which it is, and agree.
func (u *unnamed) find(ctx context.Context) (*namedModel, error) {
	if m := u.found.Load(); m != nil {
		return m, nil
	}
	p := u.at
	err := u.shared.Do(llm.WithMeter(ctx, nil), func() (err error) { // Generate meters it
		p, err = u.at.choose(ctx, u.listing)
		return err
	})
	if err != nil {
		return nil, err
	}
	m, err := u.named(p)
	if err != nil {
		return nil, err
	}
	u.found.CompareAndSwap(nil, &namedModel{m, p.model})
	return u.found.Load(), nil
}

// name is the model's name; "" before it was found out.
func (u *unnamed) name() string {
	if m := u.found.Load(); m != nil {
		return m.name
	}
	return ""
}

// choose is the remote with the only model that its API has, which may take so long to
// say it. Later calls have the time that they had.
func (p remote) choose(ctx context.Context, listing time.Duration) (remote, error) {
	asked := p
	asked.timeout = listing
	names, err := asked.models(ctx)
	switch {
	case err != nil:
		return p, err
	case len(names) == 0:
		return p, p.unchosen("it lists no model: name one with --model")
	case len(names) > 1:
		return p, p.unchosen(fmt.Sprintf("it has %d models: choose one with --model: %s", len(names), strings.Join(names[:min(len(names), 20)], ", ")))
	}
	p.model = names[0]
	return p, nil
}

// unchosen is the error where it can't be told which model is meant.
func (p remote) unchosen(why string) error {
	return &llm.Error{Kind: llm.NoModel, Endpoint: redacted(p.base), Message: why}
}
