package llm_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

// asFunc is a model that is one function.
type asFunc func(ctx context.Context, r llm.Request, yield func(llm.Chunk, error) bool)

func (f asFunc) Generate(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { f(ctx, r, yield) }
}

// hangs waits for the context to end, and makes of it what a careless provider would.
func hangs(ctx context.Context, _ llm.Request) error {
	<-ctx.Done()
	return &llm.Error{Kind: llm.Unreachable, Model: "m", Endpoint: "http://localhost/v1", Err: ctx.Err()}
}

func failing(kind llm.Kind, wait time.Duration) *llm.Error {
	return &llm.Error{Kind: kind, Model: "m", Endpoint: "http://localhost/v1", Wait: wait}
}

func TestResilientAsksAgain(t *testing.T) {
	busy := failing(llm.Overloaded, 0)
	for _, c := range []struct {
		name     string
		replies  []any
		o        llm.ResilientOptions
		deadline time.Duration
		calls    int
		min, max time.Duration // what it takes
		fails    string        // "" where it replies
	}{
		{"at once", []any{"yes"}, llm.ResilientOptions{}, 0, 1, 0, 0, ""},
		{"the second time", []any{busy, "yes"}, llm.ResilientOptions{}, 0, 2, 250 * time.Millisecond, 751 * time.Millisecond, ""},
		{"the third time, after a longer pause", []any{busy, busy, "yes"}, llm.ResilientOptions{}, 0, 3, 625 * time.Millisecond, 1877 * time.Millisecond, ""},
		{"three times in vain", []any{busy, busy, busy}, llm.ResilientOptions{}, 0, 3, 0, 2 * time.Second, "asked 3 times"},
		{"not at all again", []any{busy}, llm.ResilientOptions{Attempts: 1}, 0, 1, 0, 0, "overloaded"},
		{"not what would fail again", []any{failing(llm.Unauthorised, 0)}, llm.ResilientOptions{}, 0, 1, 0, 0, "not authorised"},
		{"not beyond the budget", []any{fmt.Errorf("%w: calls", llm.ErrSpent)}, llm.ResilientOptions{}, 0, 1, 0, 0, "budget spent"},
		{"as late as the server wants", []any{failing(llm.RateLimited, 20*time.Second), "yes"}, llm.ResilientOptions{}, 0, 2, 20250 * time.Millisecond, 20751 * time.Millisecond, ""},
		{"not after the deadline", []any{failing(llm.RateLimited, 20*time.Second)}, llm.ResilientOptions{}, 10 * time.Second, 1, 0, 0, "the server asks to wait 20s; ask less often, or raise the account's limit; with 10s left there is no time"},
		{"not after the deadline, by itself", []any{busy}, llm.ResilientOptions{}, 200 * time.Millisecond, 1, 0, 0, "with 200ms left"},
		{"not after an hour", []any{failing(llm.RateLimited, time.Hour)}, llm.ResilientOptions{}, 0, 1, 0, 0, "longer than the 1m0s"},
		{"after an hour, if need be", []any{failing(llm.RateLimited, time.Hour), "yes"}, llm.ResilientOptions{Patience: 2 * time.Hour}, 0, 2, time.Hour, time.Hour + time.Second, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if c.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.deadline)
					defer cancel()
				}
				fake := llmtest.InTurn(c.replies...)
				began := time.Now()
				reply, err := llm.Ask(ctx, llm.Resilient(fake, &c.o), llm.Request{Prompt: "?"})
				if took := time.Since(began); took < c.min || took > c.max {
					t.Errorf("it took %s, not %s to %s", took, c.min, c.max)
				}
				if n := len(fake.Asked()); n != c.calls {
					t.Errorf("%d calls, not %d", n, c.calls)
				}
				if c.fails == "" && (err != nil || reply.Text != "yes") {
					t.Errorf("got %q, %v", reply.Text, err)
				}
				if c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
					t.Errorf("got %v, not %q", err, c.fails)
				}
				if want, ok := c.replies[len(c.replies)-1].(error); ok && !errors.Is(err, want) {
					t.Errorf("%v doesn't wrap %v", err, want)
				}
			})
		})
	}
}

