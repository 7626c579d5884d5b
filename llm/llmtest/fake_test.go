package llmtest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

func said(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.System, Text: "be brief"}, {Role: llm.User, Text: text}}}
}

func TestFakeEchoesAndRemembers(t *testing.T) {
	var f llmtest.Fake
	reply, err := llm.Ask(t.Context(), &f, said("is it raining?"))
	if err != nil || reply.Text != "is it raining?" || reply.Finish != llm.FinishStop || !reply.Tokens.Estimated {
		t.Errorf("got %+v, %v", reply, err)
	}
	if asked := f.Asked(); len(asked) != 1 || asked[0].Messages[0].Text != "be brief" {
		t.Errorf("it remembers %+v", asked)
	}
}

func TestFakeInTurn(t *testing.T) {
	down := &llm.Error{Kind: llm.Overloaded}
	f := llmtest.InTurn("one", down, llm.Reply{Text: "three", Finish: llm.FinishLength})
	if r, err := llm.Ask(t.Context(), f, said("")); r.Text != "one" || err != nil {
		t.Errorf("first: %+v, %v", r, err)
	}
	if _, err := llm.Ask(t.Context(), f, said("")); err != down {
		t.Errorf("second: %v", err)
	}
	if r, err := llm.Ask(t.Context(), f, said("")); r.Finish != llm.FinishLength || err != nil {
		t.Errorf("third: %+v, %v", r, err)
	}
	if _, err := llm.Ask(t.Context(), f, said("")); err == nil {
		t.Error("a fourth reply came from nowhere")
	}
}

func TestFakeStreams(t *testing.T) {
	broke := errors.New("broke off")
	f := &llmtest.Fake{Reply: func(llm.Request) (llm.Reply, error) { return llm.Reply{Text: "a few words"}, broke }}
	r := said("")
	r.Stream = true
	var pieces []string
	var last error
	for c, err := range f.Generate(t.Context(), r) {
		if err == nil {
			pieces = append(pieces, c.Text)
		}
		last = err
	}
	if len(pieces) != 3 || pieces[0] != "a " || last != broke {
		t.Errorf("got %q, then %v", pieces, last)
	}
}

func TestFakeEndsWithTheContext(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	f := &llmtest.Fake{Before: func(ctx context.Context, _ llm.Request) error {
		cancel(why)
		<-ctx.Done()
		return context.Cause(ctx)
	}}
	if _, err := llm.Ask(ctx, f, said("")); err != why {
		t.Errorf("got %v", err)
	}
}
