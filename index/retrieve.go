package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-rag/assay"
)

// BM25's parameters (Robertson and Zaragoza 2009, §3.5): how soon more
// occurrences of a term count less, and how much a long passage is held back.
const (
	k1 = 1.2
	b  = 0.75
)

// defaultK is how many passages come back where the search doesn't say.
const defaultK = 50

// Retrieve returns at most s.K passages (50 where s.K isn't positive), the best
// first; equal ones in the order of documents and offsets. Nothing in s.Words is
// an operator. A search with no words, or in a collection that isn't there, finds
// nothing.
//
// Without an embedder it finds the passages that share a term with s.Words, by
// BM25. With one it also finds those whose vectors are near to the question's, and
// Options.Fusion makes one order of both; it doesn't decide how near is near
// enough. A search for nothing but numbers and codes goes by words where they find
// anything. Where vectors are missing or can't be used it goes by words too, and
// says so in Found.Short. Copies of a passage are folded into one, see assay.Passage.Copies.
//
// The filter's Equal looks at Document.Meta, and for the keys "id", "title",
// "language" and "version" at those fields too.
func (x *Index) Retrieve(ctx context.Context, search assay.Search) (out assay.Found, err error) {
	defer x.wrap("retrieve", &err)
	find := func() error {
		f := x.vectorFile(ctx)
		return x.read(ctx, func(s *session) error {
			out, err = x.retrieve(ctx, s, f, search)
			return err
		})
	}
	err = find()
	switch _, damaged := x.mapped.current(); {
	case x.opts.ReadOnly || ctx.Err() != nil:
	case kindOf(err) == ErrDamaged || errors.Is(err, ErrDamaged):
		// Most often it is the word list: it changes the most, and it can be made
		// anew from the passages. If it is something else, this fails too.
		x.log.Warn("the word list of the index is damaged and is made anew", "index", x.path, "error", err)
		if err := x.write(ctx, func(s *session) error { return remakeWords(ctx, s) }); err != nil {
			return assay.Found{}, err
		}
		err = find()
	case err == nil && damaged:
		err = find() // with the vector file made anew
	}
	if err != nil {
		return assay.Found{}, err
	}
	return out, nil
}

// query is one search in one snapshot.
type query struct {
	x *Index
	s *session
	assay.Search
	c collection
	question
	pass allowed // what the filter lets pass
}

func (x *Index) retrieve(ctx context.Context, s *session, f *mappedFile, search assay.Search) (found assay.Found, err error) {
	q := query{x: x, s: s, Search: search}
	if q.K <= 0 {
		q.K = defaultK
	}
	var ok bool
	if q.c, ok, err = lookup(ctx, s, search.Collection); err != nil || !ok {
		return found, err
	}
	if q.question, err = parse(ctx, s, q.c, search.Words); err != nil {
		return found, err
	}
	if q.pass, err = filtered(ctx, s, q.c, search.Filter); err != nil {
		return found, err
	}
	m := q.beginMeaning(ctx, f)
	if m != nil {
		defer m.end()
	}
	hits, err := q.byWords(ctx)
	// An encoder can't read a code: where words find some, vectors would only put
	// others between them.
	if err == nil && m != nil && !(q.codes && len(hits) > 0) {
		hits, found.Short, err = m.join(ctx, hits)
	}
	if err != nil {
		return found, err
	}
	found.Passages, err = q.apart(ctx, best(hits, len(hits)))
	return found, err
}

// byWords returns the passages that share a term with the question, scored, in no
// order. Of passages without any of the rarer terms it may return a part.
func (q query) byWords(ctx context.Context) ([]hit, error) {
	if len(q.terms) == 0 {
		return nil, nil
	}
	ids, err := candidates(ctx, q.s, q.question, q.pass)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	hits, err := q.rank(ctx, ids)
	if err == nil && q.phrase != "" {
		err = favourPhrase(ctx, q.s, q.question, hits)
	}
	return hits, err
}

// apart reads the best K passages of the hits, which are in order, each with its
// copies folded into it.
func (q query) apart(ctx context.Context, hits []hit) ([]assay.Passage, error) {
	f := newFolder(q.Words)
	for page := q.K + foldBeyond; len(hits) > 0 && len(f.folded) < q.K; page = q.K {
		n := min(page, len(hits))
		passages, err := load(ctx, q.s, hits[:n])
		if err != nil {
			return nil, err
		}
		for _, p := range passages {
			f.add(p)
		}
		hits = hits[n:]
	}
	out := f.passages()
	out = out[:min(q.K, len(out))]
	slices.SortStableFunc(out, func(a, b assay.Passage) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Document, b.Document), cmp.Compare(a.Start, b.Start))
	})
	return out, nil
}

