package llm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

// TestFailures says of calls that end in every way whether the model failed.
func TestFailures(t *testing.T) {
	busy, poor := failing(llm.Overloaded, 0), failing(llm.OutOfCredit, 0)
	accept := func(r llm.Reply) error {
		if r.Text != "good" {
			return errors.New("it is not good")
		}
		return nil
	}
	for _, c := range []struct {
		name   string
		model  *llmtest.Fake
		budget llm.Budget
		calls  int // that failed
		kind   llm.Kind
	}{
		{"a reply", llmtest.InTurn("good"), llm.Budget{}, 0, ""},
		{"an error", llmtest.InTurn(poor), llm.Budget{}, 1, llm.OutOfCredit},
		{"one that is made again", llmtest.InTurn(busy, busy, "good"), llm.Budget{}, 0, ""},
		{"one that is made again in vain", llmtest.InTurn(busy, busy, poor), llm.Budget{}, 1, llm.OutOfCredit},
		{"an error of no kind", llmtest.InTurn(errors.New("oops")), llm.Budget{}, 1, ""},
		{"a reply that is mended", llmtest.InTurn("bad", "good"), llm.Budget{}, 0, ""},
		{"one that isn't", llmtest.InTurn("bad", "worse"), llm.Budget{}, 1, llm.Malformed},
		{"one that can't be, for an error", llmtest.InTurn("bad", poor), llm.Budget{}, 1, llm.OutOfCredit},
		{"no call is left", llmtest.InTurn(), llm.Budget{Calls: -1}, 0, ""},
		{"nor for another attempt", llmtest.InTurn(busy), llm.Budget{Calls: 1}, 1, llm.Overloaded},
		{"nor to mend a reply", llmtest.InTurn("bad"), llm.Budget{Calls: 1}, 1, llm.Malformed},
		{"it hangs", &llmtest.Fake{Before: hangs}, llm.Budget{}, 1, llm.TimedOut},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := llm.Repaired(llm.Resilient(llm.Metered(c.model, llm.MeterOptions{Name: "m"}), nil))
				meter := llm.NewMeter(c.budget)
				r := said(1)
				r.Accept = accept
				_, _ = llm.Ask(llm.WithStep(llm.WithMeter(t.Context(), meter), "grade"), m, r)
				failed := meter.Failures()
				if c.calls == 0 && len(failed) == 0 {
					return
				}
				if len(failed) != 1 || failed[0].Calls != c.calls || failed[0].Step != "grade" || failed[0].Model != "m" || failed[0].Err == nil || llm.KindOf(failed[0].Err) != c.kind {
					t.Errorf("failed: %+v", failed)
				}
			})
		})
	}
}

// TestFailuresInOrder: by step and by model, however they come, with the last error.
func TestFailuresInOrder(t *testing.T) {
	meter := llm.NewMeter(llm.Budget{})
	for i, at := range []string{"grade b", "answer a", "grade a", "grade b", " a"} {
		var step, model string
		fmt.Sscanf(at, "%s %s", &step, &model)
		if at[0] == ' ' {
			step, model = "", "a"
		}
		m := llm.Metered(llmtest.InTurn(&llm.Error{Kind: llm.Unreachable, Status: i}), llm.MeterOptions{Name: model})
		_, _ = llm.Ask(llm.WithStep(llm.WithMeter(t.Context(), meter), step), m, said(1))
	}
	var got string
	for _, f := range meter.Failures() {
		var e *llm.Error
		errors.As(f.Err, &e)
		got += fmt.Sprintf("%s %s %d %d;", f.Step, f.Model, f.Calls, e.Status)
	}
	if want := " a 1 4;answer a 1 1;grade a 1 2;grade b 2 3;"; got != want {
		t.Errorf("got %q, not %q", got, want)
	}
	if (*llm.Meter)(nil).Failures() != nil {
		t.Error("no meter counts")
	}
}

