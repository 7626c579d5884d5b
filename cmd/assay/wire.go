package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/evaluator"
	"github.com/assay-rag/assay/index"
	"github.com/assay-rag/assay/ingest"
	"github.com/assay-rag/assay/llm"
)

// desk is an engine with the models and indexes behind it.
type desk struct {
	engine  *assay.Engine
	models  *models
	judges  string // the version of what judges without a model
	shelves []*index.Index
}

func (d *desk) close() {
	d.models.close()
	for _, s := range d.shelves {
		s.Close()
	}
}

// open builds an engine over the documents that are meant, as the settings want it.
// With a fallback folder, that is its other source.
func (e env) open(ctx context.Context, s source, c *config, fallback string, o *assay.Options) (_ *desk, err error) {
	o.Log = slog.New(warnings{e.errScreen()})
	how, err := e.senseFor(ctx, c, s)
	if err != nil {
		return nil, err
	}
	m, err := e.models(c)
	if err != nil {
		return nil, err
	}
	if m.replies != nil && how.embedder != nil && c.has(embeds) {
		how.embedder = llm.CachedEmbedder(how.embedder, m.replies)
	}
	d := &desk{models: m}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	own, err := e.openShelf(ctx, s, how)
	if err != nil {
		return nil, err
	}
	d.shelves = append(d.shelves, own)
	if err := holds(ctx, own, s); err != nil {
		return nil, err
	}
	if err := e.catchUp(ctx, own, s, how); err != nil {
		return nil, err
	}
	judge, err := e.evaluator(c, own, how.embedder)
	if err != nil {
		return nil, err
	}
	parts := judge.Parts(how.over(own))
	if fallback != "" {
		other, err := e.openFolder(ctx, "--fallback", fallback, how)
		if err != nil {
			return nil, err
		}
		d.shelves = append(d.shelves, other)
		if err := e.catchUp(ctx, other, source{Docs: fallback}, how); err != nil {
			return nil, err
		}
		parts.Fallback = how.over(other)
	}
	return d, d.build(parts, c, o)
}

