package assay

import (
	"cmp"
	"slices"
)

// evidence is what a run has gathered: passages in the order of their arrival,
// with what was made of each.
type evidence struct {
	items     []*item
	byKey     map[passageKey]*item
	conflicts []itemConflict
}

// item is a passage and what the run made of it.
type item struct {
	passage Passage
	round   int // the search that first had it among its best, from 1; 0 before, and for what was pasted
	graded  bool
	grade   Grade
	// stripGrades are those of all its strips, where they came with its own.
	stripGrades []Grade
	kept        bool   // may be used for the answer
	why         string // in words, why or why not
	strips      []heldStrip
}

// heldStrip is a strip and whether it reaches the answer.
type heldStrip struct {
	Strip
	graded bool
	kept   bool
}

// itemConflict is a Conflict between items.
type itemConflict struct {
	a, b  *item
	stale bool
	note  string
}

// add takes in what a search found, best first, and returns those of the first
// best that were in that place for the first time: an earlier search may have had
// them, too far down to be looked at.
func (e *evidence) add(found []Passage, origin Origin, round, best int) []*item {
	if e.byKey == nil {
		e.byKey = map[passageKey]*item{}
	}
	var fresh []*item
	for i, p := range found {
		p.Origin = origin
		it, known := e.byKey[p.key()]
		if !known {
			it = &item{passage: p}
			e.byKey[p.key()] = it
			e.items = append(e.items, it)
		}
		if i < best && it.round == 0 {
			it.round = round
			fresh = append(fresh, it)
		}
	}
	return fresh
}

// kept returns the items that may be used for the answer, best grade first.
func (e *evidence) kept() []*item {
	var out []*item
	for _, it := range e.items {
		if it.kept {
			out = append(out, it)
		}
	}
	slices.SortStableFunc(out, byGrade)
	return out
}

func byGrade(a, b *item) int { return cmp.Compare(b.grade.Score, a.grade.Score) }

// strips returns the strips kept, in the order of the documents: documents by
// their best passage, within one by position.
func (e *evidence) strips() []Strip {
	rank, seen := map[passageKey]int{}, map[passageKey]bool{}
	var out []Strip
	for _, it := range e.kept() {
		document := passageKey{document: it.passage.Document, origin: it.passage.Origin}
		if _, ok := rank[document]; !ok {
			rank[document] = len(rank)
		}
		for _, s := range it.strips {
			if s.kept && !seen[s.key()] { // neighbouring passages overlap
				seen[s.key()] = true
				out = append(out, s.Strip)
			}
		}
	}
	of := func(s Strip) int { return rank[passageKey{document: s.Passage.Document, origin: s.Passage.Origin}] }
	slices.SortStableFunc(out, func(a, b Strip) int {
		return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(a.Start, b.Start))
	})
	return out
}

// conflictsAmong maps the conflicts of passages to positions among strips: the
// best strip of each side.
func (e *evidence) conflictsAmong(strips []Strip) []Conflict {
	best := func(it *item) int {
		found := -1
		for i, s := range strips {
			if s.Passage.key() == it.passage.key() && (found < 0 || s.Grade.Score > strips[found].Grade.Score) {
				found = i
			}
		}
		return found
	}
	var out []Conflict
	for _, c := range e.conflicts {
		if a, b := best(c.a), best(c.b); a >= 0 && b >= 0 {
			out = append(out, Conflict{A: a, B: b, Stale: c.stale, Note: c.note})
		}
	}
	return out
}

// grades returns the grades given so far.
func (e *evidence) grades() []Grade {
	var out []Grade
	for _, it := range e.items {
		if it.graded {
			out = append(out, it.grade)
		}
	}
	return out
}

// maxReported bounds the passages an Answer reports.
const maxReported = 20

// reports tells what was made of the passages, at most so many: those graded,
// best first, then the others in the order of their retrieval.
func (e *evidence) reports(most int) []PassageReport {
	items := slices.Clone(e.items)
	slices.SortStableFunc(items, func(a, b *item) int {
		if a.graded != b.graded {
			if a.graded {
				return -1
			}
			return 1
		}
		return byGrade(a, b)
	})
	out := []PassageReport{}
	for _, it := range items[:min(len(items), most)] {
		out = append(out, it.report())
	}
	return out
}

func (it *item) report() PassageReport {
	p := it.passage
	r := PassageReport{
		Document: p.Document, Title: p.Title, Heading: p.HeadingPath(), Text: p.Text, Start: p.Start, End: p.End,
		Origin: p.Origin, Date: dateString(p.StatedDate()), Kept: it.kept, Why: it.why,
		Copies: append([]string{}, p.Copies...), Strips: []StripReport{},
	}
	if it.graded && !it.grade.Undetermined {
		score := it.grade.Score
		r.Score = &score
	}
	for _, s := range it.strips {
		report := StripReport{Text: s.Text, Start: s.Start, End: s.End, Kept: s.kept}
		if s.graded && !s.Grade.Undetermined {
			score := s.Grade.Score
			report.Score = &score
		}
		r.Strips = append(r.Strips, report)
	}
	return r
}
