package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
)

func TestOpenRefuses(t *testing.T) {
	ctx := context.Background()
	file := func(t *testing.T, data string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	ours := func(t *testing.T, sql string) string {
		dir := t.TempDir()
		x := open(t, dir)
		handbook(t, x)
		if err := x.writer.exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
		x.Close()
		return dir
	}
	for _, test := range []struct {
		name     string
		dir      func(t *testing.T) string
		readOnly bool
		kind     error
		hint     string
	}{
		{"nothing there", func(t *testing.T) string { return t.TempDir() }, true, ErrNotFound, "add documents first"},
		{"an empty file, to read", func(t *testing.T) string { return file(t, "") }, true, ErrNotFound, "the index is empty"},
		{"text", func(t *testing.T) string { return file(t, strings.Repeat("not a database\n", 300)) }, false, ErrNotIndex, "another folder"},
		{"short text", func(t *testing.T) string { return file(t, "x") }, false, ErrNotIndex, "another folder"},
		{"a folder of that name", func(t *testing.T) string {
			dir := t.TempDir()
			os.Mkdir(filepath.Join(dir, FileName), 0o777)
			return dir
		}, false, ErrNotIndex, "another folder"},
		{"a file for a folder", func(t *testing.T) string { return filepath.Join(file(t, "x"), FileName) }, false, ErrNotIndex, "another folder"},
		{"another program's", func(t *testing.T) string { return ours(t, "PRAGMA application_id = 7") }, false, ErrNotIndex, "another program"},
		{"a newer one", func(t *testing.T) string { return ours(t, "PRAGMA user_version = 99") }, false, ErrVersion, "newer assay"},
		{"a newer one, to read", func(t *testing.T) string { return ours(t, "PRAGMA user_version = 99") }, true, ErrVersion, "newer assay"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := test.dir(t)
			before, _ := os.ReadFile(filepath.Join(dir, FileName))
			x, err := Open(ctx, dir, &Options{ReadOnly: test.readOnly})
			if err == nil {
				x.Close()
				t.Fatal("it opens")
			}
			says(t, err, test.kind, test.hint)
			if !strings.Contains(err.Error(), dir) {
				t.Errorf("the error %q doesn't say where", err)
			}
			after, _ := os.ReadFile(filepath.Join(dir, FileName))
			if string(before) != string(after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestOddFolderNames(t *testing.T) {
	for _, name := range []string{"a b", "what?mode=memory", "50%41", "x#y", "ümlaut", "a&b=c", "-"} {
		dir := filepath.Join(t.TempDir(), name)
		x := open(t, dir)
		handbook(t, x)
		if _, err := os.Stat(filepath.Join(dir, FileName)); err != nil {
			t.Error(err)
		}
		if got := finds(t, x, "parental"); got != "handbook/leave.md" {
			t.Errorf("in %q parental finds %q", name, got)
		}
	}
}

func TestReadOnly(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := open(t, dir)
	handbook(t, x)
	r, err := Open(ctx, dir, &Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := finds(t, r, "parental"); got != "handbook/leave.md" {
		t.Errorf("parental finds %q", got)
	}
	put(t, x, map[string]string{"handbook/new.md": "Umbrellas."})
	if got := finds(t, r, "umbrellas"); got != "handbook/new.md" {
		t.Errorf("what was written since finds %q", got)
	}
	says(t, r.Put(ctx, "", "handbook", nil, nil), ErrReadOnly, "to write")
	says(t, r.Remove(ctx, "", "handbook", []string{"handbook/new.md"}), ErrReadOnly, "to write")
	_, err = r.Root(ctx, "", "/srv/other")
	says(t, err, ErrReadOnly, "to write")
}

// TestFirstVersion opens an index of version 1, which had no vectors.
func TestFirstVersion(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := open(t, dir)
	handbook(t, x)
	if err := x.writer.exec(ctx, "DROP TABLE vectors; DROP TABLE embedding; DROP INDEX documents_passages; ALTER TABLE documents DROP COLUMN sum; PRAGMA user_version = 1"); err != nil {
		t.Fatal(err)
	}
	x.Close()
	_, err := Open(ctx, dir, &Options{ReadOnly: true})
	says(t, err, ErrVersion, "it has version 1 and this program reads 3; open it once for writing")
	x = openWith(t, dir, &indextest.Embedder{})
	check(t, x)
	if got := finds(t, x, "parental"); got != "handbook/leave.md" {
		t.Errorf("parental finds %q", got)
	}
	pends(t, x, 5)
	embed(t, x)
	check(t, x)
}

func TestBusy(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x, y := open(t, dir), open(t, dir)
	handbook(t, x)
	if err := y.writer.exec(ctx, "PRAGMA busy_timeout = 20"); err != nil {
		t.Fatal(err)
	}
	err := x.write(ctx, func(*session) error {
		return y.Remove(ctx, "", "handbook", []string{"handbook/leave.md"})
	})
	says(t, err, ErrBusy, "try again")
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	x := open(t, t.TempDir())
	handbook(t, x)
	cancel()
	_, err := x.Retrieve(ctx, assay.Search{Words: "parental"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search says %v", err)
	}
	if err := x.Rebuild(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled rebuild says %v", err)
	}
	if got := finds(t, x, "parental"); got != "handbook/leave.md" {
		t.Errorf("after that, parental finds %q", got)
	}
	x.Close()
	if _, err := x.Retrieve(context.Background(), assay.Search{Words: "parental"}); err == nil {
		t.Error("a closed index is searched")
	}
	if err := x.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}
