package diskcache

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/assay-rag/assay/llm/internal/plain"
)

// errForeign is the error for a file that must not be touched.
var errForeign = errors.New("it isn't a cache of Assay, and was left as it is")

// fault is an error of the file at a path as people are told of it: the path, the
// cause, and what to do.
func fault(path string, err error) error {
	return plain.As(fmt.Sprintf("%s: %s; %s, or keep nothing: --no-cache", path, cause(path, err), remedy(path, err)), err)
}

// cause is what went wrong, without the path and SQLite's terms.
func cause(path string, err error) string {
	var at *fs.PathError
	switch codeOf(err) & 0xff {
	case sqlite3.SQLITE_FULL:
		return "the disk is full"
	case sqlite3.SQLITE_IOERR:
		return "the disk can't be read or written there"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return "it may not be written"
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return "another process holds it"
	}
	switch {
	case damaged(err):
		return "it is damaged"
	case errors.As(err, &at) && at.Path == path:
		return at.Err.Error()
	}
	return err.Error()
}

// remedy is what to do about it.
func remedy(path string, err error) string {
	code := codeOf(err) & 0xff
	switch {
	case errors.Is(err, errForeign):
		return "move it away"
	case code == sqlite3.SQLITE_FULL:
		return "make room"
	case errors.Is(err, fs.ErrPermission), code == sqlite3.SQLITE_READONLY, code == sqlite3.SQLITE_PERM:
		return "let it be written"
	}
	do := "delete the folder " + filepath.Dir(path)
	if damaged(err) {
		return "it is begun anew; where that doesn't last, " + do
	}
	return do
}

// damaged tells whether an error means that the file can't be used any more. No
// statement of ours is wrong on a sound one.
func damaged(err error) bool {
	code := codeOf(err) & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB || code == sqlite3.SQLITE_ERROR
}

// busy tells whether another process was in the way.
func busy(err error) bool {
	code := codeOf(err) & 0xff
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

func codeOf(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return sqlite3.SQLITE_OK
}
