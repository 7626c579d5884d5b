package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Remove deletes documents of the root with their passages and all that they
// alone brought into the vocabulary. An ID that isn't there is no error.
func (x *Index) Remove(ctx context.Context, collection, root string, ids []string) (err error) {
	defer x.wrap("remove", &err)
	return x.write(ctx, func(s *session) error {
		r, err := x.mustRoot(ctx, s, "remove", collection, root)
		if err != nil {
			return err
		}
		return x.removeAll(ctx, s, r, ids)
	})
}

func (x *Index) removeAll(ctx context.Context, s *session, r rootRow, ids []string) error {
	t := newTally(r.collection)
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := x.removeOne(s, r, id, t); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	return t.apply(s)
}

// removeOne deletes a document of the root, if it is there, and takes its words
// off the tally.
func (x *Index) removeOne(s *session, r rootRow, name string, t *tally) error {
	var doc, root, first, n int64
	var language string
	err := s.row(bare, []any{&doc, &root, &first, &n, &language},
		`SELECT id, root, first, count, language FROM documents WHERE collection = ? AND name = ?`, r.collection, name)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if root != r.id {
		return fmt.Errorf("%w: %s belongs to another root of the collection", ErrInvalid, name)
	}
	t.languages[language]--
	for id := first; id < first+n; id++ {
		if err := removePassage(s, id, t); err != nil {
			return err
		}
	}
	for _, q := range []string{
		`DELETE FROM aliases WHERE document = ?`,
		`DELETE FROM fields WHERE document = ?`,
		`DELETE FROM texts WHERE id BETWEEN ?1 << 16 AND (?1 << 16) + 65535`,
		`DELETE FROM documents WHERE id = ?`,
	} {
		if _, err := s.do(bare, q, doc); err != nil {
			return err
		}
	}
	return nil
}

func removePassage(s *session, id int64, t *tally) error {
	var terms []byte
	var length int
	if err := s.row(bare, []any{&terms, &length}, `SELECT terms, length FROM passages WHERE id = ?`, id); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%w: passage %d is missing", ErrDamaged, id)
		}
		return err
	}
	entries, err := bag(terms).entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		t.df[e.id]--
	}
	t.passages--
	t.length -= length
	for _, q := range []string{
		`DELETE FROM words WHERE rowid = ?`,
		`DELETE FROM vectors WHERE passage = ?`,
		`DELETE FROM passages WHERE id = ?`,
	} {
		if _, err := s.do(bare, q, id); err != nil {
			return err
		}
	}
	return nil
}

// Restamp records new stamps for documents whose text has not changed. For an
// ID that isn't there it fails with ErrNotFound and records none.
func (x *Index) Restamp(ctx context.Context, collection, root string, stamps map[string]string) (err error) {
	defer x.wrap("restamp", &err)
	return x.write(ctx, func(s *session) error {
		r, err := x.mustRoot(ctx, s, "restamp", collection, root)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(stamps)) {
			n, err := s.do(bare, `UPDATE documents SET stamp = ? WHERE root = ? AND name = ?`, stamps[name], r.id, name)
			if err != nil {
				return err
			}
			if n == 0 {
				return &Error{Op: "restamp", Path: x.path, Kind: fmt.Errorf("document %s %w", name, ErrNotFound), Hint: "put it again"}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
}
