package diskcache

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestWarnings: a warning has, in its sentence alone, the file, the cause and what to
// do, and nothing of SQLite's.
func TestWarnings(t *testing.T) {
	for _, c := range []struct{ harm, cause, remedy string }{
		{"PRAGMA max_page_count = 1", "the disk is full", "make room"},
		{"PRAGMA query_only = 1", "it may not be written", "let it be written"},
		{"DROP TABLE entries", "it is damaged", "it is begun anew; where that doesn't last, delete the folder FOLDER"},
		{"UPDATE entries SET sum = 7", "a value is damaged", "delete the folder FOLDER"},
	} {
		path := newPath(t)
		log, said := logged()
		cache := open(t, path, &Options{Log: log})
		cache.Put(t.Context(), "a", []byte("b"))
		if _, err := cache.file.db.Exec(c.harm); err != nil {
			t.Fatal(err)
		}
		cache.Get(t.Context(), "a")
		cache.Put(t.Context(), "a", valueOf("a", 100_000))
		want := path + ": " + c.cause + "; " + strings.ReplaceAll(c.remedy, "FOLDER", filepath.Dir(path)) + ", or keep nothing: --no-cache (this is said but once)"
		if got := said.String(); !strings.Contains(got, want) || strings.Contains(got, "SQL") {
			t.Errorf("%s: it says %q, not %q", c.harm, got, want)
		}
	}
}

func TestFault(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: "/a/b", Err: fs.ErrPermission}, "/a/b: permission denied; let it be written, or keep nothing: --no-cache"},
		{&fs.PathError{Op: "mkdir", Path: "/a", Err: fs.ErrPermission}, "/a/b: mkdir /a: permission denied; let it be written, or keep nothing: --no-cache"},
		{errors.New("it was damaged or replaced again and again"), "/a/b: it was damaged or replaced again and again; delete the folder /a, or keep nothing: --no-cache"},
	} {
		if err := fault("/a/b", c.err); err.Error() != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q, not %q", err, c.want)
		}
	}
}
