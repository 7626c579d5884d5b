package llm

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/assay-rag/assay/llm/internal/plain"
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

// CachedEmbedder takes vectors of questions from the store where the same model has
// made them before. Those of passages are the index's to keep. A vector that doesn't
// have the model's dimensions is made anew.
func CachedEmbedder(e Embedder, s Store) Embedder { return &cachedEmbedder{e, s} }

type cachedEmbedder struct {
	Embedder
	store Store
}

// EmbedQuery implements Embedder.
func (e *cachedEmbedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	key := digest("vector 1", e.Model(), text)
	if v, ok := e.kept(ctx, key); ok {
		return v, nil
	}
	v, err := e.Embedder.EmbedQuery(ctx, text)
	if err == nil {
		e.keep(ctx, key, v)
	}
	return v, err
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

// MeteredEmbedder keeps an embedder within the budget of the Meter that the context
// carries, and records its calls, as Metered does for a model. What they used is
// estimated, and stands in the record of the last request: an embedder reports
// nothing.
func MeteredEmbedder(e Embedder, o MeterOptions) Embedder { return &meteredEmbedder{e, o} }

type meteredEmbedder struct {
	Embedder
	MeterOptions
}

// EmbedQuery implements Embedder.
func (e *meteredEmbedder) EmbedQuery(ctx context.Context, text string) (v []float32, err error) {
	err = e.metered(ctx, []string{text}, func(ctx context.Context) error {
		v, err = e.Embedder.EmbedQuery(ctx, text)
		return err
	})
	return v, err
}

// EmbedPassages implements Embedder.
func (e *meteredEmbedder) EmbedPassages(ctx context.Context, texts []string) (v [][]float32, err error) {
	err = e.metered(ctx, texts, func(ctx context.Context) error {
		v, err = e.Embedder.EmbedPassages(ctx, texts)
		return err
	})
	return v, err
}

func (e *meteredEmbedder) metered(ctx context.Context, texts []string, embed func(context.Context) error) error {
	t := Tokens{Estimated: true}
	for _, text := range texts {
		t.In += EstimateTokens(text)
	}
	ctx, call, err := e.begin(ctx, t)
	if err != nil {
		return err
	}
	defer call.end()
	call.Tokens = t
	if err = embed(ctx); err != nil {
		call.Error = plain.Words(err)
		call.meter.fail(ctx, e.Name, err)
		if !begun(err) {
			call.Tokens.In = 0
		}
	}
	return err
}

// Embedder is an embedder of the endpoint, made resilient as Resilient says.
func (e *Endpoint) Embedder(m Embedder) Embedder { return &resilientEmbedder{m, e} }

type resilientEmbedder struct {
	Embedder
	endpoint *Endpoint
}

// EmbedQuery implements Embedder.
func (e *resilientEmbedder) EmbedQuery(ctx context.Context, text string) (v []float32, err error) {
	err = e.endpoint.attempts(ctx, func() (bool, error) {
		v, err = e.Embedder.EmbedQuery(ctx, text)
		return false, err
	})
	return v, err
}

// EmbedPassages implements Embedder.
func (e *resilientEmbedder) EmbedPassages(ctx context.Context, texts []string) (v [][]float32, err error) {
	err = e.endpoint.attempts(ctx, func() (bool, error) {
		v, err = e.Embedder.EmbedPassages(ctx, texts)
		return false, err
	})
	return v, err
}
