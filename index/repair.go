package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"unicode/utf8"

	"github.com/assay-rag/assay"
)

// Check reads the whole index and returns an error that wraps ErrDamaged where
// something is wrong: in the file itself, between its tables, in a text, each of
// which has a checksum, or in the file of vectors. That this lacks the last vectors
// is no damage, unless bytes of theirs are there. It takes time in proportion to
// the size of the index.
func (x *Index) Check(ctx context.Context) (err error) {
	defer x.wrap("check", &err)
	// A connection of its own: integrity_check doesn't notice that what FTS5
	// remembers of the word list in an older connection is out of date, and
	// reports damage where there is none.
	s, err := newSession(ctx, x.readDB)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.snapshot(ctx, func() error {
		var first string
		if err := s.row(ctx, []any{&first}, `PRAGMA integrity_check(1)`); err != nil {
			return err
		}
		if first != "ok" {
			return x.damaged(first)
		}
		for _, c := range checks {
			var wrong int
			if err := s.row(ctx, []any{&wrong}, c.query); err != nil {
				return err
			}
			if wrong > 0 {
				return x.damaged(fmt.Sprintf("%d %s", wrong, c.what))
			}
		}
		changed, err := changedTexts(ctx, s)
		if err == nil && len(changed) > 0 {
			err = x.damaged(fmt.Sprintf("the text of %d documents isn't what was stored; the first is number %d", len(changed), changed[0]))
		}
		if err != nil {
			return err
		}
		return x.checkVectors(ctx, s)
	}); err != nil {
		return err
	}
	return x.checkFile(ctx)
}

// castagnoli is the polynomial of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumOf is the checksum that is kept of a text.
func sumOf(text string) uint32 { return crc32.Checksum([]byte(text), castagnoli) }

// changedTexts lists the documents whose text isn't what was put. SQLite has no
// checksums: to it, other letters are as good as any.
func changedTexts(ctx context.Context, s *session) (docs []int64, err error) {
	var last, want int64
	var sum uint32
	compare := func() {
		if last > 0 && int64(sum) != want {
			docs = append(docs, last)
		}
	}
	err = s.rowsOnce(ctx, func(scan func(...any) error) error {
		var doc, put int64
		var part sql.RawBytes
		if err := scan(&doc, &put, &part); err != nil {
			return err
		}
		if doc != last {
			compare()
			last, want, sum = doc, put, 0
		}
		sum = crc32.Update(sum, castagnoli, part)
		return nil
	}, `SELECT d.id, d.sum, t.data FROM texts t CROSS JOIN documents d ON d.id = t.id >> 16 WHERE d.sum IS NOT NULL ORDER BY t.id`)
	compare()
	return docs, err
}

// checkVectors parses each vector in the table.
func (x *Index) checkVectors(ctx context.Context, s *session) error {
	e, ok, err := embeddingOf(ctx, s)
	if err != nil || !ok {
		return err
	}
	bad, err := badVectors(ctx, s, e.dim)
	if err == nil && len(bad) > 0 {
		return x.damaged(fmt.Sprintf("%d vectors can't be read; the first is that of passage %d", len(bad), bad[0]))
	}
	return err
}

func (x *Index) damaged(what string) error {
	return &Error{Op: "check", Path: x.path, Kind: ErrDamaged, Err: errors.New(what),
		Hint: "call Rebuild, and if that fails too, Salvage; they keep every document that can still be read"}
}

// checks count what contradicts something else in the file.
var checks = []struct{ query, what string }{
	{`SELECT count(*) FROM documents d WHERE d.count != (SELECT count(*) FROM passages p
		WHERE p.id BETWEEN d.first AND d.first + d.count - 1 AND p.document = d.id)`, "documents lack passages"},
	{`SELECT count(*) FROM documents d WHERE d.size != (SELECT coalesce(sum(length(data)), 0) FROM texts
		WHERE id BETWEEN d.id << 16 AND (d.id << 16) + 65535)`, "documents lack text"},
	{`SELECT count(*) FROM passages WHERE document NOT IN (SELECT id FROM documents)`, "passages are of no document"},
	{`SELECT count(*) FROM collections c WHERE passages != (SELECT coalesce(sum(count), 0) FROM documents WHERE collection = c.id)`,
		"collections count their passages wrongly"},
	{`SELECT abs((SELECT count(*) FROM passages) - (SELECT count(*) FROM words_docsize))`, "passages are missing in the word list, or too many there"},
	{`SELECT count(*) FROM terms WHERE df < 0`, "terms are counted wrongly"},
	{`SELECT count(*) FROM embedding, state WHERE embedded >= next_passage`, "vectors are counted beyond the last passage"},
	{`SELECT count(*) FROM vectors WHERE passage > coalesce((SELECT embedded FROM embedding), 0) OR passage NOT IN (SELECT id FROM passages)`,
		"vectors are of no passage, or of one that wasn't embedded"},
	{`SELECT count(*) FROM passages WHERE id <= (SELECT embedded FROM embedding) AND id NOT IN (SELECT passage FROM vectors)`, "embedded passages have no vector"},
}

// rebuildPage is how many passages or documents a rebuild holds in memory.
const rebuildPage = 200

