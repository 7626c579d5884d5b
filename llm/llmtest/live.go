package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/assay-rag/assay/llm"
)

// RunLive is the part of the suite that holds for any live server, whatever its
// model says. Where a server can't do something, it is logged.
func RunLive(t *testing.T, m llm.Model) {
	ask := func(t *testing.T, r llm.Request) Outcome {
		t.Helper()
		o := Collect(t.Context(), m, r)
		if err := Sound(o); err != nil {
			t.Fatalf("%v: %+v", err, o)
		}
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		return o
	}
	for name, r := range map[string]llm.Request{
		"plain":    {Messages: said("Name a colour, in one word."), MaxTokens: 16},
		"streamed": {Messages: said("Count from 1 to 9."), MaxTokens: 48, Stream: true},
		"length":   {Messages: said("Tell a long story of a dog."), MaxTokens: 8},
		"stop":     {Messages: said("Count from 1 to 9, with commas."), MaxTokens: 32, Stop: []string{"3", "three"}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := mustBeLive[name](ask(t, r)); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("schema", func(t *testing.T) {
		o := ask(t, llm.Request{Messages: said("Is the sky blue? Reply as JSON."), MaxTokens: 64, Schema: yesNo})
		var v struct{ Answer string }
		if err := json.Unmarshal([]byte(o.Reply.Text), &v); err != nil || v.Answer != "yes" && v.Answer != "no" {
			t.Logf("the server doesn't keep to a schema: %q", o.Reply.Text)
		}
	})
	t.Run("log-probabilities", func(t *testing.T) {
		o := Collect(t.Context(), m, llm.Request{Messages: said("Say hello."), MaxTokens: 8, LogProbs: 3})
		switch {
		case llm.KindOf(o.Err) == llm.BadRequest:
			t.Log(o.Err)
		case o.Err != nil:
			t.Error(o.Err)
		default:
			checkLogProbs(t, o)
		}
	})
	t.Run("cancelled in the middle", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		enough := errors.New("enough")
		var last error
		for c, err := range m.Generate(ctx, llm.Request{Messages: said("Tell a long story of a dog."), MaxTokens: 256, Stream: true}) {
			if last = err; c.Text != "" {
				cancel(enough)
			}
		}
		if last != enough {
			t.Errorf("it ended with %v", last)
		}
	})
	t.Run("at the same time", func(t *testing.T) {
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if o := Collect(t.Context(), m, llm.Request{Messages: said("Say hello."), MaxTokens: 8, Stream: true}); o.Err != nil || Sound(o) != nil {
					t.Errorf("%v: %+v", Sound(o), o)
				}
			})
		}
		wg.Wait()
	})
	t.Run("too long", func(t *testing.T) {
		o := Collect(t.Context(), m, llm.Request{Messages: said(strings.Repeat("All work and no play makes a dull day. ", 40_000)), MaxTokens: 8})
		if llm.KindOf(o.Err) != llm.TooLong {
			t.Errorf("1.5 MB of prompt: got %v, %+v", o.Err, o.Reply)
		}
	})
}

var yesNo = &llm.Schema{Name: "verdict", JSON: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string","enum":["yes","no"]}},"required":["answer"],"additionalProperties":false}`)}

// mustBeLive is what must come of the requests that any server can answer.
var mustBeLive = map[string]func(Outcome) error{
	"plain":    says,
	"streamed": all(says, func(o Outcome) error { return when(len(o.Pieces) < 2, "it came in one piece") }),
	"length":   finish(llm.FinishLength),
	"stop":     stops,
}

// checkLogProbs tests the log-probabilities of a reply, where it has some.
func checkLogProbs(t *testing.T, o Outcome) {
	if o.Reply.LogProbs == nil {
		t.Log("the server gives no log-probabilities")
		return
	}
	var text strings.Builder
	for _, p := range o.Reply.LogProbs {
		text.WriteString(p.Token)
		if p.LogProb > 0 || len(p.Top) == 0 || len(p.Top) > 20 {
			t.Errorf("%q has log-probability %g and %d alternatives", p.Token, p.LogProb, len(p.Top))
		}
	}
	if !strings.HasPrefix(text.String(), o.Reply.Text) {
		t.Errorf("the tokens are %q, the text is %q", text.String(), o.Reply.Text)
	}
}
