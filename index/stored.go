package index

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"github.com/assay-rag/assay/index/internal/vectors"
)

// copyPage is how many vectors are read from the table at a time: half a megabyte,
// so that what copies all of them needs little memory.
const copyPage = 1000

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

// badVectors lists the passages whose vectors in the table can't be read.
func badVectors(ctx context.Context, s *session, dim int) (ids []int64, err error) {
	err = s.rows(ctx, func(scan func(...any) error) error {
		var id int64
		var blob sql.RawBytes
		if err := scan(&id, &blob); err != nil {
			return err
		}
		if _, err := vectors.ParseBlob(blob, dim); err != nil {
			ids = append(ids, id)
		}
		return nil
	}, `SELECT passage, data FROM vectors ORDER BY passage`)
	return ids, err
}
