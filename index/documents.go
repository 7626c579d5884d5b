package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// moment is a date as it is in the file; the zero time where there is none.
func moment(seconds sql.NullInt64, ns int64) time.Time {
	if !seconds.Valid {
		return time.Time{}
	}
	return time.Unix(seconds.Int64, ns).UTC()
}

// partReader reads pieces of texts, and keeps the last part read: passages of
// one document often come together.
type partReader struct {
	s    *session
	id   int64
	data []byte
}

func (r *partReader) part(id int64) ([]byte, error) {
	if r.data != nil && r.id == id {
		return r.data, nil
	}
	var data []byte
	if err := r.s.row(bare, []any{&data}, `SELECT data FROM texts WHERE id = ?`, id); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return nil, fmt.Errorf("%w: a part of a document's text is missing", ErrDamaged)
		}
		return nil, err
	}
	r.id, r.data = id, data
	return data, nil
}

// slice returns bytes start to end of the document's text.
func (r *partReader) slice(doc int64, start, end int) (string, error) {
	var b strings.Builder
	b.Grow(end - start)
	for n := start / partSize; n*partSize < end; n++ {
		data, err := r.part(doc<<16 | int64(n))
		if err != nil {
			return "", err
		}
		from, to := max(start-n*partSize, 0), min(end-n*partSize, partSize)
		if to > len(data) {
			return "", fmt.Errorf("%w: a part of a document's text is too short", ErrDamaged)
		}
		b.Write(data[from:to])
	}
	return b.String(), nil
}

// Document returns the document with the ID, or with an ID that ends in "/" and
// id where there is only one such: "leave.md" for "handbook/leave.md". The error
// wraps ErrNotFound and names those that may be meant.
func (x *Index) Document(ctx context.Context, collection, id string) (d assay.Document, err error) {
	defer x.wrap("document", &err)
	err = x.read(ctx, func(s *session) error {
		c, err := x.mustLookup(ctx, s, "document", collection)
		if err != nil {
			return err
		}
		row, err := x.resolve(ctx, s, c, id)
		if err != nil {
			return err
		}
		d, err = document(ctx, s, row)
		return err
	})
	return d, err
}

// document reads the document with the number.
func document(ctx context.Context, s *session, row int64) (d assay.Document, err error) {
	var meta string
	var date sql.NullInt64
	var ns int64
	var size int
	if err := s.row(ctx, []any{&d.ID, &d.Title, &d.Language, &date, &ns, &d.DateFrom, &d.Version, &meta, &d.Stamp, &size},
		`SELECT name, title, language, date, date_ns, date_from, version, meta, stamp, size FROM documents WHERE id = ?`, row); err != nil {
		return d, err
	}
	d.Date = moment(date, ns)
	if err := json.Unmarshal([]byte(meta), &d.Meta); err != nil {
		return d, err
	}
	r := partReader{s: s}
	d.Text, err = r.slice(row, 0, size)
	return d, err
}

// resolve finds the number of a document by its ID or the end of it.
func (x *Index) resolve(ctx context.Context, s *session, c collection, id string) (row int64, err error) {
	err = s.row(ctx, []any{&row}, `SELECT id FROM documents WHERE collection = ? AND name = ?`, c.id, id)
	if !errors.Is(err, sql.ErrNoRows) {
		return row, err
	}
	var names []string
	var ending []int64
	suffix := "/" + strings.TrimPrefix(id, "/")
	if err := s.rows(ctx, func(scan func(...any) error) error {
		var n int64
		var name string
		if err := scan(&n, &name); err != nil {
			return err
		}
		if strings.HasSuffix(name, suffix) {
			if len(ending) == 0 {
				names = nil
			}
			ending = append(ending, n)
		} else if len(ending) > 0 {
			return nil
		}
		names = append(names, name)
		return nil
	}, `SELECT id, name FROM documents WHERE collection = ? ORDER BY name`, c.id); err != nil {
		return 0, err
	}
	if len(ending) == 1 && id != "" {
		return ending[0], nil
	}
	e := &Error{Op: "document", Path: x.path, Kind: fmt.Errorf("document %q %w", id, ErrNotFound)}
	switch {
	case len(ending) > 1:
		e.Hint = "several end so: " + strings.Join(names[:min(5, len(names))], ", ")
	case len(names) == 0:
		e.Hint = "the collection is empty"
	default:
		if near := nearNames(id, names, 3); len(near) > 0 {
			e.Hint = "did you mean " + strings.Join(near, " or ") + "?"
		} else {
			e.Hint = "list the documents to see their names"
		}
	}
	return 0, e
}

