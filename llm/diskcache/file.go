package diskcache

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver
)

const (
	// applicationID marks the file as ours ("ASAC") in SQLite's application_id.
	applicationID = 0x41534143
	// version is that of the tables below, in user_version.
	version = 1
	// othersWait is how long an operation waits for another process, in milliseconds.
	othersWait = 100
	// batch is how many values are dropped at a time.
	batch = 64
)

var schema = fmt.Sprintf(`
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS entries (
	key   TEXT PRIMARY KEY,
	used  INTEGER NOT NULL, -- milliseconds since 1970
	sum   INTEGER NOT NULL, -- see checksum
	value BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_used ON entries (used);
PRAGMA application_id = %d;
PRAGMA user_version = %d;
COMMIT`, applicationID, version)

// file is the open file. Only one goroutine uses it at a time.
type file struct {
	db   *sql.DB
	info fs.FileInfo // tells whether another stands in its place

	getting, putting, touching, dropping, measuring *sql.Stmt
}

// openFile opens the file at the path. It makes one where there is none, and
// replaces what is ours and can't be used; replace says that it can't.
func openFile(path string, max int64, replace bool) (*file, error) {
	for range 3 { // other processes may be at it
		if err := create(path); err != nil {
			return nil, err
		}
		usable, err := inspect(path, max)
		if err != nil {
			return nil, err
		}
		if usable && !replace {
			f, err := connect(path)
			if !damaged(err) {
				return f, err
			}
		}
		replace = false
		if err := remove(path); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("it was damaged or replaced again and again")
}

// create makes an empty file, which only its owner may read, where there is none.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// inspect tells whether the file is one that this version can use; otherwise it may
// be replaced. It returns an error where it isn't ours. It reads the header itself
// since SQLite doesn't read that of a damaged file, and would begin to write a short
// one anew.
func inspect(path string, max int64) (usable bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, errForeign
	}
	if info.Size() == 0 {
		return true, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	// The header of an SQLite file: https://www.sqlite.org/fileformat.html#the_database_header
	var header [100]byte
	if _, err := io.ReadFull(f, header[:]); err != nil || string(header[:16]) != "SQLite format 3\x00" ||
		binary.BigEndian.Uint32(header[68:]) != applicationID {
		return false, errForeign
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			return false, err
		}
	}
	return binary.BigEndian.Uint32(header[60:]) == version && info.Size() <= 2*max, nil
}

// remove deletes the file. A journal that it leaves behind is no danger: SQLite
// deletes one beside an empty file.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// dsn is the name under which SQLite opens the file, whatever characters it has.
func dsn(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a Windows drive
	}
	query := "mode=rw&_pragma=busy_timeout(%d)&_pragma=journal_mode(TRUNCATE)&_pragma=synchronous(OFF)&_pragma=cell_size_check(1)"
	return (&url.URL{Scheme: "file", Path: path, RawQuery: fmt.Sprintf(query, othersWait)}).String()
}

// connect opens the file, which exists, and makes its tables where it is empty.
func connect(path string) (_ *file, err error) {
	f := &file{}
	if f.info, err = os.Stat(path); err != nil {
		return nil, err
	}
	if f.db, err = sql.Open("sqlite", dsn(path)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.db.Close()
		}
	}()
	f.db.SetMaxOpenConns(1)
	if f.info.Size() == 0 {
		if _, err := f.db.Exec(schema); err != nil {
			return nil, err
		}
	}
	for _, s := range []struct {
		statement **sql.Stmt
		query     string
	}{
		{&f.getting, `SELECT value, used, sum FROM entries WHERE key = ?`},
		{&f.putting, `INSERT OR REPLACE INTO entries (key, used, sum, value) VALUES (?, ?, ?, ?)`},
		{&f.touching, `UPDATE entries SET used = ? WHERE key = ?`},
		{&f.dropping, `DELETE FROM entries WHERE rowid IN (SELECT rowid FROM entries ORDER BY used LIMIT ?)`},
		{&f.measuring, `SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`},
	} {
		if *s.statement, err = f.db.Prepare(s.query); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *file) close() error { return f.db.Close() }

// inPlace tells whether the file still stands at the path.
func (f *file) inPlace(path string) bool {
	info, err := os.Stat(path)
	return err == nil && os.SameFile(info, f.info)
}

// get returns the value of a key and when it was used; nil where there is none.
func (f *file) get(key string) ([]byte, time.Time, error) {
	var value []byte
	var used, sum int64
	err := f.getting.QueryRow(key).Scan(&value, &used, &sum)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, time.Time{}, nil
	case err != nil:
		return nil, time.Time{}, err
	case sum != checksum(key, value):
		return nil, time.Time{}, errors.New("a value is damaged")
	case value == nil:
		value = []byte{}
	}
	return value, time.UnixMilli(used), nil
}

func (f *file) put(key string, value []byte, now time.Time) error {
	if value == nil {
		value = []byte{} // not NULL
	}
	_, err := f.putting.Exec(key, now.UnixMilli(), checksum(key, value), value)
	return err
}

func (f *file) touch(key string, now time.Time) error {
	_, err := f.touching.Exec(now.UnixMilli(), key)
	return err
}

// makeRoom drops the least recently used values until one of the size fits in.
func (f *file) makeRoom(size, max int64) error {
	for {
		var bytes int64
		if err := f.measuring.QueryRow().Scan(&bytes); err != nil || bytes+size <= max {
			return err
		}
		result, err := f.dropping.Exec(batch)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); n == 0 {
			return err // nothing is left: the rest is the file's own
		}
	}
}

// checksum covers the key too: a damaged tree may lead to another's value.
func checksum(key string, value []byte) int64 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return int64(crc32.Update(crc32.Checksum([]byte(key), table), table, value))
}
