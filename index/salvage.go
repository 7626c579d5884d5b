package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/internal/vectors"
	"github.com/assay-rag/assay/text"
)

// Salvaged says what came of a Salvage.
type Salvaged struct {
	// Documents were read whole. Recut ones among them had lost their passages, or
	// all but their names and texts, and were cut anew, more plainly; their stamps
	// are empty, so that they are read again when their folder is added again.
	Documents, Recut int
	// Changed documents have a text that contradicts its checksum. It is kept as it is
	// now, and their stamps are empty too.
	Changed int
	// Lost names the documents that are known but can't be read.
	Lost []string
	// Kept is where the damaged file was put.
	Kept string
}

// recutSize is about how many bytes a passage of a recut document has.
const recutSize = 1200

// Salvage makes a new index of all that can still be read of the damaged one in
// the folder, puts it in its place, and keeps the damaged file under another
// name. No program may have the index open meanwhile. The error wraps ErrDamaged
// where nothing can be read; then, as after any other failure, everything is left
// as it was. Where an earlier Salvage was killed while it put the new index in its
// place, this one goes on from there.
func Salvage(ctx context.Context, dir string, opts *Options) (report Salvaged, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return report, fmt.Errorf("index salvage: %s: %w", dir, err)
	}
	x := &Index{path: filepath.Join(abs, FileName)}
	defer x.wrap("salvage", &err)
	fresh := x.path + salvageEnd
	if kept := interrupted(x.path); kept != "" {
		report.Kept = kept
		return report, x.resume(ctx, fresh, &report)
	}
	if _, err := os.Stat(x.path); err != nil {
		return report, &Error{Op: "salvage", Path: x.path, Kind: ErrNotFound, Err: err, Hint: "there is nothing to salvage"}
	}
	if err := removeFiles(fresh); err != nil {
		return report, err
	}
	if err := x.copyReadable(ctx, fresh, opts, &report); err != nil {
		return report, errors.Join(err, removeFiles(fresh))
	}
	report.Kept = x.path + keptInfix + time.Now().UTC().Format("20060102-150405")
	if err := x.exchange(fresh, report.Kept); err != nil {
		return report, errors.Join(err, removeFiles(fresh))
	}
	return report, nil
}

// copyReadable copies document by document into a fresh index at the path.
func (x *Index) copyReadable(ctx context.Context, fresh string, opts *Options, report *Salvaged) error {
	db, err := sql.Open("sqlite", dsn(x.path, "mode=ro", "_pragma=query_only(1)"))
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := newSession(ctx, db)
	if err != nil {
		return err
	}
	defer s.close()
	last, err := lastDocument(ctx, s)
	if err != nil {
		return &Error{Op: "salvage", Path: x.path, Kind: ErrDamaged, Err: err,
			Hint: "nothing in it can be read; restore it from a copy, or remove it and add the folders again"}
	}
	var o Options
	if opts != nil {
		o.Log = opts.Log
	}
	to, err := openFile(ctx, fresh, &o)
	if err != nil {
		return err
	}
	defer to.Close()
	if err := copyRoots(ctx, s, to); err != nil {
		return err
	}
	v := salvager{from: s, to: to, report: report}
	if err := v.beginVectors(ctx); err != nil {
		return err
	}
	for doc := int64(1); doc <= last; doc++ {
		if err := v.copy(ctx, doc); err != nil {
			return err
		}
	}
	if err := v.flush(ctx); err != nil {
		return err
	}
	v.dim = 0 // what comes now has no vectors
	for _, doc := range v.later {
		if err := v.copy(ctx, doc); err != nil {
			return err
		}
	}
	if err := v.flush(ctx); err != nil {
		return err
	}
	return to.Close()
}

// salvager copies documents, those of one root that follow each other together:
// first those that have all their vectors, as the new index must have vectors up
// to some passage and none after it.
type salvager struct {
	from             *session
	to               *Index
	report           *Salvaged
	collection, root string
	docs             []assay.Document
	passages         [][]assay.Passage
	vectors          [][][]byte // of each document's passages
	dim              int        // of the vectors; 0 where they aren't copied
	later            []int64    // documents that lack some
}