// TestResilientEndsWithTheContext cancels where a call may wait.
func TestResilientEndsWithTheContext(t *testing.T) {
	enough := errors.New("enough")
	for name, model := range map[string]llm.Model{
		"in the pause": llmtest.InTurn(failing(llm.RateLimited, 20*time.Second)),
		"in the call":  &llmtest.Fake{Before: hangs},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(5*time.Second, func() { cancel(enough) })
				began := time.Now()
				_, err := llm.Ask(ctx, llm.Resilient(model, nil), llm.Request{})
				if !errors.Is(err, enough) || llm.KindOf(err) != "" || time.Since(began) != 5*time.Second {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
			})
		})
	}
}

// words streams a text word by word, one a pause, and then goes on as end says.
func words(text string, pause time.Duration, end error) asFunc {
	return func(ctx context.Context, r llm.Request, yield func(llm.Chunk, error) bool) {
		for word := range strings.SplitAfterSeq(text, " ") {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				yield(llm.Chunk{}, ctx.Err())
				return
			}
			if !yield(llm.Chunk{Text: strings.TrimPrefix(word, "_")}, nil) {
				return
			}
		}
		if end != nil {
			yield(llm.Chunk{}, end)
			return
		}
		yield(llm.Chunk{Reply: &llm.Reply{Text: text, Finish: llm.FinishStop}}, nil)
	}
}

func TestResilientTimeLimit(t *testing.T) {
	minute := &llm.ResilientOptions{Timeout: time.Minute, Attempts: 2}
	stream := llm.Request{Stream: true}
	for _, c := range []struct {
		name  string
		model llm.Model
		r     llm.Request
		took  time.Duration // at least, and less than 2 s more
		text  string
		kind  llm.Kind
	}{
		{"a call that hangs is made once", &llmtest.Fake{Before: hangs}, llm.Request{}, time.Minute, "", llm.TimedOut},
		{"text that keeps coming is in time", words("a few words", 50*time.Second, nil), stream, 150 * time.Second, "a few words", ""},
		{"a chunk without text is a sign of life", words("_ _ words", 50*time.Second, nil), stream, 150 * time.Second, "words", ""},
		{"the whole of a call isn't", words("a few words", 50*time.Second, nil), llm.Request{}, time.Minute, "", llm.TimedOut},
		{"a stream that stops is not begun again", words("a few words", time.Second, failing(llm.Unreachable, 0)), stream, 3 * time.Second, "a few words", llm.Unreachable},
		{"a stream that never starts is", words("late", 2*time.Minute, nil), stream, time.Minute, "", llm.TimedOut},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var text strings.Builder
				var err error
				for chunk, e := range llm.Resilient(c.model, minute).Generate(t.Context(), c.r) {
					text.WriteString(strings.TrimSpace(chunk.Text))
					err = e
				}
				want := strings.ReplaceAll(c.text, " ", "")
				if took := time.Since(began); took < c.took || took > c.took+2*time.Second {
					t.Errorf("it took %s, not %s", took, c.took)
				}
				if text.String() != want || llm.KindOf(err) != c.kind {
					t.Errorf("got %q and %v, not %q and %q", text.String(), err, want, c.kind)
				}
				if c.kind == llm.TimedOut && (!strings.Contains(err.Error(), "nothing came for 1m0s") || !strings.Contains(err.Error(), "allow it more time")) {
					t.Errorf("it says %q", err)
				}
			})
		})
	}
}

func TestResilientBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		down.Store(true)
		fake := &llmtest.Fake{Reply: func(llm.Request) (llm.Reply, error) {
			if down.Load() {
				return llm.Reply{}, failing(llm.Unreachable, 0)
			}
			return llm.Reply{Text: "up"}, nil
		}}
		m := llm.Resilient(fake, nil)
		ask := func(calls int, kind llm.Kind) {
			t.Helper()
			before := len(fake.Asked())
			_, err := llm.Ask(t.Context(), m, llm.Request{})
			if n := len(fake.Asked()) - before; n != calls || llm.KindOf(err) != kind {
				t.Errorf("%d calls and %v, not %d and %q", n, err, calls, kind)
			}
			if kind == llm.Resting && err.Error() != "model m: resting after failures (http://localhost/v1): it failed 5 times in a row and is left alone for 30s, the last time: unreachable" {
				t.Errorf("it says %q", err)
			}
		}
		ask(3, llm.Unreachable)
		ask(2, llm.Unreachable) // the fifth failure opens it: no use in a third attempt
		ask(0, llm.Resting)
		time.Sleep(30*time.Second + 1)
		ask(1, llm.Unreachable) // the trial
		ask(0, llm.Resting)
		time.Sleep(30*time.Second + 1)
		down.Store(false)
		ask(1, "") // closes it
		down.Store(true)
		ask(3, llm.Unreachable)
	})
}

