package anthropic

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/assay-rag/assay/llm"
)

// body is a request as it goes over the wire.
type body struct {
	Model       string        `json:"model"`
	MaxTokens   int           `json:"max_tokens"`
	System      string        `json:"system,omitempty"`
	Messages    []message     `json:"messages"`
	Temperature *float64      `json:"temperature,omitempty"`
	Stop        []string      `json:"stop_sequences,omitempty"`
	Output      *outputConfig `json:"output_config,omitempty"`
	Tools       []tool        `json:"tools,omitempty"`
	ToolChoice  *toolChoice   `json:"tool_choice,omitempty"`
	Stream      bool          `json:"stream,omitempty"`
}

type message struct {
	Role    llm.Role `json:"role"`
	Content string   `json:"content"`
}

type outputConfig struct {
	Format format `json:"format"`
}

type format struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// dialect is what a model has turned out not to take.
type dialect struct {
	schema        schemaForm
	noTemperature bool
}

// schemaForm is how a schema is sent.
type schemaForm int

const (
	asFormat schemaForm = iota
	asTool
	noSchema
)

// body puts a request in the words that the model takes. A temperature of 0 is
// sent: the API's own is 1.
func (d dialect) body(model string, r llm.Request) body {
	b := body{Model: model, MaxTokens: r.Limit(), Stream: r.Stream}
	if !d.noTemperature {
		t := min(r.Temperature, 1)
		b.Temperature = &t
	}
	for _, s := range r.Stop {
		if strings.TrimSpace(s) != "" { // others are refused; wire.Talk minds them
			b.Stop = append(b.Stop, s)
		}
	}
	b.System, b.Messages = apart(r.Messages)
	switch {
	case r.Schema == nil || d.schema == noSchema:
	case d.schema == asTool:
		name := cmp.Or(r.Schema.Name, "reply")
		b.Tools = []tool{{name, "Gives the reply.", r.Schema.JSON}}
		b.ToolChoice = &toolChoice{"tool", name}
	default:
		b.Output = &outputConfig{format{"json_schema", r.Schema.JSON}}
	}
	return b
}

// apart takes the system's messages from the others. Where there are no others, it
// is the user who says what they say.
func apart(all []llm.Message) (system string, rest []message) {
	var said []string
	for _, m := range all {
		if m.Role == llm.System {
			said = append(said, m.Text)
		} else {
			rest = append(rest, message{m.Role, m.Text})
		}
	}
	system = strings.Join(said, "\n\n")
	if len(rest) == 0 {
		return "", []message{{llm.User, system}}
	}
	return system, rest
}

var (
	namesSchema      = regexp.MustCompile(`(?i)output_config|output_format|structured output|schema|tool`)
	namesTemperature = regexp.MustCompile(`(?i)temperature`)
)

// without is the dialect that avoids what the error names. See wire.Terms.
func (d dialect) without(err error, r llm.Request) (next dialect, sure, ok bool) {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.BadRequest {
		return d, false, false
	}
	switch {
	case namesTemperature.MatchString(e.Message) && !d.noTemperature:
		d.noTemperature = true
	case namesSchema.MatchString(e.Message) && r.Schema != nil && d.schema < noSchema:
		d.schema++
	default:
		return d, false, false
	}
	return d, true, true
}

// And is what either has learnt.
func (d dialect) And(o dialect) dialect {
	return dialect{max(d.schema, o.schema), d.noTemperature || o.noTemperature}
}
