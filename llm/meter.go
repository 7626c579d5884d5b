package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// Budget bounds one run. In each field 0 means "the default" and a negative value
// "none at all". Unlimited is no bound on a count; UnlimitedTime on time.
type Budget struct {
	Searches int           // retrievals, the first one included; default 3
	Drafts   int           // answers drafted; default 2
	Calls    int           // requests to models, retries and repairs included; default 20
	Tokens   int           // tokens in and out of models; default 200,000
	Money    float64       // in US dollars; default 1
	Time     time.Duration // wall-clock; default 60 s
}

// Bounds that nothing reaches.
const (
	Unlimited     = 1 << 30
	UnlimitedTime = time.Duration(math.MaxInt64)
)

// DefaultBudget is the budget where nobody sets one.
var DefaultBudget = Budget{Searches: 3, Drafts: 2, Calls: 20, Tokens: 200_000, Money: 1, Time: time.Minute}

// Or fills the zero fields of b from d.
func (b Budget) Or(d Budget) Budget {
	return Budget{
		Searches: or(b.Searches, d.Searches),
		Drafts:   or(b.Drafts, d.Drafts),
		Calls:    or(b.Calls, d.Calls),
		Tokens:   or(b.Tokens, d.Tokens),
		Money:    or(b.Money, d.Money),
		Time:     or(b.Time, d.Time),
	}
}

func or[T comparable](a, b T) T {
	var zero T
	if a == zero {
		return b
	}
	return a
}

// Usage is what a run has used so far.
type Usage struct {
	Searches int
	Drafts   int
	Calls    int
	Tokens   int
	Money    float64 // in US dollars, of the calls whose price is known
	Unpriced int     // calls whose price isn't
}

// ErrSpent marks a refusal by the budget. The error that wraps it says which
// bound was reached.
var ErrSpent = errors.New("budget spent")

// Meter keeps the budget of one run. Its methods may be called concurrently, and
// on a nil Meter, which bounds nothing and counts nothing.
type Meter struct {
	mu     sync.Mutex
	budget Budget
	used   Usage
	calls  []Call
	failed []Failure // one each
	denied error     // the first refusal of a model call
}

// NewMeter starts a meter; zero fields of b are filled from DefaultBudget.
func NewMeter(b Budget) *Meter { return &Meter{budget: b.Or(DefaultBudget)} }

// Reserve takes want from the budget, or takes nothing and returns an error that
// wraps ErrSpent. Reserve before the work; afterwards Settle corrects what was
// only an estimate.
func (m *Meter) Reserve(want Usage) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.exceeded(want)
	if err == nil {
		m.used = m.used.plus(want)
	} else if want.Calls > 0 && m.denied == nil {
		m.denied = err
	}
	return err
}

// exceeded is the error where want is more than what is left.
func (m *Meter) exceeded(want Usage) error {
	sum := m.used.plus(want)
	b := m.budget
	switch {
	case want.Searches > 0 && sum.Searches > b.Searches:
		return spent("searches", b.Searches)
	case want.Drafts > 0 && sum.Drafts > b.Drafts:
		return spent("drafts", b.Drafts)
	case want.Calls > 0 && sum.Calls > b.Calls:
		return spent("calls", b.Calls)
	case want.Tokens > 0 && sum.Tokens > b.Tokens:
		return spent("tokens", b.Tokens)
	case want.Money > 0 && sum.Money > b.Money:
		return fmt.Errorf("%w: money: at most $%.4f", ErrSpent, b.Money)
	}
	return nil
}

func spent(what string, bound int) error {
	return fmt.Errorf("%w: %s: at most %d", ErrSpent, what, max(bound, 0))
}

// Settle adds the difference between what was reserved and what was used; its
// fields may be negative.
func (m *Meter) Settle(difference Usage) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used = m.used.plus(difference)
}

// Limit returns a context that ends when the budget of time is spent.
func (m *Meter) Limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if m == nil || m.budget.Time == UnlimitedTime {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, m.budget.Time)
}

// Used returns what the run has used so far.
func (m *Meter) Used() Usage {
	if m == nil {
		return Usage{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

// Left tells how many searches and drafts are still affordable.
func (m *Meter) Left() (searches, drafts int) {
	if m == nil {
		return Unlimited, Unlimited
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(0, m.budget.Searches-m.used.Searches), max(0, m.budget.Drafts-m.used.Drafts)
}

// Budget returns the bounds in force.
func (m *Meter) Budget() Budget {
	if m == nil {
		return Budget{}
	}
	return m.budget
}

func (u Usage) minus(v Usage) Usage {
	return u.plus(Usage{-v.Searches, -v.Drafts, -v.Calls, -v.Tokens, -v.Money, -v.Unpriced})
}

func (u Usage) plus(v Usage) Usage {
	return Usage{
		Searches: u.Searches + v.Searches,
		Drafts:   u.Drafts + v.Drafts,
		Calls:    u.Calls + v.Calls,
		Tokens:   u.Tokens + v.Tokens,
		Money:    u.Money + v.Money,
		Unpriced: u.Unpriced + v.Unpriced,
	}
}

// Denied returns why a model call was not made that the budget doesn't hold, or nil.
// Whoever wanted it may have gone on without it; whoever labels the run has to know.
func (m *Meter) Denied() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.denied
}

type stepKey struct{}

// WithStep returns a context that names the step for which models are called: a
// line of the bill.
func WithStep(ctx context.Context, step string) context.Context {
	return context.WithValue(ctx, stepKey{}, step)
}

// StepFrom returns the step that the context names, or "".
func StepFrom(ctx context.Context) string {
	step, _ := ctx.Value(stepKey{}).(string)
	return step
}

type meterKey struct{}

// WithMeter returns a context that carries the meter.
func WithMeter(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// MeterFrom returns the context's meter, or nil, which is a meter that bounds
// nothing.
func MeterFrom(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}
