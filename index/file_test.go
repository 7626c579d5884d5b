package index

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
	"github.com/assay-rag/assay/index/internal/vectors"
)

// fileFaults are the ways in which the mapped file at a path may be broken.
func fileFaults() map[string]func(t *testing.T, path string) {
	write := func(change func([]byte) []byte) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change(data), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return map[string]func(t *testing.T, path string){
		"gone":       func(t *testing.T, path string) { os.Remove(path) },
		"empty":      write(func(b []byte) []byte { return nil }),
		"half":       write(func(b []byte) []byte { return b[:len(b)/2] }),
		"a torn end": write(func(b []byte) []byte { return b[:len(b)-7] }),
		"no header":  write(func(b []byte) []byte { clear(b[:64]); return b }),
		"a bit":      write(func(b []byte) []byte { b[64+5*144+40] ^= 1; return b }),
		"every 1000": write(func(b []byte) []byte {
			for i := 70; i < len(b); i += 1000 {
				b[i] ^= 128
			}
			return b
		}),
		"other bytes": write(func(b []byte) []byte { return []byte(strings.Repeat("not a vector ", 500)) }),
		"ahead": func(t *testing.T, path string) {
			x := open(t, filepath.Dir(path))
			e, _, err := x.embedding(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			f, err := vectors.Open(path, e.dim, e.epoch)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			v, _ := vectors.Quantize(make([]float32, e.dim))
			if err := f.Append([]vectors.Record{{ID: e.embedded + 3, Vector: v}}); err != nil {
				t.Fatal(err)
			}
		},
	}
}

// TestFileFaults breaks the mapped file in every way: what is found stays the same.
func TestFileFaults(t *testing.T) {
	ctx := context.Background()
	whole := built(t, 20)
	for name, breakIt := range fileFaults() {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, whole)
			x := openWith(t, dir, &indextest.Embedder{})
			g := newSynth(4, 400)
			var questions []assay.Search
			var want []assay.Found
			for range 5 {
				s := assay.Search{Words: g.question(3), K: 10}
				found, err := x.Retrieve(ctx, s)
				if err != nil || found.Short != "" {
					t.Fatal(found.Short, err)
				}
				questions, want = append(questions, s), append(want, found)
			}
			same := func(x *Index) {
				t.Helper()
				for i, s := range questions {
					got, err := x.Retrieve(ctx, s)
					if err != nil || got.Short != "" || !slices.EqualFunc(got.Passages, want[i].Passages, func(a, b assay.Passage) bool {
						return a.Document == b.Document && a.Start == b.Start && a.Score == b.Score
					}) {
						t.Errorf("%q finds other passages, or says %q, %v", s.Words, got.Short, err)
					}
				}
			}
			x.Close()
			breakIt(t, vectorsPath(x.path))
			broken, err := os.ReadFile(vectorsPath(x.path))
			r, openErr := Open(ctx, dir, &Options{ReadOnly: true, Embedder: &indextest.Embedder{}})
			if openErr != nil {
				t.Fatal(openErr)
			}
			defer r.Close()
			same(r)
			if after, afterErr := os.ReadFile(vectorsPath(x.path)); string(after) != string(broken) || (err == nil) != (afterErr == nil) {
				t.Error("a reader changed the file")
			}
			w := openWith(t, dir, &indextest.Embedder{})
			same(w)
			embed(t, w)
			same(w)
			same(r) // which must follow to the new file
			check(t, w)
			f, err := vectors.Open(vectorsPath(x.path), 128, first(w.embeddingNow(t)).epoch)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if n, err := f.Verify(ctx, nil); n != 80 || err != nil {
				t.Errorf("the file made anew has %d good records, %v", n, err)
			}
		})
	}
}

// TestFileBehind leaves the file without the last vectors, as a process that was
// killed before it appended them.
func TestFileBehind(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{})
	handbook(t, x)
	embed(t, x)
	before, err := os.ReadFile(vectorsPath(x.path))
	if err != nil {
		t.Fatal(err)
	}
	put(t, x, map[string]string{"handbook/new.md": "Umbrellas are lent."})
	embed(t, x)
	x.Close()
	if err := os.WriteFile(vectorsPath(x.path), before, 0o666); err != nil {
		t.Fatal(err)
	}
	x = openWith(t, dir, &indextest.Embedder{})
	found, err := x.Retrieve(ctx, assay.Search{Words: "umbrellaz", K: 1})
	if err != nil || found.Short != "" || len(found.Passages) != 1 || found.Passages[0].Document != "handbook/new.md" {
		t.Errorf("what the file lacks isn't found: %+v, %v", found, err)
	}
	embed(t, x)
	if after, err := os.ReadFile(vectorsPath(x.path)); err != nil || len(after) <= len(before) {
		t.Errorf("the file has %d bytes and had %d, %v", len(after), len(before), err)
	}
}

// TestDamagedTable can read vectors neither from the file nor from the table.
func TestDamagedTable(t *testing.T) {
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{})
	handbook(t, x)
	embed(t, x)
	x.Close()
	os.Remove(vectorsPath(x.path))
	y := open(t, dir)
	if err := y.writer.exec(context.Background(), "UPDATE vectors SET data = x'00' WHERE passage = 2"); err != nil {
		t.Fatal(err)
	}
	x = openWith(t, dir, &indextest.Embedder{})
	found, err := x.Retrieve(context.Background(), assay.Search{Words: "parental"})
	if err != nil || len(found.Passages) != 1 || found.Short != "the vectors of the index are damaged, so all were looked for by their words alone" {
		t.Errorf("it finds %d passages and says %q, %v", len(found.Passages), found.Short, err)
	}
	says(t, x.Check(context.Background()), ErrDamaged, "passage 2")
}

// TestTooManyForTheTable has no file and more vectors than a search reads from the
// table.
func TestTooManyForTheTable(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{})
	handbook(t, x)
	embed(t, x)
	if err := x.writer.exec(ctx, `WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 100 + ?)
		INSERT INTO vectors SELECT i, (SELECT data FROM vectors LIMIT 1) FROM n`, tableLimit); err != nil {
		t.Fatal(err)
	}
	if err := x.writer.exec(ctx, `UPDATE embedding SET embedded = 1000000`); err != nil {
		t.Fatal(err)
	}
	x.Close()
	os.Remove(vectorsPath(x.path))
	for _, readOnly := range []bool{true, false} {
		y, err := Open(ctx, dir, &Options{ReadOnly: readOnly, Embedder: &indextest.Embedder{}})
		if err != nil {
			t.Fatal(err)
		}
		defer y.Close()
		found, err := y.Retrieve(ctx, assay.Search{Words: "parental"})
		if err != nil || len(found.Passages) == 0 || found.Passages[0].Document != "handbook/leave.md" {
			t.Errorf("parental finds %+v, %v", found.Passages, err)
		}
		if short := strings.Contains(found.Short, "vector file of the index can't be used, so all were looked for by their words alone"); short != readOnly {
			t.Errorf("read-only %v, it says %q", readOnly, found.Short)
		}
	}
}
