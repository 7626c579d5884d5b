package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/assay-rag/assay/index/internal/vectors"
)

// VectorsName is the file of vectors beside FileName. It derives from that file,
// and may be deleted while no program has the index open.
const VectorsName = "vectors"

const (
	// copyPage is how many vectors are copied to the file at a time.
	copyPage = 1000
	// leastDead is how many records the file must have before it is made anew because
	// more than half of them are of removed passages.
	leastDead = 200
	// retryAfter is how long searches do without a file that can't be made.
	retryAfter = time.Minute
)

// mapped is the file of vectors that a search reads instead of the table of
// that name. It is opened when it is first needed and never trusted over the table.
type mapped struct {
	path string

	mu   sync.Mutex
	file *vectorFile // nil where it isn't open
	bad  bool        // a scan found it damaged; it must be made anew
	rest time.Time   // until then no search tries to make it anew, as that failed
}

// vectorFile is the file of one epoch.
type vectorFile struct {
	*vectors.File
	epoch vectors.Epoch
}

// now returns the file where it is open.
func (m *mapped) now() (f *vectorFile, bad bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.file, m.bad
}

// open returns the file of the epoch: the one that is open, or another that is
// to be kept or closed.
func (m *mapped) open(e embedding) (*vectorFile, error) {
	if f, _ := m.now(); f != nil && f.epoch == e.epoch {
		return f, nil
	}
	f, err := vectors.Open(m.path, e.dim, e.epoch)
	if err != nil {
		return nil, err
	}
	return &vectorFile{f, e.epoch}, nil
}

// keep leaves f open for others, unless they have opened it meanwhile.
func (m *mapped) keep(f *vectorFile) *vectorFile {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.file == f:
	case m.file != nil && m.file.epoch == f.epoch:
		f.Close()
	default:
		m.drop()
		m.file = f
	}
	return m.file
}

// give closes a file that failed, and notes where it must be made anew.
func (m *mapped) give(f *vectorFile, bad bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == f {
		m.drop()
		m.bad = bad
	} else {
		f.Close()
	}
}

// drop closes the file, with m.mu held. Scans under way end first.
func (m *mapped) drop() {
	if m.file != nil {
		m.file.Close() // there is nothing to do about a mapping that won't go
		m.file = nil
	}
	m.bad = false
}

func (m *mapped) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop()
}

// remove deletes a file that belongs to nothing any more. Where another process
// keeps it from being deleted, its epoch gives it away.
func (m *mapped) remove() {
	m.close()
	os.Remove(m.path)
}

// tire has searches leave the file alone for a while.
func (m *mapped) tire() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rest = time.Now().Add(retryAfter)
}

func (m *mapped) resting() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Before(m.rest)
}

// vectorFile returns the mapped file for a search, and nil where there is none
// that can be used: then the search reads the table, as far as it may. An index
// that may be written to makes an unusable file anew.
func (x *Index) vectorFile(ctx context.Context) *vectorFile {
	if x.opts.Embedder == nil {
		return nil
	}
	f, bad := x.mapped.now()
	if f != nil {
		return f
	}
	if !bad || x.opts.ReadOnly {
		if f, err := x.openVectors(ctx); err == nil {
			return f
		}
	}
	if ctx.Err() != nil || x.opts.ReadOnly || x.mapped.resting() {
		return nil
	}
	if err := x.followVectors(ctx); err != nil {
		x.log.Warn("the vector file of the index can't be made", "file", x.mapped.path, "error", err)
		x.mapped.tire()
		return nil
	}
	f, _ = x.mapped.now()
	return f
}

// openVectors opens the mapped file and looks whether it knows more than the
// table, as it may after a loss of power: the file is written after the commit
// of the table, so whoever looks at the file first and at the table after sees a
// table that is further. It returns nil where nothing was embedded.
func (x *Index) openVectors(ctx context.Context) (*vectorFile, error) {
	e, ok, err := x.embedding(ctx)
	if err != nil || !ok {
		return nil, err
	}
	f, err := x.mapped.open(e)
	if err != nil {
		return nil, err
	}
	last, err := f.Last()
	if err == nil {
		var now embedding
		if now, _, err = x.embedding(ctx); err == nil && now.epoch == e.epoch && last > now.embedded {
			err = errAhead
		}
	}
	if err != nil {
		x.mapped.give(f, false)
		return nil, err
	}
	return x.mapped.keep(f), nil
}

// errAhead says that the file knows passages that the table doesn't.
var errAhead = fmt.Errorf("%w: it goes further than the index", vectors.ErrOther)

// embedding reads what is recorded of the vectors now.
func (x *Index) embedding(ctx context.Context) (e embedding, ok bool, err error) {
	err = x.read(ctx, func(s *session) error {
		e, ok, err = embeddingOf(ctx, s)
		return err
	})
	return e, ok, err
}

