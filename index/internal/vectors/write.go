package vectors

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"strconv"
	"time"
)

// Append adds the records, in ascending order of ids, after those there are. It
// writes them in one piece, or in several of up to 8 MiB. One process may append
// at a time. Call it after SQLite has committed the same vectors.
//
// Where it fails, the disk being full for instance, all that the file held stays
// good, and some of the records may have been added: Last says which. The error
// wraps ErrOther where the file holds the first id or later ones already,
// fs.ErrNotExist where it was deleted, and whatever Open may return; Create mends
// all of those.
func (f *File) Append(records []Record) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("vectors append: %s: %w", f.path, err)
		}
	}()
	f.appending.Lock()
	defer f.appending.Unlock()
	v, e, err := f.hold()
	if err != nil {
		return err
	}
	defer f.release(v)
	if len(records) == 0 {
		return nil
	}
	if records[0].ID <= e.last {
		return fmt.Errorf("%w: it goes up to passage %d already, and passage %d is to be appended", ErrOther, e.last, records[0].ID)
	}
	if err := checkRecords(records, f.dim); err != nil {
		return err
	}
	file, err := os.OpenFile(f.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	start := headerSize + int64(e.count)*int64(f.stride)
	if err := clearTail(file, v.info, start); err != nil {
		return err
	}
	return f.write(file, start, records)
}

// checkRecords tells whether the records may be stored, one after another.
func checkRecords(records []Record, dim int) error {
	var last int64
	for _, r := range records {
		if r.ID <= last {
			return fmt.Errorf("passage %d comes after passage %d; ids must be above 0 and ascend", r.ID, last)
		}
		if err := r.Vector.check(dim); err != nil {
			return fmt.Errorf("passage %d: %w", r.ID, err)
		}
		last = r.ID
	}
	return nil
}

// clearTail overwrites what stands after the good records, so that no record of a
// torn write is taken for one of the next. Some of them may well be whole.
func clearTail(file *os.File, want os.FileInfo, end int64) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(info, want) {
		return fmt.Errorf("%w: it was replaced while records were appended", ErrOther)
	}
	if info.Size() <= end {
		return nil
	}
	w := bufio.NewWriter(io.NewOffsetWriter(file, end))
	for range info.Size() - end {
		w.WriteByte(0) // an error stays with w
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Sync()
}

// write writes the records at start, and flushes the file as doc.go says.
func (f *File) write(file *os.File, start int64, records []Record) error {
	limit := flushSpan / f.stride
	buf := make([]byte, 0, min(len(records), limit)*f.stride)
	for len(records) > 0 {
		n := min(len(records), limit)
		buf = buf[:0]
		for _, r := range records[:n] {
			buf = appendRecord(buf, r)
		}
		if _, err := file.WriteAt(buf, start); err != nil {
			return err
		}
		end := start + int64(len(buf))
		if end/flushSpan != start/flushSpan {
			if err := file.Sync(); err != nil {
				return err
			}
		}
		start, records = end, records[n:]
	}
	return nil
}

// Create makes a vector file with the records, which come in ascending order of
// ids, in place of the one at the path if there is one. It takes the path only
// when all is written and flushed. Files that are open go over to it with their
// next call; with another epoch they fail with ErrOther instead.
//
// records may be nil for none; where it yields an error, Create ends with that and
// the path is as it was. One process may create or append at a time.
func Create(path string, dim int, epoch Epoch, records iter.Seq2[Record, error]) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("vectors create: %s: %w", path, err)
		}
	}()
	if err := checkDim(dim); err != nil {
		return err
	}
	next := PartialPath(path)
	if err := writeAll(next, dim, epoch, records); err != nil {
		os.Remove(next)
		return err
	}
	if err := replace(path, next); err != nil {
		os.Remove(next)
		return err
	}
	return nil
}

// PartialPath is where Create writes the file of a path before it takes the path.
// What a process that was killed has left there the next Create overwrites.
func PartialPath(path string) string { return path + ".new" }

// writeAll writes a whole file and flushes it.
func writeAll(path string, dim int, epoch Epoch, records iter.Seq2[Record, error]) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriterSize(file, 1<<18)
	w.Write(header(dim, epoch)) // an error stays with w
	if records != nil {
		if err := writeRecords(w, dim, records); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return file.Close()
}

func writeRecords(w *bufio.Writer, dim int, records iter.Seq2[Record, error]) error {
	var last int64
	var buf []byte
	for r, err := range records {
		if err != nil {
			return err
		}
		if err := checkRecords([]Record{r}, dim); err != nil {
			return err
		}
		if r.ID <= last {
			return fmt.Errorf("passage %d comes after passage %d; ids must ascend", r.ID, last)
		}
		last = r.ID
		buf = appendRecord(buf[:0], r)
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// replace gives the path to the file next. On Windows somebody may have the file
// open in just this moment, a virus scanner for instance.
func replace(path, next string) error {
	err := os.Rename(next, path)
	for wait := time.Millisecond; err != nil && runtime.GOOS == "windows" && wait < time.Second; wait *= 2 {
		if err = replaceMapped(path, next); err != nil {
			time.Sleep(wait)
		}
	}
	return err
}

// replaceMapped is replace where the file at the path is mapped on Windows: it
// can't be replaced then, but it can be renamed. So it is moved aside, and a later
// call removes it, when nobody maps it any more. In between there is no file at
// the path, which readers bear.
func replaceMapped(path, next string) error {
	aside := func(i int) string { return path + ".old" + strconv.Itoa(i) }
	i := 0
	for err := os.Remove(aside(i)); err != nil && !errors.Is(err, fs.ErrNotExist); err = os.Remove(aside(i)) {
		if i++; i == 100 {
			return fmt.Errorf("its former files are all in use; close the other processes: %w", err)
		}
	}
	if err := os.Rename(path, aside(i)); err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return errors.Join(err, os.Rename(aside(i), path))
	}
	os.Remove(aside(i)) // fails while it is mapped
	return nil
}
