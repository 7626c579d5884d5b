package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

func TestFirstOf(t *testing.T) {
	down := &llm.Error{Kind: llm.Unreachable, Model: "first"}
	poor := &llm.Error{Kind: llm.OutOfCredit, Model: "second"}
	refused := &llm.Error{Kind: llm.Refused, Model: "second"}
	spent := fmt.Errorf("%w: calls: at most 1", llm.ErrSpent)
	for _, c := range []struct {
		name    string
		replies []any // of a model each; nil where it must not be asked
		text    string
		kind    llm.Kind
		says    []string
		is      error
	}{
		{"the first", []any{"one", nil}, "one", "", nil, nil},
		{"the second", []any{down, "two", nil}, "two", "", nil, nil},
		{"the third", []any{down, poor, "three"}, "three", "", nil, nil},
		{"none", []any{down, poor}, "", llm.OutOfCredit, []string{"model first: unreachable", "model second: out of credit"}, poor},
		{"a refusal is a reply", []any{&llm.Error{Kind: llm.Refused}, nil}, "", llm.Refused, nil, nil},
		{"also the second's", []any{down, refused, nil}, "", llm.Refused, []string{"first", "second"}, refused},
		{"the budget", []any{spent, nil}, "", "", nil, llm.ErrSpent},
		{"the budget, later", []any{down, spent, nil}, "", "", []string{"budget spent", "model first: unreachable"}, llm.ErrSpent},
		{"no model", nil, "", llm.NoModel, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var models []llm.Model
			for _, reply := range c.replies {
				fake := llmtest.InTurn(reply)
				if reply == nil {
					fake = llmtest.InTurn()
				}
				models = append(models, fake)
			}
			reply, err := llm.Ask(t.Context(), llm.FirstOf(models...), llm.Request{Prompt: "?"})
			if reply.Text != c.text || (err == nil) != (c.text != "") || llm.KindOf(err) != c.kind {
				t.Errorf("got %q, %v", reply.Text, err)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v doesn't wrap %v", err, c.is)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%v doesn't say %q", err, s)
				}
			}
			for i, m := range models {
				if n := len(m.(*llmtest.Fake).Asked()); c.replies[i] == nil && n > 0 {
					t.Errorf("model %d was asked", i)
				}
			}
		})
	}
}

// TestFirstOfShowsWhoReplied: the reply and the bill name the model that replied, the
// failures the one that didn't.
func TestFirstOfShowsWhoReplied(t *testing.T) {
	for _, c := range []struct {
		reply llm.Reply
		model string
	}{
		{llm.Reply{Text: "two"}, "second"},
		{llm.Reply{Text: "two", Model: "second-2025-04-14"}, "second-2025-04-14"},
	} {
		first := llm.Metered(llmtest.InTurn(&llm.Error{Kind: llm.OutOfCredit}), llm.MeterOptions{Name: "first"})
		second := llm.Metered(llmtest.InTurn(c.reply), llm.MeterOptions{Name: "second"})
		meter := llm.NewMeter(llm.Budget{})
		reply, err := llm.Ask(llm.WithStep(llm.WithMeter(t.Context(), meter), "answer"), llm.FirstOf(first, second), llm.Request{Prompt: "?"})
		calls, failed := meter.Calls(), meter.Failures()
		if err != nil || reply.Model != c.model {
			t.Errorf("%+v, %v", reply, err)
		}
		if len(calls) != 2 || calls[0].Model != "first" || calls[1].Model != "second" || calls[1].Tokens.Total() == 0 {
			t.Errorf("recorded %+v", calls)
		}
		if len(failed) != 1 || failed[0].Model != "first" {
			t.Errorf("failed: %+v", failed)
		}
	}
}

// TestFirstOfElsewhere says of every kind whether another model is asked.
func TestFirstOfElsewhere(t *testing.T) {
	for kind, want := range map[llm.Kind]bool{
		llm.RateLimited: true, llm.Overloaded: true, llm.OutOfCredit: true, llm.NoModel: true, llm.Unauthorised: true,
		llm.TooLong: true, llm.Malformed: true, llm.BadRequest: true, llm.Unreachable: true, llm.TimedOut: true, llm.Resting: true,
		llm.Refused: false, llm.Truncated: false,
	} {
		second := llmtest.InTurn("two")
		_, err := llm.Ask(t.Context(), llm.FirstOf(llmtest.InTurn(&llm.Error{Kind: kind}), second), llm.Request{})
		if asked := len(second.Asked()) == 1; asked != want || (err == nil) != want {
			t.Errorf("%s: %v, %v", kind, asked, err)
		}
	}
}

// TestFirstOfStaysWithAStream fails in the middle of a reply.
func TestFirstOfStaysWithAStream(t *testing.T) {
	broke := &llm.Error{Kind: llm.Unreachable}
	first := &llmtest.Fake{Reply: func(llm.Request) (llm.Reply, error) { return llm.Reply{Text: "half a"}, broke }}
	second := llmtest.InTurn("two")
	var text string
	var last error
	for c, err := range llm.FirstOf(first, second).Generate(t.Context(), llm.Request{Stream: true}) {
		text += c.Text
		last = err
	}
	if text != "half a" || last != broke || len(second.Asked()) != 0 {
		t.Errorf("got %q, then %v", text, last)
	}
}

// TestFirstOfEndsWithTheContext has a provider call the end of the context by
// another name.
func TestFirstOfEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	first := &llmtest.Fake{Before: func(ctx context.Context, r llm.Request) error { cancel(); return hangs(ctx, r) }}
	second := llmtest.InTurn("two")
	if _, err := llm.Ask(ctx, llm.FirstOf(first, second), llm.Request{}); !errors.Is(err, context.Canceled) || len(second.Asked()) != 0 {
		t.Errorf("got %v, %d calls", err, len(second.Asked()))
	}
}

// TestFirstOfSilentEnd has a model that breaks its contract before and after it began.
func TestFirstOfSilentEnd(t *testing.T) {
	for text, asked := range map[string]int{"": 1, "half": 0} {
		first := asFunc(func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
			yield(llm.Chunk{Text: text}, nil)
		})
		second := llmtest.InTurn("two")
		_, err := llm.Ask(t.Context(), llm.FirstOf(first, second), llm.Request{Stream: true})
		if n := len(second.Asked()); n != asked || asked == 0 && llm.KindOf(err) != llm.Malformed {
			t.Errorf("after %q: %d calls, %v", text, n, err)
		}
	}
}
