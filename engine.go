package assay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/assay-rag/assay/llm"
)

// Parts are the engine's collaborators. Package evaluator fills all that a run without
// models needs around a Retriever: evaluator.Parts(retriever).
type Parts struct {
	Retriever  Retriever  // required
	Grader     Grader     // required
	Answerer   Answerer   // required
	Quoter     Answerer   // drafts where nothing that the Answerer wrote is carried; nil: nobody does
	Checker    Checker    // required
	Usefulness Usefulness // required
	Rewriter   Rewriter   // nil: no other words are tried
	Router     Router     // nil: every question is retrieved for, in full
	Condenser  Condenser  // nil: a follow-up is taken as it stands
	Fallback   Retriever  // nil: there is no other source
}

// Options tune an engine. The zero value is the default.
type Options struct {
	// Thresholds belong to the Grader; nil means DefaultThresholds.
	Thresholds *Thresholds
	// Wide is how many passages are retrieved, Narrow how many of them are
	// graded; 0 means 50 and 10.
	Wide, Narrow int
	// Strips is how many strips are kept for their grade; 0 means 12. With an item
	// of a list comes the whole list.
	Strips int
	// Fallback is the strictest policy in force; a Query can only be stricter.
	Fallback FallbackPolicy
	// Budget bounds each run; zero fields take llm.DefaultBudget's.
	Budget Budget
	// Log receives what a person who runs the engine may want to know; nil
	// discards it.
	Log *slog.Logger
}

// Engine answers questions. Make one with New; it may be used concurrently.
type Engine struct {
	parts Parts
	opts  Options // complete
}

// New makes an engine of the parts. A missing part or a bad option is refused
// here, not at the fortieth question.
func New(parts Parts, opts *Options) (*Engine, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	gate := DefaultThresholds
	if o.Thresholds != nil {
		gate = *o.Thresholds
	}
	o.Thresholds = &gate
	o.Wide, o.Narrow, o.Strips = cmp.Or(o.Wide, 50), cmp.Or(o.Narrow, 10), cmp.Or(o.Strips, 12)
	o.Budget = o.Budget.Or(llm.DefaultBudget)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := errors.Join(parts.validate(), o.validate()); err != nil {
		return nil, fmt.Errorf("assay: new engine: %w", err)
	}
	if o.Thresholds.Lower == 0 || o.Thresholds.Upper == 0 {
		o.Log.Warn("a threshold of 0 lets every passage through the gate", "thresholds", *o.Thresholds)
	}
	return &Engine{parts: parts, opts: o}, nil
}

func (p Parts) validate() error {
	var missing []error
	for _, part := range []struct {
		name   string
		absent bool
	}{
		{"Retriever", p.Retriever == nil}, {"Grader", p.Grader == nil}, {"Answerer", p.Answerer == nil},
		{"Checker", p.Checker == nil}, {"Usefulness", p.Usefulness == nil},
	} {
		if part.absent {
			missing = append(missing, fmt.Errorf("part %s is nil; evaluator.Parts fills in all but the Retriever", part.name))
		}
	}
	return errors.Join(missing...)
}

func (o Options) validate() error {
	errs := []error{o.Thresholds.Validate()}
	if o.Wide < 1 || o.Narrow < 1 || o.Strips < 1 {
		errs = append(errs, fmt.Errorf("options Wide %d, Narrow %d and Strips %d must be positive", o.Wide, o.Narrow, o.Strips))
	}
	if o.Narrow > o.Wide {
		errs = append(errs, fmt.Errorf("option Narrow %d must not exceed Wide %d", o.Narrow, o.Wide))
	}
	switch o.Fallback {
	case FallbackAllowed, FallbackOff:
	default:
		errs = append(errs, fmt.Errorf("there is no fallback policy %q", o.Fallback))
	}
	return errors.Join(errs...)
}

// Ask runs one question through the loop. It returns an error only where no
// honest answer is possible: a question that can't be asked (ErrBadQuery), an
// index that can't be read, a context that ended. A lack of evidence is an
// Answer with the outcome Abstained.
func (e *Engine) Ask(ctx context.Context, q Query) (*Answer, error) {
	r, err := e.newRun(q, nil)
	if err != nil {
		return nil, err
	}
	return r.walk(ctx)
}

// Stream is Ask with the events of the run as they happen; the last one holds
// the answer. It yields at most one error, at the end. Leaving the range ends
// the run.
func (e *Engine) Stream(ctx context.Context, q Query) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		r, err := e.newRun(q, func(ev Event) bool { return yield(ev, nil) })
		if err == nil {
			_, err = r.walk(ctx)
		}
		if err != nil && (r == nil || !r.unheard) {
			yield(Event{}, err)
		}
	}
}

func (e *Engine) newRun(q Query, emit func(Event) bool) (*run, error) {
	q, err := q.normalised()
	if err != nil {
		return nil, fmt.Errorf("assay ask: %w", err)
	}
	return &run{
		parts: e.parts, opts: e.opts, query: q, emit: emit, start: time.Now(),
		meter: llm.NewMeter(q.Budget.Or(e.opts.Budget)), verdict: NoVerdict,
	}, nil
}
