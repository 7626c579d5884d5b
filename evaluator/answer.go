package evaluator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// Draft answers with the evidence's own words: the best strips, in the order of
// the documents, each cited, and before them the answer in a few words where the
// text allows it. All of it but "Yes." and "No." stands verbatim in the strip it
// cites.
//
// Strips without a grade are graded first, as in the modes without a gate. An
// error means that this failed.
func (e *Evaluator) Draft(ctx context.Context, r assay.DraftRequest) (assay.Draft, error) {
	draft := assay.Draft{Verbatim: true}
	if len(r.Evidence) == 0 {
		return draft, nil
	}
	best := slices.MaxFunc(r.Evidence, func(a, b assay.Strip) int { return cmp.Compare(a.Grade.Score, b.Grade.Score) })
	q := e.question(ctx, r.Query.Question, r.Query.Collection, best.Passage.Language)
	candidates, err := e.candidates(ctx, q, r)
	if err != nil {
		return draft, fmt.Errorf("evaluator draft: grade the evidence: %w", err)
	}
	withoutIntroduction(q, candidates)
	s := selection{q: q, candidates: candidates, conflicts: r.Conflicts, avoid: avoided(r.Avoid)}
	s.choose()
	s.complete()
	s.balance()
	chosen := s.ordered()
	if len(chosen) == 0 {
		return draft, nil
	}
	if short, ok := s.short(); ok {
		draft.Segments = append(draft.Segments, short)
	}
	for i, c := range chosen {
		afterShort := i == 0 && len(draft.Segments) == 1 && s.q.kind != kindYesNo
		body := s.trimmed(c)
		if s.avoid[normalised(body)] {
			continue
		}
		draft.Segments = append(draft.Segments, assay.Segment{
			Text: body, Cites: []int{c.at}, Line: c.form.ownLine() || afterShort || (i > 0 && s.opposed(chosen[i-1], c)),
		})
	}
	if len(draft.Segments) == 1 && draft.Segments[0].Short {
		draft.Segments = nil // the sentence that carried it is to be avoided
	}
	return draft, nil
}

// candidate is a strip on its way into an answer.
type candidate struct {
	assay.Strip
	at     int // its position in the evidence
	score  float64
	form   form
	terms  map[string]bool
	chosen bool
	// intro is the sentence that introduces the list in which the strip is an item,
	// as far as the passage shows it.
	intro string
	// support marks a strip that is there for another's sake: the sentence that
	// introduces a list, or the one that "it" refers to.
	support bool
}

// candidates takes the evidence in: its grades, its forms, its terms. The
// sentence after a question in the documents inherits the question's grade, for
// it is the answer.
func (e *Evaluator) candidates(ctx context.Context, q *question, r assay.DraftRequest) ([]candidate, error) {
	var ungraded []assay.Strip
	for _, s := range r.Evidence {
		if (s.Grade == assay.Grade{}) || s.Grade.Undetermined {
			ungraded = append(ungraded, s)
		}
	}
	var grades []assay.Grade
	if len(ungraded) > 0 {
		var err error
		if grades, err = e.GradeStrips(ctx, r.Query, ungraded); err != nil {
			return nil, err
		}
	}
	out := make([]candidate, len(r.Evidence))
	for i, s := range r.Evidence {
		g := s.Grade
		if (g == assay.Grade{}) || g.Undetermined {
			g, grades = grades[0], grades[1:]
		}
		f := formOf(s.Text)
		terms := termSet(e.analyze(s.Text, s.Passage.Language).tokens)
		c := candidate{Strip: s, at: i, score: g.Score * q.quotable(s, f), form: f, terms: terms}
		if f == itemForm {
			c.intro = introduction(s)
		}
		if i > 0 && out[i-1].form == questionForm && follows(&out[i-1], &c) {
			c.score = max(c.score, out[i-1].score)
		}
		out[i] = c
	}
	return out, nil
}

// selection chooses among the candidates.
type selection struct {
	q          *question
	candidates []candidate
	conflicts  []assay.Conflict
	avoid      map[string]bool
}

// floor is the grade below which a strip answers nothing. It is lower than the
// gate's: the gate has judged the passages already, and a passage can be better
// than each of its sentences. How low is a judgement.
const floor = 0.05

// elsewhereShare is the part of the best grade that a strip needs which stands in
// another section than the best: an answer that jumps about reads
// badly. How near is a judgement.
const elsewhereShare = 0.92

// appetite is how much an answer to a kind of question takes: at most so many
// strips, none graded below this part of the best. Both are judgements: one value
// needs a sentence, steps need several.
func (s *selection) appetite() (most int, part float64) {
	switch s.q.kind {
	case kindNumber, kindDate, kindWho, kindWhere, kindYesNo:
		return 2, 0.85
	case kindHowTo, kindList:
		return 4, 0.6
	}
	return 3, 0.75
}

