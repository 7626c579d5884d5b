package llm_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

// letters embeds a text as its first letters, and counts the texts it is asked for.
type letters struct {
	model string
	asked []string
	err   error
}

func (e *letters) Model() string { return e.model }
func (e *letters) Dim() int      { return 3 }

func (e *letters) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	e.asked = append(e.asked, "?"+text)
	return []float32{float32(text[0]), float32(math.Inf(1)), -0.1}, e.err
}

func (e *letters) EmbedPassages(_ context.Context, texts []string) (vectors [][]float32, err error) {
	for _, text := range texts {
		e.asked = append(e.asked, text)
		vectors = append(vectors, []float32{float32(text[0]), 2, 3})
	}
	return vectors, e.err
}

func TestCachedEmbedder(t *testing.T) {
	ctx := t.Context()
	inner, store := &letters{model: "m"}, &memory{}
	e := llm.CachedEmbedder(inner, store)
	if e.Model() != "m" || e.Dim() != 3 {
		t.Errorf("it is %s with %d dimensions", e.Model(), e.Dim())
	}
	for range 2 {
		if v, err := e.EmbedQuery(ctx, "a"); err != nil || !reflect.DeepEqual(v, []float32{'a', float32(math.Inf(1)), -0.1}) {
			t.Errorf("question: %v, %v", v, err)
		}
		if v, err := e.EmbedPassages(ctx, []string{"a"}); err != nil || !reflect.DeepEqual(v, [][]float32{{'a', 2, 3}}) {
			t.Errorf("passages: %v, %v", v, err)
		}
	}
	if want := []string{"?a", "a", "a"}; !reflect.DeepEqual(inner.asked, want) {
		t.Errorf("asked for %q, not %q", inner.asked, want)
	}
	other := &letters{model: "other"}
	if llm.CachedEmbedder(other, store).EmbedQuery(ctx, "a"); len(other.asked) != 1 {
		t.Error("another model's vector was taken")
	}
}

func TestCachedEmbedderMisses(t *testing.T) {
	ctx := t.Context()
	inner, store := &letters{model: "m"}, &memory{}
	e := llm.CachedEmbedder(inner, store)
	e.EmbedQuery(ctx, "a")
	store.spoil(func(b []byte) []byte { return b[:8] })
	if v, err := e.EmbedQuery(ctx, "a"); err != nil || len(v) != 3 || len(inner.asked) != 2 {
		t.Errorf("a short vector: %v, %v", v, err)
	}
	inner.err = errors.New("down")
	if _, err := e.EmbedQuery(ctx, "b"); err != inner.err {
		t.Errorf("got %v", err)
	}
	if len(store.values) != 1 {
		t.Errorf("%d are kept", len(store.values))
	}
}

// limited is an embedder that is rate limited some times.
type limited struct {
	letters
	times int
}

func (e *limited) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	if e.times--; e.times >= 0 {
		return nil, &llm.Error{Kind: llm.RateLimited, Status: 429, Wait: time.Second}
	}
	return e.letters.EmbedPassages(ctx, texts)
}

func TestEmbedderOfAnEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		meter := llm.NewMeter(llm.Budget{Calls: 3})
		ctx := llm.WithStep(llm.WithMeter(t.Context(), meter), "retrieve")
		inner := &limited{times: 2}
		e := llm.NewEndpoint(nil).Embedder(llm.MeteredEmbedder(inner, llm.MeterOptions{Name: "m", Price: &llm.Price{In: 1}}))
		if v, err := e.EmbedPassages(ctx, []string{"abcdefgh"}); err != nil || len(v) != 1 {
			t.Fatalf("got %v, %v", v, err)
		}
		used, calls := meter.Used(), meter.Calls()
		if used.Calls != 3 || used.Tokens != 2 || used.Money != 2e-6 || len(calls) != 3 || calls[0].Error == "" || calls[2].Step != "retrieve" {
			t.Errorf("used %+v in %+v", used, calls)
		}
		if _, err := e.EmbedQuery(ctx, "a"); !errors.Is(err, llm.ErrSpent) {
			t.Errorf("beyond the budget: %v", err)
		}
	})
}

// Two models of an endpoint share its places.
func TestModelsOfAnEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		underWay, most := 0, 0
		slow := &llmtest.Fake{Before: func(context.Context, llm.Request) error {
			underWay++
			most = max(most, underWay)
			time.Sleep(time.Second)
			underWay--
			return nil
		}}
		e := llm.NewEndpoint(&llm.ResilientOptions{Parallel: 1})
		one, two := e.Model(slow), e.Model(slow)
		var all sync.WaitGroup
		for _, m := range []llm.Model{one, two, one} {
			all.Go(func() { llm.Ask(t.Context(), m, llm.Request{Prompt: "x"}) })
		}
		all.Wait()
		if most != 1 {
			t.Errorf("%d calls at once", most)
		}
	})
}
