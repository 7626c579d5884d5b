package index

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/assay-rag/assay"
)

// partSize is how many bytes of a document's text lie together. A passage is
// read from one part or two, however long its document is.
const partSize = 16 << 10

// maxParts bounds a document to partSize<<16 bytes, a gigabyte.
const maxParts = 1 << 16

// prepared is a document made ready before the write lock is taken.
type prepared struct {
	doc      *assay.Document
	passages []assay.Passage
	analysed []analysed
	aliases  []alias
}

// Put adds or replaces documents of the root with their passages: all of them,
// or, on an error, none. passages[i] are those of docs[i]; of each, Heading,
// Start and End are kept, everything else is the document's. The error wraps
// ErrInvalid for what can't be indexed, ErrNotFound for an unknown root.
//
// Put holds all it is given in memory twice over; give it tens of documents at
// a time. A document is there for searching when Put returns, and after a crash
// of the process; see the package's tour for a crash of the machine.
func (x *Index) Put(ctx context.Context, collection, root string, docs []assay.Document, passages [][]assay.Passage) (err error) {
	defer x.wrap("put", &err)
	if x.opts.ReadOnly {
		return x.write(ctx, nil)
	}
	if err := valid(docs, passages); err != nil {
		return err
	}
	if len(docs) == 0 {
		return nil
	}
	batch, err := prepareAll(ctx, docs, passages)
	if err != nil {
		return err
	}
	return x.write(ctx, func(s *session) error {
		r, err := x.mustRoot(ctx, s, "put", collection, root)
		if err != nil {
			return err
		}
		return x.store(ctx, s, r, batch)
	})
}

// valid refuses what would break a promise of the index later on.
func valid(docs []assay.Document, passages [][]assay.Passage) error {
	if len(docs) != len(passages) {
		return fmt.Errorf("%w: there are %d documents and passages of %d", ErrInvalid, len(docs), len(passages))
	}
	seen := make(map[string]bool, len(docs))
	for i := range docs {
		d := &docs[i]
		switch {
		case d.ID == "":
			return fmt.Errorf("%w: document %d of %d has no ID", ErrInvalid, i+1, len(docs))
		case seen[d.ID]:
			return fmt.Errorf("%w: %s is there twice", ErrInvalid, d.ID)
		case !utf8.ValidString(d.Text):
			return fmt.Errorf("%w: the text of %s isn't UTF-8", ErrInvalid, d.ID)
		case len(d.Text) > partSize*maxParts:
			return fmt.Errorf("%w: %s has %d bytes of text and may have %d; split it", ErrInvalid, d.ID, len(d.Text), partSize*maxParts)
		}
		seen[d.ID] = true
		for _, p := range passages[i] {
			if p.Start < 0 || p.End > len(d.Text) || p.Start >= p.End || d.Text[p.Start:p.End] != p.Text {
				return fmt.Errorf("%w: a passage of %s isn't bytes %d to %d of its text", ErrInvalid, d.ID, p.Start, p.End)
			}
		}
	}
	return nil
}

// prepareAll analyses the documents on all processors.
func prepareAll(ctx context.Context, docs []assay.Document, passages [][]assay.Passage) ([]prepared, error) {
	batch := make([]prepared, len(docs))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(docs)) {
		wg.Go(func() {
			for i := range next {
				batch[i] = prepare(&docs[i], passages[i])
			}
		})
	}
	for i := range docs {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return batch, ctx.Err()
}

func prepare(d *assay.Document, passages []assay.Passage) prepared {
	a := newAnalyser(d)
	p := prepared{doc: d, passages: passages, analysed: make([]analysed, len(passages))}
	for i := range passages {
		p.analysed[i] = a.passage(&passages[i])
	}
	p.aliases = findAliases(d.Text, d.Language)
	return p
}

// store writes a batch inside a transaction.
func (x *Index) store(ctx context.Context, s *session, r rootRow, batch []prepared) error {
	var doc, first int64
	if err := s.row(bare, []any{&doc, &first}, `SELECT next_document, next_passage FROM state`); err != nil {
		return err
	}
	t := newTally(r.collection)
	for i := range batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &batch[i]
		if err := x.removeOne(s, r, p.doc.ID, t); err != nil {
			return err
		}
		if err := x.storeDocument(s, r, doc, first, p, t); err != nil {
			return fmt.Errorf("%s: %w", p.doc.ID, err)
		}
		doc++
		first += int64(len(p.passages))
	}
	if _, err := s.do(bare, `UPDATE state SET next_document = ?, next_passage = ?`, doc, first); err != nil {
		return err
	}
	return t.apply(s)
}

