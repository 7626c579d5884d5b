package main

import (
	"context"
	"errors"

	"github.com/assay-rag/assay/index"
)

// indexRepairCmd mends a damaged index.
type indexRepairCmd struct {
	Index string `type:"given" placeholder:"DIR" complete:"dir" help:"The index (else $$ASSAY_INDEX, else the user's own)."`
}

// Help teaches by example.
func (indexRepairCmd) Help() string {
	return `The whole index is read. Where only its lists of words or its file of vectors are damaged, they are made anew. Otherwise all documents that can still be read go into a new index, and the damaged file is kept beside it. No other program may use the index meanwhile.

Examples:

    assay index repair
    assay index repair --index ./my-index`
}

// Run looks what is wrong and mends it.
func (c *indexRepairCmd) Run(ctx context.Context, e env) error {
	s := e.errScreen()
	empty, broken := c.inspect(ctx, e)
	switch {
	case broken == nil && empty:
		s.line(plain("The index is empty. To index a folder: assay add " + source{Index: c.Index}.flags() + "DIR"))
		return nil
	case broken == nil:
		s.line(plain("The index is sound."))
		return nil
	case !errors.Is(broken, index.ErrDamaged):
		return broken
	}
	s.line(plain("Damage found: " + cleanLine(message(e.diagnose(ctx, broken).err))))
	if c.rebuild(ctx, e) == nil {
		s.line(plain("The lists of words and the file of vectors were made anew. No document is lost."))
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return c.salvage(ctx, e)
}

// inspect reads the whole index.
func (c *indexRepairCmd) inspect(ctx context.Context, e env) (empty bool, err error) {
	x, err := e.openAsIs(ctx, source{Index: c.Index}, &index.Options{})
	if err != nil {
		return false, err
	}
	defer x.Close()
	if err := x.Check(ctx); err != nil {
		return false, err
	}
	names, err := x.Collections(ctx)
	return len(names) == 0, err
}

// rebuild makes the lists of words anew, and fails where that isn't enough.
func (c *indexRepairCmd) rebuild(ctx context.Context, e env) error {
	x, err := e.openAsIs(ctx, source{Index: c.Index}, &index.Options{})
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.Rebuild(ctx); err != nil {
		return err
	}
	return x.Check(ctx)
}

// salvage saves what can be read.
func (c *indexRepairCmd) salvage(ctx context.Context, e env) error {
	dir, err := e.lasting(c.Index)
	if err != nil {
		return err
	}
	saved, err := index.Salvage(ctx, dir, nil)
	var failed *index.Error
	if errors.As(err, &failed) && errors.Is(err, index.ErrDamaged) {
		return failf(failed.Hint, "index repair: %s: %w", dir, failed.Kind)
	}
	if err != nil {
		return err
	}
	s := e.errScreen()
	s.line(plainf("Saved %s; the damaged file is kept as %s.", count(saved.Documents, "document"), saved.Kept))
	if saved.Recut > 0 {
		s.line(plainf("%s had to be cut anew; adding the folders again reads them afresh.", count(saved.Recut, "document")))
	}
	if saved.Changed > 0 {
		s.line(plainf("The text of %s isn't what was added; adding the folders again reads them afresh.", count(saved.Changed, "document")))
	}
	for _, name := range saved.Lost {
		s.line(plain("  lost: " + name))
	}
	if len(saved.Lost) > 0 {
		return failf("add their folders again: assay add DIR", "index repair: %s could not be read", count(len(saved.Lost), "document"))
	}
	return nil
}