// hit is a passage with its score.
type hit struct {
	id    int64
	score float64
}

// rank finishes BM25 for the passages, with all terms. Those that score nothing
// are left out.
func (q query) rank(ctx context.Context, ids []int64) ([]hit, error) {
	terms := slices.Clone(q.terms)
	slices.SortFunc(terms, func(a, b queryTerm) int { return cmp.Compare(a.id, b.id) })
	average := max(1, float64(q.c.length)/float64(max(1, q.c.passages)))
	hits := make([]hit, 0, len(ids))
	err := q.s.rows(ctx, func(scan func(...any) error) error {
		var id int64
		var length int
		var passage sql.RawBytes
		if err := scan(&id, &length, &passage); err != nil {
			return err
		}
		if score := bm25(terms, bag(passage), float64(length)/average); score > 0 {
			hits = append(hits, hit{id, score})
		}
		return nil
	}, `SELECT p.id, p.length, p.terms FROM json_each(?) j CROSS JOIN passages p ON p.id = j.value`, idList(ids))
	return hits, err
}

// bm25 scores a passage for terms in the order of their numbers; length is the
// passage's in relation to the average one's.
func bm25(terms []queryTerm, passage bag, length float64) float64 {
	norm := k1 * (1 - b + b*length)
	score, last := 0.0, int64(0)
	for len(terms) > 0 {
		e, rest, ok := passage.next(last)
		if !ok {
			break
		}
		for len(terms) > 0 && terms[0].id < e.id {
			terms = terms[1:]
		}
		if len(terms) > 0 && terms[0].id == e.id {
			tf := e.count.tf()
			score += terms[0].idf * tf * (k1 + 1) / (tf + norm)
		}
		last, passage = e.id, rest
	}
	return score
}

// idList writes numbers as JSON, the form in which a statement takes a list.
func idList(ids []int64) string {
	out := make([]byte, 0, 8*len(ids)+2)
	out = append(out, '[')
	for i, id := range ids {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, id, 10)
	}
	return string(append(out, ']'))
}

// best returns the k hits of the highest score, in order.
func best(hits []hit, k int) []hit {
	t := newTop(k, func(a, b hit) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		return cmp.Compare(a.id, b.id)
	})
	for _, h := range hits {
		t.add(h)
	}
	return t.sorted()
}

// favourPhrase raises the passages that have the question's words in a row: of
// stop words, nothing else tells one passage from another.
func favourPhrase(ctx context.Context, s *session, q question, hits []hit) error {
	passages, err := load(ctx, s, hits)
	if err != nil {
		return err
	}
	score := map[int64]float64{}
	for i, p := range passages {
		if strings.Contains(" "+foldWords(p.Text)+" ", " "+q.phrase+" ") {
			score[hits[i].id] = float64(len(q.terms))
		}
	}
	for i := range hits {
		hits[i].score += score[hits[i].id]
	}
	return nil
}

// load reads the passages of the hits, in their order.
func load(ctx context.Context, s *session, hits []hit) ([]assay.Passage, error) {
	out := make([]assay.Passage, len(hits))
	r := partReader{s: s}
	for i, h := range hits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := &out[i]
		p.Score = h.score
		var doc int64
		var heading, meta string
		var date sql.NullInt64
		var ns int64
		if err := s.row(bare, []any{&doc, &p.Start, &p.End, &heading, &p.Document, &p.Title, &p.Language, &date, &ns, &p.DateFrom, &p.Version, &meta},
			`SELECT d.id, p.start, p.end, p.heading, d.name, d.title, d.language, d.date, d.date_ns, d.date_from, d.version, d.meta
			FROM passages p JOIN documents d ON d.id = p.document WHERE p.id = ?`, h.id); err != nil {
			return nil, err
		}
		p.Date = moment(date, ns)
		if err := json.Unmarshal([]byte(heading), &p.Heading); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(meta), &p.Meta); err != nil {
			return nil, err
		}
		var err error
		if p.Text, err = r.slice(doc, p.Start, p.End); err != nil {
			return nil, err
		}
	}
	return out, nil
}
