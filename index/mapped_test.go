package index

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
)

// TestMadeAnewElsewhere has a search go on while another process forgets all vectors
// and makes them anew with the same model.
func TestMadeAnewElsewhere(t *testing.T) {
	dir := built(t, 20)
	x := openWith(t, dir, &indextest.Embedder{})
	search := func() {
		t.Helper()
		found, err := x.Retrieve(context.Background(), assay.Search{Words: newSynth(4, 400).question(3)})
		if err != nil || found.Short != "" || len(found.Passages) == 0 {
			t.Errorf("a search finds %d passages and says %q, %v", len(found.Passages), found.Short, err)
		}
	}
	search()
	y := openWith(t, dir, &indextest.Embedder{})
	if err := y.ForgetVectors(context.Background()); err != nil {
		t.Fatal(err)
	}
	embed(t, y)
	search()
	e, _ := x.embeddingNow(t)
	if f, _ := x.mapped.current(); f == nil || f.epoch != e.epoch {
		t.Errorf("the search reads the file %+v, and the index has the epoch %x", f, e.epoch)
	}
	if err := y.ForgetVectors(context.Background()); err != nil {
		t.Fatal(err)
	}
	x.vectorFile(context.Background())
	if f, _ := x.mapped.current(); f != nil {
		t.Error("the file of forgotten vectors is still mapped")
	}
}

// TestSearchWaitsForNobody searches without a usable file while others write, in
// this process and in another one: the search reads the table, and the next one
// makes the file anew.
func TestSearchWaitsForNobody(t *testing.T) {
	ctx := context.Background()
	whole := built(t, 20)
	for name, writer := range map[string]func(x *Index) *Index{
		"here":      func(x *Index) *Index { return x },
		"elsewhere": func(x *Index) *Index { return openWith(t, dirOf(x), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			x := openWith(t, copied(t, whole), &indextest.Embedder{})
			os.Remove(vectorsPath(x.path))
			search := func() error {
				found, err := x.Retrieve(ctx, assay.Search{Words: newSynth(4, 400).question(3)})
				if err == nil && found.Short != "" {
					err = errors.New(found.Short)
				}
				return err
			}
			if err := writer(x).exclusive(ctx, func(*session) error {
				done := make(chan error, 1)
				go func() { done <- search() }()
				select {
				case err := <-done:
					return err
				case <-time.After(5 * time.Second):
					return errors.New("the search waits for a writer")
				}
			}); err != nil {
				t.Fatal(err)
			}
			if f, _ := x.mapped.current(); f != nil || x.mapped.paused() {
				t.Error("the search made the file, or gave up to try it")
			}
			if err := search(); err != nil {
				t.Fatal(err)
			}
			if f, _ := x.mapped.current(); f == nil {
				t.Error("with nobody writing, the file isn't made anew")
			}
			var wait int
			if err := x.writer.row(ctx, []any{&wait}, "PRAGMA busy_timeout"); err != nil || wait != int(writersWait.Milliseconds()) {
				t.Errorf("after that a write waits %d ms for others, %v", wait, err)
			}
		})
	}
}

// TestBadRecord overwrites one record of a small file, which hides all after it as a
// torn end would: Check tells, a search without the right to write reads the table,
// and one that has it makes the file whole.
func TestBadRecord(t *testing.T) {
	ctx := context.Background()
	whole := built(t, 20)
	for name, at := range map[string]func(size int64) int64{
		"early": func(int64) int64 { return 1000 },
		"last":  func(size int64) int64 { return size - 20 },
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, whole)
			path := filepath.Join(dir, VectorsName)
			clean, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			bad := slices.Clone(clean)
			copy(bad[at(int64(len(bad))):], "XXXXXXXX")
			if err := os.WriteFile(path, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			for _, readOnly := range []bool{true, false} {
				x, err := Open(ctx, dir, &Options{Embedder: &indextest.Embedder{}, ReadOnly: readOnly})
				if err != nil {
					t.Fatal(err)
				}
				defer x.Close()
				says(t, x.Check(ctx), ErrDamaged, "aren't what was written")
				found, err := x.Retrieve(ctx, assay.Search{Words: newSynth(4, 400).question(3)})
				if err != nil || found.Short != "" {
					t.Errorf("read only %v: a search says %q, %v", readOnly, found.Short, err)
				}
				if err := x.Check(ctx); (err == nil) == readOnly {
					t.Errorf("read only %v: after a search Check says %v", readOnly, err)
				}
			}
			if mended, err := os.ReadFile(path); err != nil || !bytes.Equal(mended, clean) {
				t.Errorf("the file isn't what it was, %v", err)
			}
		})
	}
}

