package assay

import (
	"errors"
	"fmt"
	"log/slog"
)

// Parts are the engine's collaborators. Package evaluator fills all of them
// around a Retriever: evaluator.Parts(retriever).
type Parts struct {
	Retriever  Retriever  // required
	Grader     Grader     // required
	Answerer   Answerer   // required
	Checker    Checker    // required
	Usefulness Usefulness // required
	Rewriter   Rewriter   // nil: no other words are tried
	Router     Router     // nil: every question is retrieved for, in full
	Fallback   Retriever  // nil: there is no other source
}

// Options tune an engine. The zero value is the default.
type Options struct {
	// Thresholds belong to the Grader; nil means DefaultThresholds.
	Thresholds *Thresholds
	// Wide is how many passages are retrieved, Narrow how many of them are
	// graded; 0 means 50 and 10.
	Wide, Narrow int
	// Strips is how many strips reach the answer at the most; 0 means 12.
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
	opts  Options
	gate  Thresholds
}

// New makes an engine of the parts. A missing part or a bad option is refused
// here, not at the fortieth question.
func New(parts Parts, opts *Options) (*Engine, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	var missing []error
	for name, absent := range map[string]bool{
		"Retriever": parts.Retriever == nil, "Grader": parts.Grader == nil, "Answerer": parts.Answerer == nil,
		"Checker": parts.Checker == nil, "Usefulness": parts.Usefulness == nil,
	} {
		if absent {
			missing = append(missing, fmt.Errorf("assay: new engine: Parts.%s is nil", name))
		}
	}
	if len(missing) > 0 {
		return nil, errors.Join(missing...)
	}
	return &Engine{parts: parts, opts: o}, nil
}
