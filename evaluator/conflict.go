package evaluator

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// A false alarm costs an answer that was right, so two passages conflict only if
// both answer well, in sentences that match the question alike, with values
// that can't both be true, and nothing tells that they speak of different cases.
// The shares are judgements, set for few false alarms.
const (
	conflictGrade  = 0.5  // of both
	conflictMatch  = 0.5  // share of the question matched in both sentences
	conflictDiffer = 0.25 // share of the question matched in one of them only
	figureAlike    = 0.3  // likeness of sentences that state different figures
	nameAlike      = 0.6  // of sentences that give different names
	senseAlike     = 0.7  // of sentences of which one denies
	factAlike      = 0.45 // of sentences that speak of one fact, whatever their documents are called
	titleAlike     = 0.5  // of the titles of two documents on one subject
)

// conflicts finds the pairs of passages that answer the question differently,
// lowers the grade of what is superseded, and notes both on the grades.
func (e *Evaluator) conflicts(all []graded) []assay.Conflict {
	var out []assay.Conflict
	if len(all) > 0 && all[0].q.dated() {
		return nil // it asks for what held then: nothing is too old for it
	}
	for i := range all {
		if one := &all[i]; one.best >= 0 && one.grade.Score >= conflictGrade {
			one.said = e.analyze(one.sentence().Of(one.body.text), one.passage.Language)
		}
	}
	for i := range all {
		for j := i + 1; j < len(all); j++ {
			a, b := &all[i], &all[j]
			if a.grade.Score < conflictGrade || b.grade.Score < conflictGrade || a.passage.Document == b.passage.Document || a.q != b.q {
				continue
			}
			x, y, ok := e.disagree(a, b)
			if !ok || !sameSubject(a.passage, b.passage) && dice(a, b) < factAlike {
				continue
			}
			c := assay.Conflict{A: i, B: j}
			switch older := supersedes(a.passage, b.passage); {
			case older > 0:
				c.Stale = true
			case older < 0:
				c = assay.Conflict{A: j, B: i, Stale: true}
				a, b, x, y = b, a, y, x
			}
			c.Note = x + standing(a.passage) + " against " + y + standing(b.passage)
			out = append(out, c)
			if c.Stale {
				a.lower("superseded: " + c.Note)
			} else {
				a.grade.Reason, a.grade.Note = assay.Contradictory, c.Note
				b.grade.Reason, b.grade.Note = assay.Contradictory, c.Note
			}
		}
	}
	e.retire(all)
	return out
}

// disagree tells whether the best sentences of two passages give different
// answers, and which.
func (e *Evaluator) disagree(a, b *graded) (x, y string, ok bool) {
	if a.said == nil || b.said == nil || !a.alike(b) || e.otherCase(a, b) {
		return "", "", false
	}
	likeness := dice(a, b)
	if likeness >= figureAlike || a.q.kind == kindNumber || a.q.kind == kindDate {
		if x, y, ok := figuresDiffer(a, b, likeness); ok || x != "" {
			return x, y, ok
		}
	}
	if x, y, ok := substituted(a, b); ok {
		return x, y, true
	}
	switch {
	case likeness >= senseAlike && negated(a.said.text) != negated(b.said.text):
		return "“" + clipped(a.said.text) + "”", "“" + clipped(b.said.text) + "”", true
	case likeness >= nameAlike && (a.q.kind == kindWho || a.q.kind == kindWhere):
		return namesDiffer(a, b)
	}
	return "", "", false
}

// sameSubject tells whether two documents are called alike.
func sameSubject(a, b *assay.Passage) bool {
	return likenessOf(wordSet(text.Analyze(a.Title, "")), wordSet(text.Analyze(b.Title, ""))) >= titleAlike
}

// sentence is the best sentence, tokens are its tokens.
func (one *graded) sentence() sentence { return one.body.sentences[one.best] }

func (one *graded) tokens() []text.Token {
	s := one.sentence()
	return one.body.tokens[s.lo:s.hi]
}

