package index_test

import (
	"context"
	"testing"

	"github.com/assay-rag/assay/index"
	"github.com/assay-rag/assay/index/indextest"
	"github.com/assay-rag/assay/ingest"
)

var (
	_ ingest.Store   = (*index.Index)(nil)
	_ index.Embedder = (*indextest.Embedder)(nil)
)

func TestSuite(t *testing.T) {
	indextest.Run(t, func(t *testing.T) indextest.Store {
		x, err := index.Open(context.Background(), t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		return x
	})
}

func TestHybridSuite(t *testing.T) {
	indextest.RunHybrid(t, func(t *testing.T, e *indextest.Embedder) indextest.HybridStore {
		x, err := index.Open(context.Background(), t.TempDir(), &index.Options{Embedder: e})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		return x
	})
}
