package vectors

import (
	"bytes"
	"context"
	"fmt"
	"os"
)

// Verify reads the good part of the file and checks every record's checksum and
// the order of ids, which Open does for the end of the file alone. What follows the
// good part Torn tells. It calls each,
// unless that is nil, with every record, so that the caller can compare it with
// SQLite; the record's bytes are only valid until each returns, and its error ends
// Verify.
//
// It returns the number of records before the first bad one. The error wraps
// ErrDamaged and says which that is, or the context's error, or what Open returns.
func (f *File) Verify(ctx context.Context, each func(Record) error) (n int, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("vectors verify: %s: %w", f.path, err)
		}
	}()
	v, e, err := f.hold()
	if err != nil {
		return 0, err
	}
	defer f.release(v)
	var last int64
	r := make([]byte, f.stride)
	for ; n < e.count; n++ {
		if n%blockRows == 0 && ctx.Err() != nil {
			return n, ctx.Err()
		}
		if err := v.guard(func() { copy(r, v.record(n)) }); err != nil {
			return n, err
		}
		id := idOf(r)
		if !good(r) || id <= last {
			return n, fmt.Errorf("%w: its record %d, after passage %d, isn't what was written", ErrDamaged, n, last)
		}
		last = id
		if each == nil {
			continue
		}
		if err := each(Record{ID: id, Vector: Vector{Scale: scaleOf(r), Bytes: r[prefixSize : prefixSize+f.dim]}}); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Torn tells how many whole records stand in the file after its good part. A process
// that was killed while it appended leaves none, a loss of power may; any other
// reason is a damage, and good records may follow the bad one. Zeros don't count:
// Append overwrites with them what it finds there.
func (f *File) Torn() (n int, err error) {
	v, e, err := f.hold()
	if err != nil {
		return 0, fmt.Errorf("vectors torn: %s: %w", f.path, err)
	}
	defer f.release(v)
	info, err := os.Stat(f.path)
	if err != nil || !os.SameFile(info, v.info) {
		return 0, nil // it was replaced meanwhile
	}
	end := min(info.Size(), int64(len(v.data)))
	err = v.guard(func() {
		e = v.extend(e, end) // what was appended meanwhile
		for i := e.count; i < int(end-headerSize)/v.stride; i++ {
			if len(bytes.TrimLeft(v.record(i), "\x00")) > 0 {
				n++
			}
		}
	})
	return n, err
}
