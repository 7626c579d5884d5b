package assay

import "context"

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
	// Mode replaces ModeAuto; it is never ModeAuto itself.
	Mode Mode
	// Why explains the decision in a few words.
	Why string
}
