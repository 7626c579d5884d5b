package main

import (
	"context"

	"github.com/assay-rag/assay/index"
)

// indexEmbedCmd makes vectors.
type indexEmbedCmd struct {
	Whole    whole    `embed:""`
	Encoding encoding `embed:""`
	Anew     bool     `help:"Make all vectors anew, e.g. with another model."`
}

// Help teaches by example.
func (indexEmbedCmd) Help() string {
	return `A vector stands for what a passage means, so that it is found by questions in other words. "assay add" makes them; this command makes those that an interrupted one left, and those of a folder given with --docs that has more than a few. Vectors of two models can't be compared: with another encoder, make all anew. Meanwhile the index can be searched.

Examples:

    assay index embed
    assay index embed --docs ./handbook
    assay index embed --anew --encoder ./bge-small-en-v1.5`
}

// Run embeds.
func (c *indexEmbedCmd) Run(ctx context.Context, e env) error {
	s := c.Whole.source()
	how, err := e.senseOf(ctx, c.Encoding, s)
	if err != nil {
		return err
	}
	if how.embedder == nil {
		return failf("choose one: --encoder "+encoderBuiltin+", or a folder with a model", "index embed: there is no encoder to embed with")
	}
	if c.Anew {
		if err := e.forgetVectors(ctx, s); err != nil {
			return err
		}
	}
	x, err := e.openForEmbedding(ctx, s, how)
	if err != nil {
		return err
	}
	defer x.Close()
	made, err := e.embedAll(ctx, x, s, how)
	if err == nil && made == 0 {
		e.errScreen().line(plain("There is nothing to embed: each passage has its vector."))
	}
	return err
}

// forgetVectors removes all vectors of an index that is there.
func (e env) forgetVectors(ctx context.Context, s source) error {
	x, err := e.openForEmbedding(ctx, s, sense{})
	if err != nil {
		return err
	}
	defer x.Close()
	return x.ForgetVectors(ctx)
}

// openForEmbedding opens an index for writing; that of a folder is brought up to
// date.
func (e env) openForEmbedding(ctx context.Context, s source, how sense) (*index.Index, error) {
	if s.Docs != "" {
		return e.openFolder(ctx, "--docs", s.Docs, how)
	}
	x, err := e.openAsIs(ctx, s, &index.Options{Embedder: how.embedder})
	return x, e.otherModel(ctx, err, s, how)
}
