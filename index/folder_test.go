package index

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/assay-rag/assay"
)

// -folder names a folder whose text files TestFolder indexes.
var folderFlag = flag.String("folder", "../examples", "folder of text files for TestFolder")

// TestFolder indexes a real folder, and looks for every passage by its first words.
func TestFolder(t *testing.T) {
	ctx := context.Background()
	x := open(t, t.TempDir())
	root, err := x.Root(ctx, "", "/real")
	if err != nil {
		t.Fatal(err)
	}
	var docs []assay.Document
	var passages [][]assay.Passage
	size := 0
	err = filepath.WalkDir(*folderFlag, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !slices.Contains([]string{".md", ".txt", ".rst", ""}, filepath.Ext(path)) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !utf8.Valid(data) || strings.Contains(string(data), "\x00") || len(data) > 1<<20 {
			return err
		}
		d := assay.Document{ID: root + "/" + filepath.ToSlash(path), Title: e.Name(), Text: string(data), Language: "en"}
		docs, passages = append(docs, d), append(passages, plainPassages(d.Text, 1000))
		size += len(data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) == 0 {
		t.Skipf("%s has no text files", *folderFlag)
	}
	start := time.Now()
	for i := 0; i < len(docs); i += 64 {
		end := min(i+64, len(docs))
		if err := x.Put(ctx, "", root, docs[i:end], passages[i:end]); err != nil {
			t.Fatal(err)
		}
	}
	put := time.Since(start)
	check(t, x)

	asked, first, among := 0, 0, 0
	var took time.Duration
	for i, d := range docs {
		for _, p := range passages[i][:min(3, len(passages[i]))] {
			words := strings.Join(strings.Fields(p.Text)[:min(12, len(strings.Fields(p.Text)))], " ")
			start := time.Now()
			found, err := x.Retrieve(ctx, assay.Search{Words: words, K: 10})
			got := found.Passages
			took += time.Since(start)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(got, func(g assay.Passage) bool {
				return g.Document == d.ID && g.Start <= p.Start && p.Start < g.End || g.Text == p.Text
			})
			asked++
			if at == 0 {
				first++
			}
			if at >= 0 {
				among++
			}
		}
	}
	t.Logf("%d documents, %d kB, put in %v (%.0f a second); of %d passages looked for by their first words %d came first and %d among ten, in %v each",
		len(docs), size>>10, put.Round(time.Millisecond), float64(len(docs))/put.Seconds(), asked, first, among, (took / time.Duration(asked)).Round(time.Microsecond))
	if float64(among) < 0.8*float64(asked) {
		t.Errorf("%d of %d passages are found by their first words", among, asked)
	}
	stats, err := x.Stats(ctx, "")
	if err != nil || stats.Documents != len(docs) || stats.Bytes != int64(size) {
		t.Errorf("the counts are %+v, %v", stats, err)
	}
}
