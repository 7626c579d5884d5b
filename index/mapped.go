package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/assay-rag/assay/index/internal/vectors"
)

// VectorsName is the file of vectors beside FileName. It derives from that file,
// and may be deleted while no program has the index open.
const VectorsName = "vectors"

// retryAfter is how long searches do without a file that can't be made: each try
// reads the whole table, and a folder that can't be written to stays so for a while.
const retryAfter = time.Minute

// mapped is the file of vectors that a search reads instead of the table of
// that name. It is opened when it is first needed and never trusted over the table.
type mapped struct {
	path string

	mu      sync.Mutex
	file    *mappedFile // nil where it isn't open
	damaged bool        // a scan found it so; it must be made anew
	retryAt time.Time   // until then no search tries to make it anew, as that failed
	closed  bool        // with the index: nothing is kept any more
}

// mappedFile is the file of one epoch.
type mappedFile struct {
	*vectors.File
	epoch vectors.Epoch
}

// current returns the file where it is open.
func (m *mapped) current() (f *mappedFile, damaged bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.file, m.damaged
}

// open returns the file of the epoch: the one that is open, or another that is
// to be kept or discarded.
func (m *mapped) open(e embedding) (*mappedFile, error) {
	if f, _ := m.current(); f != nil && f.epoch == e.epoch {
		return f, nil
	}
	f, err := vectors.Open(m.path, e.dim, e.epoch)
	if err != nil {
		return nil, err
	}
	return &mappedFile{f, e.epoch}, nil
}

// keep leaves f open for others, unless they have opened it meanwhile, and returns
// what is open: nothing once the index is closed.
func (m *mapped) keep(f *mappedFile) *mappedFile {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.file == f:
	case m.closed, m.file != nil && m.file.epoch == f.epoch:
		f.Close()
	default:
		m.drop()
		m.file = f
	}
	return m.file
}

// discard closes a file that failed, and notes where it must be made anew.
func (m *mapped) discard(f *mappedFile, damaged bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == f {
		m.drop()
		m.damaged = damaged
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
	m.damaged = false
}

// release closes the file, so that the next who needs it opens it anew.
func (m *mapped) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop()
}

// close closes the file for good.
func (m *mapped) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop()
	m.closed = true
}

// remove deletes a file that belongs to nothing any more. Where another process
// keeps it from being deleted, its epoch gives it away.
func (m *mapped) remove() {
	m.release()
	os.Remove(m.path)
}

// removePartial removes what a process left that was killed while it made the file
// anew. Nobody does so just now where the index can be written to; where it can't,
// the next one who opens it, or makes the file anew, sees to it.
func (x *Index) removePartial(ctx context.Context) {
	partial := vectors.PartialPath(x.mapped.path)
	if _, err := os.Lstat(partial); err != nil || x.opts.ReadOnly {
		return
	}
	x.ifIdle(ctx, func(*session) error { return os.Remove(partial) })
}

// pauseRebuild has searches leave the file alone for a while.
func (m *mapped) pauseRebuild() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.retryAt = time.Now().Add(retryAfter)
}

func (m *mapped) paused() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Before(m.retryAt)
}

// vectorFile returns the mapped file for a search, and nil where there is none
// that can be used: then the search reads the table, as far as it may, as it does
// for what the file lacks. An index that may be written to makes an unusable file
// anew and appends what one lacks, unless somebody is writing: a search doesn't
// wait for that.
func (x *Index) vectorFile(ctx context.Context) *mappedFile {
	if x.opts.Embedder == nil {
		return nil
	}
	var f *mappedFile
	if _, damaged := x.mapped.current(); !damaged || x.opts.ReadOnly {
		var err error
		if f, err = x.openVectors(ctx); err == nil && (f == nil || x.opts.ReadOnly || !x.lacksVectors(ctx, f)) {
			return f
		}
	}
	if ctx.Err() != nil || x.opts.ReadOnly || x.mapped.paused() {
		return f
	}
	err := x.ifIdle(ctx, func(s *session) error { return x.follow(ctx, s) })
	switch {
	case ctx.Err() != nil || errors.Is(err, ErrBusy) || errors.Is(err, errClosed):
		return f
	case err != nil:
		x.log.Warn("the vector file of the index can't be made", "file", x.mapped.path, "error", err)
		x.mapped.pauseRebuild()
	}
	f, _ = x.mapped.current()
	return f
}

// lacksVectors tells whether the table has vectors after the last one of the file:
// for the moment between the commit and the append, after a crash there, and where
// a record of the file went bad and hides those after it.
func (x *Index) lacksVectors(ctx context.Context, f *mappedFile) (lacks bool) {
	last, err := f.Last()
	if err != nil {
		return false // the search finds out itself
	}
	err = x.read(ctx, func(s *session) error {
		e, ok, err := embeddingOf(ctx, s)
		if err != nil || !ok || e.epoch != f.epoch || last >= e.embedded {
			return err
		}
		var end int64 // that of embedded may have been removed
		err = s.row(ctx, []any{&end}, `SELECT coalesce(max(passage), 0) FROM vectors`)
		lacks = last < end
		return err
	})
	return lacks && err == nil
}

// openVectors returns the file of the present epoch, and nil where nothing was
// embedded. When it opens the file it looks whether that knows more than the
// table, as it may after a loss of power: the file is written after the commit
// of the table, so whoever looks at the file first and at the table after sees a
// table that is further.
func (x *Index) openVectors(ctx context.Context) (*mappedFile, error) {
	e, ok, err := x.embedding(ctx)
	if err != nil {
		return nil, err
	}
	if !ok {
		x.mapped.release()
		return nil, nil
	}
	f, err := x.mapped.open(e)
	if err != nil {
		return nil, err
	}
	if known, _ := x.mapped.current(); known == f {
		return f, nil
	}
	last, err := f.Last()
	if err == nil {
		var now embedding
		if now, _, err = x.embedding(ctx); err == nil && now.epoch == e.epoch && last > now.embedded {
			err = errAhead
		}
	}
	if err != nil {
		x.mapped.discard(f, false)
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

// vectorsPath is where the mapped file of an index is; that of one that is still
// in the making, under another name, has another name too.
func vectorsPath(index string) string {
	dir, name := filepath.Split(index)
	if name == FileName {
		return filepath.Join(dir, VectorsName)
	}
	return index + "-" + VectorsName
}
