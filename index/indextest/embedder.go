package indextest

import (
	"context"
	"hash/fnv"
	"math"
	"slices"
	"sync"

	"github.com/assay-rag/assay/text"
)

// Embedder is a fake index.Embedder that needs no model: a text's vector counts
// its groups of three letters, so that texts are near that share pieces of words,
// whether they share a word or not. The same text always has the same vector. The
// zero value is ready to use, and may be used concurrently.
type Embedder struct {
	// Name is the model's; "" means "trigrams".
	Name string
	// Size is how many dimensions the vectors have; 0 means 128.
	Size int
	// Before, unless it is nil, is called before texts are embedded, and its error
	// is the embedder's.
	Before func(ctx context.Context, texts []string) error

	mu       sync.Mutex
	embedded []string
}

// Model is the embedder's name.
func (e *Embedder) Model() string {
	if e.Name == "" {
		return "trigrams"
	}
	return e.Name
}

// Dim is how many dimensions its vectors have.
func (e *Embedder) Dim() int {
	if e.Size == 0 {
		return 128
	}
	return e.Size
}

// Embedded lists the passages that were embedded, in order.
func (e *Embedder) Embedded() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.embedded)
}

// EmbedPassages embeds the texts and remembers them.
func (e *Embedder) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	if err := e.before(ctx, texts); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.embedded = append(e.embedded, texts...)
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = e.vector(t)
	}
	return out, nil
}

// EmbedQuery embeds a question as if it were a passage.
func (e *Embedder) EmbedQuery(ctx context.Context, s string) ([]float32, error) {
	if err := e.before(ctx, []string{s}); err != nil {
		return nil, err
	}
	return e.vector(s), nil
}

func (e *Embedder) before(ctx context.Context, texts []string) error {
	if err := ctx.Err(); err != nil || e.Before == nil {
		return err
	}
	return e.Before(ctx, texts)
}

func (e *Embedder) vector(s string) []float32 {
	v := make([]float32, e.Dim())
	for _, w := range text.Words(s) {
		word := "^" + text.Fold(w.Of(s)) + "$"
		for i := range len(word) - 2 {
			h := fnv.New32a()
			h.Write([]byte(word[i : i+3]))
			v[h.Sum32()%uint32(len(v))]++
		}
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[0], sum = 1, 1 // a text without words has a direction too
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}
