package llm

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"
)

// Embedder turns texts into vectors.
type Embedder interface {
	// Model names the model and whatever else changes its vectors.
	Model() string
	// Dim is how many numbers a vector has.
	Dim() int
	// EmbedPassages returns a vector for each of the texts, in their order.
	EmbedPassages(ctx context.Context, texts []string) ([][]float32, error)
	// EmbedQuery returns the vector of a question.
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// CachedEmbedder takes vectors from the store where the same model has made them
// before. A vector that doesn't have the model's dimensions is made anew.
func CachedEmbedder(e Embedder, s Store) Embedder { return &cachedEmbedder{e, s} }

type cachedEmbedder struct {
	Embedder
	store Store
}

// EmbedQuery implements Embedder.
func (e *cachedEmbedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	key := e.key("query", text)
	if v, ok := e.kept(ctx, key); ok {
		return v, nil
	}
	v, err := e.Embedder.EmbedQuery(ctx, text)
	if err == nil {
		e.keep(ctx, key, v)
	}
	return v, err
}

// EmbedPassages implements Embedder. It asks once, for the texts that are missing.
func (e *cachedEmbedder) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var missing []string
	var places []int
	for i, text := range texts {
		v, ok := e.kept(ctx, e.key("passage", text))
		if vectors[i] = v; !ok {
			missing, places = append(missing, text), append(places, i)
		}
	}
	if len(missing) == 0 {
		return vectors, nil
	}
	made, err := e.Embedder.EmbedPassages(ctx, missing)
	if err != nil {
		return nil, err
	}
	if len(made) != len(missing) {
		return nil, &Error{Kind: Malformed, Model: e.Model(),
			Message: strconv.Itoa(len(made)) + " vectors for " + strconv.Itoa(len(missing)) + " texts"}
	}
	for i, v := range made {
		vectors[places[i]] = v
		e.keep(ctx, e.key("passage", missing[i]), v)
	}
	return vectors, nil
}

func (e *cachedEmbedder) key(kind, text string) string {
	return digest("vector 1", e.Model(), kind, text)
}

func (e *cachedEmbedder) kept(ctx context.Context, key string) ([]float32, bool) {
	value, ok := e.store.Get(ctx, key)
	if !ok || len(value) != 4*e.Dim() {
		return nil, false
	}
	v := make([]float32, e.Dim())
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(value[4*i:]))
	}
	return v, true
}

func (e *cachedEmbedder) keep(ctx context.Context, key string, v []float32) {
	if len(v) != e.Dim() {
		return
	}
	value := make([]byte, 0, 4*len(v))
	for _, x := range v {
		value = binary.LittleEndian.AppendUint32(value, math.Float32bits(x))
	}
	e.store.Put(context.WithoutCancel(ctx), key, value)
}
