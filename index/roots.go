package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Root is a folder whose documents are in a collection.
type Root struct {
	Path string // absolute
	Name string // the first part of the IDs of its documents
}

// rootRow is a root in the file.
type rootRow struct{ id, collection int64 }

// Root registers a folder (an absolute path) with the collection and returns
// the name under which its documents are known: the folder's base name, or,
// where another folder of the collection has that, the base name and a number.
// The same folder always gets the same name.
func (x *Index) Root(ctx context.Context, collection, path string) (name string, err error) {
	defer x.wrap("root", &err)
	path = filepath.Clean(path)
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%w: %s isn't an absolute path", ErrInvalid, path)
	}
	if name, err := x.knownRoot(ctx, collection, path); err != nil || name != "" {
		return name, err
	}
	err = x.write(ctx, func(s *session) error {
		name, err = addRoot(s, named(collection), path)
		return err
	})
	return name, err
}

// knownRoot looks for the root without waiting for a writer.
func (x *Index) knownRoot(ctx context.Context, collection, path string) (name string, err error) {
	err = x.read(ctx, func(s *session) error {
		err := s.row(ctx, []any{&name}, `SELECT r.name FROM roots r JOIN collections c ON c.id = r.collection
			WHERE c.name = ? AND r.path = ?`, named(collection), path)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return name, err
}

func addRoot(s *session, collection, path string) (name string, err error) {
	if _, err := s.do(bare, `INSERT INTO collections (name) VALUES (?) ON CONFLICT DO NOTHING`, collection); err != nil {
		return "", err
	}
	c, _, err := lookup(bare, s, collection)
	if err != nil {
		return "", err
	}
	base := strings.Trim(filepath.Base(path), `/\.: `)
	if base == "" {
		base = "root"
	}
	for n := 1; ; n++ {
		name = base
		if n > 1 {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		// Another process may have added the same path since it was looked for.
		err := s.row(bare, []any{&name}, `INSERT INTO roots (collection, path, name) VALUES (?, ?, ?)
			ON CONFLICT (collection, path) DO UPDATE SET path = excluded.path
			ON CONFLICT (collection, name) DO NOTHING RETURNING name`, c.id, path, name)
		if !errors.Is(err, sql.ErrNoRows) {
			return name, err
		}
	}
}

// mustRoot finds a root by name, or fails with ErrNotFound.
func (x *Index) mustRoot(ctx context.Context, s *session, op, collection, name string) (r rootRow, err error) {
	err = s.row(ctx, []any{&r.id, &r.collection}, `SELECT r.id, r.collection FROM roots r JOIN collections c ON c.id = r.collection
		WHERE c.name = ? AND r.name = ?`, named(collection), name)
	if errors.Is(err, sql.ErrNoRows) {
		return r, &Error{Op: op, Path: x.path, Kind: fmt.Errorf("root %q of collection %q %w", name, named(collection), ErrNotFound),
			Hint: "register its folder first"}
	}
	return r, err
}

// Roots lists the roots of the collection by name; none where there is no such
// collection.
func (x *Index) Roots(ctx context.Context, collection string) (roots []Root, err error) {
	defer x.wrap("roots", &err)
	err = x.read(ctx, func(s *session) error {
		return s.rows(ctx, func(scan func(...any) error) error {
			var r Root
			if err := scan(&r.Path, &r.Name); err != nil {
				return err
			}
			roots = append(roots, r)
			return nil
		}, `SELECT r.path, r.name FROM roots r JOIN collections c ON c.id = r.collection WHERE c.name = ? ORDER BY r.name`, named(collection))
	})
	return roots, err
}

// Stamps returns the Stamp of each document of the root, by ID; empty where
// there is no such root.
func (x *Index) Stamps(ctx context.Context, collection, root string) (stamps map[string]string, err error) {
	defer x.wrap("stamps", &err)
	stamps = map[string]string{}
	err = x.read(ctx, func(s *session) error {
		return s.rows(ctx, func(scan func(...any) error) error {
			var name, stamp string
			if err := scan(&name, &stamp); err != nil {
				return err
			}
			stamps[name] = stamp
			return nil
		}, `SELECT d.name, d.stamp FROM collections c JOIN roots r ON r.collection = c.id JOIN documents d ON d.root = r.id
			WHERE c.name = ? AND r.name = ?`, named(collection), root)
	})
	return stamps, err
}

// RemoveRoot deletes a root with its documents, and the collection with its
// last root. A root that isn't there is ErrNotFound.
func (x *Index) RemoveRoot(ctx context.Context, collection, root string) (err error) {
	defer x.wrap("remove root", &err)
	return x.write(ctx, func(s *session) error {
		r, err := x.mustRoot(ctx, s, "remove root", collection, root)
		if err != nil {
			return err
		}
		var ids []string
		if err := s.rows(ctx, func(scan func(...any) error) error {
			ids = append(ids, "")
			return scan(&ids[len(ids)-1])
		}, `SELECT name FROM documents WHERE root = ?`, r.id); err != nil {
			return err
		}
		if err := x.removeAll(ctx, s, r, ids); err != nil {
			return err
		}
		if _, err := s.do(bare, `DELETE FROM roots WHERE id = ?`, r.id); err != nil {
			return err
		}
		return dropEmptyCollection(s, r.collection, x)
	})
}

// dropEmptyCollection deletes a collection that has no root left.
func dropEmptyCollection(s *session, id int64, x *Index) error {
	var roots int
	if err := s.row(bare, []any{&roots}, `SELECT count(*) FROM roots WHERE collection = ?`, id); err != nil || roots > 0 {
		return err
	}
	x.ids.forget()
	for _, q := range []string{
		`DELETE FROM terms WHERE collection = ?`,
		`DELETE FROM languages WHERE collection = ?`,
		`DELETE FROM collections WHERE id = ?`,
	} {
		if _, err := s.do(bare, q, id); err != nil {
			return err
		}
	}
	return nil
}
