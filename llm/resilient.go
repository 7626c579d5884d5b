package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/semaphore"

	"github.com/assay-rag/assay/llm/internal/plain"
)

// ResilientOptions tune Resilient. In each field 0 means the default.
type ResilientOptions struct {
	// Attempts is how often one request is made, the first time included; default 3.
	Attempts int
	// Parallel is how many calls are under way at a time; others wait for their
	// turn. Default 8.
	Parallel int
	// Timeout is how long one attempt may take, or, where the text is streamed, how
	// long nothing may come; default 2 minutes. A Chunk without text is a sign of
	// life. Waiting for a turn is not in it.
	Timeout time.Duration
	// Patience is the longest pause before another attempt; where the server wants a
	// longer one, the call fails at once. Default 1 minute.
	Patience time.Duration
	// Failures in a row open the breaker; default 5.
	Failures int
	// Hangs in a row, which are calls that took all their time, open it too; default 2.
	Hangs int
	// Rest is how long an open breaker lets nothing through. Then one call tries,
	// and closes it or has it rest again. Default 30 s.
	Rest time.Duration
}

func (o *ResilientOptions) filled() ResilientOptions {
	var f ResilientOptions
	if o != nil {
		f = *o
	}
	return ResilientOptions{
		Attempts: positive(f.Attempts, 3),
		Parallel: positive(f.Parallel, 8),
		Timeout:  positive(f.Timeout, 2*time.Minute),
		Patience: positive(f.Patience, time.Minute),
		Failures: positive(f.Failures, 5),
		Hangs:    positive(f.Hangs, 2),
		Rest:     positive(f.Rest, 30*time.Second),
	}
}

func positive[T cmp.Ordered](v, otherwise T) T {
	var zero T
	if v > zero {
		return v
	}
	return otherwise
}

// Resilient bears with the endpoint behind a model. It repeats what may succeed
// later, after a growing pause with chance in it and whatever wait the server asks
// for; it bounds the calls under way and the time of each; and it leaves an
// endpoint alone that only fails: then the error is of kind Resting, and nothing was
// asked.
//
// A request is repeated only while nothing of a reply has been passed on, not after it
// took all the time that a call may have, and only where the pause ends before the
// context's deadline; otherwise the error says why
// not. It ends with the context. A caller who cancels or leaves early is no failure
// of the endpoint.
//
// The reply is read as fast as it comes, however slowly the caller takes it: a call
// holds its place among the Parallel ones no longer than the endpoint needs, so the
// caller may ask the same model while it ranges over a reply.
//
// The pauses are backoff's, the breaker gobreaker's two-step one, which fits a call
// that is ranged over. backoff.Retry doesn't: it would sleep into the deadline, and
// return the context's error instead of the server's.
func Resilient(m Model, o *ResilientOptions) Model { return NewEndpoint(o).Model(m) }

// Endpoint is what the models behind one address share: the calls under way, and the
// breaker. It may be used concurrently.
type Endpoint struct {
	ResilientOptions
	places  *semaphore.Weighted
	breaker *gobreaker.TwoStepCircuitBreaker[any]
	failure atomic.Pointer[Error] // the last one that the breaker counted
	hung    atomic.Int64          // calls in a row
}

// NewEndpoint makes an Endpoint, see Resilient. nil options are the default.
func NewEndpoint(o *ResilientOptions) *Endpoint {
	f := o.filled()
	e := &Endpoint{ResilientOptions: f, places: semaphore.NewWeighted(int64(f.Parallel))}
	e.breaker = gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{
		Timeout: f.Rest,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.ConsecutiveFailures >= uint32(f.Failures) || e.hangs()
		},
		IsExcluded: func(err error) bool { return err == errNoWord },
	})
	return e
}

// hangs tells whether the endpoint has hung as often in a row as it may.
func (e *Endpoint) hangs() bool { return e.hung.Load() >= int64(e.Hangs) }

// Model is a model of the endpoint, made resilient as Resilient says.
func (e *Endpoint) Model(m Model) Model { return &resilient{e, m} }

// Do makes a call of the endpoint that asks no model, such as one that lists them, with
// the same care. The call bounds its own time; its errors are each an *Error.
func (e *Endpoint) Do(ctx context.Context, call func() error) error {
	return e.attempts(ctx, func() (bool, error) { return false, call() })
}

type resilient struct {
	*Endpoint
	model Model
}

var (
	errNoWord = errors.New("the endpoint has not had its say") // neither a success nor a failure
	errLeft   = errors.New("the caller left")
)

// Generate implements Model.
func (m *resilient) Generate(ctx context.Context, r Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if !r.Stream { // all of it comes at the end, with the place given back
			yield(m.generate(ctx, r, nil))
			return
		}
		ctx, leave := context.WithCancelCause(ctx)
		b := newBacklog()
		var reading sync.WaitGroup
		defer func() { leave(errLeft); reading.Wait() }()
		reading.Go(func() { b.put(m.generate(ctx, r, func(c Chunk) { b.put(c, nil) })) })
		for {
			for _, p := range b.take() {
				if !yield(p.chunk, p.err) || p.err != nil || p.chunk.Reply != nil {
					return
				}
			}
		}
	}
}

// generate makes the attempts. It passes on what comes before the last chunk, which
// it returns.
func (m *resilient) generate(ctx context.Context, r Request, pass func(Chunk)) (last Chunk, err error) {
	passed := false
	err = m.attempts(ctx, func() (final bool, err error) {
		last, err = m.call(ctx, r, func(c Chunk) { passed = true; pass(c) })
		return passed, err
	})
	return last, err
}

