package prompted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-rag/assay/llm"
)

// prompt is one rendered question to a model.
type prompt struct {
	system, user string
	schema       *schema // nil: a text is wanted
	maxTokens    int
}

// request is the prompt as a request.
func (p prompt) request() llm.Request {
	r := llm.Request{
		Messages:  []llm.Message{{Role: llm.System, Text: p.system}, {Role: llm.User, Text: p.user}},
		MaxTokens: p.maxTokens,
	}
	if p.schema != nil {
		r.Schema = &p.schema.Schema
	}
	return r
}

// schema is a schema with the keys that it requires, in its order.
type schema struct {
	llm.Schema
	keys []string
}

// ask asks for a JSON object of the prompt's schema and reads it as a T. accept says
// what is wrong with it, in words that the model can act on; it may be called
// several times, the last time for the best reply there is, and keeps what it can
// use. An error means that the last reply was not accepted.
func ask[T any](ctx context.Context, m llm.Model, p prompt, accept func(T) error) error {
	r := p.request()
	r.Accept = once(func(reply llm.Reply) error {
		if reply.Finish == llm.FinishRefused {
			return errors.New("the model refused")
		}
		value, err := read[T](reply, p.schema)
		if err != nil {
			return err
		}
		return accept(value)
	})
	_, err := llm.Ask(ctx, llm.Repaired(m), r)
	return err
}

// once judges a reply only once where those around the model ask about the same one
// again, one after the other: the bill's decorator and the one that repairs.
func once(judge func(llm.Reply) error) func(llm.Reply) error {
	var last llm.Reply
	var wrong error
	known := false
	return func(r llm.Reply) error {
		if !known || r.Text != last.Text || r.Reasoning != last.Reasoning || r.Finish != last.Finish {
			last, wrong, known = r, judge(r), true
		}
		return wrong
	}
}

// schemaOf makes a schema of its JSON text, which is part of the program.
func schemaOf(name, text string) *schema {
	var s struct{ Required []string }
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		panic(fmt.Sprintf("prompted: the schema %s: %v", name, err))
	}
	return &schema{llm.Schema{Name: name, JSON: json.RawMessage(text)}, s.Required}
}
