package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

// said is a request whose prompt is of so many tokens, about.
func said(tokens int) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("word", tokens)}}, MaxTokens: 100}
}

func TestMeteredSettlesWhatACallCost(t *testing.T) {
	half := 0.5
	price := &llm.Price{In: 1, Cached: &half, Out: 4}
	reply := llm.Reply{Text: "yes", Tokens: llm.Tokens{In: 1000, Cached: 400, Out: 50, Reasoning: 20}}
	for _, c := range []struct {
		name   string
		price  *llm.Price
		reply  any
		tokens int
		money  float64
		fails  string // in the record of the call
	}{
		{"cached tokens and thoughts as they are billed", price, reply, 1050, (600 + 400*0.5 + 50*4) / 1e6, ""},
		{"an unknown price is not 0", nil, reply, 1050, 0, ""},
		{"a refusal by status costs nothing", price, &llm.Error{Kind: llm.RateLimited, Status: 429}, 0, 0, "rate limited"},
		{"what broke off is billed, about", price, &llm.Error{Kind: llm.Unreachable, Status: 200, Raw: "ye"}, 1008, 1008.0 / 1e6, "unreachable"},
		{"a prompt that was cut without a word", price, llm.Reply{Text: "yes", Tokens: llm.Tokens{In: 300, Out: 5}}, 305, (300 + 20) / 1e6, "it cut the prompt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			meter := llm.NewMeter(llm.Budget{})
			ctx := llm.WithStep(llm.WithMeter(t.Context(), meter), "grade")
			_, err := llm.Ask(ctx, llm.Metered(llmtest.InTurn(c.reply), llm.MeterOptions{Name: "m", Price: c.price}), said(1000))
			if (err != nil) != (c.fails != "") {
				t.Fatal(err)
			}
			used, calls := meter.Used(), meter.Calls()
			if used.Calls != 1 || used.Tokens != c.tokens || math.Abs(used.Money-c.money) > 1e-12 || (used.Unpriced == 1) != (c.price == nil) {
				t.Errorf("used %+v", used)
			}
			if len(calls) != 1 || calls[0].Step != "grade" || calls[0].Model != "m" || calls[0].Priced != (c.price != nil) || !strings.Contains(calls[0].Error, c.fails) {
				t.Errorf("recorded %+v", calls)
			}
		})
	}
}

func TestMeteredAsksNothingBeyondTheBudget(t *testing.T) {
	for name, b := range map[string]llm.Budget{
		"calls":  {Calls: -1},
		"tokens": {Tokens: 1099}, // 1,000 of the prompt, 8 of its form, 100 of the reply: at the worst
		"money":  {Money: 0.001},
	} {
		model := &llmtest.Fake{}
		ctx := llm.WithMeter(t.Context(), llm.NewMeter(b))
		_, err := llm.Ask(ctx, llm.Metered(model, llm.MeterOptions{Name: "m", Price: &llm.Price{In: 1, Out: 1}}), said(1000))
		if !errors.Is(err, llm.ErrSpent) || !strings.Contains(err.Error(), name) || len(model.Asked()) > 0 {
			t.Errorf("%s: %v, asked %d times", name, err, len(model.Asked()))
		}
	}
}

func TestMeteredCountsWhatWasLeftInTheMiddle(t *testing.T) {
	meter := llm.NewMeter(llm.Budget{})
	r := said(10)
	r.Stream = true
	model := llm.Metered(llmtest.InTurn("one two three"), llm.MeterOptions{Name: "m"})
	for range model.Generate(llm.WithMeter(context.Background(), meter), r) {
		break
	}
	if calls := meter.Calls(); len(calls) != 1 || calls[0].Error == "" || meter.Used().Tokens < 18 || !calls[0].Tokens.Estimated {
		t.Errorf("recorded %+v", calls)
	}
}

func TestRepaired(t *testing.T) {
	wants := func(r llm.Reply) error {
		if r.Text != "good" {
			return errors.New("it is not good")
		}
		return nil
	}
	for _, c := range []struct {
		name    string
		replies []any
		kind    llm.Kind // of the error; empty: none
		asked   int
	}{
		{"a good reply", []any{"good"}, "", 1},
		{"a mended reply", []any{"bad", "good"}, "", 2},
		{"a reply that stays bad", []any{"bad", "worse"}, llm.Malformed, 2},
		{"nothing at all", []any{"", ""}, llm.Malformed, 2},
		{"a longer one would be cut again", []any{llm.Reply{Text: "go", Finish: llm.FinishLength}}, llm.Truncated, 1},
		{"a refusal that stays", []any{llm.Reply{Text: "I can't", Finish: llm.FinishRefused}, llm.Reply{Text: "no", Finish: llm.FinishRefused}}, llm.Refused, 2},
		{"no call for the repair", []any{"bad", &llm.Error{Kind: llm.Overloaded}}, llm.Malformed, 2},
		{"no call at all", []any{&llm.Error{Kind: llm.Overloaded}}, llm.Overloaded, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := llmtest.InTurn(c.replies...)
			r := said(1)
			r.Accept = wants
			reply, err := llm.Ask(t.Context(), llm.Repaired(model), r)
			if llm.KindOf(err) != c.kind || len(model.Asked()) != c.asked || err == nil && reply.Text != "good" {
				t.Errorf("got %q, %v after %d calls", reply.Text, err, len(model.Asked()))
			}
			if c.asked == 2 && !strings.Contains(model.Asked()[1].Messages[2].Text, "it is not good") {
				t.Errorf("the model isn't told what is wrong: %+v", model.Asked()[1].Messages)
			}
			if c.kind == llm.Malformed && !strings.Contains(err.Error(), "it said: ") {
				t.Errorf("the error hides the reply: %v", err)
			}
		})
	}
}

