package eval

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-rag/assay"
)

// Options tune a task. The zero value is the default.
type Options struct {
	// Thresholds are those of the grader or checker under test; nil means
	// assay.DefaultThresholds.
	Thresholds *assay.Thresholds
	// Seed chooses the resamples of the intervals.
	Seed uint64
	// Resamples is how many; 0 means 1000.
	Resamples int
	// Workers is how many items are measured at a time; 0 means 1, with which
	// times are cleanest.
	Workers int
	// Worst is how many of the items judged worst are reported.
	Worst int
	// Progress, where given, is called after each item, one call at a time.
	Progress func(done, total int)
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Resamples < 0 || out.Workers < 0 || out.Worst < 0 {
		return out, fmt.Errorf("resamples %d, workers %d and worst %d must not be negative", out.Resamples, out.Workers, out.Worst)
	}
	if out.Thresholds == nil {
		defaults := assay.DefaultThresholds
		out.Thresholds = &defaults
	}
	out.Workers = max(out.Workers, 1)
	return out, out.Thresholds.Validate()
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

// judge measures n items, each scored by item with what is under test, and gathers
// what failed. An error means that the context ended or that all items failed.
func (o Options) judge(ctx context.Context, who string, n int, item func(i int) (Scored, error)) (judgement, Failures, []time.Duration, error) {
	scored, errs, times := make([]Scored, n), make([]error, n), make([]time.Duration, n)
	err := o.measure(ctx, n, func(i int) {
		start := time.Now()
		scored[i], errs[i] = item(i)
		times[i] = time.Since(start)
	})
	if err != nil {
		return judgement{}, Failures{}, nil, err
	}
	failures := gatherFailures(errs)
	if err := failures.all(n); err != nil {
		return judgement{}, failures, nil, fmt.Errorf("%s %w", who, err)
	}
	return newJudgement(scored, errs, o), failures, times, nil
}

// Failures counts the items on which the system under test failed. They are in
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
