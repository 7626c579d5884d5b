package index

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	// scanLimit bounds how many rows of the full-text table a search reads for
	// its rarest terms, and again commonLimit for each list of the others. Ten
	// rows cost about a microsecond.
	scanLimit   = 60_000
	commonLimit = 10_000
	// commonTerms is how many terms beyond the scanLimit are looked at.
	commonTerms = 4
	// maxCandidates bounds for how many passages BM25 is finished.
	maxCandidates = 1_000
)

// tiers are the tokens under which a term is in the full-text table: its number
// alone for every passage that contains it, and with a letter for those where
// it is frequent, or in the heading or title and the text. With them a list of
// rows tells nearly as much as BM25 without its length norm, so that candidates
// can be chosen before any passage is read.
var tiers = [...]struct {
	mark string
	tf   float64 // from this weighted frequency on
	gain float64 // what it adds to the saturated frequency
}{
	{"", 0, saturated(1.2)},
	{"b", 2, saturated(2.5) - saturated(1.2)},
	{"c", 4, saturated(5) - saturated(2.5)},
}

// saturated is the part of BM25 that the term frequency contributes, for a
// passage of average length.
func saturated(tf float64) float64 { return tf * (k1 + 1) / (tf + k1) }

// tiersOf lists the marks of the tokens for a count.
func tiersOf(c count) []string {
	tf := c.tf()
	n := 1
	for n < len(tiers) && tf >= tiers[n].tf {
		n++
	}
	return tierMarks[:n]
}

var tierMarks = []string{tiers[0].mark, tiers[1].mark, tiers[2].mark}

// candidate is a passage with what the lists say of it.
type candidate struct {
	id     int64
	weight float64
}

// candidates chooses at most maxCandidates passages for which BM25 is to be
// finished, in the order of their numbers. The lists of the rarest terms are
// read whole, as far as scanLimit goes; of the other terms, which are in so many
// passages that they say little, the passages with all of them or with many
// occurrences.
func candidates(ctx context.Context, s *session, q question, pass allowed) ([]int64, error) {
	if pass != nil && pass.count() <= maxCandidates {
		return pass.all(), nil
	}
	l := &lists{s: s, pass: pass}
	rest, rows := q.terms, 0
	for len(rest) > 0 && rows+rest[0].df <= scanLimit {
		rows += rest[0].df
		for i, tier := range tiers {
			n, err := l.add(ctx, token(rest[0], tier.mark), rest[0].idf*tier.gain, -1)
			if err != nil {
				return nil, err
			}
			// A damaged list may look like a short one.
			if i == 0 && n != rest[0].df {
				return nil, fmt.Errorf("%w: a term is in %d passages and the word list has %d", ErrDamaged, rest[0].df, n)
			}
		}
		rest = rest[1:]
	}
	if err := l.addCommon(ctx, rest[:min(len(rest), commonTerms)]); err != nil {
		return nil, err
	}
	return l.best(maxCandidates), nil
}

// lists adds up lists of passages.
type lists struct {
	s     *session
	pass  allowed
	found []candidate // by id
	spare []candidate
}

// addCommon adds what can be had of terms whose lists are too long to read. A
// filter is never cut short: with one, a list is read as far as it goes.
func (l *lists) addCommon(ctx context.Context, terms []queryTerm) error {
	limit := commonLimit
	if l.pass != nil {
		limit = -1
	}
	if len(terms) > 1 {
		var all []string
		sum := 0.0
		for _, t := range terms {
			all, sum = append(all, token(t, "")), sum+t.idf
		}
		if _, err := l.add(ctx, strings.Join(all, " AND "), sum*tiers[0].gain, limit); err != nil {
			return err
		}
	}
	for _, t := range terms {
		for i := len(tiers) - 1; i > 0; i-- {
			if _, err := l.add(ctx, token(t, tiers[i].mark), t.idf*tiers[i].gain, limit); err != nil {
				return err
			}
		}
		if len(l.found) < maxCandidates {
			if _, err := l.add(ctx, token(t, ""), t.idf*tiers[0].gain, limit); err != nil {
				return err
			}
		}
	}
	return nil
}