// alike tells whether both passages match the same part of the question.
func (one *graded) alike(other *graded) bool {
	both, differ := 0.0, 0.0
	for j, t := range one.q.terms {
		switch x, y := one.strengths[j] >= enough, other.strengths[j] >= enough; {
		case x && y:
			both += t.share
		case x != y:
			differ += t.share
		}
	}
	return both >= conflictMatch && differ <= conflictDiffer
}

// otherCase tells whether the passages speak of different cases: each sentence
// has a name, or a date beside the answer, that the other passage lacks, or
// they hold opposites ("full-time", "part-time").
func (e *Evaluator) otherCase(a, b *graded) bool {
	if a.q.kind != kindWho && a.q.kind != kindWhere && a.exclusiveName(b) && b.exclusiveName(a) {
		return true
	}
	if a.variant(b) || b.variant(a) {
		return true
	}
	if a.q.kind != kindDate {
		if x, y := a.years(), b.years(); len(x) > 0 && len(y) > 0 && !slices.Equal(x, y) {
			return true
		}
	}
	terms := termSet(b.tokens())
	for _, t := range a.tokens() {
		for _, o := range e.antonyms[t.Term] {
			if terms[o] && !terms[t.Term] {
				return true
			}
		}
	}
	return false
}

// exclusiveName tells whether the sentence has a name that the other passage
// does not hold.
func (one *graded) exclusiveName(other *graded) bool {
	_, names := one.said.figures()
	for _, n := range names {
		if !strings.Contains(strings.ToLower(other.body.text+"\n"+other.passage.Title), strings.ToLower(n.Of(one.said.text))) {
			return true
		}
	}
	return false
}

// variant tells whether the passage is about something whose name is longer by a
// word than one in the other's sentence: "Kite Mini" beside "Kite".
func (one *graded) variant(other *graded) bool {
	_, names := other.said.figures()
	if len(names) == 0 {
		return false
	}
	mine := one.passage.Title + "\n" + strings.Join(one.passage.Heading, "\n") + "\n" + one.said.text
	theirs := strings.ToLower(other.passage.Title + "\n" + other.body.text)
	for _, n := range names {
		name := n.Of(other.said.text)
		for _, longer := range entities(mine) {
			l := longer.Of(mine)
			if rest, ok := strings.CutPrefix(l, name+" "); ok && rest != "" && !strings.Contains(theirs, strings.ToLower(l)) {
				return true
			}
		}
	}
	return false
}

// years are the years and dates of the sentence, except the document's own year.
func (one *graded) years() []string {
	values, _ := one.said.figures()
	var out []string
	for _, v := range values {
		if (v.Kind == valueYear || v.Kind == valueDate) && (one.passage.Date.IsZero() || v.Norm != strconv.Itoa(one.passage.Date.Year())) {
			out = append(out, v.Norm)
		}
	}
	return out
}

// dice is the likeness of the two best sentences by their words.
func dice(a, b *graded) float64 { return likenessOf(wordSet(a.tokens()), wordSet(b.tokens())) }

// wordSet is the set of the terms of tokens, figures left out.
func wordSet(tokens []text.Token) map[string]bool {
	out := termSet(tokens)
	maps.DeleteFunc(out, func(t string, _ bool) bool { return strings.ContainsAny(t, "0123456789") })
	return out
}

// likenessOf is the Dice coefficient of two sets of words, 0 of empty ones.
func likenessOf(x, y map[string]bool) float64 {
	both := 0
	for t := range x {
		if y[t] {
			both++
		}
	}
	if len(x)+len(y) == 0 {
		return 0
	}
	return 2 * float64(both) / float64(len(x)+len(y))
}

// figuresDiffer compares the values of the two best sentences that could answer.
// It returns the values with ok false where they agree, and no values where
// there is nothing to compare.
func figuresDiffer(a, b *graded, likeness float64) (x, y string, ok bool) {
	u, v := a.answers(), b.answers()
	if len(u) == 0 || len(v) == 0 || len(u) > 2 || len(v) > 2 {
		return "", "", false
	}
	p, q := u[0], v[0]
	comparable := false
	for _, m := range u {
		for _, n := range v {
			if sameFigure(m, n) {
				return m.Of(a.said.text), n.Of(b.said.text), false
			}
			if !comparable && m.Kind == n.Kind && m.Unit == n.Unit {
				p, q, comparable = m, n, true
			}
		}
	}
	return p.Of(a.said.text), q.Of(b.said.text), comparable && likeness >= figureAlike
}

