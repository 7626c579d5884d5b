package wire

import (
	"context"
	"sync"

	"github.com/assay-rag/assay/llm"
)

// Terms are on what a client and its server have agreed: how requests are put, of
// which a D holds what the server has turned out not to take. They may be used
// concurrently.
type Terms[D Dialect[D]] struct {
	mu     sync.Mutex
	learnt D
}

// Dialect is what a server takes of what its protocol has.
type Dialect[D any] interface {
	And(D) D // what either has learnt
}

// NewTerms begins with a dialect.
func NewTerms[D Dialect[D]](first D) *Terms[D] { return &Terms[D]{learnt: first} }

// Agree sends a request in the dialect known so far. Each thing that the server
// refuses is avoided by without, each of whose steps can be taken but once, so that
// they come to an end. What the server accepts in the end is remembered, unless a
// step wasn't sure to be the reason.
//
// Each request is counted, see llm.CountRequest. Where the budget holds no further one,
// what was learnt up to there is remembered too, or else the next call would come no
// further.
func (t *Terms[D]) Agree(ctx context.Context, send func(D) (*Response, error), without func(D, error) (D, bool, bool)) (*Response, error) {
	t.mu.Lock()
	d := t.learnt
	t.mu.Unlock()
	var refused error
	for certain := true; ; {
		if err := llm.CountRequest(ctx, refused); err != nil {
			t.learn(d, certain)
			return nil, err
		}
		resp, err := send(d)
		if err == nil {
			t.learn(d, certain)
			return resp, nil
		}
		next, sure, ok := without(d, err)
		if !ok {
			return nil, err
		}
		d, certain, refused = next, certain && sure, err
	}
}

// learn remembers a dialect, if what it avoids is certain.
func (t *Terms[D]) learn(d D, certain bool) {
	if !certain {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.learnt = t.learnt.And(d)
}
