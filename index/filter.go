package index

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/internal/vectors"
)

// allowed is the passages that may be found, as runs of their numbers, in order
// and apart. nil lets all pass.
type allowed []vectors.Interval

// count says how many passages there are.
func (a allowed) count() (n int64) {
	for _, v := range a {
		n += v.Last - v.First + 1
	}
	return n
}

// all lists them.
func (a allowed) all() []int64 {
	out := make([]int64, 0, a.count())
	for _, v := range a {
		for id := v.First; id <= v.Last; id++ {
			out = append(out, id)
		}
	}
	return out
}

// keep returns those of the ordered ids that pass, in place.
func (a allowed) keep(ids []int64) []int64 {
	if a == nil {
		return ids
	}
	out, i := ids[:0], 0
	for _, id := range ids {
		for i < len(a) && a[i].Last < id {
			i++
		}
		if i == len(a) {
			break
		}
		if id >= a[i].First {
			out = append(out, id)
		}
	}
	return out
}

// has tells whether one passes.
func (a allowed) has(id int64) bool {
	if a == nil {
		return true
	}
	i, found := slices.BinarySearchFunc(a, id, func(v vectors.Interval, id int64) int { return cmp.Compare(v.First, id) })
	return found || i > 0 && id <= a[i-1].Last
}

// builtin are the keys of Filter.Equal that mean a field of the document too.
var builtin = map[string]string{"id": "name", "title": "title", "language": "language", "version": "version"}

// filtered finds the passages that the filter lets pass. It is asked before any
// candidate is chosen, so that what it excludes takes nobody's place.
func filtered(ctx context.Context, s *session, c collection, f assay.Filter) (allowed, error) {
	if f.IsZero() {
		return nil, nil
	}
	where, args, err := conditions(ctx, s, c, f)
	if err != nil {
		return nil, err
	}
	return runsOf(ctx, s, where, args...)
}

// runsOf lists the passages of the documents that the condition holds for. It
// is never nil where there is no error.
func runsOf(ctx context.Context, s *session, where string, args ...any) (allowed, error) {
	var row string
	if err := s.rowsOnce(ctx, func(scan func(...any) error) error { return scan(&row) },
		`SELECT coalesce(group_concat(first || ' ' || count, ' '), '') FROM documents WHERE `+where, args...); err != nil {
		return nil, err
	}
	numbers, err := parseIDs([]byte(row), ' ')
	if err != nil {
		return nil, err
	}
	out := allowed{}
	for i := 0; i+1 < len(numbers); i += 2 {
		if numbers[i+1] > 0 {
			out = append(out, vectors.Interval{First: numbers[i], Last: numbers[i] + numbers[i+1] - 1})
		}
	}
	return joined(out), nil
}

// joined puts runs in order and makes one of those that touch.
func joined(runs allowed) allowed {
	slices.SortFunc(runs, func(a, b vectors.Interval) int { return cmp.Compare(a.First, b.First) })
	out := runs[:0]
	for _, r := range runs {
		if n := len(out); n > 0 && r.First <= out[n-1].Last+1 {
			out[n-1].Last = max(out[n-1].Last, r.Last)
			continue
		}
		out = append(out, r)
	}
	return out
}

// singles makes runs of passages that are listed in order.
func singles(ids []int64) allowed {
	out := make(allowed, len(ids))
	for i, id := range ids {
		out[i] = vectors.Interval{First: id, Last: id}
	}
	return joined(out)
}

// aliveRuns remembers the passages of collections, which every search for
// vectors needs to know, as of a generation.
type aliveRuns struct {
	mu sync.Mutex
	of map[int64]runsAt // by collection
}

type runsAt struct {
	generation int64
	runs       allowed
}

// alive returns the passages that may be found: those that the filter lets pass,
// and without a filter all of the collection.
func (q query) alive(ctx context.Context) (allowed, error) {
	if q.pass != nil {
		return q.pass, nil
	}
	var generation int64
	if err := q.s.row(ctx, []any{&generation}, `SELECT generation FROM state`); err != nil {
		return nil, err
	}
	known := &q.x.runs
	known.mu.Lock()
	at := known.of[q.c.id]
	known.mu.Unlock()
	if at.runs != nil && at.generation == generation {
		return at.runs, nil
	}
	runs, err := runsOf(ctx, q.s, "collection = ?", q.c.id)
	if err != nil {
		return nil, err
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.of == nil {
		known.of = map[int64]runsAt{}
	}
	known.of[q.c.id] = runsAt{generation, runs}
	return runs, nil
}

// conditions puts a filter in SQL. All that comes from outside is an argument.
func conditions(ctx context.Context, s *session, c collection, f assay.Filter) (where string, args []any, err error) {
	parts, args := []string{"collection = ?"}, []any{c.id}
	add := func(part string, a ...any) { parts, args = append(parts, part), append(args, a...) }
	for _, key := range slices.Sorted(maps.Keys(f.Equal)) {
		value := f.Equal[key]
		in := "id IN (SELECT document FROM fields WHERE collection = ? AND key = ? AND value = ?)"
		if column := builtin[key]; column != "" {
			add(fmt.Sprintf("(%s = ? OR %s)", column, in), value, c.id, key, value)
		} else {
			add(in, c.id, key, value)
		}
	}
	if f.PathPrefix != "" {
		add("name >= ?", f.PathPrefix)
		if end := prefixEnd(f.PathPrefix); end != "" {
			add("name < ?", end)
		}
	}
	moment := func(part string, t time.Time) { add(part, t.Unix(), t.Nanosecond()) }
	if !f.After.IsZero() {
		moment("date IS NOT NULL AND (date, date_ns) >= (?, ?)", f.After)
	}
	if !f.Before.IsZero() {
		moment("date IS NOT NULL AND (date, date_ns) < (?, ?)", f.Before)
	}
	if f.Groups != nil {
		open, err := openTo(ctx, s, c, f.Groups)
		if err != nil {
			return "", nil, err
		}
		add("id NOT IN (SELECT document FROM fields WHERE collection = ? AND key = ? AND value NOT IN (SELECT value FROM json_each(?)))", c.id, groupsField, open)
	}
	return strings.Join(parts, " AND "), args, nil
}

// groupsField is the metadata field that names the groups a document is for.
const groupsField = "groups"

// openTo lists, as JSON, what the field says of the documents that may be seen by
// one of these groups. Many documents say the same, so it is told here and not in
// SQL. What JSON can't carry is missing in the list: those documents stay closed.
func openTo(ctx context.Context, s *session, c collection, groups []string) (string, error) {
	open := []string{}
	err := s.rows(ctx, func(scan func(...any) error) error {
		var said string
		err := scan(&said)
		if names := groupsIn(said); len(names) == 0 || slices.ContainsFunc(groups, func(g string) bool {
			return slices.Contains(names, strings.TrimSpace(g))
		}) {
			open = append(open, said)
		}
		return err
	}, `SELECT DISTINCT value FROM fields WHERE collection = ? AND key = ?`, c.id, groupsField)
	if err != nil {
		return "", err
	}
	list, err := json.Marshal(open)
	return string(list), err
}

// groupsIn are the names in a list that is parted by commas.
func groupsIn(said string) []string {
	var names []string
	for name := range strings.SplitSeq(said, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// prefixEnd is the least string, byte by byte, that is greater than all that
// start with the prefix, or "" where there is none.
func prefixEnd(prefix string) string {
	b := []byte(prefix)
	for len(b) > 0 && b[len(b)-1] == 0xff {
		b = b[:len(b)-1]
	}
	if len(b) == 0 {
		return ""
	}
	b[len(b)-1]++
	return string(b)
}
