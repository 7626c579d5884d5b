package llmtest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/assay-rag/assay/llm"
)

// Fake is a model that answers what the test says. The zero value echoes what it
// is told. It may be used concurrently once its fields are set.
type Fake struct {
	// Before, unless it is nil, is called before each reply, and its error ends the
	// call: here a test waits, or hangs until the context ends.
	Before func(ctx context.Context, r llm.Request) error
	// Reply makes the reply to a request. nil echoes the last message of the user, or
	// the prompt. A text beside an error is streamed first: a reply that broke off.
	Reply func(r llm.Request) (llm.Reply, error)

	mu    sync.Mutex
	asked []llm.Request
}

// InTurn returns a fake that gives these replies one after the other, each a
// string, an llm.Reply or an error. It fails once there are no more.
func InTurn(replies ...any) *Fake {
	var mu sync.Mutex
	next := 0
	return &Fake{Reply: func(llm.Request) (llm.Reply, error) {
		mu.Lock()
		defer mu.Unlock()
		if next == len(replies) {
			return llm.Reply{}, fmt.Errorf("llmtest: asked more often than the %d times there are replies for", len(replies))
		}
		next++
		switch r := replies[next-1].(type) {
		case string:
			return llm.Reply{Text: r}, nil
		case llm.Reply:
			return r, nil
		case error:
			return llm.Reply{}, r
		default:
			return llm.Reply{}, fmt.Errorf("llmtest: reply %d is a %T; a string, an llm.Reply or an error can be given", next, r)
		}
	}}
}

// Asked returns the requests made so far, in the order in which they came.
func (f *Fake) Asked() []llm.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

// Generate replies. Where r.Stream is set, it yields the text word by word. What
// the test leaves out of a reply is filled in: it stopped by itself, and its tokens
// are estimated.
func (f *Fake) Generate(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		reply, err := f.reply(ctx, r)
		if r.Stream {
			for word := range strings.SplitAfterSeq(reply.Text, " ") {
				if ctx.Err() != nil {
					err = context.Cause(ctx)
					break
				}
				if word != "" && !yield(llm.Chunk{Text: word}, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		yield(llm.Chunk{Reply: &reply}, nil)
	}
}

func (f *Fake) reply(ctx context.Context, r llm.Request) (llm.Reply, error) {
	f.mu.Lock()
	f.asked = append(f.asked, r)
	f.mu.Unlock()
	if ctx.Err() != nil {
		return llm.Reply{}, context.Cause(ctx)
	}
	if f.Before != nil {
		if err := f.Before(ctx, r); err != nil {
			return llm.Reply{}, err
		}
	}
	reply, err := llm.Reply{Text: lastSaid(r)}, error(nil)
	if f.Reply != nil {
		reply, err = f.Reply(r)
	}
	if reply.Finish == "" {
		reply.Finish = llm.FinishStop
	}
	if reply.Tokens == (llm.Tokens{}) {
		reply.Tokens = llm.Tokens{In: r.EstimateTokens(), Out: llm.EstimateTokens(reply.Text), Estimated: true}
	}
	return reply, err
}

// lastSaid is the last message of the user, or else the prompt.
func lastSaid(r llm.Request) string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == llm.User {
			return m.Text
		}
	}
	return r.Prompt
}