// attempts makes a call, again where it failed and may succeed later, unless it says
// that it was the final one.
func (e *Endpoint) attempts(ctx context.Context, call func() (final bool, err error)) error {
	pauses := backoff.NewExponentialBackOff()
	var before error // of the attempt before
	for n := 1; ; n++ {
		final, err := e.attempt(ctx, call)
		if before != nil && errors.Is(err, ErrSpent) {
			return unrepeated(before, err)
		}
		if before != nil {
			MeterFrom(ctx).forgive(before)
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil || final || !KindOf(err).again() || errors.Is(err, ErrSpent):
			return err
		case n == e.Attempts || e.breaker.State() == gobreaker.StateOpen:
			return tried(n, err)
		}
		// The chance in it keeps those who were turned away together from coming back
		// together.
		if err := e.pause(ctx, waitOf(err)+pauses.NextBackOff(), err); err != nil {
			return tried(n, err)
		}
		before = err
	}
}

// tried says of an error that it isn't the first.
func tried(n int, err error) error {
	if n == 1 {
		return err
	}
	return fmt.Errorf("%w; it was asked %d times", err, n)
}

// pause waits before the next attempt. It returns an error where there is none.
func (e *Endpoint) pause(ctx context.Context, d time.Duration, failed error) error {
	if d > e.Patience {
		return fmt.Errorf("%w; that is longer than the %s that we wait at most", failed, e.Patience)
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return fmt.Errorf("%w; with %s left there is no time to ask again", failed, time.Until(end).Round(time.Millisecond))
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("llm resilient: waiting to ask again: %w; before that: %v", plain.Error(context.Cause(ctx)), failed)
	}
}

// attempt makes a call once, when it is its turn and the breaker lets it.
func (e *Endpoint) attempt(ctx context.Context, call func() (bool, error)) (final bool, err error) {
	if e.places.Acquire(ctx, 1) != nil {
		return false, fmt.Errorf("llm resilient: waiting while %d calls are under way: %w", e.Parallel, plain.Error(context.Cause(ctx)))
	}
	defer e.places.Release(1)
	done, refused := e.breaker.Allow()
	if refused != nil {
		err := e.resting()
		MeterFrom(ctx).fail(ctx, err.Model, err)
		return false, err
	}
	defer func() { done(e.outcome(err)) }()
	return call()
}

// outcome is what an attempt says of the endpoint: nil where it does its work, be
// it only to refuse.
func (e *Endpoint) outcome(err error) error {
	var failed *Error
	switch {
	case err != nil && !errors.As(err, &failed):
		return errNoWord // the context or the budget ended it
	case err == nil || !failed.Kind.passing():
		e.hung.Store(0)
		return nil
	case failed.Kind == TimedOut:
		e.hung.Add(1)
	default:
		e.hung.Store(0)
	}
	e.failure.Store(failed)
	return failed
}

// resting is the error of a call that was not made.
func (e *Endpoint) resting() *Error {
	times := e.Failures
	if e.hangs() {
		times = e.Hangs
	}
	err := &Error{Kind: Resting, Message: fmt.Sprintf("it failed %d times in a row and is left alone for %s", times, e.Rest)}
	if f := e.failure.Load(); f != nil {
		err.Endpoint, err.Model, err.Err = f.Endpoint, f.Model, f
		err.Message += ", the last time: " + string(f.Kind)
		if f.Message != "" {
			err.Message += ": " + f.Message
		}
	}
	return err
}

// call asks the model within the time limit.
func (m *resilient) call(ctx context.Context, r Request, pass func(Chunk)) (Chunk, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := &Error{Kind: TimedOut, Message: fmt.Sprintf("nothing came for %s", m.Timeout)}
	limit := time.AfterFunc(m.Timeout, func() { cancel(late) })
	defer limit.Stop()
	for c, err := range m.model.Generate(ctx, r) {
		switch {
		case err == nil && c.Reply != nil:
			return c, nil
		case err == nil && !r.Stream: // a piece that nobody wants: the reply will hold it
		case err == nil:
			limit.Reset(m.Timeout)
			if c.Text != "" {
				pass(c)
			}
		case context.Cause(ctx) == late:
			return Chunk{}, late.at(err)
		case ctx.Err() != nil:
			return Chunk{}, plain.Error(context.Cause(ctx)) // whatever the provider makes of it
		default:
			return Chunk{}, err
		}
	}
	return Chunk{}, NoReply()
}

// NoReply is the error of a model that breaks its contract: its iterator ended with
// neither a reply nor an error. It is of kind Malformed.
func NoReply() error {
	return &Error{Kind: Malformed, Message: "the model ended without a reply"}
}

// backlog holds what has come and was not taken yet. A reply is bounded, so it is.
type backlog struct {
	mu     sync.Mutex
	pieces []piece
	more   chan struct{} // holds one where there are pieces
}

type piece struct {
	chunk Chunk
	err   error
}

func newBacklog() *backlog { return &backlog{more: make(chan struct{}, 1)} }

func (b *backlog) put(c Chunk, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pieces = append(b.pieces, piece{c, err})
	if len(b.pieces) == 1 {
		b.more <- struct{}{}
	}
}

// take waits for pieces and returns all that are there.
func (b *backlog) take() []piece {
	<-b.more
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.pieces
	b.pieces = nil
	return all
}
