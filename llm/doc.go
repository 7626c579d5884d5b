// Package llm is the ground on which everything that calls a model stands.
//
// It holds the [Budget] of a run and the [Meter] that keeps it. The meter
// travels in the context, so that a judge, a rewriter and a generator draw on
// one budget without knowing of each other.
package llm
