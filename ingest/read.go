package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// rulesVersion is raised when documents would be parsed or cut differently, so
// that they are, the next time they are added.
const rulesVersion = "3"

// settled is how old a modification time must be to tell a file from a later
// state of it: file systems keep times to two seconds at worst.
const settled = 2 * time.Second

// file is the content of a file at one moment.
type file struct {
	data     []byte
	modified time.Time
	recent   bool // modified just now
}

// A stamp is four words: the version of our rules, the size, the modification
// time in nanoseconds (0 where it was too recent to rely on) and the beginning
// of the SHA-256 of the content.

func (f file) stamp() string {
	mtime := f.modified.UnixNano()
	if f.recent {
		mtime = 0
	}
	sum := sha256.Sum256(f.data)
	return fmt.Sprintf("%s %d %d %s", rulesVersion, len(f.data), mtime, hex.EncodeToString(sum[:16]))
}

// sameFile tells whether a file of that size and time is the one stamped.
func sameFile(stamp string, size, mtime int64) bool {
	w := strings.Fields(stamp)
	return len(w) == 4 && w[0] == rulesVersion && w[1] == strconv.FormatInt(size, 10) && mtime != 0 && w[2] == strconv.FormatInt(mtime, 10)
}

// sameContent tells whether two stamps are of the same content and rules.
func sameContent(a, b string) bool {
	v, w := strings.Fields(a), strings.Fields(b)
	return len(v) == 4 && len(w) == 4 && v[0] == w[0] && v[1] == w[1] && v[3] == w[3]
}

// errChanged says that a file was written to while it was read.
var errChanged = errors.New("it changes while it is read; add again when it is at rest")

// read returns the content of a file below the root. A file that changes while
// it is read is read once more.
func (a *adder) read(name string) (file, error) {
	f, err := a.readOnce(name)
	if errors.Is(err, errChanged) {
		f, err = a.readOnce(name)
	}
	return f, err
}

func (a *adder) readOnce(name string) (file, error) {
	f, err := a.root.Open(name)
	if err != nil {
		return file{}, err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return file{}, err
	}
	if !before.Mode().IsRegular() {
		return file{}, ErrFormat
	}
	head := make([]byte, min(before.Size(), sniffed))
	if _, err := io.ReadFull(f, head); err != nil {
		return file{}, changed(err)
	}
	if formatOf(name, head) == unsupported {
		return file{}, ErrFormat
	}
	if before.Size() > a.opts.MaxFile {
		return file{}, fmt.Errorf("it holds %s, and files over %s are not read: raise MaxFile to read it", size(before.Size()), size(a.opts.MaxFile))
	}
	data := make([]byte, before.Size())
	copy(data, head)
	if _, err := io.ReadFull(f, data[len(head):]); err != nil {
		return file{}, changed(err)
	}
	return a.atRest(f, before, data)
}

// atRest checks that a file is still what it was before it was read.
func (a *adder) atRest(f *os.File, before os.FileInfo, data []byte) (file, error) {
	after, err := f.Stat()
	if err != nil {
		return file{}, err
	}
	if after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return file{}, errChanged
	}
	now := time.Now()
	recent := now.Sub(after.ModTime()) < settled && after.ModTime().Sub(now) < settled
	return file{data: data, modified: after.ModTime(), recent: recent}, nil
}

// changed makes errChanged of a file that ended too early.
func changed(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errChanged
	}
	return err
}

// size writes a number of bytes for people.
func size(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
