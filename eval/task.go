package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
)

// Options tune a task. The zero value is the default.
type Options struct {
	// Seed chooses the resamples of the intervals.
	Seed uint64
	// Resamples is how many; 0 means 1000.
	Resamples int
	// Workers is how many items are measured at a time; 0 means 1, with which
	// times are cleanest.
	Workers int
	// Worst is how many of the items are reported that the first system judged worst.
	Worst int
	// Scores keeps the score of each item in the report of a gate or of support, so that
	// a later run can be compared with it in pairs.
	Scores bool
	// Journal, where given, keeps what the systems said, and spares asking them
	// again. Retrieval takes no notice of it.
	Journal *Journal
	// Progress, where given, is called after each item, one call at a time.
	Progress func(done, total int)
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Resamples < 0 || out.Workers < 0 || out.Worst < 0 {
		return out, fmt.Errorf("options: resamples %d, workers %d and worst %d must not be negative", out.Resamples, out.Workers, out.Worst)
	}
	out.Workers = max(out.Workers, 1)
	return out, nil
}

// contestant is what all kinds of systems under test have.
type contestant struct {
	Name, Version string
	thresholds    assay.Thresholds
}

// contestants gathers them, and refuses thresholds that are none; nil thresholds are
// assay.DefaultThresholds.
func contestants(n int, of func(i int) (name, version string, t *assay.Thresholds)) ([]contestant, error) {
	out := make([]contestant, n)
	for i := range out {
		name, version, t := of(i)
		out[i] = contestant{name, version, assay.DefaultThresholds}
		if t != nil {
			out[i].thresholds = *t
		}
		if err := out[i].thresholds.Validate(); err != nil {
			return nil, fmt.Errorf("system %s: %w", name, err)
		}
	}
	return out, distinct(out)
}

// distinct refuses systems that a report couldn't tell apart.
func distinct(systems []contestant) error {
	if len(systems) == 0 {
		return errors.New("there is no system to measure")
	}
	for i, s := range systems {
		if s.Name == "" {
			return fmt.Errorf("system %d has no name", i+1)
		}
		if slices.ContainsFunc(systems[:i], func(o contestant) bool { return o.Name == s.Name }) {
			return fmt.Errorf("two systems are named %s", s.Name)
		}
	}
	return nil
}

// begin checks what all tasks need: options, a set that fits, systems.
func begin(task Task, set *Set, opts *Options, n int, of func(i int) (name, version string, t *assay.Thresholds)) (m measurement, o Options, err error) {
	if o, err = opts.withDefaults(); err != nil {
		return m, o, fmt.Errorf("eval %s: %w", task, err)
	}
	if err = set.require(task); err != nil {
		return m, o, err
	}
	m = measurement{task: task, set: set}
	if m.systems, err = contestants(n, of); err != nil {
		return m, o, fmt.Errorf("eval %s: %w", task, err)
	}
	return m, o, nil
}

// measurement is one task on one set.
type measurement struct {
	task    Task
	set     *Set
	systems []contestant
	items   int
	// key names an item by its content, so that a journal finds it again.
	key func(item int) string
}

// reply is what a system made of one item.
type reply[T any] struct {
	value T
	err   error
	took  time.Duration
	used  Usage
}

