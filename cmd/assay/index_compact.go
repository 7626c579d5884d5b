package main

import (
	"context"

	"github.com/assay-rag/assay/index"
)

// indexCompactCmd makes an index small.
type indexCompactCmd struct {
	Whole whole `embed:""`
}

// Help teaches by example.
func (indexCompactCmd) Help() string {
	return `The files are written anew without the gaps that removed documents left. For a moment that needs as much room again on the disk. Others can search meanwhile, but not add.

Examples:

    assay index compact
    assay index compact --index ./my-index`
}

// Run compacts.
func (c *indexCompactCmd) Run(ctx context.Context, e env) error {
	s := c.Whole.source()
	dir, err := e.place(s)
	if err != nil {
		return err
	}
	x, err := e.openAsIs(ctx, s, &index.Options{})
	if err != nil {
		return err
	}
	defer x.Close()
	files := []string{index.FileName, index.FileName + "-wal", index.VectorsName}
	before := sizeOf(dir, files...)
	if err := x.Compact(ctx); err != nil {
		return err
	}
	e.errScreen().line(plainf("%s before, %s now", before, sizeOf(dir, files...)))
	return nil
}
