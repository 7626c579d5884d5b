// Package openai asks models by OpenAI's protocol, as OpenAI, Azure, vLLM,
// llama.cpp, Ollama, LM Studio, Mistral, Gemini, OpenRouter and others speak it:
//
//	model, err := openai.New("qwen2.5", &openai.Options{BaseURL: "http://localhost:11434"})
//	…
//	reply, err := llm.Ask(ctx, model, llm.Request{Messages: …})
//
// A [Client] asks by chat, or has a plain prompt continued, whole or in a stream.
// An [Embedder] makes vectors.
//
// Servers differ in what they take. What one refuses by name (a JSON schema, a
// temperature, log-probabilities) is put differently or left out, at once, and
// remembered for the life of the client; each request counts as a call of the budget.
// What a reply lacks, the caller sees in the reply. Nothing is repeated besides: see
// llm.Resilient.
package openai
