package assay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assay-rag/assay/llm"
)

// run is one question on its way through the loop.
type run struct {
	parts   Parts
	opts    Options
	query   Query
	mode    Mode
	meter   *llm.Meter
	start   time.Time
	emit    func(Event) bool // nil where nobody listens; false: nobody listens any more
	unheard bool             // nobody listens any more

	needsRetrieval bool
	words          string // what to search the index for next; empty after a rewrite that found none
	evidence       evidence
	verdict        Verdict
	searches       []SearchRound
	drafts         []checkedDraft
	told           released
	reports        []StepReport
	notes          []Note
	fallbackAsked  bool
	indexDry       bool // the last rewrite found no words, the last search nothing new, or the index could not be asked again
	spent          error
	result         *Answer
}

// maxSteps ends a run whose budget of searches and drafts is so large that it
// would not.
const maxSteps = 200

// errUnheard ends a run whose listener has gone.
var errUnheard = errors.New("the listener has gone")

// walk runs the loop from its first step to its last.
func (r *run) walk(ctx context.Context) (*Answer, error) {
	limited, cancel := r.meter.Limit(llm.WithMeter(ctx, r.meter))
	defer cancel()
	step := StepRoute
	for n := 1; ; n++ {
		if n == maxSteps {
			r.spent = fmt.Errorf("%w: steps: at most %d", llm.ErrSpent, maxSteps)
		}
		if !r.tell(Event{Kind: EventStarted, Step: step}) {
			return nil, errUnheard
		}
		began := time.Now()
		detail, err := rowOf(step).run(r, llm.WithStep(limited, string(step)))
		if ctx.Err() != nil {
			return nil, fmt.Errorf("assay ask: %s: %w", step, context.Cause(ctx))
		}
		if limited.Err() != nil {
			r.spent = fmt.Errorf("%w: time: at most %s", llm.ErrSpent, r.meter.Budget().Time)
		} else if errors.Is(err, llm.ErrSpent) {
			r.spent = cmp.Or(r.meter.Denied(), err) // the bound itself, without who met it
		} else if fatal := (*fatalError)(nil); errors.As(err, &fatal) {
			return nil, fmt.Errorf("assay ask: %s: %w", step, fatal.error)
		}
		report := StepReport{Step: step, Elapsed: milliseconds(time.Since(began)), Detail: detail}
		if err != nil {
			report.Error = err.Error()
		}
		if step == StepGrade {
			report.Verdict = r.verdict
		}
		if step == StepFinish {
			return r.close(report)
		}
		next := decide(step, r.facts())
		report.Next, report.Why = next.to, next.when
		r.reports = append(r.reports, report)
		if !r.tellDone(step, report) {
			return nil, errUnheard
		}
		step = next.to
	}
}

// close completes the answer with the report of its own last step.
func (r *run) close(report StepReport) (*Answer, error) {
	r.reports = append(r.reports, report)
	r.result.Steps = r.reports
	r.result.Usage.Elapsed = milliseconds(time.Since(r.start))
	if !r.tellDone(StepFinish, report) || !r.tell(Event{Kind: EventAnswer, Answer: r.result}) {
		return nil, errUnheard
	}
	return r.result, nil
}

func rowOf(s Step) stepRow {
	for _, row := range steps {
		if row.step == s {
			return row
		}
	}
	panic("assay: unknown step " + s)
}

// fatalError marks an error that no answer can be given in spite of.
type fatalError struct{ error }

func (e *fatalError) Unwrap() error { return e.error }

// facts gathers what the choice of the next step depends on.
func (r *run) facts() facts {
	searches, drafts := r.meter.Left()
	canFallback := searches > 0 && r.mayFallBack() && !r.fallbackAsked && r.needsRetrieval
	reserve := 0 // searches that rewrites leave for the other source
	if canFallback {
		reserve = 1
	}
	f := facts{
		mode:           r.mode,
		needsRetrieval: r.needsRetrieval,
		hasPassages:    len(r.evidence.items) > 0,
		verdict:        r.verdict,
		newWords:       r.words != "",
		nothingNew:     r.indexDry && len(r.searches) > 1,
		drafts:         len(r.drafts),
		canRewrite:     searches > reserve && r.parts.Rewriter != nil && !r.indexDry && r.needsRetrieval,
		canFallback:    canFallback,
		canDraft:       drafts > 0,
		spent:          r.spent != nil,
	}
	for _, s := range r.searches[min(1, len(r.searches)):] {
		if s.Origin == OriginIndex {
			f.rewrites++
		}
	}
	if n := len(r.drafts); n > 0 {
		last := r.drafts[n-1]
		f.unsupported = len(last.removed) > 0
		f.notUseful = last.notUseful()
		f.canDraft = f.canDraft && !last.repeats(r.drafts[:n-1])
		f.uncarried, f.canQuote = r.uncarried(), r.parts.Quoter != nil
	}
	return f
}

// note records once what keeps the answer from being complete.
func (r *run) note(code ReasonCode, format string, args ...any) {
	r.notes = noted(r.notes, Note{code, fmt.Sprintf(format, args...)})
}

// noted adds a note that isn't there yet.
func noted(notes []Note, n Note) []Note {
	if slices.Contains(notes, n) {
		return notes
	}
	return append(notes, n)
}

// tell sends an event, and tells whether anybody still listens.
func (r *run) tell(e Event) bool {
	if r.emit == nil {
		return true
	}
	if r.unheard {
		return false
	}
	e.At = milliseconds(time.Since(r.start))
	r.unheard = !r.emit(e)
	return !r.unheard
}

// tellDone sends what a step brought.
func (r *run) tellDone(step Step, report StepReport) bool {
	if r.emit == nil {
		return true
	}
	e := Event{Kind: EventDone, Step: step, Report: &report}
	switch step {
	case StepRetrieve, StepFallback:
		if n := len(r.searches); n > 0 {
			last := r.searches[n-1]
			e.Search = &last
		}
		e.Passages = r.evidence.reports(maxReported)
	case StepGrade, StepRefine:
		e.Passages = r.evidence.reports(maxReported)
	case StepAnswer, StepQuote:
		if n := len(r.drafts); n > 0 {
			e.Claims = r.drafts[n-1].allClaims()
		}
	}
	return r.tell(e)
}