// token is a term in the language of FTS5: digits and a letter in quotes.
func token(t queryTerm, mark string) string {
	return `"` + strconv.FormatInt(t.id, 10) + mark + `"`
}

// add adds the weight to every passage that matches the expression, the newest
// limit of them; a negative limit means all. It returns how many match. All ids
// come in one row, which is three times as fast as a row each.
func (l *lists) add(ctx context.Context, match string, weight float64, limit int) (n int, err error) {
	query := `SELECT group_concat(rowid) FROM (SELECT rowid FROM words WHERE words MATCH ?)`
	args := []any{match}
	if limit >= 0 {
		query = `SELECT group_concat(rowid) FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?)`
		args = append(args, limit)
	}
	var row []byte
	if err := l.s.row(ctx, []any{&row}, query, args...); err != nil {
		return 0, err
	}
	ids, err := parseIDs(row, ',')
	if err != nil {
		return 0, err
	}
	n = len(ids)
	slices.Sort(ids)
	l.merge(l.pass.keep(ids), weight)
	return n, nil
}

// merge adds the weight to the passages ids, which are in order.
func (l *lists) merge(ids []int64, weight float64) {
	if len(ids) == 0 {
		return
	}
	out, i := slices.Grow(l.spare[:0], len(l.found)+len(ids)), 0
	for _, id := range ids {
		for i < len(l.found) && l.found[i].id < id {
			out = append(out, l.found[i])
			i++
		}
		w := weight
		if i < len(l.found) && l.found[i].id == id {
			w += l.found[i].weight
			i++
		}
		out = append(out, candidate{id, w})
	}
	out = append(out, l.found[i:]...)
	l.found, l.spare = out, l.found
}

// best returns the n passages of the greatest weight, in the order of their ids.
func (l *lists) best(n int) []int64 {
	top := newTop(n, func(a, b candidate) int {
		if c := cmp.Compare(b.weight, a.weight); c != 0 {
			return c
		}
		return cmp.Compare(a.id, b.id)
	})
	for _, c := range l.found {
		top.add(c)
	}
	ids := make([]int64, len(top.items))
	for i, c := range top.items {
		ids[i] = c.id
	}
	slices.Sort(ids)
	return ids
}

// parseIDs reads whole numbers parted by sep.
func parseIDs(row []byte, sep byte) ([]int64, error) {
	if len(row) == 0 {
		return nil, nil
	}
	ids := make([]int64, 0, len(row)/6+1)
	var n int64
	for _, c := range row {
		switch {
		case c == sep:
			ids, n = append(ids, n), 0
		case '0' <= c && c <= '9':
			n = n*10 + int64(c-'0')
		default:
			return nil, fmt.Errorf("%w: a list of passages has %q in it", ErrDamaged, c)
		}
	}
	return append(ids, n), nil
}

// top keeps the first n items of an order; the last of them is at the root of
// the heap.
type top[T any] struct {
	items []T
	n     int
	order func(a, b T) int
}

func newTop[T any](n int, order func(a, b T) int) *top[T] { return &top[T]{n: n, order: order} }

func (t *top[T]) add(v T) {
	if len(t.items) < t.n {
		heap.Push(t, v)
	} else if t.n > 0 && t.order(v, t.items[0]) < 0 {
		t.items[0] = v
		heap.Fix(t, 0)
	}
}

// sorted ends the use of the heap and returns the items in order.
func (t *top[T]) sorted() []T {
	slices.SortFunc(t.items, t.order)
	return t.items
}

func (t *top[T]) Len() int           { return len(t.items) }
func (t *top[T]) Less(i, j int) bool { return t.order(t.items[i], t.items[j]) > 0 }
func (t *top[T]) Swap(i, j int)      { t.items[i], t.items[j] = t.items[j], t.items[i] }
func (t *top[T]) Push(v any)         { t.items = append(t.items, v.(T)) }
func (t *top[T]) Pop() any {
	v := t.items[len(t.items)-1]
	t.items = t.items[:len(t.items)-1]
	return v
}