// nearNames returns up to n of the names that differ little from id, by their
// last part, the nearest first.
func nearNames(id string, names []string, n int) []string {
	stem := func(s string) string {
		s = path.Base(text.Fold(s))
		return strings.TrimSuffix(s, path.Ext(s))
	}
	type near struct {
		name     string
		distance int
	}
	want := stem(id)
	var found []near
	for _, name := range names {
		have := stem(name)
		d := distance(want, have, 3)
		if want != "" && len(want) > 2 && strings.Contains(have, want) {
			d = min(d, 1)
		}
		if d <= min(2, len(want)/3) {
			found = append(found, near{name, d})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
	var out []string
	for _, f := range found[:min(n, len(found))] {
		out = append(out, f.name)
	}
	return out
}

// Entry is a document in a list.
type Entry struct {
	ID       string
	Title    string
	Date     time.Time
	Passages int
	Bytes    int // of text
}

// Documents lists the documents of the collection by ID.
func (x *Index) Documents(ctx context.Context, collection string) (entries []Entry, err error) {
	defer x.wrap("documents", &err)
	err = x.read(ctx, func(s *session) error {
		c, err := x.mustLookup(ctx, s, "documents", collection)
		if err != nil {
			return err
		}
		return s.rows(ctx, func(scan func(...any) error) error {
			var e Entry
			var date sql.NullInt64
			var ns int64
			if err := scan(&e.ID, &e.Title, &date, &ns, &e.Passages, &e.Bytes); err != nil {
				return err
			}
			e.Date = moment(date, ns)
			entries = append(entries, e)
			return nil
		}, `SELECT name, title, date, date_ns, count, size FROM documents WHERE collection = ? ORDER BY name`, c.id)
	})
	return entries, err
}

// Collections lists the names of the collections.
func (x *Index) Collections(ctx context.Context) (names []string, err error) {
	defer x.wrap("collections", &err)
	err = x.read(ctx, func(s *session) error {
		names, err = collectionNames(ctx, s)
		return err
	})
	return names, err
}

func collectionNames(ctx context.Context, s *session) (names []string, err error) {
	err = s.rows(ctx, func(scan func(...any) error) error {
		names = append(names, "")
		return scan(&names[len(names)-1])
	}, `SELECT name FROM collections ORDER BY name`)
	return names, err
}

// Stats says how much a collection holds.
type Stats struct {
	Documents int
	Passages  int
	Bytes     int64 // of text
	Terms     int   // different ones
	Languages map[string]int
	// Newest is the date of the newest document; zero where none has a date.
	Newest time.Time
	// Pending counts the passages that have no vector.
	Pending int
	// Model and Dim are those of the vectors in the whole index, zero where none
	// was ever made. Generation is that of the whole index too.
	Model      string
	Dim        int
	Generation int64
}

// Stats counts what the collection holds.
func (x *Index) Stats(ctx context.Context, collection string) (st Stats, err error) {
	defer x.wrap("stats", &err)
	err = x.read(ctx, func(s *session) error {
		c, err := x.mustLookup(ctx, s, "stats", collection)
		if err != nil {
			return err
		}
		st.Passages = c.passages
		var newest sql.NullInt64
		if err := s.row(ctx, []any{&st.Documents, &st.Bytes, &newest, &st.Terms, &st.Generation}, `SELECT
			(SELECT count(*) FROM documents WHERE collection = ?1), (SELECT coalesce(sum(size), 0) FROM documents WHERE collection = ?1),
			(SELECT max(date) FROM documents WHERE collection = ?1),
			(SELECT count(*) FROM terms WHERE collection = ?1 AND df > 0 AND term NOT GLOB '=*'), (SELECT generation FROM state)`, c.id); err != nil {
			return err
		}
		st.Newest = moment(newest, 0)
		e, _, err := embeddingOf(ctx, s)
		if err != nil {
			return err
		}
		st.Model, st.Dim = e.modelName(), e.dim
		if st.Pending, err = pendingOf(ctx, s, c.id, e.embedded); err != nil {
			return err
		}
		st.Languages = map[string]int{}
		return s.rows(ctx, func(scan func(...any) error) error {
			var language string
			var n int
			if err := scan(&language, &n); err != nil {
				return err
			}
			st.Languages[language] = n
			return nil
		}, `SELECT language, documents FROM languages WHERE collection = ? AND documents > 0`, c.id)
	})
	return st, err
}