// followVectors brings the mapped file up to what is committed, and makes it anew
// where that is needed. The write lock sees to it that one process does so at a
// time, and that it appends all that came before.
func (x *Index) followVectors(ctx context.Context) error {
	return x.exclusive(ctx, func(s *session) error {
		e, ok, err := embeddingOf(ctx, s)
		if err != nil {
			return err
		}
		if !ok {
			x.mapped.remove()
			return nil
		}
		if _, bad := x.mapped.now(); bad {
			return x.makeVectors(ctx, s, e)
		}
		err = x.appendVectors(ctx, s, e)
		if errors.Is(err, vectors.ErrDamaged) || errors.Is(err, vectors.ErrOther) || errors.Is(err, fs.ErrNotExist) {
			if !errors.Is(err, fs.ErrNotExist) {
				x.log.Warn("the vector file of the index is made anew", "file", x.mapped.path, "error", err)
			}
			return x.makeVectors(ctx, s, e)
		}
		return err
	})
}

// appendVectors appends what the file lacks.
func (x *Index) appendVectors(ctx context.Context, s *session, e embedding) error {
	f, err := x.mapped.open(e)
	if err != nil {
		return err
	}
	if err := appendAfterLast(ctx, s, f, e); err != nil {
		x.mapped.give(f, false)
		return err
	}
	x.mapped.keep(f)
	return nil
}

func appendAfterLast(ctx context.Context, s *session, f *vectorFile, e embedding) error {
	last, err := f.Last()
	if err != nil {
		return err
	}
	if last > e.embedded {
		return errAhead
	}
	for records, err := range vectorPages(ctx, s, e.dim, last) {
		if err != nil {
			return err
		}
		if err := f.Append(records); err != nil {
			return err
		}
	}
	return nil
}

// makeVectors makes the file anew.
func (x *Index) makeVectors(ctx context.Context, s *session, e embedding) error {
	if err := vectors.Create(x.mapped.path, e.dim, e.epoch, allVectors(ctx, s, e.dim)); err != nil {
		return err
	}
	x.mapped.close()
	f, err := x.mapped.open(e)
	if err == nil {
		x.mapped.keep(f)
	}
	return err
}

// allVectors reads the whole table.
func allVectors(ctx context.Context, s *session, dim int) iter.Seq2[vectors.Record, error] {
	return func(yield func(vectors.Record, error) bool) {
		for records, err := range vectorPages(ctx, s, dim, 0) {
			if err != nil {
				yield(vectors.Record{}, err)
				return
			}
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// vectorPages reads the vectors of the passages above a number, a page after the
// other.
func vectorPages(ctx context.Context, s *session, dim int, above int64) iter.Seq2[[]vectors.Record, error] {
	return func(yield func([]vectors.Record, error) bool) {
		for {
			page, err := vectorsBetween(ctx, s, dim, above, 1<<62, copyPage)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(page) == 0 || !yield(page, nil) {
				return
			}
			above = page[len(page)-1].ID
		}
	}
}

// vectorsBetween reads up to n vectors of the passages above one number and up to
// another.
func vectorsBetween(ctx context.Context, s *session, dim int, above, upTo int64, n int) (out []vectors.Record, err error) {
	err = s.rows(ctx, func(scan func(...any) error) error {
		var r vectors.Record
		var blob []byte
		err := scan(&r.ID, &blob)
		if err == nil {
			if r.Vector, err = vectors.ParseBlob(blob, dim); err != nil {
				err = fmt.Errorf("%w: passage %d: %w", ErrDamaged, r.ID, err)
			}
		}
		out = append(out, r)
		return err
	}, `SELECT passage, data FROM vectors WHERE passage > ? AND passage <= ? ORDER BY passage LIMIT ?`, above, upTo, n)
	return out, err
}

// shrinkVectors makes the file anew where most of it is of removed passages.
func (x *Index) shrinkVectors(ctx context.Context) error {
	f, _ := x.mapped.now()
	if f == nil {
		return nil
	}
	records, err := f.Len()
	if err != nil || records < leastDead {
		return err
	}
	var alive int
	if err := x.read(ctx, func(s *session) error {
		e, _, err := embeddingOf(ctx, s)
		if err != nil {
			return err
		}
		pending, err := pendingAll(ctx, s, e.embedded)
		if err != nil {
			return err
		}
		err = s.row(ctx, []any{&alive}, `SELECT coalesce(sum(passages), 0) FROM collections`)
		alive -= pending
		return err
	}); err != nil || records <= 2*alive {
		return err
	}
	// The removals must be as safe from a loss of power as the new file is: it has no
	// vectors for them.
	if err := x.alone(func(s *session) error { return s.exec(ctx, `PRAGMA wal_checkpoint`) }); err != nil {
		return err
	}
	return x.remakeVectors(ctx)
}

// vectorsPath is where the mapped file of an index is; that of one that is still
// in the making, under another name, has another name too.
func vectorsPath(index string) string {
	dir, name := filepath.Split(index)
	if name == FileName {
		return filepath.Join(dir, VectorsName)
	}
	return index + "-" + VectorsName
}
