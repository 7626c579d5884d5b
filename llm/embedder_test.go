package llm_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/assay-rag/assay/llm"
)

// letters embeds a text as its first letters, and counts the texts it is asked for.
type letters struct {
	model string
	asked []string
	err   error
	short bool // returns a vector too few
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
	if e.short {
		vectors = vectors[1:]
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
		e.EmbedPassages(ctx, []string{"b"})
		if v, err := e.EmbedPassages(ctx, []string{"a", "b", "c"}); err != nil || !reflect.DeepEqual(v, [][]float32{{'a', 2, 3}, {'b', 2, 3}, {'c', 2, 3}}) {
			t.Errorf("passages: %v, %v", v, err)
		}
	}
	if want := []string{"?a", "b", "a", "c"}; !reflect.DeepEqual(inner.asked, want) {
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
	if _, err := e.EmbedPassages(ctx, []string{"b"}); err != inner.err {
		t.Errorf("got %v", err)
	}
	if inner.err = nil; len(store.values) != 1 {
		t.Errorf("%d are kept", len(store.values))
	}
	inner.short = true
	if _, err := e.EmbedPassages(ctx, []string{"c", "d"}); llm.KindOf(err) != llm.Malformed {
		t.Errorf("a vector too few: %v", err)
	}
}