// answers are the values of the best sentence that the question wants and does
// not state itself.
func (one *graded) answers() []value {
	all, _ := one.said.figures()
	specific := one.q.kind == kindNumber || one.q.kind == kindDate
	var want wanted
	if specific {
		want = wantedBy(one.q)
	}
	var out []value
	for _, v := range all {
		if v.Kind == valueVersion || holdsValue(one.q.values, v) || !specific && (v.Kind == valueYear || v.Kind == valueDate) {
			continue
		}
		if !specific || want.accepts(v, one.said.text) {
			out = append(out, v)
		}
	}
	return out
}

// sameFigure tells whether two values say the same, or nearly: rounded, or a
// date within the year named.
func sameFigure(a, b value) bool {
	if a.Norm == b.Norm {
		return true
	}
	dated := func(v value) bool { return v.Kind == valueYear || v.Kind == valueDate }
	if dated(a) && dated(b) {
		return strings.HasPrefix(a.Norm, b.Norm) || strings.HasPrefix(b.Norm, a.Norm)
	}
	if a.Unit != b.Unit || a.Kind != b.Kind {
		return false
	}
	return a.Number <= b.High && b.Number <= a.High || math.Abs(a.Number-b.Number) <= 0.02*max(math.Abs(a.Number), math.Abs(b.Number)) && math.Abs(a.Number) >= 1000
}

// substituted tells whether the two best sentences are the same but for one
// place, where each has a figure or a name of its own.
func substituted(a, b *graded) (x, y string, ok bool) {
	const ( // judgements
		kept   = 5   // words that must agree
		most   = 5   // words that may differ
		agreed = 0.6 // share of the longer sentence that must agree
	)
	s, t := a.said.text, b.said.text
	u, v := text.Words(s), text.Words(t)
	same := func(i, j int) bool { return strings.EqualFold(u[i].Of(s), v[j].Of(t)) }
	shorter := min(len(u), len(v))
	front := 0
	for front < shorter && same(front, front) {
		front++
	}
	back := 0
	for back < shorter-front && same(len(u)-1-back, len(v)-1-back) {
		back++
	}
	m, n := len(u)-front-back, len(v)-front-back
	if m < 1 || n < 1 || m > most || n > most || front+back < kept || float64(front+back) < agreed*float64(max(len(u), len(v))) {
		return "", "", false
	}
	x, y = s[u[front].Start:u[front+m-1].End], t[v[front].Start:v[front+n-1].End]
	if !telltale(x) || !telltale(y) || a.q.holdsWordOf(x) || a.q.holdsWordOf(y) {
		return "", "", false
	}
	return x, y, true
}

// telltale tells whether a few words hold a figure or a name.
func telltale(s string) bool { return len(values(s)) > 0 || len(entities("of "+s)) > 0 }

// namesDiffer compares the one name in each sentence that the question lacks.
func namesDiffer(a, b *graded) (x, y string, ok bool) {
	x, ok1 := a.soleName()
	y, ok2 := b.soleName()
	if !ok1 || !ok2 || strings.Contains(strings.ToLower(x), strings.ToLower(y)) || strings.Contains(strings.ToLower(y), strings.ToLower(x)) {
		return "", "", false
	}
	return x, y, true
}

// soleName is the one name in the best sentence of which no word is asked for.
func (one *graded) soleName() (string, bool) {
	_, names := one.said.figures()
	found := ""
	for _, n := range names {
		if one.q.holdsWordOf(n.Of(one.said.text)) {
			continue
		}
		if found != "" {
			return "", false
		}
		found = n.Of(one.said.text)
	}
	return found, found != ""
}

func (q *question) holdsWordOf(s string) bool {
	for _, t := range text.Analyze(s, q.language) {
		if _, ok := q.index[t.Term]; ok {
			return true
		}
	}
	return false
}

// clipped shortens a sentence for a note.
func clipped(s string) string {
	const most = 80
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	cut := strings.LastIndexByte(s[:most], ' ')
	if cut <= 0 {
		return s
	}
	return s[:cut] + " …"
}