// choose marks the best strips: none that is weak beside the best, none that
// says again what a better one says.
func (s *selection) choose() {
	best := s.byScore()
	if len(best) == 0 || best[0].score < floor {
		return
	}
	most, part := s.appetite()
	var taken []*candidate
	blocks := 0
	for _, c := range best {
		if len(taken) == most || c.score < floor || c.score < part*best[0].score {
			break
		}
		if !sameSection(c, best[0]) && c.score < elsewhereShare*best[0].score {
			continue
		}
		if repeats(c, taken) || s.avoid[normalised(s.trimmed(c))] {
			continue
		}
		if c.form == codeForm || c.form == tableForm {
			if blocks++; blocks > 1 {
				continue
			}
		}
		c.chosen = true
		taken = append(taken, c)
	}
}

// sameSection tells whether two strips stand under the same headings of a
// document.
func sameSection(a, b *candidate) bool {
	return a.Passage.Document == b.Passage.Document && a.Passage.Origin == b.Passage.Origin &&
		slices.Equal(a.Passage.Heading, b.Passage.Heading)
}

// byScore returns what can stand in an answer, best first. A question is no
// answer, and a label is none without what it introduces.
func (s *selection) byScore() []*candidate {
	var out []*candidate
	for i := range s.candidates {
		c := &s.candidates[i]
		switch c.form {
		case questionForm, labelForm:
			continue
		case leadInForm:
			if bare(c.Text) && (i+1 == len(s.candidates) || !follows(c, &s.candidates[i+1])) {
				continue
			}
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	return out
}

// repeats tells whether c says what one of the others says: four fifths of the
// terms of the shorter are shared, and no figure differs.
func repeats(c *candidate, others []*candidate) bool {
	for _, o := range others {
		shared := 0
		for t := range c.terms {
			if o.terms[t] {
				shared++
			}
		}
		fewer := min(len(c.terms), len(o.terms))
		if fewer > 0 && 5*shared >= 4*fewer && sameFigures(c.Text, o.Text) {
			return true
		}
	}
	return false
}

// sameFigures tells whether the values of one text all stand in the other.
func sameFigures(a, b string) bool {
	x, y := norms(values(a)), norms(values(b))
	if len(x) > len(y) {
		x, y = y, x
	}
	for n := range x {
		if !y[n] {
			return false
		}
	}
	return true
}

// balance gives both sides of a disagreement their place: where one of them is
// chosen, the other is too.
func (s *selection) balance() {
	for _, c := range s.conflicts {
		a, b, ok := s.sides(c)
		if ok && (a.chosen || b.chosen) && a.form.states() && b.form.states() {
			a.chosen, b.chosen = true, true
		}
	}
}

// sides returns the candidates of a conflict, the newer as b.
func (s *selection) sides(c assay.Conflict) (a, b *candidate, ok bool) {
	n := len(s.candidates)
	if c.A < 0 || c.B < 0 || c.A >= n || c.B >= n || c.A == c.B {
		return nil, nil, false
	}
	a, b = &s.candidates[c.A], &s.candidates[c.B]
	if !c.Stale && a.Passage.Date.After(b.Passage.Date) {
		a, b = b, a
	}
	return a, b, true
}

// opposed tells whether the two stand on different sides of a disagreement.
func (s *selection) opposed(x, y *candidate) bool {
	for _, c := range s.conflicts {
		if a, b, ok := s.sides(c); ok && ((a == x && b == y) || (a == y && b == x)) {
			return true
		}
	}
	return false
}

// ordered returns what was chosen: the document of the best strip first, then in
// the order of the evidence; but the newer side of a disagreement before the
// older.
func (s *selection) ordered() []*candidate {
	var chosen []*candidate
	var best *candidate
	for i := range s.candidates {
		c := &s.candidates[i]
		if !c.chosen {
			continue
		}
		chosen = append(chosen, c)
		if best == nil || (!c.support && c.score > best.score) {
			best = c
		}
	}
	slices.SortStableFunc(chosen, func(a, b *candidate) int {
		first := func(c *candidate) int {
			if c.Passage.Document == best.Passage.Document && c.Passage.Origin == best.Passage.Origin {
				return 0
			}
			return 1
		}
		return first(a) - first(b)
	})
	for _, c := range s.conflicts {
		older, newer, ok := s.sides(c)
		if !ok {
			continue
		}
		i, j := slices.Index(chosen, older), slices.Index(chosen, newer)
		if i >= 0 && j > i {
			chosen = slices.Insert(slices.Delete(chosen, j, j+1), i, newer)
		}
	}
	return chosen
}

// normalised makes texts comparable that differ in case and white space.
func normalised(s string) string {
	return strings.Join(strings.Fields(text.Fold(s)), " ")
}

func avoided(claims []string) map[string]bool {
	out := make(map[string]bool, len(claims))
	for _, c := range claims {
		out[normalised(c)] = true
	}
	return out
}
