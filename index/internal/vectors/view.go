package vectors

import (
	"fmt"
	"os"
	"runtime/debug"
	"sort"
	"unsafe"
)

// view is a mapping of the file. Its memory may only be read inside guard, and
// only while the view is held.
type view struct {
	data   []byte      // may reach beyond the end of the file
	info   os.FileInfo // which file it is
	stride int
	refs   int // guarded by File.mu; the File's own is one of them
}

// flushSpan is how much of the file may be in no safe place: see doc.go.
const flushSpan = 8 << 20

// extent is the part of a file that is known to be good.
type extent struct {
	count int   // its records
	last  int64 // the id of the last one, 0 where there is none
}

// record is the i-th record.
func (v *view) record(i int) []byte {
	start := headerSize + i*v.stride
	return v.data[start : start+v.stride : start+v.stride]
}

// guard calls f, in which reading the mapping may fail: because somebody cut the
// file short, or because the disk does. The error wraps ErrDamaged then.
func (v *view) guard(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			if !v.faulted(r) {
				panic(r)
			}
			err = fmt.Errorf("%w: it can't be read to its end", ErrDamaged)
		}
	}()
	f()
	return nil
}

// faulted tells whether a panic comes from reading the mapping.
func (v *view) faulted(panicked any) bool {
	fault, ok := panicked.(interface{ Addr() uintptr })
	if !ok {
		return false
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(v.data)))
	return fault.Addr() >= start && fault.Addr() < start+uintptr(len(v.data))
}

// examine compares the header and returns the good part of a file of this size,
// of which the extent known is good already.
func (v *view) examine(size int64, dim int, epoch Epoch, known extent) (e extent, err error) {
	fault := v.guard(func() {
		e = known
		if err = checkHeader(v.data[:headerSize], dim, epoch); err == nil && known.count == 0 {
			e, err = v.flushed(size)
		}
		if err == nil {
			e = v.extend(e, size)
		}
	})
	if fault != nil {
		return extent{}, fault
	}
	return e, err
}

// flushed is the part of the file that a flush has made safe. Of its records it
// looks at the first and the last only.
func (v *view) flushed(size int64) (extent, error) {
	end := (size/flushSpan - 1) * flushSpan
	count := int((end - headerSize) / int64(v.stride))
	if count <= 0 {
		return extent{}, nil
	}
	first, last := v.record(0), v.record(count-1)
	if !good(first) || !good(last) || idOf(last)-idOf(first) < int64(count-1) {
		return extent{}, fmt.Errorf("%w: its first %d records aren't what was written", ErrDamaged, count)
	}
	return extent{count: count, last: idOf(last)}, nil
}

// extend adds the good records that follow the extent in a file of this size.
func (v *view) extend(e extent, size int64) extent {
	for n := int((size - headerSize) / int64(v.stride)); e.count < n; e.count++ {
		r := v.record(e.count)
		if !good(r) || idOf(r) <= e.last {
			break
		}
		e.last = idOf(r)
	}
	return e
}

// find is the first of the records in [from, to) whose id is at least id, or to.
// Most ids have a record, and intervals come in ascending order, so it looks as far
// away as id would be without gaps first, and then nearer to from.
func (v *view) find(id int64, from, to int) int {
	below := func(i int) bool { return idOf(v.record(i)) < id }
	if from >= to || !below(from) {
		return from
	}
	if away := id - idOf(v.record(from)); 0 < away && away < int64(to-from) { // ids ascend by 1 at least
		if to = from + int(away); below(to - 1) {
			return to
		}
	}
	step := 1
	for from+step < to && below(from+step) {
		from += step
		step *= 2
	}
	to = min(to, from+step)
	return from + sort.Search(to-from, func(i int) bool { return !below(from + i) })
}
