package evaluator

import (
	"context"
	"slices"
)

// Embedder turns texts into vectors of unit length, whose product says how near two
// texts are in meaning: the encoder that the weights were fitted with. May be called
// concurrently.
type Embedder interface {
	EmbedPassages(ctx context.Context, texts []string) ([][]float32, error)
	// Model names the model and tells it from others of its name.
	Model() string
}

// cosines are the cosines of a text with each of the others.
func (e *Evaluator) cosines(ctx context.Context, text string, others []string) ([]float64, error) {
	vectors, err := e.vectors.all(append([]string{text}, others...), func(missing []string) ([][]float32, error) {
		vectors, err := e.embedder.EmbedPassages(ctx, missing)
		for i, v := range vectors {
			vectors[i] = slices.Clone(v) // not the whole call's memory for one that is kept
		}
		return vectors, err
	})
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(others))
	for i, v := range vectors[1:] {
		for k, x := range vectors[0] {
			out[i] += float64(x) * float64(v[k])
		}
	}
	return out, nil
}
