package evaluator

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-rag/assay"
)

// staleCap is what a superseded passage keeps of its grade: the middle between the
// thresholds, 0.35 and 0.75, so that it can't carry an answer alone.
const staleCap = 0.55

// newerBy is how far apart two dates must lie for one to supersede the other:
// files that were written down together differ by less. Four weeks
// are a judgement.
const newerBy = 28 * 24 * time.Hour

func (one *graded) lower(note string) {
	one.grade.Score, one.grade.Reason, one.grade.Note = min(one.grade.Score, staleCap), assay.Stale, note
}

// retire lowers what says of itself that it is out of date, where something that
// doesn't answers too.
func (e *Evaluator) retire(all []graded) {
	current := slices.ContainsFunc(all, func(one graded) bool {
		return one.grade.Score >= assay.DefaultThresholds.Upper && retired(one.passage) == ""
	})
	for i := range all {
		one := &all[i]
		status := retired(one.passage)
		switch {
		case status == "" || one.grade.Reason == assay.Stale || one.grade.Score < assay.DefaultThresholds.Lower:
		case current:
			one.lower("the document is " + status)
		default:
			one.grade.Reason, one.grade.Note = assay.Stale, "the document is "+status+", and nothing newer answers"
		}
	}
}

// retired returns the status by which a document is out of date, or "".
func retired(p *assay.Passage) string {
	for _, key := range []string{"status", "state", "Status"} {
		switch s := strings.ToLower(strings.TrimSpace(p.Meta[key])); s {
		case "superseded", "deprecated", "archived", "obsolete", "outdated", "withdrawn", "retired", "expired":
			return s
		}
	}
	if strings.EqualFold(p.Meta["deprecated"], "true") || strings.EqualFold(p.Meta["archived"], "true") {
		return "deprecated"
	}
	return ""
}

// supersedes tells which of two passages is out of date: above 0 a, below 0 b, 0
// unknown. The status of a document counts first, then dates, then versions: words
// such as "replaced by" in a text may be about anything.
func supersedes(a, b *assay.Passage) int {
	if x, y := retired(a) != "", retired(b) != ""; x != y {
		if x {
			return 1
		}
		return -1
	}
	if older, newer := a.StatedDate(), b.StatedDate(); !older.IsZero() && !newer.IsZero() && !inFuture(older) && !inFuture(newer) {
		switch gap := newer.Sub(older); {
		case gap >= newerBy:
			return 1
		case gap <= -newerBy:
			return -1
		}
	}
	if a.Version != "" && b.Version != "" && sameSubject(a, b) { // versions of different things don't compare
		if c := compareVersions(a.Version, b.Version); c != 0 {
			return -c
		}
	}
	return 0
}

// inFuture tells whether a date can't be when something was written: a day is
// allowed for time zones.
func inFuture(t time.Time) bool { return t.After(time.Now().Add(24 * time.Hour)) }

// compareVersions compares dotted numbers part by part; 0 where one is none.
func compareVersions(a, b string) int {
	x, y := strings.Split(strings.TrimPrefix(a, "v"), "."), strings.Split(strings.TrimPrefix(b, "v"), ".")
	for i := range min(len(x), len(y)) {
		m, err1 := strconv.Atoi(x[i])
		n, err2 := strconv.Atoi(y[i])
		if err1 != nil || err2 != nil {
			return 0
		}
		if m != n {
			return cmp.Compare(m, n)
		}
	}
	return cmp.Compare(len(x), len(y))
}

// standing is what tells a passage's age, for a note.
func standing(p *assay.Passage) string {
	switch {
	case !p.StatedDate().IsZero():
		return " (" + p.StatedDate().Format(time.DateOnly) + ")"
	case p.Version != "":
		return " (version " + p.Version + ")"
	}
	return ""
}
