package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/assay-rag/assay/index"
)

// listCmd lists what is indexed.
type listCmd struct {
	Source source `embed:""`
	JSON   bool   `name:"json" help:"Print the list as JSON."`
}

// Help teaches by example.
func (listCmd) Help() string {
	return `Each collection with the folders that were added to it and their documents. The name of a document is what answers cite and what "assay show" takes.

Examples:

    assay list
    assay list --collection work
    assay list --json | jq -r '.[].documents[].document'`
}

// listed is a collection in JSON.
type listed struct {
	Collection string           `json:"collection"`
	Vectors    listedVectors    `json:"vectors"`
	Roots      []listedRoot     `json:"roots"`
	Documents  []listedDocument `json:"documents"`
}

// listedVectors says what the vectors of the passages are.
type listedVectors struct {
	Model   string `json:"model"`   // empty where none was ever made
	Missing int    `json:"missing"` // passages without one
}

type listedRoot struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

type listedDocument struct {
	Document string `json:"document"`
	Title    string `json:"title"`
	Date     string `json:"date"`
	Passages int    `json:"passages"`
	Bytes    int    `json:"bytes"` // of text
}

// Run lists.
func (c *listCmd) Run(ctx context.Context, e env) error {
	shelf, err := e.openShelf(ctx, c.Source, sense{})
	if err != nil {
		return err
	}
	defer shelf.Close()
	names := []string{c.Source.collection()}
	if c.Source.Collection == "" && c.Source.Docs == "" {
		if names, err = shelf.Collections(ctx); err != nil {
			return err
		}
	}
	all := []listed{}
	for _, name := range names {
		l, err := listCollection(ctx, shelf, name)
		if err != nil {
			return err
		}
		all = append(all, l)
	}
	if c.JSON {
		return writeJSON(e.stdout, all, true)
	}
	s := e.outScreen()
	for _, l := range all {
		s.collection(l)
	}
	if len(all) == 0 {
		e.errScreen().line(plain("The index is empty. To index a folder: assay add DIR"))
	}
	return nil
}

func listCollection(ctx context.Context, x *index.Index, name string) (listed, error) {
	l := listed{Collection: name, Roots: []listedRoot{}, Documents: []listedDocument{}}
	stats, err := x.Stats(ctx, name)
	if err != nil {
		return l, err
	}
	l.Vectors = listedVectors{stats.Model, stats.Pending}
	roots, err := x.Roots(ctx, name)
	if err != nil {
		return l, err
	}
	for _, r := range roots {
		l.Roots = append(l.Roots, listedRoot{r.Name, filepath.FromSlash(r.Path)})
	}
	entries, err := x.Documents(ctx, name)
	if err != nil {
		return l, err
	}
	for _, d := range entries {
		l.Documents = append(l.Documents, listedDocument{d.ID, d.Title, dateOnly(d.Date), d.Passages, d.Bytes})
	}
	return l, nil
}

// collection writes a collection for a person.
func (s *screen) collection(l listed) {
	s.line(bold(l.Collection), dimf(" · %s · %s", count(len(l.Documents), "document"), l.Vectors))
	for _, r := range l.Roots {
		s.line(dim("  " + r.Name + " ← " + r.Path))
	}
	for _, d := range l.Documents {
		s.line(plainf("  %-10s %5d  ", d.Date, d.Passages), plain(cleanLine(d.Document)), dim("  "+shorten(d.Title, 60)))
	}
	s.line()
}

// String says it in a few words.
func (v listedVectors) String() string {
	switch {
	case v.Model == "":
		return "no vectors"
	case v.Missing == 0:
		return "vectors of " + cleanLine(v.Model)
	case v.Missing == 1:
		return "vectors of " + cleanLine(v.Model) + ", 1 passage has none yet"
	}
	return fmt.Sprintf("vectors of %s, %s passages have none yet", cleanLine(v.Model), humanize.Comma(int64(v.Missing)))
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func dateOnly(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// orEmpty lets JSON show an empty object instead of null.
func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}
