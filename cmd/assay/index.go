package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"github.com/assay-rag/assay/index"
)

// indexCmd looks after an index.
type indexCmd struct {
	Verify  indexVerifyCmd  `cmd:"" help:"Read the whole index and say whether it is sound."`
	Repair  indexRepairCmd  `cmd:"" help:"Save what can be read of a damaged index."`
	Embed   indexEmbedCmd   `cmd:"" help:"Make the vectors that are missing, or all anew."`
	Compact indexCompactCmd `cmd:"" help:"Make the index as small as it can be."`
	Export  indexExportCmd  `cmd:"" help:"Write the whole index into one file."`
	Import  indexImportCmd  `cmd:"" help:"Make an index of a file that was exported."`
}

// Help teaches by example.
func (indexCmd) Help() string {
	return `An index is a folder with a file of documents, passages and words, and beside it a file of vectors, which derives from the other. All collections are in it.

Examples:

    assay index verify
    assay index embed --docs ./handbook
    assay index export handbook.assay && assay index import --index ./copy handbook.assay`
}

// whole are the flags that say which index is meant, with all its collections.
type whole struct {
	Docs  string `type:"given" placeholder:"DIR" complete:"dir" xor:"index" help:"The index of this folder in the cache."`
	Index string `type:"given" placeholder:"DIR" complete:"dir" xor:"index" help:"The index in this folder (else $$ASSAY_INDEX, else the user's own)."`
}

func (w whole) source() source { return source{Docs: w.Docs, Index: w.Index} }

// indexVerifyCmd looks whether an index is sound.
type indexVerifyCmd struct {
	Whole whole `embed:""`
}

// Help teaches by example.
func (indexVerifyCmd) Help() string {
	return `Everything is read: the file itself, whether its tables agree with each other, and whether the vectors are those of the passages. Where something is wrong, the exit code is 1.

Examples:

    assay index verify
    assay index verify --docs ./handbook
    assay index verify --index ./my-index || assay index repair --index ./my-index`
}

// Run verifies.
func (c *indexVerifyCmd) Run(ctx context.Context, e env) error {
	x, err := e.openAsIs(ctx, c.Whole.source(), &index.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.Check(ctx); err != nil {
		return err
	}
	held, err := holdings(ctx, x)
	if err != nil {
		return err
	}
	dir, err := e.place(c.Whole.source())
	if err != nil {
		return err
	}
	s := e.outScreen()
	s.line(plainf("documents   %s in %s", humanize.Comma(int64(held.Documents)), count(held.collections, "collection")))
	s.line(plainf("passages    %s", humanize.Comma(int64(held.Passages))))
	s.line(plainf("vectors     %s", held.vectors()))
	s.line(plainf("files       %s and %s of vectors in %s", sizeOf(dir, index.FileName, index.FileName+"-wal"), sizeOf(dir, index.VectorsName), dir))
	s.line(span{"sound", styleGreen})
	return nil
}

// holding is what all collections of an index hold together.
type holding struct {
	index.Stats
	collections int
}

func holdings(ctx context.Context, x *index.Index) (h holding, err error) {
	names, err := x.Collections(ctx)
	if err != nil {
		return h, err
	}
	h.collections = len(names)
	for _, name := range names {
		stats, err := x.Stats(ctx, name)
		if err != nil {
			return h, err
		}
		h.Model, h.Dim = stats.Model, stats.Dim
		h.Documents += stats.Documents
		h.Passages += stats.Passages
		h.Pending += stats.Pending
	}
	return h, nil
}

// vectors says how many there are, and of which model.
func (h holding) vectors() string {
	if h.Model == "" {
		return "none"
	}
	s := humanize.Comma(int64(h.Passages-h.Pending)) + " of " + cleanLine(h.Model) + ", " + count(h.Dim, "number") + " each"
	if h.Pending > 0 {
		s += "; " + humanize.Comma(int64(h.Pending)) + " missing"
	}
	return s
}

// sizeOf is how large files of a folder are together; those that aren't there
// count nothing.
func sizeOf(dir string, names ...string) string {
	var n int64
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			n += info.Size()
		}
	}
	return humanize.Bytes(uint64(n))
}