// bare is the context of the small statements of a write, which are not worth
// watching one by one: the write looks at its own context between documents.
var bare = context.Background()

func (x *Index) storeDocument(s *session, r rootRow, doc, first int64, p *prepared, t *tally) error {
	d := p.doc
	meta, err := json.Marshal(d.Meta)
	if err != nil {
		return err
	}
	var date any
	var ns int
	if !d.Date.IsZero() {
		date, ns = d.Date.Unix(), d.Date.Nanosecond()
	}
	if _, err := s.do(bare, `INSERT INTO documents (id, collection, root, name, title, language, date, date_ns, date_from, version,
		meta, stamp, size, first, count, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		doc, r.collection, r.id, d.ID, d.Title, d.Language, date, ns, d.DateFrom, d.Version,
		string(meta), d.Stamp, len(d.Text), first, len(p.passages), sumOf(d.Text)); err != nil {
		return err
	}
	for n := 0; n*partSize < len(d.Text); n++ {
		part := d.Text[n*partSize : min((n+1)*partSize, len(d.Text))]
		if _, err := s.do(bare, `INSERT INTO texts (id, data) VALUES (?, ?)`, doc<<16|int64(n), []byte(part)); err != nil {
			return err
		}
	}
	for k, v := range d.Meta {
		if _, err := s.do(bare, `INSERT INTO fields (collection, key, value, document) VALUES (?, ?, ?, ?)`, r.collection, k, v, doc); err != nil {
			return err
		}
	}
	t.languages[d.Language]++
	for i := range p.passages {
		if err := x.storePassage(s, doc, first+int64(i), &p.passages[i], &p.analysed[i], t); err != nil {
			return err
		}
	}
	return storeAliases(s, r.collection, doc, p.aliases)
}

func (x *Index) storePassage(s *session, doc, id int64, p *assay.Passage, a *analysed, t *tally) error {
	heading, err := json.Marshal(p.Heading)
	if err != nil {
		return err
	}
	entries, err := x.entriesOf(s, a, t)
	if err != nil {
		return err
	}
	if _, err := s.do(bare, `INSERT INTO passages (id, document, start, end, heading, length, terms) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		id, doc, p.Start, p.End, string(heading), a.length, []byte(makeBag(entries))); err != nil {
		return err
	}
	return storeWords(s, id, entries)
}

// entriesOf numbers the words of a passage and tallies them.
func (x *Index) entriesOf(s *session, a *analysed, t *tally) ([]entry, error) {
	entries := make([]entry, len(a.words))
	for i, w := range a.words {
		id, err := x.ids.of(s, t.collection, w)
		if err != nil {
			return nil, err
		}
		entries[i] = entry{id, w.count}
		t.df[id]++
	}
	t.passages++
	t.length += a.length
	return entries, nil
}

// storeWords puts a passage into the full-text table.
func storeWords(s *session, id int64, entries []entry) error {
	line := make([]byte, 0, 8*len(entries))
	for _, e := range entries {
		for _, mark := range tiersOf(e.count) {
			line = strconv.AppendInt(line, e.id, 10)
			line = append(line, mark...)
			line = append(line, ' ')
		}
	}
	_, err := s.do(bare, `INSERT INTO words (rowid, terms) VALUES (?, ?)`, id, string(line))
	return err
}

// tally adds up what a write changes of the counts of a collection, so that each
// is written once.
type tally struct {
	collection       int64
	passages, length int
	df               map[int64]int
	languages        map[string]int
}

func newTally(collection int64) *tally {
	return &tally{collection: collection, df: map[int64]int{}, languages: map[string]int{}}
}

func (t *tally) apply(s *session) error {
	// In the order of the file, which touches each of its pages once.
	for _, id := range slices.Sorted(maps.Keys(t.df)) {
		if t.df[id] == 0 {
			continue
		}
		if _, err := s.do(bare, `UPDATE terms SET df = df + ? WHERE id = ?`, t.df[id], id); err != nil {
			return err
		}
	}
	for _, language := range slices.Sorted(maps.Keys(t.languages)) {
		if _, err := s.do(bare, `INSERT INTO languages (collection, language, documents) VALUES (?1, ?2, ?3)
			ON CONFLICT DO UPDATE SET documents = documents + ?3`, t.collection, language, t.languages[language]); err != nil {
			return err
		}
	}
	_, err := s.do(bare, `UPDATE collections SET passages = passages + ?, length = length + ? WHERE id = ?`, t.passages, t.length, t.collection)
	return err
}