// TestLastRemoved has the last vector removed before the file was made: a search
// doesn't wait for it to come.
func TestLastRemoved(t *testing.T) {
	ctx := context.Background()
	x := openWith(t, built(t, 3), &indextest.Embedder{})
	e, _ := x.embeddingNow(t)
	if err := x.write(ctx, func(s *session) error {
		return s.exec(ctx, `DELETE FROM vectors WHERE passage = (SELECT embedded FROM embedding)`)
	}); err != nil {
		t.Fatal(err)
	}
	if err := x.remakeVectors(ctx); err != nil {
		t.Fatal(err)
	}
	f, err := x.openVectors(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if last, err := f.Last(); err != nil || last >= e.embedded || x.lacksVectors(ctx, f) {
		t.Errorf("the file goes to %d of %d and lacks some, %v", last, e.embedded, err)
	}
}

// TestPartialFile has a process killed while it made the file anew: the next one that
// opens the index for writing removes what is left.
func TestPartialFile(t *testing.T) {
	dir := built(t, 3)
	partial := filepath.Join(dir, VectorsName+".new")
	if err := os.WriteFile(partial, []byte("ASAY"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, readOnly := range []bool{true, false} {
		x, err := Open(context.Background(), dir, &Options{ReadOnly: readOnly})
		if err != nil {
			t.Fatal(err)
		}
		x.Close()
		if _, err := os.Stat(partial); (err == nil) != readOnly {
			t.Errorf("read only %v: %v", readOnly, err)
		}
	}
}

// TestKeepAfterClose has a search open the file when the index has been closed.
func TestKeepAfterClose(t *testing.T) {
	x := openWith(t, built(t, 5), &indextest.Embedder{})
	e, _ := x.embeddingNow(t)
	f, err := x.mapped.open(e)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if kept := x.mapped.keep(f); kept != nil {
		t.Error("a closed index keeps a file open")
	}
	if _, err := f.Last(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the file isn't closed: %v", err)
	}
}

// TestBadQuestionVector has an embedder that makes no numbers of a question: that is
// no fault of the file.
func TestBadQuestionVector(t *testing.T) {
	ctx := context.Background()
	for _, x := range []float64{nan(), 1 / zero()} {
		asking := false
		index := openWith(t, t.TempDir(), badEmbedder(func(n int) [][]float32 {
			out := make([][]float32, n)
			for i := range out {
				if out[i] = []float32{0, 1}; asking {
					out[i][1] = float32(x)
				}
			}
			return out
		}))
		handbook(t, index)
		embed(t, index)
		before, _ := index.mapped.current()
		asking = true
		found, err := index.Retrieve(ctx, assay.Search{Words: "parental"})
		if err != nil || len(found.Passages) != 1 || !strings.Contains(found.Short, "finite numbers, so all were looked for by their words alone") {
			t.Errorf("a question whose vector has %v finds %d passages and says %q, %v", x, len(found.Passages), found.Short, err)
		}
		if after, damaged := index.mapped.current(); before == nil || after != before || damaged {
			t.Error("the file is given up for it")
		}
	}
}

func zero() float64 { return 0 }
