package main

import (
	"context"
	"fmt"
	"os"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/eval"
	"github.com/assay-rag/assay/index"
)

type evalRetrievalCmd struct {
	Flags    evalFlags `embed:""`
	Encoding encoding  `embed:""`
	Vectors  string    `placeholder:"FILE" complete:"file" help:"Keep the vectors of the passages in this file, so that the next run need not make them."`
	K        []int     `short:"k" placeholder:"N" help:"Depths of recall (default 1,5,10,20,50)."`
}

// Help teaches by example.
func (evalRetrievalCmd) Help() string {
	return `The passages of the set are put into an index of their own, and each question is looked up in it: by words (BM25), by meaning (dense), and by both (hybrid), which is how "assay ask" searches.

Examples:

    assay eval retrieval dev-v2.0.json
    assay eval retrieval --vectors squad.vectors dev-v2.0.json   # quick the second time
    assay eval retrieval --encoder off dev-v2.0.json             # words alone
    assay eval retrieval --json clapnq.jsonl | jq '.systems[] | {name, recall}'`
}

// Run measures the index.
func (c *evalRetrievalCmd) Run(ctx context.Context, e env) error {
	return c.Flags.measure(e, evalRunFlags{}, func(set *eval.Set, o *eval.Options) (eval.Report, error) {
		return e.retrieval(ctx, c.Encoding, c.Vectors, c.K, set, o)
	})
}

// retrieval measures an index of the set's passages in a folder of its own that goes
// afterwards.
func (e env) retrieval(ctx context.Context, encoding encoding, vectors string, ks []int, set *eval.Set, o *eval.Options) (eval.Report, error) {
	how, err := e.senseOf(ctx, encoding, source{})
	if err != nil {
		return nil, err
	}
	if vectors != "" && how.embedder != nil {
		kept, err := eval.KeepVectors(vectors, how.embedder)
		if err != nil {
			return nil, err
		}
		defer kept.Close()
		how.embedder = kept
	}
	dir, err := os.MkdirTemp("", "assay-eval-")
	if err != nil {
		return nil, fmt.Errorf("eval retrieval: %w", err)
	}
	defer os.RemoveAll(dir)
	systems, err := retrievers(ctx, dir, how.embedder)
	if err != nil {
		return nil, err
	}
	for _, s := range systems {
		defer s.Close()
	}
	build := func(ctx context.Context, docs []assay.Document, passages [][]assay.Passage) ([]eval.RetrievalSystem, error) {
		shelf := systems[len(systems)-1].Index
		if err := e.shelve(ctx, shelf, dir, docs, passages, how.embedder != nil); err != nil {
			return nil, err
		}
		var out []eval.RetrievalSystem
		for _, s := range systems {
			out = append(out, eval.RetrievalSystem{Name: s.name, Retriever: s})
		}
		return out, nil
	}
	return eval.Retrieval(ctx, set, build, ks, o)
}

// searched is an index as it is searched in one of the ways there are.
type searched struct {
	*index.Index
	name string
}

// retrievers opens an index in all ways in which it can be searched, the usual one last.
func retrievers(ctx context.Context, dir string, embedder index.Embedder) ([]searched, error) {
	ways := []struct {
		name string
		opts index.Options
	}{
		{"BM25", index.Options{}},
		{"dense", index.Options{Embedder: embedder, Fusion: index.Convex(1)}},
		{"hybrid", index.Options{Embedder: embedder}},
	}
	if embedder == nil {
		ways = ways[:1]
	}
	var out []searched
	for _, w := range ways {
		x, err := index.Open(ctx, dir, &w.opts)
		if err != nil {
			for _, s := range out {
				s.Close()
			}
			return nil, err
		}
		out = append(out, searched{x, w.name})
	}
	return out, nil
}
