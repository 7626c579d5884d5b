package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index"
)

// removeCmd takes folders or documents out of the index.
type removeCmd struct {
	Index      string   `type:"given" placeholder:"DIR" complete:"dir" help:"The index (else $$ASSAY_INDEX, else the user's own)."`
	Collection string   `type:"given" placeholder:"NAME" help:"The collection."`
	What       []string `arg:"" complete:"document" help:"A folder that was added, its name in the index, or a document."`
}

// Help teaches by example.
func (removeCmd) Help() string {
	return `Files are never touched. A document that is removed while its file stays comes back with the next "assay add" of its folder; to keep it out, name it in a file .assayignore there.

Examples:

    assay remove ./handbook
    assay remove handbook/old-policy.md
    assay list                                  # the names`
}

// Run removes.
func (c *removeCmd) Run(ctx context.Context, e env) error {
	s := source{Index: c.Index, Collection: c.Collection}
	shelf, err := e.openAsIs(ctx, s, &index.Options{})
	if err != nil {
		return err
	}
	defer shelf.Close()
	for _, what := range c.What {
		said, err := remove(ctx, shelf, s.collection(), what)
		if errors.Is(err, index.ErrNotFound) {
			return failf("see what there is: assay list "+strings.TrimSpace(s.flags()), "remove: there is no folder or document %s in collection %s", what, s.collection())
		}
		if err != nil {
			return err
		}
		e.errScreen().line(plain(said))
	}
	return nil
}

// remove takes out a root, by its path or name, or else a document.
func remove(ctx context.Context, x *index.Index, collection, what string) (said string, err error) {
	roots, err := x.Roots(ctx, collection)
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(what)
	if err != nil {
		return "", err
	}
	real, err := resolved(what)
	if err != nil {
		return "", err
	}
	for _, r := range roots {
		if r.Name == strings.TrimSuffix(what, "/") || r.Path == abs || r.Path == real {
			stamps, err := x.Stamps(ctx, collection, r.Name)
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("removed %s with %s", r.Name, count(len(stamps), "document")), x.RemoveRoot(ctx, collection, r.Name)
		}
	}
	d, err := document(ctx, x, collection, what, real, roots)
	if err != nil {
		return "", err
	}
	root, _, _ := strings.Cut(d.ID, "/")
	return "removed " + d.ID, x.Remove(ctx, collection, root, []string{d.ID})
}

// document finds a document by its name, or by the path of its file.
func document(ctx context.Context, x *index.Index, collection, what, path string, roots []index.Root) (assay.Document, error) {
	for _, r := range roots {
		if below, err := filepath.Rel(r.Path, path); err == nil && filepath.IsLocal(below) {
			d, err := x.Document(ctx, collection, r.Name+"/"+filepath.ToSlash(below))
			if !errors.Is(err, index.ErrNotFound) {
				return d, err
			}
		}
	}
	return x.Document(ctx, collection, what)
}