// replies asks all systems about all items; they are by system and item. An error
// means that the context ended, that a system failed on all items, or that the
// journal doesn't fit or can't be written.
func replies[T any](ctx context.Context, o Options, m measurement, ask func(ctx context.Context, system, item int) (T, error)) ([][]reply[T], error) {
	if err := o.Journal.admit(m); err != nil {
		return nil, err
	}
	out := make([][]reply[T], len(m.systems))
	for s := range out {
		out[s] = make([]reply[T], m.items)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	err := o.measure(ctx, m.items, func(i int) {
		// Each is the first to be asked equally often: what one has read is quicker
		// for the next.
		for n := range m.systems {
			s := (i + n) % len(m.systems)
			entry := m.entry(s, i)
			if recalled(o.Journal, entry, &out[s][i]) {
				continue
			}
			out[s][i] = timed(ctx, func(ctx context.Context) (T, error) { return ask(ctx, s, i) })
			if err := remember(o.Journal, entry, out[s][i]); err != nil {
				stop(err)
			}
		}
	})
	if err != nil {
		return nil, context.Cause(ctx)
	}
	for s := range m.systems {
		if err := gatherFailures(errorsOf(out[s])).all(m.items); err != nil {
			return nil, fmt.Errorf("%s %w", m.systems[s].Name, err)
		}
	}
	return out, nil
}

// timed asks once, with a meter of its own around the models that are called.
func timed[T any](ctx context.Context, ask func(ctx context.Context) (T, error)) (r reply[T]) {
	meter := llm.NewMeter(unlimited)
	start := time.Now()
	r.value, r.err = ask(llm.WithMeter(ctx, meter))
	r.took, r.used = time.Since(start), usageOf(meter.Used())
	return r
}

// unlimited is the budget of a measurement: it ends with its items.
var unlimited = llm.Budget{
	Searches: llm.Unlimited, Drafts: llm.Unlimited, Calls: llm.Unlimited,
	Tokens: llm.Unlimited, Money: llm.Unlimited, Time: llm.UnlimitedTime,
}

// Usage is what a system asked of language models.
type Usage struct {
	Calls  int     `json:"calls"`
	Tokens int     `json:"tokens"`
	Money  float64 `json:"usd"` // of the calls whose price is known
	// Unpriced counts the calls whose price is not.
	Unpriced int `json:"unpriced_calls"`
}

func usageOf(u llm.Usage) Usage { return Usage{u.Calls, u.Tokens, u.Money, u.Unpriced} }

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Calls + v.Calls, u.Tokens + v.Tokens, u.Money + v.Money, u.Unpriced + v.Unpriced}
}

// spent sums up the replies of one system. Without a call of a model there is no
// usage.
func spent[T any](of []reply[T]) (took time.Duration, used *Usage) {
	var sum Usage
	for _, r := range of {
		took += r.took
		sum = sum.plus(r.used)
	}
	if sum == (Usage{}) {
		return took, nil
	}
	return took, &sum
}

// failedOn tells whether any system failed on an item.
func failedOn[T any](all [][]reply[T], item int) bool {
	return slices.ContainsFunc(all, func(of []reply[T]) bool { return of[item].err != nil })
}

func errorsOf[T any](of []reply[T]) []error {
	errs := make([]error, len(of))
	for i, r := range of {
		errs[i] = r.err
	}
	return errs
}

// measure runs one task's measurement of items 0 to n−1 and ends early only
// when the context does, with its error. What one item comes to, failure
// included, is the caller's to keep, in a place of the item's own.
func (o Options) measure(ctx context.Context, n int, item func(i int)) error {
	var workers sync.WaitGroup
	var next atomic.Int64
	var progress sync.Mutex
	done := 0
	for range min(o.Workers, n) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				item(i)
				progress.Lock()
				done++
				if o.Progress != nil {
					o.Progress(done, n)
				}
				progress.Unlock()
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}

// Failures counts the items on which a system under test failed. They are in
// no figure.
type Failures struct {
	Count int `json:"count"`
	// Messages holds distinct ones, the first few in the order of the items.
	Messages []string `json:"messages"`
}

const failuresShown = 5

// gatherFailures counts the errors; nil is none.
func gatherFailures(errs []error) Failures {
	f := Failures{Messages: []string{}}
	for _, err := range errs {
		if err == nil {
			continue
		}
		f.Count++
		if m := err.Error(); len(f.Messages) < failuresShown && !slices.Contains(f.Messages, m) {
			f.Messages = append(f.Messages, m)
		}
	}
	return f
}

// all is an error when nothing succeeded: there is nothing to report then.
func (f Failures) all(items int) error {
	if f.Count < items {
		return nil
	}
	return fmt.Errorf("failed on all %d items; the first: %s", items, f.Messages[0])
}

// checkScore refuses what is not a probability, so that a broken grader is not
// measured as a bad one.
func checkScore(score float64) error {
	if !(0 <= score && score <= 1) { // written so that NaN fails
		return fmt.Errorf("score %v is not in [0, 1]", score)
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