// TestFailuresOfAnEndpointThatRests: nothing is asked, and the model failed all the
// same.
func TestFailuresOfAnEndpointThatRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := llm.Resilient(llm.Metered(llmtest.InTurn(failing(llm.Unreachable, 0)), llm.MeterOptions{Name: "m"}), &llm.ResilientOptions{Attempts: 1, Failures: 1})
		for _, kind := range []llm.Kind{llm.Unreachable, llm.Resting} {
			meter := llm.NewMeter(llm.Budget{})
			_, _ = llm.Ask(llm.WithMeter(t.Context(), meter), m, said(1))
			if f := meter.Failures(); len(f) != 1 || f[0].Model != "m" || llm.KindOf(f[0].Err) != kind {
				t.Errorf("%s: %+v", kind, f)
			}
		}
	})
}

// TestNoFailuresOfTheCaller: whoever leaves, cancels or has no more time is no fault
// of the model.
func TestNoFailuresOfTheCaller(t *testing.T) {
	for name, ask := range map[string]func(context.Context, llm.Model){
		"cancelled": func(ctx context.Context, m llm.Model) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			_, _ = llm.Ask(ctx, m, said(1))
		},
		"out of time": func(ctx context.Context, m llm.Model) {
			ctx, cancel := llm.MeterFrom(ctx).Limit(ctx)
			defer cancel()
			_, _ = llm.Ask(ctx, m, said(1))
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			for _, m := range []llm.Model{&llmtest.Fake{Before: hangs}, llm.Resilient(&llmtest.Fake{Before: hangs}, nil)} {
				meter := llm.NewMeter(llm.Budget{Time: 2 * time.Second})
				ask(llm.WithMeter(t.Context(), meter), llm.Metered(m, llm.MeterOptions{Name: "m"}))
				if f := meter.Failures(); len(f) > 0 || len(meter.Calls()) != 1 {
					t.Errorf("%s: %+v", name, f)
				}
			}
		})
	}
}

func TestFailuresOfAnEmbedder(t *testing.T) {
	meter := llm.NewMeter(llm.Budget{})
	e := llm.MeteredEmbedder(&letters{err: failing(llm.NoModel, 0)}, llm.MeterOptions{Name: "m"})
	_, _ = e.EmbedQuery(llm.WithStep(llm.WithMeter(t.Context(), meter), "retrieve"), "a")
	if f := meter.Failures(); len(f) != 1 || f[0].Step != "retrieve" || llm.KindOf(f[0].Err) != llm.NoModel {
		t.Errorf("failed: %+v", f)
	}
}

// TestCountRequest: a provider that sends more than one request for a call stays
// within the budget, and each is a line of the bill.
func TestCountRequest(t *testing.T) {
	refused := failing(llm.BadRequest, 0)
	for _, c := range []struct {
		budget, sent int
	}{{1, 1}, {2, 2}, {3, 3}, {9, 3}} {
		sent := 0
		provider := asFunc(func(ctx context.Context, r llm.Request, yield func(llm.Chunk, error) bool) {
			for before := error(nil); sent < 3; before = refused {
				if err := llm.CountRequest(ctx, before); err != nil {
					yield(llm.Chunk{}, err)
					return
				}
				sent++
			}
			yield(llm.Chunk{Reply: &llm.Reply{Text: "yes", Tokens: llm.Tokens{In: 10, Out: 5}}}, nil)
		})
		meter := llm.NewMeter(llm.Budget{Calls: c.budget})
		_, err := llm.Ask(llm.WithMeter(t.Context(), meter), llm.Metered(provider, llm.MeterOptions{Name: "m", Price: &llm.Price{In: 1, Out: 1}}), said(10))
		calls, used := meter.Calls(), meter.Used()
		if sent != c.sent || used.Calls != sent || len(calls) != sent || errors.Is(err, llm.ErrSpent) != (c.budget < 3) || (err == nil) != (c.budget >= 3) {
			t.Fatalf("within %d calls: %d requests, %v; used %+v in %+v", c.budget, sent, err, used, calls)
		}
		if tokens := 15; err == nil && (used.Tokens != tokens || calls[2].Tokens.Total() != tokens || calls[2].Error != "") || err != nil && used.Tokens != 0 {
			t.Errorf("within %d calls: used %+v in %+v", c.budget, used, calls)
		}
		if calls[0].Error == "" || len(meter.Failures()) > 0 {
			t.Errorf("within %d calls: %+v, failed %+v", c.budget, calls, meter.Failures())
		}
	}
	if err := llm.CountRequest(t.Context(), refused); err != nil {
		t.Errorf("outside of a call: %v", err)
	}
}