// TestResilientHangs leaves an endpoint alone that hung twice in a row, and no other.
func TestResilientHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &llmtest.Fake{Before: hangs}
		m := llm.Resilient(fake, nil)
		ask := func(calls int, want string) {
			t.Helper()
			before := len(fake.Asked())
			_, err := llm.Ask(t.Context(), m, llm.Request{})
			if n := len(fake.Asked()) - before; n != calls || !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("%d calls and %v, not %d and %q", n, err, calls, want)
			}
		}
		ask(1, "no reply in time")
		fake.Before = nil
		ask(1, "<nil>") // in between: it begins anew
		fake.Before = hangs
		ask(1, "no reply in time")
		fake.Before = func(context.Context, llm.Request) error { return failing(llm.OutOfCredit, 0) }
		ask(1, "out of credit")
		fake.Before = hangs
		ask(1, "no reply in time")
		ask(1, "no reply in time")
		ask(0, "it failed 2 times in a row and is left alone for 30s, the last time: no reply in time")
	})
}

// TestResilientWithinTheBudget names what failed where no call is left to repeat it.
func TestResilientWithinTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		meter := llm.NewMeter(llm.Budget{Calls: 1})
		m := llm.Resilient(llm.Metered(llmtest.InTurn(failing(llm.Overloaded, 0)), llm.MeterOptions{Name: "m"}), nil)
		_, err := llm.Ask(llm.WithMeter(t.Context(), meter), m, llm.Request{})
		if llm.KindOf(err) != llm.Overloaded || !errors.Is(err, llm.ErrSpent) || !strings.Contains(err.Error(), "no call is left to ask again (budget spent: calls: at most 1)") {
			t.Errorf("it says %v", err)
		}
	})
}

// TestResilientTrial has one call try an endpoint that has rested, and no other.
func TestResilientTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &llmtest.Fake{Reply: func(llm.Request) (llm.Reply, error) { return llm.Reply{}, failing(llm.Overloaded, 0) }}
		m := llm.Resilient(fake, &llm.ResilientOptions{Failures: 1, Timeout: 20 * time.Second})
		llm.Ask(t.Context(), m, llm.Request{})
		time.Sleep(30*time.Second + 1)
		fake.Before = hangs
		ctx, cancel := context.WithCancel(t.Context())
		var trial sync.WaitGroup
		trial.Go(func() { llm.Ask(ctx, m, llm.Request{}) })
		synctest.Wait()
		if _, err := llm.Ask(t.Context(), m, llm.Request{}); llm.KindOf(err) != llm.Resting || len(fake.Asked()) != 2 {
			t.Errorf("during the trial: %v, %d calls", err, len(fake.Asked()))
		}
		cancel()
		trial.Wait()
		// Its caller left, so it has shown nothing: the next one tries.
		if _, err := llm.Ask(t.Context(), m, llm.Request{}); llm.KindOf(err) != llm.TimedOut || len(fake.Asked()) != 3 {
			t.Errorf("after it: %v, %d calls", err, len(fake.Asked()))
		}
	})
}

