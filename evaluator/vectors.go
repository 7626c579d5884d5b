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

// vectorsOf are the vectors of texts, those of late from memory.
func (e *Evaluator) vectorsOf(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var asked []string
	places := map[string][]int{}
	for i, t := range texts {
		if v, ok := e.vectors.get(t); ok {
			out[i] = v
			continue
		}
		if len(places[t]) == 0 {
			asked = append(asked, t)
		}
		places[t] = append(places[t], i)
	}
	if len(asked) == 0 {
		return out, nil
	}
	vectors, err := e.embedder.EmbedPassages(ctx, asked)
	if err != nil {
		return nil, err
	}
	for k, t := range asked {
		v := slices.Clone(vectors[k]) // not the whole call's memory for one that is kept
		e.vectors.put(t, v)
		for _, i := range places[t] {
			out[i] = v
		}
	}
	return out, nil
}

// cosines are the cosines of a text with each of the others.
func (e *Evaluator) cosines(ctx context.Context, text string, others []string) ([]float64, error) {
	vectors, err := e.vectorsOf(ctx, append([]string{text}, others...))
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
