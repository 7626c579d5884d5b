package eval_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/eval"
	"github.com/assay-rag/assay/index"
	"github.com/assay-rag/assay/index/indextest"
)

// TestRetrievalOfAnIndex measures an index as it is searched by words, by meaning
// and by both, twice: the second time no passage is embedded.
func TestRetrievalOfAnIndex(t *testing.T) {
	set, err := eval.Load(filepath.Join("testdata", "popqa.jsonl"), 1)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "vectors")
	for _, embedded := range []int{len(set.Retrieval.Documents), 0} {
		fake := &indextest.Embedder{}
		kept, err := eval.KeepVectors(file, fake)
		if err != nil {
			t.Fatal(err)
		}
		r, err := eval.Retrieval(t.Context(), set, threeWays(t, kept), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := kept.Close(); err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Systems {
			if f.Failed.Count > 0 || f.Short.Count > 0 || f.Recall[4].Recall.Value != 1 {
				t.Errorf("%s: %+v", f.Name, f)
			}
		}
		if got := len(fake.Embedded()); got != embedded {
			t.Errorf("%d passages were embedded, want %d", got, embedded)
		}
	}
}

// threeWays opens one index in three ways.
func threeWays(t *testing.T, e eval.Embedder) eval.Build {
	return func(ctx context.Context, docs []assay.Document, passages [][]assay.Passage) (systems []eval.RetrievalSystem, err error) {
		dir := t.TempDir()
		for _, way := range []struct {
			name string
			opts index.Options
		}{{"BM25", index.Options{}}, {"dense", index.Options{Embedder: e, Fusion: index.Convex(1)}}, {"hybrid", index.Options{Embedder: e}}} {
			x, err := index.Open(ctx, dir, &way.opts)
			if err != nil {
				return nil, err
			}
			t.Cleanup(func() { x.Close() })
			systems = append(systems, eval.RetrievalSystem{Name: way.name, Retriever: x})
			if way.name != "hybrid" {
				continue
			}
			root, err := x.Root(ctx, assay.DefaultCollection, dir)
			if err != nil {
				return nil, err
			}
			if err := x.Put(ctx, assay.DefaultCollection, root, docs, passages); err != nil {
				return nil, err
			}
			if err := x.Embed(ctx, nil); err != nil {
				return nil, err
			}
		}
		return systems, nil
	}
}
