package index

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assay-rag/assay"
)

// interval is a run of passages, both ends included.
type interval struct{ first, last int64 }

// allowed is the passages that a filter lets pass, in order. nil lets all pass.
type allowed []interval

// count says how many passages there are.
func (a allowed) count() (n int64) {
	for _, v := range a {
		n += v.last - v.first + 1
	}
	return n
}

// all lists them.
func (a allowed) all() []int64 {
	out := make([]int64, 0, a.count())
	for _, v := range a {
		for id := v.first; id <= v.last; id++ {
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
		for i < len(a) && a[i].last < id {
			i++
		}
		if i == len(a) {
			break
		}
		if id >= a[i].first {
			out = append(out, id)
		}
	}
	return out
}

// builtin are the keys of Filter.Equal that mean a field of the document too.
var builtin = map[string]string{"id": "name", "title": "title", "language": "language", "version": "version"}

// filtered finds the passages that the filter lets pass. It is asked before any
// candidate is chosen, so that what it excludes takes nobody's place.
func filtered(ctx context.Context, s *session, c collection, f assay.Filter) (allowed, error) {
	if f.IsZero() {
		return nil, nil
	}
	where, args := conditions(c, f)
	out := allowed{}
	var rows string
	err := s.rowsOnce(ctx, func(scan func(...any) error) error { return scan(&rows) },
		`SELECT coalesce(group_concat(first || ' ' || count, ' '), '') FROM documents WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	numbers, err := parseIDs([]byte(rows), ' ')
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(numbers); i += 2 {
		if numbers[i+1] > 0 {
			out = append(out, interval{numbers[i], numbers[i] + numbers[i+1] - 1})
		}
	}
	slices.SortFunc(out, func(a, b interval) int { return int(a.first - b.first) })
	return out, nil
}

// conditions puts a filter in SQL. All that comes from outside is an argument.
func conditions(c collection, f assay.Filter) (where string, args []any) {
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
	return strings.Join(parts, " AND "), args
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
