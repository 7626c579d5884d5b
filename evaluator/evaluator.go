package evaluator

import (
	"log/slog"

	"github.com/assay-rag/assay"
)

// Evaluator judges, checks, answers, rewrites and routes by the words alone.
// Make one with New; it may be used concurrently.
type Evaluator struct {
	vocab assay.Vocabulary // nil where the index can't tell its words
	log   *slog.Logger
}

// Options tune an Evaluator. The zero value is the default.
type Options struct {
	// Log receives what a person who runs the engine may want to know; nil
	// discards it.
	Log *slog.Logger
}

// New makes an Evaluator. With a vocabulary it weighs words as they are used in
// the documents at hand; v may be nil.
func New(v assay.Vocabulary, o *Options) (*Evaluator, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &Evaluator{vocab: v, log: opts.Log}, nil
}

// Parts fills the parts of an engine around a retriever with one Evaluator. A
// retriever that is also an assay.Vocabulary is used as one.
func Parts(r assay.Retriever) assay.Parts {
	return assay.Parts{Retriever: r}
}
