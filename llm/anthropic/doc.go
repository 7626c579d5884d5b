// Package anthropic asks Claude models by Anthropic's Messages API:
//
//	model, err := anthropic.New("claude-haiku-4-5", &anthropic.Options{Key: key})
//	…
//	reply, err := llm.Ask(ctx, model, llm.Request{Messages: …})
//
// A schema goes into output_config.format; to a model that doesn't take that, as
// the input of a tool that it must call, whose JSON is then the text of the reply.
// What a model refuses by name (a schema, a temperature) is put differently or left
// out, at once, and remembered for the life of the client; each request counts as a
// call of the budget. Nothing is repeated besides: see llm.Resilient.
//
// The API continues no plain prompts and gives no log-probabilities; a request that
// wants them fails as llm.BadRequest.
package anthropic
