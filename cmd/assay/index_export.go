package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/assay-rag/assay/index"
)

// indexExportCmd writes an index into a file.
type indexExportCmd struct {
	Whole whole  `embed:""`
	File  string `arg:"" complete:"file" help:"The file to write. It must not be there yet."`
}

// Help teaches by example.
func (indexExportCmd) Help() string {
	return `The file holds the whole index as of one moment: a copy to keep, or to take to another machine. It has all texts of the documents in it. Others can search and add meanwhile.

Examples:

    assay index export handbook.assay
    assay index export --docs ./handbook handbook.assay`
}

// Run exports.
func (c *indexExportCmd) Run(ctx context.Context, e env) error {
	x, err := e.openAsIs(ctx, c.Whole.source(), &index.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.Export(ctx, c.File); err != nil {
		return err
	}
	e.errScreen().line(plainf("exported %s; to use it: assay index import --index DIR %s", sizeOf(filepath.Dir(c.File), filepath.Base(c.File)), quoted(c.File)))
	return nil
}

// indexImportCmd makes an index of a file.
type indexImportCmd struct {
	Index string `type:"given" placeholder:"DIR" complete:"dir" help:"The folder for the index (else $$ASSAY_INDEX, else the user's own). There must be no index in it yet."`
	File  string `arg:"" complete:"file" help:"A file that was exported."`
}

// Help teaches by example.
func (indexImportCmd) Help() string {
	return `The file is read through first: a damaged one, or one of a newer version, is refused, and nothing is changed. Documents keep the folders they were added from; where these aren't on this machine, the documents stay as they are.

Examples:

    assay index import handbook.assay
    assay index import --index ./copy handbook.assay && assay ask --index ./copy "…"`
}

// Run imports.
func (c *indexImportCmd) Run(ctx context.Context, e env) error {
	s := source{Index: c.Index}
	dir, err := e.place(s)
	if err != nil {
		return err
	}
	if _, err := os.Stat(c.File); err != nil {
		return failf("name a file that assay index export wrote", "index import: %w", err)
	}
	err = index.Import(ctx, dir, c.File, nil)
	var failed *index.Error
	switch {
	case errors.Is(err, index.ErrExists):
		return failf("choose another folder: --index DIR, or move that index away", "index import: there is an index in %s", dir)
	case errors.As(err, &failed) && (errors.Is(err, index.ErrNotIndex) || errors.Is(err, index.ErrVersion) || errors.Is(err, index.ErrDamaged)):
		return failf("name a file that assay index export wrote, by this version or an older one", "index import: %s: %w", c.File, failed.Kind)
	case err != nil:
		return err
	}
	x, err := e.openAsIs(ctx, s, &index.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer x.Close()
	held, err := holdings(ctx, x)
	if err == nil {
		e.errScreen().line(plainf("imported %s into %s", count(held.Documents, "document"), dir))
	}
	return err
}
