package main

import (
	"context"

	"github.com/assay-rag/assay/index"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/openai"
)

// remoteSense finds meanings with a model of an API. Where neither the settings nor the
// index that is meant tell how many numbers its vectors have, the model is asked.
func (e env) remoteSense(ctx context.Context, c *config, s source) (sense, error) {
	p, err := e.remote(c, embeds.prefix)
	if err != nil {
		return sense{}, err
	}
	dim, err := c.whole("embed_dim")
	if err != nil {
		return sense{}, err
	}
	if dim == 0 {
		if dim, err = e.dimension(ctx, c, p, s); err != nil {
			return sense{}, err
		}
	}
	if p.timeout, err = c.within(p.timeout); err != nil {
		return sense{}, err
	}
	embedder, err := openai.NewEmbedder(ctx, p.model, dim, p.embedding(c))
	if err != nil {
		return sense{}, err
	}
	m := &models{endpoints: map[string]*llm.Endpoint{}}
	shared, err := m.endpoint(p.base, c)
	if err != nil {
		return sense{}, err
	}
	price := llm.ListPrices().With(c.prices).For(p.model)
	safe := shared.Embedder(llm.MeteredEmbedder(embedder, llm.MeterOptions{Name: p.model, Price: price}))
	return sense{embedder: safe, flags: c.flag("embed_model") + c.flag("base_url")}, nil
}

// dimension is how many numbers the vectors of a model have: as the index has recorded
// it of the same model, or else as the model says within the time for an answer.
func (e env) dimension(ctx context.Context, c *config, p remote, s source) (int, error) {
	if made, dim := e.vectors(ctx, s); dim > 0 {
		if m, err := openai.NewEmbedder(ctx, p.model, dim, p.embedding(c)); err == nil && m.Model() == made {
			return dim, nil
		}
	}
	whole, err := c.duration("timeout")
	if err != nil {
		return 0, err
	}
	p.timeout = min(p.timeout, whole)
	m, err := openai.NewEmbedder(ctx, p.model, 0, p.embedding(c))
	if err != nil {
		return 0, err
	}
	return m.Dim(), nil
}

// vectors is what the index that is meant has recorded of its vectors: the model and
// how many numbers each has, 0 where it has none. Why an index can't be opened is for
// others to say, who need it.
func (e env) vectors(ctx context.Context, s source) (model string, dim int) {
	dir, err := e.place(s)
	if err != nil {
		return "", 0
	}
	return vectorsIn(ctx, dir)
}

// vectorsIn is the same of the index in a folder.
func vectorsIn(ctx context.Context, dir string) (model string, dim int) {
	x, err := index.Open(ctx, dir, &index.Options{ReadOnly: true})
	if err != nil {
		return "", 0
	}
	defer x.Close()
	if model, dim, err = x.Vectors(ctx); err != nil {
		return "", 0
	}
	return model, dim
}
