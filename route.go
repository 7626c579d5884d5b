package assay

import (
	"context"
	"errors"
	"fmt"
)

// Router decides whether a question needs retrieval and which mode serves it
// (Self-RAG's Retrieve token).
type Router interface {
	// Route may be called concurrently. On an error the loop retrieves.
	Route(ctx context.Context, q Query) (Route, error)
}

// Route is what a Router decides.
type Route struct {
	// Retrieve is false for small talk and the like.
	Retrieve bool
	// Mode replaces ModeAuto; empty or ModeAuto means ModeFull.
	Mode Mode
	// Why explains the decision in a few words.
	Why string
}

// route settles what the question means, the mode, and whether anything is retrieved at all.
func (r *run) route(ctx context.Context) (string, error) {
	leaning := r.condense(ctx)
	decision := Route{Retrieve: true, Why: "every question is retrieved for"}
	var failed error
	switch {
	case r.query.Pasted != "":
		decision = Route{Why: "the text to answer from came with the question"}
		r.admit(r.evidence.add([]Passage{{Document: "pasted", Title: "Pasted text", Text: r.query.Pasted, End: len(r.query.Pasted)}}, OriginPasted, 0, 1))
	case r.parts.Router != nil:
		d, err := r.parts.Router.Route(ctx, r.query)
		if failed = err; err == nil {
			decision = d
		}
	}
	r.needsRetrieval = decision.Retrieve
	if r.mode = r.query.Mode; r.mode == ModeAuto {
		r.mode = decision.Mode
	}
	if r.mode == ModeAuto || r.mode == "" {
		r.mode = ModeFull
	}
	r.words = r.query.Question
	detail := string(r.mode) + ": " + decision.Why
	if r.query.Question != r.query.Asked {
		detail += fmt.Sprintf("; taken to mean %q", r.query.Question)
	}
	return detail, errors.Join(leaning, failed)
}
