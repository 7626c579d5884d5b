package openai

import (
	"encoding/json"
	"slices"

	"github.com/assay-rag/assay/llm"
)

// body is a request as it goes over the wire, by chat or for completion.
type body struct {
	Model               string         `json:"model,omitempty"`
	Messages            []message      `json:"messages,omitempty"`
	Prompt              string         `json:"prompt,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Temperature         *float64       `json:"temperature,omitempty"`
	Stop                []string       `json:"stop,omitempty"`
	ResponseFormat      *format        `json:"response_format,omitempty"`
	LogProbs            any            `json:"logprobs,omitempty"` // by chat true, for completion how many
	TopLogProbs         int            `json:"top_logprobs,omitempty"`
	Stream              bool           `json:"stream,omitempty"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
}

type message struct {
	Role    llm.Role `json:"role"`
	Content string   `json:"content"`
}

type format struct {
	Type   string      `json:"type"`
	Schema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Bounds that OpenAI sets and others follow.
const (
	maxTop  = 20
	maxStop = 4
)

// body puts a request in the words that the server takes. Servers sample unless
// they are told not to, so a temperature of 0 is sent.
func (d dialect) body(model string, r llm.Request) body {
	b := body{Model: model, Prompt: r.Prompt, Stream: r.Stream}
	if d.completionTokens && r.Prompt == "" {
		b.MaxCompletionTokens = r.Limit()
	} else {
		b.MaxTokens = r.Limit()
	}
	if !d.noTemperature {
		b.Temperature = &r.Temperature
	}
	if !d.noStop {
		// The others end the reply all the same: see wire.Talk.
		b.Stop = r.Stop[:min(len(r.Stop), maxStop)]
	}
	if r.Stream && !d.noUsage {
		b.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	b.ResponseFormat = d.schema.format(r.Schema)
	if n := min(r.LogProbs, maxTop); n > 0 && !d.noLogProbs {
		if b.LogProbs = any(true); r.Prompt != "" {
			b.LogProbs = n
		} else {
			b.TopLogProbs = n
		}
	}
	for _, m := range r.Messages {
		b.Messages = append(b.Messages, message{m.Role, m.Text})
	}
	if d.noSystem {
		b.Messages = userOnly(b.Messages)
	}
	return b
}

// userOnly puts what a system message says at the beginning of the user's first.
func userOnly(all []message) []message {
	if len(all) == 0 || all[0].Role != llm.System {
		return all
	}
	system, rest := all[0].Content, slices.Clone(all[1:])
	if len(rest) == 0 || rest[0].Role != llm.User {
		return append([]message{{llm.User, system}}, rest...)
	}
	rest[0].Content = system + "\n\n" + rest[0].Content
	return rest
}
