package index

import (
	"context"
	"errors"
	"io/fs"

	"github.com/assay-rag/assay/index/internal/vectors"
)

// leastDead is how many records the file must have before it is made anew because
// more than half of them are of removed passages: below that it is small anyway.
const leastDead = 200

// followVectors brings the mapped file up to what is committed, and makes it anew
// where that is needed. The write lock sees to it that one process does so at a
// time, and that it appends all that came before.
func (x *Index) followVectors(ctx context.Context) error {
	return x.exclusive(ctx, func(s *session) error { return x.follow(ctx, s) })
}

// follow is followVectors where the lock is held.
func (x *Index) follow(ctx context.Context, s *session) error {
	if _, damaged := x.mapped.current(); damaged {
		return x.remake(ctx, s)
	}
	e, ok, err := embeddingOf(ctx, s)
	if err != nil || !ok {
		return x.remake(ctx, s)
	}
	err = x.appendVectors(ctx, s, e)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return x.remake(ctx, s)
	case errors.Is(err, vectors.ErrDamaged), errors.Is(err, vectors.ErrOther):
		x.log.Warn("the vector file of the index is made anew", "file", x.mapped.path, "error", err)
		return x.remake(ctx, s)
	}
	return err
}

// appendVectors appends what the file lacks.
func (x *Index) appendVectors(ctx context.Context, s *session, e embedding) error {
	f, err := x.mapped.open(e)
	if err != nil {
		return err
	}
	if err := appendAfterLast(ctx, s, f, e); err != nil {
		x.mapped.discard(f, false)
		return err
	}
	x.mapped.keep(f)
	return nil
}

func appendAfterLast(ctx context.Context, s *session, f *mappedFile, e embedding) error {
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

// remakeVectors makes the mapped file anew.
func (x *Index) remakeVectors(ctx context.Context) error {
	return x.exclusive(ctx, func(s *session) error { return x.remake(ctx, s) })
}

// remake is remakeVectors where the lock is held. A file that belongs to nothing
// is removed.
func (x *Index) remake(ctx context.Context, s *session) error {
	e, ok, err := embeddingOf(ctx, s)
	if err != nil {
		return err
	}
	if !ok {
		x.mapped.remove()
		return nil
	}
	if err := vectors.Create(x.mapped.path, e.dim, e.epoch, allVectors(ctx, s, e.dim)); err != nil {
		return err
	}
	x.mapped.release()
	f, err := x.mapped.open(e)
	if err == nil {
		x.mapped.keep(f)
	}
	return err
}

// shrinkVectors makes the file anew where most of it is of removed passages.
func (x *Index) shrinkVectors(ctx context.Context) error {
	f, _ := x.mapped.current()
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
