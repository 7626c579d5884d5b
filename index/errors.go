package index

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The kinds of failure that a caller may want to tell apart with errors.Is. The
// error itself says what happened, where, and what to do.
var (
	// ErrNotFound: there is no such index, collection, root or document.
	ErrNotFound = errors.New("not found")
	// ErrNotIndex: the file or folder is something else.
	ErrNotIndex = errors.New("not an Assay index")
	// ErrVersion: the index was written by a newer Assay, or by an older one and is
	// opened for reading only, where it can't be brought up to date.
	ErrVersion = errors.New("the index is of another version")
	// ErrDamaged: the file can't be read as it should; see Salvage.
	ErrDamaged = errors.New("the index is damaged")
	// ErrFull: the disk is full; nothing of the write was kept, all before it was.
	ErrFull = errors.New("no space left for the index")
	// ErrReadOnly: the index may only be read here.
	ErrReadOnly = errors.New("the index is read-only")
	// ErrBusy: another process is writing and did not finish in time.
	ErrBusy = errors.New("another process is writing to the index")
	// ErrModel: the vectors in the index are of another model than the embedder's.
	ErrModel = errors.New("the vectors in the index are of another model")
	// ErrExists: there is something already where an index is to be written.
	ErrExists = errors.New("there is something already")
	// ErrInvalid: what was given can't be stored as it stands.
	ErrInvalid = errors.New("it can't be indexed")
)

// Error is a failure of the index: what was being done, to which index, which
// kind of failure it is, and what to do about it.
type Error struct {
	Op   string // what was being done
	Path string // the index's file
	Kind error  // one of the sentinel errors
	Err  error  // what SQLite or the system said
	Hint string // what to do
}

// Error says all of it in one line.
func (e *Error) Error() string {
	s := fmt.Sprintf("index %s: %s: %v", e.Op, e.Path, e.Kind)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	if e.Err != nil {
		s += fmt.Sprintf(" (%v)", e.Err)
	}
	return s
}

// Unwrap lets errors.Is find both the kind and the cause.
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Err} }

// hints say what a person can do about each kind of failure that SQLite reports.
var hints = map[error]string{
	ErrDamaged:  "rebuild its word lists (Rebuild); if that fails too, close it everywhere and salvage it (Salvage), which keeps every document that can still be read, and the damaged file",
	ErrFull:     "make room on the disk and try again: what could not be written whole was undone, everything before it is kept",
	ErrReadOnly: "open it with Options.ReadOnly to search, or check the permissions of the folder to write",
	ErrBusy:     "try again when it has finished; searching goes on meanwhile",
	ErrNotIndex: "choose another folder for the index; the file was left as it is",
}

// kindOf tells which kind of failure an SQLite error is, or nil.
func kindOf(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CONSTRAINT:
		// No statement of ours breaks a constraint of a sound file.
		return ErrDamaged
	case sqlite3.SQLITE_NOTADB:
		return ErrNotIndex
	case sqlite3.SQLITE_FULL:
		return ErrFull
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return ErrReadOnly
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return ErrBusy
	}
	return nil
}

// wrap makes one error of what went wrong in op: an *Error where it has a kind,
// else a plain one. Errors of this package and of a cancelled context keep
// their identity.
func (x *Index) wrap(op string, err *error) {
	if *err == nil {
		return
	}
	var own *Error
	if errors.As(*err, &own) {
		return
	}
	kind := kindOf(*err)
	switch {
	case errors.Is(*err, ErrDamaged):
		kind = ErrDamaged
	case errors.Is(*err, syscall.ENOSPC): // outside SQLite
		kind = ErrFull
	}
	if kind != nil {
		*err = &Error{Op: op, Path: x.path, Kind: kind, Err: *err, Hint: hints[kind]}
		return
	}
	if errors.Is(*err, context.Canceled) || errors.Is(*err, context.DeadlineExceeded) {
		*err = fmt.Errorf("index %s: %w", op, *err)
		return
	}
	*err = fmt.Errorf("index %s: %s: %w", op, x.path, *err)
}
