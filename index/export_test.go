package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
)

// TestExportImport carries an index with its vectors to another folder, while
// somebody writes to it.
func TestExportImport(t *testing.T) {
	ctx := context.Background()
	x := openWith(t, t.TempDir(), &indextest.Embedder{})
	g := newSynth(4, 400)
	fill(t, x, g, 60)
	embed(t, x)
	file := filepath.Join(t.TempDir(), "what's it?.assay")
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				put(t, x, map[string]string{"handbook/a.md": fmt.Sprintf("One round%d.", i), "handbook/b.md": "Two."})
			}
		}
	})
	err := x.Export(ctx, file)
	close(stop)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(file))
	if err := x.Export(ctx, "here.assay"); err != nil {
		t.Errorf("to a file where we are: %v", err)
	}
	says(t, x.Export(ctx, file), ErrExists, "choose another place")
	if left, _ := filepath.Glob(file + "?*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	dir := filepath.Join(t.TempDir(), "new")
	if err := Import(ctx, dir, file, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, VectorsName)); err != nil {
		t.Error("the vector file isn't made at once")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, FileName+".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	y := openWith(t, dir, &indextest.Embedder{})
	check(t, y)
	ours, _ := x.embeddingNow(t)
	theirs, _ := y.embeddingNow(t)
	if ours.model != theirs.model || ours.epoch == theirs.epoch {
		t.Errorf("the vectors are of %+v, and were of %+v", theirs, ours)
	}
	for range 5 {
		s := assay.Search{Words: g.question(3), K: 5, Filter: assay.Filter{PathPrefix: "root/"}}
		a, err := x.Retrieve(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := y.Retrieve(ctx, s)
		if err != nil || len(a.Passages) != len(b.Passages) || a.Passages[0].Document != b.Passages[0].Document {
			t.Errorf("%q finds other passages: %v", s.Words, err)
		}
	}
	says(t, Import(ctx, dir, file, nil), ErrExists, "choose another place")
}

// TestImportWithoutFile can't make the vector file of what it has installed: the
// index is there all the same.
func TestImportWithoutFile(t *testing.T) {
	ctx := context.Background()
	x := openWith(t, t.TempDir(), &indextest.Embedder{})
	handbook(t, x)
	embed(t, x)
	file := filepath.Join(t.TempDir(), "out")
	if err := x.Export(ctx, file); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, VectorsName, "in the way"), 0o777); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	if err := Import(ctx, dir, file, &Options{Log: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "vector file of the index can't be made") {
		t.Errorf("the log says %q", log.String())
	}
	if got := finds(t, open(t, dir), "parental"); got != "handbook/leave.md" {
		t.Errorf("parental finds %q", got)
	}
}

func TestImportRefuses(t *testing.T) {
	ctx := context.Background()
	exported := func(t *testing.T) string {
		x := openWith(t, t.TempDir(), &indextest.Embedder{})
		handbook(t, x)
		embed(t, x)
		path := filepath.Join(t.TempDir(), "out")
		if err := x.Export(ctx, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	changed := func(sql string) func(t *testing.T) string {
		return func(t *testing.T) string {
			dir := t.TempDir()
			path := filepath.Join(dir, FileName)
			if err := os.Rename(exported(t), path); err != nil {
				t.Fatal(err)
			}
			x := open(t, dir)
			if err := x.writer.exec(ctx, sql); err != nil {
				t.Fatal(err)
			}
			x.Close()
			return path
		}
	}
	bytes := func(change func([]byte) []byte) func(t *testing.T) string {
		return func(t *testing.T) string {
			path := exported(t)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change(data), 0o666); err != nil {
				t.Fatal(err)
			}
			return path
		}
	}
	for name, test := range map[string]struct {
		file func(t *testing.T) string
		kind error
		hint string
	}{
		"nothing there":     {func(t *testing.T) string { return filepath.Join(t.TempDir(), "none") }, ErrNotFound, "export an index first"},
		"a folder":          {func(t *testing.T) string { return t.TempDir() }, ErrNotIndex, "it isn't a file"},
		"text":              {bytes(func([]byte) []byte { return []byte("hello") }), ErrNotIndex, "another folder"},
		"cut short":         {bytes(func(b []byte) []byte { return b[:len(b)/2] }), ErrDamaged, ""},
		"overwritten":       {bytes(func(b []byte) []byte { copy(b[5*4096:], strings.Repeat("x", 3*4096)); return b }), ErrDamaged, ""},
		"a newer one":       {changed("PRAGMA user_version = 99"), ErrVersion, "newer assay"},
		"another program's": {changed("PRAGMA application_id = 7"), ErrNotIndex, "another program"},
		"a vector missing":  {changed("DELETE FROM vectors WHERE passage = 2"), ErrDamaged, "no vector"},
		"in use": {func(t *testing.T) string {
			x := open(t, t.TempDir())
			handbook(t, x)
			return x.path
		}, ErrInvalid, "export it first"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, file := t.TempDir(), test.file(t)
			for _, in := range []string{dir, filepath.Join(dir, "not", "there")} {
				says(t, Import(ctx, in, file, nil), test.kind, test.hint)
				if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			}
		})
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	dir := t.TempDir()
	if err := Import(cancelled, dir, exported(t), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, it says %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestExportNowhere exports to a folder that isn't there: that is no fault of the index.
func TestExportNowhere(t *testing.T) {
	x := open(t, t.TempDir())
	handbook(t, x)
	path := filepath.Join(t.TempDir(), "missing", "x.assay")
	err := x.Export(context.Background(), path)
	says(t, err, fs.ErrNotExist, path+": the file can't be written; name a file in a folder that is there")
	if errors.Is(err, ErrReadOnly) {
		t.Error("the index is blamed:", err)
	}
}