// TestResilientNoFailures makes calls that end badly without the endpoint being to
// blame, or in a row that is broken.
func TestResilientNoFailures(t *testing.T) {
	stream := llm.Request{Stream: true}
	busy, refused := failing(llm.Overloaded, 0), failing(llm.BadRequest, 0)
	for name, call := range map[string]func(t *testing.T, m llm.Model, fake *llmtest.Fake){
		"cancelled": func(t *testing.T, m llm.Model, fake *llmtest.Fake) {
			ctx, cancel := context.WithCancel(t.Context())
			fake.Before = func(ctx context.Context, r llm.Request) error { cancel(); return hangs(ctx, r) }
			llm.Ask(ctx, m, stream)
		},
		"deadline": func(t *testing.T, m llm.Model, fake *llmtest.Fake) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			fake.Before = hangs
			llm.Ask(ctx, m, stream)
		},
		"left": func(t *testing.T, m llm.Model, fake *llmtest.Fake) {
			fake.Before, fake.Reply = nil, func(llm.Request) (llm.Reply, error) { return llm.Reply{Text: "a few words"}, nil }
			for range m.Generate(t.Context(), stream) {
				break
			}
		},
		"refused": func(t *testing.T, m llm.Model, fake *llmtest.Fake) {
			for _, err := range []error{busy, refused} {
				fake.Before = func(context.Context, llm.Request) error { return err }
				llm.Ask(t.Context(), m, stream)
			}
		},
		"not asked": func(t *testing.T, m llm.Model, fake *llmtest.Fake) {
			fake.Before = func(context.Context, llm.Request) error { return llm.ErrSpent }
			llm.Ask(t.Context(), m, stream)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := &llmtest.Fake{}
				m := llm.Resilient(fake, &llm.ResilientOptions{Attempts: 1, Failures: 2})
				for range 5 {
					call(t, m, fake)
				}
				fake.Before, fake.Reply = nil, nil
				if _, err := llm.Ask(t.Context(), m, llm.Request{}); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestResilientParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		fake := &llmtest.Fake{Before: func(context.Context, llm.Request) error {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			return nil
		}}
		m := llm.Resilient(fake, &llm.ResilientOptions{Parallel: 3})
		began := time.Now()
		var calls sync.WaitGroup
		for range 12 {
			calls.Go(func() {
				if _, err := llm.Ask(t.Context(), m, llm.Request{}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if _, err := llm.Ask(ctx, m, llm.Request{}); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "while 3 calls are under way: the time was over") {
			t.Errorf("one that can't wait: %v", err)
		}
		calls.Wait()
		if most.Load() != 3 || time.Since(began) != 4*time.Second {
			t.Errorf("%d at a time, in %s", most.Load(), time.Since(began))
		}
	})
}

// TestResilientWithin asks the model again while its reply is being read, as a check
// of the sentences that have come does.
func TestResilientWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := llm.Resilient(words("one two three", time.Second, nil), &llm.ResilientOptions{Parallel: 1})
		var pieces []string
		for c, err := range m.Generate(t.Context(), llm.Request{Stream: true}) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Reply != nil {
				pieces = append(pieces, c.Reply.Text)
				continue
			}
			pieces = append(pieces, c.Text)
			if _, err := llm.Ask(t.Context(), m, llm.Request{}); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(pieces, "|"); got != "one |two |three|one two three" {
			t.Errorf("got %s", got)
		}
	})
}

// TestResilientLeaving leaves the range: the call behind it has ended when it does.
func TestResilientLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended error
		began := time.Now()
		m := llm.Resilient(asFunc(func(ctx context.Context, r llm.Request, yield func(llm.Chunk, error) bool) {
			yield(llm.Chunk{Text: "a"}, nil)
			<-ctx.Done()
			ended = ctx.Err()
			yield(llm.Chunk{}, ended)
		}), nil)
		for c, err := range m.Generate(t.Context(), llm.Request{Stream: true}) {
			if c.Text != "a" || err != nil {
				t.Errorf("got %+v, %v", c, err)
			}
			break
		}
		if ended == nil || time.Since(began) != 0 {
			t.Errorf("after %s the call ended with %v", time.Since(began), ended)
		}
	})
}

// TestResilientSilentEnd has a model that breaks its contract.
func TestResilientSilentEnd(t *testing.T) {
	nothing := asFunc(func(context.Context, llm.Request, func(llm.Chunk, error) bool) {})
	if _, err := llm.Ask(t.Context(), llm.Resilient(nothing, nil), llm.Request{}); llm.KindOf(err) != llm.Malformed {
		t.Errorf("got %v", err)
	}
}

func BenchmarkResilient(b *testing.B) {
	m := llm.Resilient(&llmtest.Fake{Reply: func(llm.Request) (llm.Reply, error) { return llm.Reply{Text: "a few words of a reply"}, nil }}, nil)
	for _, stream := range []bool{false, true} {
		b.Run(fmt.Sprintf("stream=%v", stream), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := llm.Ask(b.Context(), m, llm.Request{Stream: stream}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
