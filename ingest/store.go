package ingest

import (
	"context"

	"github.com/assay-rag/assay"
)

// Store is where documents go; package index is one.
type Store interface {
	// Root registers a folder (an absolute path) with the collection and returns
	// the name under which its documents are known: the folder's base name, or,
	// where another folder of the collection has that, the base name and a number.
	// The same folder always gets the same name.
	Root(ctx context.Context, collection, path string) (name string, err error)
	// Stamps returns the Stamp of each document of the root, by ID.
	Stamps(ctx context.Context, collection, root string) (map[string]string, error)
	// Put adds or replaces documents of the root with their passages: all of them,
	// or, on an error, none. passages[i] are those of docs[i].
	Put(ctx context.Context, collection, root string, docs []assay.Document, passages [][]assay.Passage) error
	// Restamp records new stamps for documents whose text has not changed.
	Restamp(ctx context.Context, collection, root string, stamps map[string]string) error
	// Remove deletes documents with their passages.
	Remove(ctx context.Context, collection, root string, ids []string) error
}
