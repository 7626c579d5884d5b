package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/assay-rag/assay/index/internal/vectors"
)

// Compact makes the index as small and fast as it can be: it rewrites the file
// without the gaps that removed documents left, merges the word list, and makes the
// file of vectors anew. It needs as much room again on the disk for a moment.
// Others may read meanwhile, not write.
func (x *Index) Compact(ctx context.Context) (err error) {
	defer x.wrap("compact", &err)
	if err := x.alone(func(s *session) error {
		for _, q := range []string{
			`INSERT INTO words (words) VALUES ('optimize')`,
			`VACUUM`,
			`PRAGMA wal_checkpoint(TRUNCATE)`, // as far as readers let it
		} {
			if err := s.exec(ctx, q); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return x.remakeVectors(ctx)
}

// checkFile compares the mapped file, where there is one, with the table. That it
// lacks the last vectors is no damage, but records there that aren't good are.
func (x *Index) checkFile(ctx context.Context) error {
	e, ok, err := x.embedding(ctx)
	if err != nil || !ok {
		return err
	}
	f, err := vectors.Open(x.mapped.path, e.dim, e.epoch)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer f.Close()
		c := newComparison(ctx, x, e)
		defer c.stop()
		_, err = f.Verify(ctx, c.with)
		if torn := 0; err == nil {
			if torn, err = f.Torn(); torn > 0 {
				err = fmt.Errorf("%w: %d of its records aren't what was written, or follow one that isn't", vectors.ErrDamaged, torn)
			}
		}
	}
	if errors.Is(err, vectors.ErrDamaged) || errors.Is(err, vectors.ErrOther) {
		return x.damaged(err.Error())
	}
	return err
}

// comparison goes through the table beside the records of the file. Its snapshot
// begins with the first record, after the file's own state was taken: so whatever
// the file has, the table has or had.
type comparison struct {
	next func() (vectors.Record, error, bool)
	stop func()
	last int64 // embedded, in the snapshot
	row  vectors.Record
}

func newComparison(ctx context.Context, x *Index, e embedding) *comparison {
	c := &comparison{}
	c.next, c.stop = iter.Pull2(func(yield func(vectors.Record, error) bool) {
		err := x.read(ctx, func(s *session) error {
			now, _, err := embeddingOf(ctx, s)
			if err != nil {
				return err
			}
			if now.epoch != e.epoch {
				return errors.New("the vectors were made anew meanwhile; check again")
			}
			c.last = now.embedded
			for r, err := range allVectors(ctx, s, e.dim) {
				if err != nil || !yield(r, nil) {
					return err
				}
			}
			return nil
		})
		if err != nil {
			yield(vectors.Record{}, err)
		}
	})
	return c
}

// with compares the next record of the file. One whose passage is gone is no damage.
func (c *comparison) with(r vectors.Record) error {
	for c.row.ID < r.ID {
		row, err, more := c.next()
		if err != nil {
			return err
		}
		switch {
		case r.ID > c.last:
			return errAhead
		case !more:
			c.row = vectors.Record{ID: 1 << 62}
		case row.ID < r.ID:
			return fmt.Errorf("%w: it lacks passage %d", vectors.ErrDamaged, row.ID)
		default:
			c.row = row
		}
	}
	if c.row.ID == r.ID && (c.row.Vector.Scale != r.Vector.Scale || !bytes.Equal(c.row.Vector.Bytes, r.Vector.Bytes)) {
		return fmt.Errorf("%w: passage %d has another vector in the index", vectors.ErrDamaged, r.ID)
	}
	return nil
}

// repairVectors takes out of the table what contradicts the passages, and moves
// the documents that lack a vector above the watermark.
func repairVectors(ctx context.Context, s *session) error {
	e, ok, err := embeddingOf(ctx, s)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	if !ok {
		return s.exec(ctx, `DELETE FROM embedding; DELETE FROM vectors`)
	}
	if err := s.exec(ctx, `UPDATE embedding SET embedded = min(embedded, (SELECT next_passage - 1 FROM state));
		DELETE FROM vectors WHERE passage > (SELECT embedded FROM embedding) OR passage NOT IN (SELECT id FROM passages)`); err != nil {
		return err
	}
	bad, err := badVectors(ctx, s, e.dim)
	if err != nil {
		return err
	}
	for _, id := range bad {
		if _, err := s.do(bare, `DELETE FROM vectors WHERE passage = ?`, id); err != nil {
			return err
		}
	}
	var docs []int64
	if err := s.rowsOnce(ctx, func(scan func(...any) error) error {
		docs = append(docs, 0)
		return scan(&docs[len(docs)-1])
	}, `SELECT DISTINCT document FROM passages WHERE id <= ? AND id NOT IN (SELECT passage FROM vectors)`, e.embedded); err != nil {
		return err
	}
	for _, doc := range docs {
		if err := renumber(s, doc); err != nil {
			return err
		}
	}
	return nil
}

// renumber gives the passages of a document new numbers, as if it had changed.
// Their words must be stored again.
func renumber(s *session, doc int64) error {
	var first, count, next int64
	if err := s.row(bare, []any{&first, &count, &next}, `SELECT first, count, next_passage FROM documents, state WHERE documents.id = ?`, doc); err != nil {
		return err
	}
	for _, c := range []struct {
		query string
		args  []any
	}{
		{`DELETE FROM vectors WHERE passage >= ? AND passage < ?`, []any{first, first + count}},
		{`UPDATE passages SET id = id + ? WHERE id >= ? AND id < ?`, []any{next - first, first, first + count}},
		{`UPDATE documents SET first = ? WHERE id = ?`, []any{next, doc}},
		{`UPDATE state SET next_passage = ?`, []any{next + count}},
	} {
		if _, err := s.do(bare, c.query, c.args...); err != nil {
			return err
		}
	}
	return nil
}
