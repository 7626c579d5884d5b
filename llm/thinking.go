package llm

import (
	"context"
	"iter"
)

// Thinking gives a model that thinks before it replies so many tokens for that, on top
// of what a request allows for its reply: servers count both as one. 0 changes
// nothing.
func Thinking(m Model, tokens int) Model {
	if tokens <= 0 {
		return m
	}
	return thinking{m, tokens}
}

type thinking struct {
	model  Model
	tokens int
}

// Generate implements Model.
func (m thinking) Generate(ctx context.Context, r Request) iter.Seq2[Chunk, error] {
	r.MaxTokens = r.Limit() + m.tokens
	return m.model.Generate(ctx, r)
}
