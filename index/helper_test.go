package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
)

// handbook puts a few documents into the default collection.
func handbook(tb testing.TB, x *Index) {
	tb.Helper()
	put(tb, x, map[string]string{
		"handbook/leave.md":     "Parental leave lasts sixteen weeks.\n\nPaid time off (PTO) is twenty-five days a year.",
		"handbook/travel.md":    "Trains are booked through the travel desk.",
		"handbook/it/vpn.md":    "The virtual private network (VPN) needs a hardware key.",
		"handbook/it/backup.md": "Backups are kept for ninety days.",
	})
}

// put puts documents of the root "handbook", cut at blank lines.
func put(tb testing.TB, x *Index, texts map[string]string) {
	tb.Helper()
	root, err := x.Root(context.Background(), "", "/srv/handbook")
	if err != nil {
		tb.Fatal(err)
	}
	for id, text := range texts {
		d, p := cut(id, text)
		if err := x.Put(context.Background(), "", root, []assay.Document{d}, [][]assay.Passage{p}); err != nil {
			tb.Fatal(err)
		}
	}
}

func cut(id, text string) (assay.Document, []assay.Passage) {
	d := assay.Document{ID: id, Title: filepath.Base(id), Text: text, Language: "en", Stamp: "s"}
	var passages []assay.Passage
	start := 0
	for part := range strings.SplitSeq(text, "\n\n") {
		if part != "" {
			passages = append(passages, assay.Passage{Text: part, Start: start, End: start + len(part)})
		}
		start += len(part) + 2
	}
	return d, passages
}

// finds returns the documents that a search finds, parted by spaces.
func finds(tb testing.TB, x *Index, words string) string {
	tb.Helper()
	found, err := x.Retrieve(context.Background(), assay.Search{Words: words})
	if err != nil {
		tb.Fatal(err)
	}
	got := found.Passages
	var ids []string
	for _, p := range got {
		ids = append(ids, p.Document)
	}
	return strings.Join(ids, " ")
}

// check fails the test where the index contradicts itself.
func check(tb testing.TB, x *Index) {
	tb.Helper()
	if err := x.Check(context.Background()); err != nil {
		tb.Fatal(err)
	}
}

// says checks the kind of an error, and that it says what to do.
func says(tb testing.TB, err, kind error, hint string) {
	tb.Helper()
	if !errors.Is(err, kind) {
		tb.Errorf("the error is %v, want one that is %v", err, kind)
	} else if !strings.Contains(err.Error(), hint) {
		tb.Errorf("the error %q doesn't say %q", err, hint)
	}
}

// built makes an index of n synthetic documents with vectors, and returns its folder
// once it is closed.
func built(tb testing.TB, n int) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	x := openWith(tb, dir, &indextest.Embedder{})
	fill(tb, x, newSynth(4, 400), n)
	embed(tb, x)
	if err := x.Close(); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// copied copies the index in a folder to another one.
func copied(tb testing.TB, dir string) (to string) {
	tb.Helper()
	to = tb.TempDir()
	for _, name := range []string{FileName, VectorsName} {
		if err := copyFile(filepath.Join(to, name), filepath.Join(dir, name)); err != nil {
			tb.Fatal(err)
		}
	}
	return to
}

func dirOf(x *Index) string { return filepath.Dir(x.path) }

// TestMain lets the test binary be the other process of a test.
func TestMain(m *testing.M) {
	switch os.Getenv("INDEX_TEST_CHILD") {
	case "put":
		putForever(os.Args[len(os.Args)-1])
	case "embed":
		embedOnce(os.Args[len(os.Args)-1])
	case "nobody":
		openReadOnlyFolder(os.Args[len(os.Args)-1])
	default:
		os.Exit(m.Run())
	}
}

// exit ends a child process with its error.
func exit(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
