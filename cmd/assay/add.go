package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-rag/assay/index"
	"github.com/assay-rag/assay/ingest"
	"github.com/dustin/go-humanize"
)

// addCmd indexes.
type addCmd struct {
	Index      string   `type:"given" placeholder:"DIR" complete:"dir" help:"The index (else $$ASSAY_INDEX, else the user's own). It is made where there is none."`
	Collection string   `type:"given" placeholder:"NAME" help:"The collection."`
	Encoding   encoding `embed:""`
	MaxFile    size     `placeholder:"SIZE" help:"Leave out larger files, e.g. 20MB (default 16MiB)."`
	Path       []string `arg:"" complete:"dir" help:"Folders with documents, or single files."`
}

// Help teaches by example.
func (addCmd) Help() string {
	return `Markdown, HTML and plain text below the folder are indexed; .gitignore and .assayignore are honoured. Adding a folder again indexes only what changed and takes out what is gone; other folders are left alone. After Ctrl-C the index is good as far as it got: the same command goes on.

Examples:

    assay add ./handbook
    assay add --collection work ./handbook ./wiki
    assay add --index ./my-index ./docs && assay ask --index ./my-index "…"`
}

// Run indexes each path.
func (c *addCmd) Run(ctx context.Context, e env) error {
	s := source{Index: c.Index, Collection: c.Collection}
	var paths []string
	for _, path := range c.Path {
		abs, err := existing("add", path)
		if err != nil {
			return err
		}
		paths = append(paths, abs)
	}
	how, err := e.senseOf(ctx, c.Encoding, s)
	if err != nil {
		return err
	}
	x, err := e.openForAdding(ctx, s, how)
	if err != nil {
		return err
	}
	defer x.Close()
	err = c.indexAll(ctx, e, x, paths)
	if how.embedder != nil && ctx.Err() == nil { // also what came before a path that failed
		_, failed := e.embedAll(ctx, x, s, how)
		err = cmp.Or(err, failed)
	}
	return err
}

// indexAll indexes the paths in turn.
func (c *addCmd) indexAll(ctx context.Context, e env, x *index.Index, paths []string) error {
	for i, abs := range paths {
		report, err := e.index(ctx, x, source{Collection: c.Collection}.collection(), abs, &ingest.Options{MaxFile: int64(c.MaxFile)})
		if err != nil {
			return err
		}
		e.errScreen().line(plain(summary(c.Path[i], report)))
		e.problems(report)
	}
	return nil
}

// index indexes a folder, with a progress bar where it takes long.
func (e env) index(ctx context.Context, x *index.Index, collection, folder string, o *ingest.Options) (ingest.Report, error) {
	bar := e.newProgress(filepath.Base(folder))
	o.Progress = func(p ingest.Progress) {
		bar.update(p.BytesDone, p.BytesInFull, fmt.Sprintf("%d/%d files", p.Done, p.Files))
	}
	report, err := ingest.Add(ctx, x, collection, folder, o)
	bar.end()
	if ctx.Err() != nil {
		return report, failf("what was indexed is kept; the same command goes on from there", "add: %s: %w", folder, ctx.Err())
	}
	return report, err
}

// summary says in one line what was done.
func summary(name string, r ingest.Report) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{r.Added, "added"}, {r.Updated, "updated"}, {r.Removed, "removed"}, {r.Unchanged, "unchanged"}, {r.Skipped, "skipped" + skips(r)}} {
		if p.n > 0 {
			parts = append(parts, humanize.Comma(int64(p.n))+" "+p.what)
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing to index"}
	}
	return fmt.Sprintf("%s: %s", cleanLine(name), strings.Join(parts, ", "))
}

// skipsShown is how many kinds of skipped files are told apart.
const skipsShown = 3

// skips says which kinds of files were skipped, the most frequent first.
func skips(r ingest.Report) string {
	kinds := slices.SortedFunc(maps.Keys(r.Skips), func(a, b string) int {
		return cmp.Or(r.Skips[b]-r.Skips[a], strings.Compare(a, b))
	})
	var parts []string
	for _, kind := range kinds[:min(len(kinds), skipsShown)] {
		n, what := r.Skips[kind], cleanLine(kind)
		switch {
		case kind == "":
			what = "without an extension"
		case kind == ingest.SkippedLink && n > 1:
			what = "links"
		}
		parts = append(parts, humanize.Comma(int64(n))+" "+what)
	}
	if len(kinds) > skipsShown {
		parts = append(parts, "…")
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// problems lists what could not be indexed.
func (e env) problems(r ingest.Report) {
	s := e.errScreen()
	for _, p := range r.Problems {
		s.line(span{"  problem: ", styleYellow}, plain(problem(p)))
	}
}

// unread says in one line that some files could not be indexed, where nothing
// else is said of a folder.
func (e env) unread(name string, r ingest.Report) {
	if len(r.Problems) == 0 {
		return
	}
	first := slices.MinFunc(r.Problems, func(a, b ingest.Problem) int { return strings.Compare(a.Path, b.Path) })
	which := ": "
	if len(r.Problems) > 1 {
		which = ", the first: "
	}
	e.errScreen().line(plainf("%s: %s could not be read%s%s", cleanLine(name), count(len(r.Problems), "file"), which, problem(first)))
}

// flagsForOptions names what raises a limit as the command line does; there is no
// flag for the number of files.
var flagsForOptions = strings.NewReplacer(
	"raise MaxFiles or exclude", "exclude",
	"raise MaxFile to read it", "assay add --max-file SIZE reads it",
)

// problem says in one line which file could not be read, and why.
func problem(p ingest.Problem) string {
	return cleanLine(p.Path) + ": " + flagsForOptions.Replace(cleanLine(p.Why))
}