// remakeWords makes the full-text table anew from the terms of the passages, in
// the transaction under way. It analyses nothing and takes about 0.1 ms a passage.
func remakeWords(ctx context.Context, s *session) error {
	if err := emptyWords(ctx, s); err != nil {
		return err
	}
	for last, done := int64(0), false; !done; {
		type row struct {
			id    int64
			terms []byte
		}
		var page []row
		if err := s.rows(ctx, func(scan func(...any) error) error {
			var r row
			err := scan(&r.id, &r.terms)
			page = append(page, r)
			return err
		}, `SELECT id, terms FROM passages WHERE id > ? ORDER BY id LIMIT ?`, last, rebuildPage); err != nil {
			return err
		}
		for _, r := range page {
			entries, err := bag(r.terms).entries()
			if err != nil {
				return err
			}
			if err := storeWords(s, r.id, entries); err != nil {
				return err
			}
			last = r.id
		}
		done = len(page) < rebuildPage
	}
	return nil
}

// emptyWords drops the full-text table and makes it anew. SQLite can't drop one
// that it can't open: then its entry goes first, and its tables after.
func emptyWords(ctx context.Context, s *session) error {
	s.forget()
	if err := s.exec(ctx, `DROP TABLE IF EXISTS words`); err != nil {
		if err := s.exec(ctx, `PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'words'; PRAGMA writable_schema = RESET`); err != nil {
			return err
		}
		for _, part := range []string{"data", "idx", "docsize", "config", "content"} {
			if err := s.exec(ctx, `DROP TABLE IF EXISTS words_`+part); err != nil {
				return err
			}
		}
	}
	return s.exec(ctx, wordsSchema)
}

// Rebuild analyses all texts again and makes every list of words anew, and the
// file of vectors: after a damage that Check found, or to make use of a better
// analysis. Documents, passages and vectors stay as they are; where a vector is
// lost, the passages of its document are to be embedded again. It is one
// transaction, and takes as long as adding the documents did.
func (x *Index) Rebuild(ctx context.Context) (err error) {
	defer x.wrap("rebuild", &err)
	if err := x.write(ctx, func(s *session) error {
		if err := emptyWords(ctx, s); err != nil {
			return err
		}
		if err := s.exec(ctx, `DELETE FROM terms; DELETE FROM aliases; DELETE FROM languages; DELETE FROM fields;
			UPDATE collections SET passages = 0, length = 0`); err != nil {
			return err
		}
		x.ids.forget()
		if err := repairVectors(ctx, s); err != nil {
			return err
		}
		for last := int64(0); ; {
			var doc, collection int64
			if err := s.row(bare, []any{&doc, &collection}, `SELECT coalesce(min(id), 0), coalesce(min(collection), 0) FROM documents
				WHERE id = (SELECT min(id) FROM documents WHERE id > ?)`, last); err != nil {
				return err
			}
			if doc == 0 {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := x.reanalyse(s, collection, doc); err != nil {
				return err
			}
			last = doc
		}
	}); err != nil {
		return err
	}
	return x.remakeVectors(ctx)
}

// reanalyse makes the words of one document anew.
func (x *Index) reanalyse(s *session, collection, doc int64) error {
	d, err := document(bare, s, doc)
	if err != nil {
		return err
	}
	passages, err := passagesOf(s, doc, d.Text)
	if err != nil {
		return fmt.Errorf("%s: %w", d.ID, err)
	}
	p := prepare(&d, passages.list)
	t := newTally(collection)
	t.languages[d.Language]++
	for i := range p.analysed {
		entries, err := x.entriesOf(s, &p.analysed[i], t)
		if err != nil {
			return err
		}
		id := passages.first + int64(i)
		if _, err := s.do(bare, `UPDATE passages SET length = ?, terms = ? WHERE id = ?`, p.analysed[i].length, []byte(makeBag(entries)), id); err != nil {
			return err
		}
		if err := storeWords(s, id, entries); err != nil {
			return err
		}
	}
	for k, v := range d.Meta {
		if _, err := s.do(bare, `INSERT INTO fields (collection, key, value, document) VALUES (?, ?, ?, ?)`, collection, k, v, doc); err != nil {
			return err
		}
	}
	if err := storeAliases(s, collection, doc, p.aliases); err != nil {
		return err
	}
	return t.apply(s)
}

// passageList is the passages of a document in the file.
type passageList struct {
	first int64
	list  []assay.Passage
}

// passagesOf reads the places of a document's passages. The error wraps
// ErrDamaged where they don't fit the text.
func passagesOf(s *session, doc int64, text string) (passageList, error) {
	var l passageList
	var n int64
	if err := s.row(bare, []any{&l.first, &n}, `SELECT first, count FROM documents WHERE id = ?`, doc); err != nil {
		return l, err
	}
	for id := l.first; id < l.first+n; id++ {
		var p assay.Passage
		var heading string
		if err := s.row(bare, []any{&p.Start, &p.End, &heading}, `SELECT start, end, heading FROM passages WHERE id = ? AND document = ?`, id, doc); err != nil {
			return l, fmt.Errorf("%w: passage %d: %w", ErrDamaged, id, err)
		}
		if p.Start < 0 || p.Start >= p.End || p.End > len(text) || json.Unmarshal([]byte(heading), &p.Heading) != nil {
			return l, fmt.Errorf("%w: passage %d isn't in the text", ErrDamaged, id)
		}
		p.Text = text[p.Start:p.End]
		l.list = append(l.list, p)
	}
	return l, nil
}

// plainPassages cuts a text whose passages are lost into pieces of about size
// bytes, at the ends of lines where it can.
func plainPassages(s string, size int) []assay.Passage {
	var out []assay.Passage
	for start := 0; start < len(s); {
		end := min(start+size, len(s))
		for i := end; i > start+size/2 && end < len(s); i-- {
			if s[i-1] == '\n' {
				end = i
				break
			}
		}
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end++
		}
		out = append(out, assay.Passage{Text: s[start:end], Start: start, End: end})
		start = end
	}
	return out
}