// salvageBatch is how many documents are written together.
const salvageBatch = 64

// flush writes the documents gathered. Their vectors follow in a write of their
// own: nobody sees the new index before it is whole.
func (v *salvager) flush(ctx context.Context) error {
	if err := v.to.Put(ctx, v.collection, v.root, v.docs, v.passages); err != nil {
		return err
	}
	if v.dim > 0 {
		if err := v.to.write(ctx, v.putVectors); err != nil {
			return err
		}
	}
	v.report.Documents += len(v.docs)
	v.docs, v.passages, v.vectors = nil, nil, nil
	return nil
}

// lastDocument finds the greatest number that a document may have, from
// whichever table still tells it.
func lastDocument(ctx context.Context, s *session) (last int64, err error) {
	for _, q := range []string{
		`SELECT next_document - 1 FROM state`,
		`SELECT coalesce(max(id), 0) FROM documents`,
		`SELECT coalesce(max(id), 0) FROM documents INDEXED BY documents_name`,
		`SELECT coalesce(max(id) >> 16, 0) FROM texts`,
	} {
		if err = s.row(ctx, []any{&last}, q); err == nil {
			return last, nil
		}
	}
	return 0, err
}

// copy takes one document. Each read may fail by itself; only a failure to write
// is an error.
func (v *salvager) copy(ctx context.Context, doc int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d, err := document(ctx, v.from, doc)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		if d, err = v.remains(ctx, doc); err != nil {
			v.report.Lost = append(v.report.Lost, d.ID)
			return nil
		}
	}
	passages, err := passagesOf(v.from, doc, d.Text)
	blobs, whole := v.vectorsOf(ctx, passages)
	if v.dim > 0 && (err != nil || !whole) {
		v.later = append(v.later, doc)
		return nil
	}
	if err != nil {
		passages.list, d.Stamp = plainPassages(d.Text, recutSize), ""
		v.report.Recut++
	}
	var sum sql.NullInt64
	if v.from.row(ctx, []any{&sum}, `SELECT sum FROM documents WHERE id = ?`, doc) == nil && sum.Valid && sum.Int64 != int64(sumOf(d.Text)) {
		d.Stamp = ""
		v.report.Changed++
	}
	collection, root, err := homeOf(ctx, v.from, v.to, doc, d)
	if err != nil {
		return err
	}
	if collection != v.collection || root != v.root || len(v.docs) == salvageBatch {
		if err := v.flush(ctx); err != nil {
			return err
		}
		v.collection, v.root = collection, root
	}
	v.docs, v.passages, v.vectors = append(v.docs, d), append(v.passages, passages.list), append(v.vectors, blobs)
	return nil
}

// beginVectors looks what vectors there are, and tells the new index.
func (v *salvager) beginVectors(ctx context.Context) error {
	e, ok, err := embeddingOf(ctx, v.from)
	if err != nil || !ok {
		return nil // they are lost, and can be made again
	}
	v.dim = e.dim
	return v.to.write(ctx, func(s *session) error {
		_, err := s.do(ctx, `INSERT INTO embedding (id, model, dim, epoch, embedded) VALUES (1, ?, ?, ?, 0)`, e.model, e.dim, newEpoch())
		return err
	})
}

// vectorsOf reads the vectors of a document's passages; whole is false where one
// is missing or none are copied.
func (v *salvager) vectorsOf(ctx context.Context, passages passageList) (blobs [][]byte, whole bool) {
	if v.dim == 0 {
		return nil, false
	}
	for i := range passages.list {
		var blob []byte
		if v.from.row(ctx, []any{&blob}, `SELECT data FROM vectors WHERE passage = ?`, passages.first+int64(i)) != nil {
			return nil, false
		}
		if _, err := vectors.ParseBlob(blob, v.dim); err != nil {
			return nil, false
		}
		blobs = append(blobs, blob)
	}
	return blobs, true
}