// The budget counts the repair: where none is left, the error says so.
func TestRepairWithinTheBudget(t *testing.T) {
	ctx := llm.WithMeter(t.Context(), llm.NewMeter(llm.Budget{Calls: 1}))
	r := said(1)
	r.Accept = func(llm.Reply) error { return errors.New("bad") }
	_, err := llm.Ask(ctx, llm.Repaired(llm.Metered(llmtest.InTurn("bad"), llm.MeterOptions{Name: "m"})), r)
	if !errors.Is(err, llm.ErrSpent) || llm.KindOf(err) != llm.Malformed {
		t.Errorf("got %v", err)
	}
}

func TestPrices(t *testing.T) {
	prices := llm.ListPrices().With(llm.Prices{"mine": {In: 1}, "gpt-4o": {In: 9}})
	for model, in := range map[string]float64{
		"mine": 1, "gpt-4o": 9, "gpt-4o-2024-08-06": 9, "gpt-4.1-mini": 0.4, "gpt-4.1-mini-2025-04-14": 0.4, "claude-sonnet-4-5-20250929": 3,
	} {
		if p := prices.For(model); p == nil || p.In != in {
			t.Errorf("%s costs %+v, want %v", model, p, in)
		}
	}
	for _, model := range []string{"", "gpt-4", "gpt-4o-audio", "gpt-5-nanotech", "mine-own", "-", "gpt-5-1", "claude-sonnet-4-6"} {
		if p := prices.For(model); p != nil {
			t.Errorf("%s has no price of its own, and gets %+v", model, p)
		}
	}
	for model, p := range llm.ListPrices() {
		if p.In <= 0 || p.Cached != nil && *p.Cached >= p.In || p.Out < 0 {
			t.Errorf("%s: %+v", model, p)
		}
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	err := &llm.Error{Kind: llm.NoModel, Endpoint: "http://localhost:1/v1", Model: "m", Status: 404, Message: "no m here"}
	if got, want := err.Error(), "model m: no such model (http://localhost:1/v1, HTTP 404): no m here; name a model that the endpoint has: assay doctor lists them"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestErrorsSpeakToPeople: what went wrong beneath is told in plain words, and can
// still be asked for.
func TestErrorsSpeakToPeople(t *testing.T) {
	var reply struct{ Score int }
	wrong := json.Unmarshal([]byte(`{"Score":"high"}`), &reply)
	for _, c := range []struct {
		err  error
		want string
	}{
		{io.ErrUnexpectedEOF, "model m: unreachable: it broke off before its end"},
		{context.DeadlineExceeded, "model m: unreachable: the time was over"},
		{wrong, `model m: unreachable: "Score" is a text, where a number is wanted`},
	} {
		err := &llm.Error{Kind: llm.Unreachable, Model: "m", Err: c.err}
		if !strings.HasPrefix(err.Error(), c.want) || !errors.Is(err, c.err) {
			t.Errorf("%q, not %q", err, c.want)
		}
	}
	r := said(1)
	r.Accept = func(llm.Reply) error { return wrong }
	_, err := llm.Ask(t.Context(), llm.Repaired(llmtest.InTurn("{}", "{}")), r)
	if err == nil || !strings.Contains(err.Error(), `malformed reply: "Score" is a text, where a number is wanted; it said: "{}"`) {
		t.Errorf("a reply that can't be used: %v", err)
	}
}

func TestThinkingHasRoomOfItsOwn(t *testing.T) {
	model := &llmtest.Fake{}
	for _, m := range []llm.Model{llm.Thinking(model, 0), llm.Thinking(model, 1000)} {
		if _, err := llm.Ask(t.Context(), m, said(1)); err != nil {
			t.Fatal(err)
		}
	}
	if asked := model.Asked(); asked[0].MaxTokens != 100 || asked[1].MaxTokens != 1100 {
		t.Errorf("%d and %d tokens are allowed", asked[0].MaxTokens, asked[1].MaxTokens)
	}
}
