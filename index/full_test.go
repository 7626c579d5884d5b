package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
)

// TestFull lets the disk run full in the middle of a write.
func TestFull(t *testing.T) {
	ctx := context.Background()
	x := open(t, t.TempDir())
	handbook(t, x)
	var pages int
	if err := x.writer.row(ctx, []any{&pages}, "PRAGMA page_count"); err != nil {
		t.Fatal(err)
	}
	if err := x.writer.row(ctx, []any{&pages}, fmt.Sprintf("PRAGMA max_page_count = %d", pages+20)); err != nil {
		t.Fatal(err)
	}
	d, p := newSynth(3, 5000).document(0, 400)
	d.ID = "handbook/leave.md"
	err := x.Put(ctx, "", "handbook", []assay.Document{d}, [][]assay.Passage{p})
	says(t, err, ErrFull, "make room")
	if got := finds(t, x, "parental"); got != "handbook/leave.md" {
		t.Errorf("after a full disk parental finds %q", got)
	}
	check(t, x)
	if err := x.writer.row(ctx, []any{&pages}, "PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if err := x.Put(ctx, "", "handbook", []assay.Document{d}, [][]assay.Passage{p}); err != nil {
		t.Fatalf("with room again: %v", err)
	}
	check(t, x)
}

// TestFullEmbedding lets the disk run full while vectors are stored.
func TestFullEmbedding(t *testing.T) {
	ctx := context.Background()
	x := openWith(t, t.TempDir(), &indextest.Embedder{Size: 1024})
	fill(t, x, newSynth(3, 500), 100)
	var pages int
	if err := x.writer.row(ctx, []any{&pages}, "PRAGMA page_count"); err != nil {
		t.Fatal(err)
	}
	if err := x.writer.row(ctx, []any{&pages}, fmt.Sprintf("PRAGMA max_page_count = %d", pages+40)); err != nil {
		t.Fatal(err)
	}
	says(t, x.Embed(ctx, nil), ErrFull, "make room")
	left, err := x.Pending(ctx)
	if err != nil || left == 0 || left == 400 {
		t.Errorf("%d of 400 passages are left, %v", left, err)
	}
	check(t, x)
	if err := x.writer.row(ctx, []any{&pages}, "PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	embed(t, x)
	pends(t, x, 0)
	check(t, x)
}

// TestNoVectorFile can't write the mapped file: what is stored in the table is
// found all the same.
func TestNoVectorFile(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{})
	handbook(t, x)
	embed(t, x)
	x.Close()
	os.Remove(vectorsPath(x.path))
	if err := os.MkdirAll(filepath.Join(vectorsPath(x.path), "in the way"), 0o777); err != nil {
		t.Fatal(err)
	}
	x = openWith(t, dir, &indextest.Embedder{})
	for range 2 {
		found, err := x.Retrieve(ctx, assay.Search{Words: "parentality", K: 1})
		if err != nil || found.Short != "" || len(found.Passages) != 1 || found.Passages[0].Document != "handbook/leave.md" {
			t.Errorf("parentality finds %+v, %v", found, err)
		}
	}
	if err := x.Embed(ctx, nil); err == nil || !strings.Contains(err.Error(), VectorsName) {
		t.Errorf("embedding says %v", err)
	}
	says(t, x.Check(ctx), ErrDamaged, "isn't a file")
}