// putVectors stores the vectors of the documents that were just written.
func (v *salvager) putVectors(s *session) error {
	for i, d := range v.docs {
		var first int64
		if err := s.row(bare, []any{&first}, `SELECT d.first FROM documents d JOIN collections c ON c.id = d.collection WHERE c.name = ? AND d.name = ?`,
			named(v.collection), d.ID); err != nil {
			return err
		}
		for j, blob := range v.vectors[i] {
			if _, err := s.do(bare, `INSERT INTO vectors (passage, data) VALUES (?, ?)`, first+int64(j), blob); err != nil {
				return err
			}
		}
	}
	_, err := s.do(bare, `UPDATE embedding SET embedded = (SELECT next_passage - 1 FROM state)`)
	return err
}

// remains puts a document together whose row is lost: its name stands in an index
// too, and its text in another table. The error says that there is no text; the
// ID is a name to report then.
func (v *salvager) remains(ctx context.Context, doc int64) (d assay.Document, err error) {
	if v.from.row(ctx, []any{&d.ID}, `SELECT name FROM documents INDEXED BY documents_name WHERE id = ?`, doc) != nil {
		d.ID = fmt.Sprintf("document number %d", doc)
	}
	var b strings.Builder
	for n := int64(0); ; n++ {
		var part []byte
		err := v.from.row(ctx, []any{&part}, `SELECT data FROM texts WHERE id = ?`, doc<<16|n)
		if errors.Is(err, sql.ErrNoRows) && n > 0 {
			break
		}
		if err != nil {
			return d, err
		}
		b.Write(part)
	}
	if !utf8.ValidString(b.String()) {
		return d, ErrDamaged
	}
	d.Title, d.Text = path.Base(d.ID), b.String()
	d.Language = text.Detect(d.Text)
	return d, nil
}

// homeOf finds the collection and the root of a document. Where the tables that
// tell are lost, it takes the default collection and a folder named after the
// first part of the ID.
func homeOf(ctx context.Context, s *session, to *Index, doc int64, d assay.Document) (collection, root string, err error) {
	for _, from := range []string{"documents d", "documents d INDEXED BY documents_root"} {
		if s.row(ctx, []any{&collection, &root}, `SELECT c.name, r.name FROM `+from+` JOIN roots r ON r.id = d.root
			JOIN collections c ON c.id = r.collection WHERE d.id = ?`, doc) == nil {
			return collection, root, nil
		}
	}
	name, _, _ := strings.Cut(d.ID, "/")
	lost, err := filepath.Abs(string(filepath.Separator) + filepath.Join("lost", name))
	if err != nil {
		return "", "", err
	}
	root, err = to.Root(ctx, assay.DefaultCollection, lost)
	return assay.DefaultCollection, root, err
}

// copyRoots copies what can be read of the roots, with their names, and the
// generation, so that no cache takes the new index for an older state of the damaged one.
func copyRoots(ctx context.Context, s *session, to *Index) error {
	type root struct{ collection, path, name string }
	var roots []root
	var generation int64
	// What fails here is made up for document by document.
	_ = s.row(ctx, []any{&generation}, `SELECT generation FROM state`)
	_ = s.rows(ctx, func(scan func(...any) error) error {
		var r root
		err := scan(&r.collection, &r.path, &r.name)
		if err == nil {
			roots = append(roots, r)
		}
		return err
	}, `SELECT c.name, r.path, r.name FROM roots r JOIN collections c ON c.id = r.collection ORDER BY r.id`)
	return to.write(ctx, func(s *session) error {
		if _, err := s.do(ctx, `UPDATE state SET generation = ?`, generation+1); err != nil {
			return err
		}
		for _, r := range roots {
			if _, err := s.do(ctx, `INSERT INTO collections (name) VALUES (?) ON CONFLICT DO NOTHING`, r.collection); err != nil {
				return err
			}
			if _, err := s.do(ctx, `INSERT INTO roots (collection, path, name) SELECT id, ?, ? FROM collections WHERE name = ?`, r.path, r.name, r.collection); err != nil {
				return err
			}
		}
		return nil
	})
}
