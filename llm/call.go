package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assay-rag/assay/llm/internal/plain"
)

// Call is one request to a model, as it went.
type Call struct {
	Step    string // that the context named, see WithStep
	Model   string
	Elapsed time.Duration
	Tokens  Tokens
	Money   float64 // in US dollars
	Priced  bool    // whether the price is known; else Money means nothing
	Cached  bool    // answered from a cache: nothing was asked or paid
	Error   string  // what went wrong, or why the reply could not be used
	Raw     string  // the reply that could not be used
}

// Failure is what a model failed at in a step of a run.
type Failure struct {
	Step  string // that the context named, see WithStep
	Model string // as the bill names it
	Calls int    // how many failed
	Err   error  // of the last one, to be told apart by errors.As and KindOf
}

// Record adds a call to those of the run.
func (m *Meter) Record(c Call) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, c)
}

// Calls returns the calls of the run so far, in the order in which they ended.
func (m *Meter) Calls() []Call {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.calls)
}

// Failures returns what models failed at so far, by step and then by model. Whoever
// asked may have gone on without; whoever labels the run has to know. A call has
// failed where it ended with an error, or with a reply that its caller could not use
// and the model did not mend. One that Resilient repeated counts by how it came out
// in the end, be it that the budget refused the repeat; one that the budget refused (see Denied), or that ended since its caller
// or the caller's time did, isn't counted.
func (m *Meter) Failures() []Failure {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []Failure
	for _, f := range m.failed {
		at, ok := slices.BinarySearchFunc(all, f, func(a, b Failure) int {
			return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Model, b.Model))
		})
		if !ok {
			all = slices.Insert(all, at, Failure{Step: f.Step, Model: f.Model})
		}
		all[at].Calls++
		all[at].Err = f.Err
	}
	return all
}

// fail notes that a call failed. The context is the one that it was made with.
func (m *Meter) fail(ctx context.Context, model string, err error) {
	if err = blame(ctx, err); m == nil || err == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed = append(m.failed, Failure{Step: StepFrom(ctx), Model: model, Err: err})
}

// blame is what to hold against the model where a call ended with err, or nil. A
// context that an Error has ended is one that Resilient gave up.
func blame(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(err, ErrSpent):
		return nil
	case cause == nil:
		return err
	case KindOf(cause) == "":
		return nil
	case KindOf(err) == KindOf(cause):
		return err
	}
	return cause
}

// forgive takes a failure back since the call is made again.
func (m *Meter) forgive(err error) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, f := range slices.Backward(m.failed) {
		if errors.Is(f.Err, err) {
			m.failed = slices.Delete(m.failed, i, i+1)
			return
		}
	}
}

// unrepeated is the error of a call that failed, and that the budget doesn't let be
// made again.
func unrepeated(failed, spent error) error {
	return fmt.Errorf("%w; no call is left to ask again (%w)", failed, spent)
}

// underWay is a metered call while it is made.
type underWay struct {
	MeterOptions
	Call
	meter *Meter
	worst Usage // reserved
	sent  int   // requests
	began time.Time
}

type underWayKey struct{}

// begin reserves what a call may come to at the worst. It is to be made with the
// context that this returns, by which CountRequest finds it.
func (o MeterOptions) begin(ctx context.Context, worst Tokens) (context.Context, *underWay, error) {
	c := &underWay{
		MeterOptions: o, meter: MeterFrom(ctx), worst: o.usage(worst), began: time.Now(),
		Call: Call{Step: StepFrom(ctx), Model: o.Name, Priced: o.Price != nil},
	}
	if err := c.meter.Reserve(c.worst); err != nil {
		return nil, nil, err
	}
	return context.WithValue(ctx, underWayKey{}, c), c, nil
}

// end settles what the call has cost, and records it.
func (c *underWay) end() {
	c.Elapsed = time.Since(c.began)
	used := c.usage(c.Tokens)
	c.Money = used.Money
	c.meter.Settle(used.minus(c.worst))
	c.meter.Record(c.Call)
}

// CountRequest is what a provider calls before each request that it sends. One request
// is what a metered call has reserved; where it takes more, since the server did not
// accept it as it was put, or not so much at a time, each further one is reserved
// here, and the one before it recorded with its error, which may be nil. An error
// wraps ErrSpent: the request must not be sent.
//
// Outside a metered call nothing is counted. The requests of a call are sent one
// after the other.
func CountRequest(ctx context.Context, before error) error {
	c, _ := ctx.Value(underWayKey{}).(*underWay)
	if c == nil {
		return nil
	}
	if c.sent++; c.sent == 1 {
		return nil
	}
	ended := c.Call
	ended.Elapsed = time.Since(c.began)
	if before != nil {
		ended.Error = plain.Words(before)
	}
	switch err := c.meter.Reserve(Usage{Calls: 1}); {
	case err != nil && KindOf(before).passing(): // it failed, whatever its form
		c.meter.fail(ctx, c.Name, before)
		return unrepeated(before, err)
	case err != nil && before != nil:
		return fmt.Errorf("%w; before that: %v", err, before)
	case err != nil:
		return err
	}
	c.meter.Record(ended)
	c.began = time.Now()
	return nil
}