// openUnasked builds an engine that only tells what an answer may cost: it has the
// models and no index, and nothing is asked.
func (e env) openUnasked(c *config, o *assay.Options) (*desk, error) {
	o.Log = slog.New(warnings{e.errScreen()})
	m, err := e.models(c)
	if err != nil {
		return nil, err
	}
	d := &desk{models: m}
	if err := d.build(evaluator.Parts(assay.RetrieverFunc(nil)), c, o); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// build makes the engine of the parts, with the models in their places.
func (d *desk) build(parts assay.Parts, c *config, o *assay.Options) (err error) {
	if o.Budget, err = c.budget(o.Budget, d.models.answer != nil || d.models.judge != nil); err != nil {
		return err
	}
	if err := c.calibrate(&parts, o); err != nil {
		return err
	}
	d.judges = identityOf(parts.Grader).Version
	if err := d.models.equip(&parts, c, o.Thresholds); err != nil {
		return err
	}
	d.engine, err = assay.New(parts, o)
	return err
}

// holds refuses a collection that isn't there: to search it finds nothing, and the
// answer would say that the documents don't know.
func holds(ctx context.Context, x *index.Index, s source) error {
	names, err := x.Collections(ctx)
	switch {
	case err != nil:
		return err
	case slices.Contains(names, s.collection()):
		return nil
	case len(names) == 0:
		return failf("index a folder first: assay add "+source{Index: s.Index, Collection: s.Collection}.flags()+"DIR", "the index is empty")
	}
	return failf("choose one that is there with --collection: "+strings.Join(names, ", "), "the index has no collection %s", s.collection())
}

// openShelf opens the index that is meant for reading. That of a folder is made
// first, or brought up to date.
func (e env) openShelf(ctx context.Context, s source, how sense) (*index.Index, error) {
	if s.Docs != "" {
		return e.openFolder(ctx, "--docs", s.Docs, how)
	}
	x, err := e.openAsIs(ctx, s, &index.Options{ReadOnly: true, Embedder: how.embedder})
	return x, e.otherModel(ctx, err, s, how)
}

// openAsIs opens an index that is there, without bringing it up to date.
func (e env) openAsIs(ctx context.Context, s source, o *index.Options) (*index.Index, error) {
	dir, err := e.place(s)
	if err != nil {
		return nil, err
	}
	first := "index a folder first: assay add " + source{Index: s.Index, Collection: s.Collection}.flags() + "DIR, or name one to ask: --docs DIR"
	if s.Docs != "" {
		first = "ask it something first: assay ask " + s.flags() + `"How do I …?"`
	}
	if _, err := os.Stat(filepath.Join(dir, index.FileName)); errors.Is(err, fs.ErrNotExist) {
		if _, err := index.Open(ctx, dir, &index.Options{ReadOnly: true}); errors.Is(err, index.ErrDamaged) {
			return nil, err // a repair was interrupted
		}
		return nil, failf(first, "there is no index in %s yet", dir)
	}
	x, err := index.Open(ctx, dir, o)
	if errors.Is(err, index.ErrVersion) && o.ReadOnly {
		x, err = openOlder(ctx, dir, o)
	}
	if errors.Is(err, index.ErrNotFound) { // a file, and nothing in it
		return nil, failf(first, "the index in %s is empty", dir)
	}
	return x, err
}

// openOlder brings an index up to date that an older assay wrote, as any opening
// for writing does, and opens it for reading.
func openOlder(ctx context.Context, dir string, o *index.Options) (*index.Index, error) {
	x, err := index.Open(ctx, dir, nil)
	if errors.Is(err, index.ErrReadOnly) {
		return nil, failf("somebody who may write there brings it up to date with: assay index compact --index "+quoted(dir),
			"%s: %w, and it can't be written to", filepath.Join(dir, index.FileName), index.ErrVersion)
	}
	if err == nil {
		err = x.Close()
	}
	if err != nil {
		return nil, err // a newer one
	}
	return index.Open(ctx, dir, o)
}

// otherModel says what to do where the vectors in an index are not the encoder's.
func (e env) otherModel(ctx context.Context, err error, s source, how sense) error {
	var other *index.Error
	if !errors.As(err, &other) || !errors.Is(err, index.ErrModel) {
		return err
	}
	made, _ := e.vectors(ctx, s)
	return failf(instead(made)+how.embedCommand(s)+" --anew",
		"%s: %w (%w)", other.Path, other.Kind, other.Err)
}

// ownMark ends the name of an encoder in a folder, as package encoder gives it.
var ownMark = regexp.MustCompile(`@[0-9a-f]{8}$`)

// instead says how to search an index whose vectors are of the model made, up to the
// command that makes them anew.
func instead(made string) string {
	flag := "--encoder DIR"
	if made != "" && !ownMark.MatchString(made) {
		name, _, _ := strings.Cut(made, ";") // behind it stand the prefixes
		flag = "--embed-model " + quoted(name)
	}
	return "name that model: " + flag + "; or search by words alone: --encoder off; or make all vectors anew: "
}

// openForAdding opens the lasting index, and makes it where there is none.
func (e env) openForAdding(ctx context.Context, s source, how sense) (*index.Index, error) {
	dir, err := e.lasting(s.Index)
	if err != nil {
		return nil, err
	}
	x, err := index.Open(ctx, dir, &index.Options{Embedder: how.embedder})
	return x, e.otherModel(ctx, err, s, how)
}

// openFolder opens the index of a folder in the cache and brings it up to date.
// A cache can be made again: a damaged one is.
func (e env) openFolder(ctx context.Context, flag, path string, how sense) (*index.Index, error) {
	abs, err := existing(flag, path)
	if err != nil {
		return nil, err
	}
	dir, err := e.cached(abs)
	if err != nil {
		return nil, err
	}
	x, err := e.refresh(ctx, dir, abs, how)
	if errors.Is(err, index.ErrDamaged) || errors.Is(err, index.ErrNotIndex) {
		e.errScreen().line(plainf("The cached index of %s is damaged; it is made again.", path))
		if err := os.RemoveAll(dir); err != nil {
			return nil, failf("remove it yourself: "+quoted(dir), "%s: remove the damaged cache: %w", flag, err)
		}
		x, err = e.refresh(ctx, dir, abs, how)
	}
	if errors.Is(err, index.ErrModel) {
		e.errScreen().line(plainf("The cached vectors of %s are of another model; they are made again.", path))
		if err := forgetVectors(ctx, dir); err != nil {
			return nil, err
		}
		x, err = e.refresh(ctx, dir, abs, how)
	}
	return x, err
}

// forgetVectors removes all vectors of the index in a folder.
func forgetVectors(ctx context.Context, dir string) error {
	x, err := index.Open(ctx, dir, nil)
	if err != nil {
		return err
	}
	defer x.Close()
	return x.ForgetVectors(ctx)
}

// refresh opens the index of a folder and indexes what is new or changed there.
func (e env) refresh(ctx context.Context, dir, folder string, how sense) (_ *index.Index, err error) {
	x, err := index.Open(ctx, dir, &index.Options{Embedder: how.embedder})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			x.Close()
		}
	}()
	report, err := e.index(ctx, x, assay.DefaultCollection, folder, &ingest.Options{})
	if errors.Is(err, index.ErrBusy) {
		e.errScreen().line(plain("Another assay is bringing the index up to date; asking what is there."))
		err = nil
	} else if err != nil {
		return nil, err
	}
	if report.Added+report.Updated+report.Removed > 0 {
		e.errScreen().line(plain(summary(filepath.Base(folder), report)))
		e.problems(report)
	} else {
		e.unread(filepath.Base(folder), report)
	}
	if report.Added+report.Updated+report.Unchanged > 0 {
		return x, nil // to count what a large index holds takes longer than to ask it
	}
	stats, err := x.Stats(ctx, assay.DefaultCollection)
	switch {
	case errors.Is(err, index.ErrNotFound), err == nil && stats.Documents == 0:
		return nil, failf("put text, Markdown or HTML files there, or name another folder", "%s holds no document that can be read", folder)
	case err != nil:
		return nil, err
	}
	return x, nil
}
