package evaluator

import (
	"context"
	"strings"

	"github.com/assay-rag/assay"
)

// A strip is graded as a part of its passage: on the features of a text by
// itself, and on three that set it beside the passage as a whole. They lie in
// [0, 1].
const (
	fPassage      = featureCount + iota // the grade of the passage
	fBestCovered                        // the strip's coverage over the best sentence's
	fBestAnswered                       // the same, surroundings counted in part
	stripFeatureCount
)

func stripFeatureNames() []string {
	return append(passageFeatureNames(), "passage", "best covered", "best answered")
}

// GradeStrips grades each strip as a part of its passage, title and headings
// counted in part. It implements [assay.Grader].
func (e *Evaluator) GradeStrips(ctx context.Context, q assay.Query, strips []assay.Strip) ([]assay.Grade, error) {
	grades := make([]assay.Grade, len(strips))
	g := newGrading(ctx, e, q)
	if err := g.readStrips(strips); err != nil {
		return nil, err
	}
	for i := range strips {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one := g.strip(strips[i])
		one.explain()
		grades[i] = one.grade
	}
	return grades, nil
}

// readStrips has the network read the passages of strips, and the strips compared with
// the question.
func (g *grading) readStrips(strips []assay.Strip) error {
	if g.e.reader == nil {
		return nil
	}
	if err := g.readAll(passagesOf(strips)); err != nil {
		return err
	}
	var texts []string
	for i := range strips {
		if g.readings[keyOf(&strips[i].Passage)] != nil {
			texts = append(texts, strips[i].Text)
		}
	}
	return g.near(texts)
}

// strip measures and grades one strip.
func (g *grading) strip(s assay.Strip) *graded {
	whole := g.whole(&s.Passage)
	one := &graded{passage: &s.Passage}
	g.measure(one, g.e.analyze(s.Text, s.Passage.Language), setting{before: g.e.before(s), around: g.e.surroundings(s)})
	if len(one.body.sentences) > 1 { // a table or code: its best row counts, not how much it holds
		one.x[fCoverage] = one.x[fSentence]
	}
	one.x[fPassage] = whole.byWords
	one.x[fBestCovered] = share(one.x[fSentence], whole.x[fSentence])
	one.x[fBestAnswered] = share(one.x[fAnswering], whole.x[fAnswering])
	z := g.e.weights.Strip.logit(0, one.x[:])
	if one.reading = whole.reading; one.reading != nil {
		z = g.e.weights.Network.Strip.logit(0, whole.reading.stripFeatures(z, g.cosines[s.Text], s, whole.body, whole.begin))
	}
	one.grade.Score = one.capped(logistic(z))
	if one.ofAnother() {
		one.grade.Score = min(one.grade.Score, anotherCap)
	}
	return one
}

// anotherCap is the most that a strip is graded which speaks of another thing
// than the question names: below what the answerer takes (floor).
const anotherCap = 0.02

// ofAnother tells whether a strip names something in place of what the question
// names: "The Berlin office has 30 rooms" where Paris is asked for. One that names
// nothing, or refers back, may still speak of it.
func (one *graded) ofAnother() bool {
	q := one.q
	if len(q.names) == 0 || refersBack(one.body.text) {
		return false
	}
	for _, name := range q.names {
		for _, j := range name {
			if one.own[j] >= enough {
				return false
			}
		}
	}
	figures, names := one.body.figures()
	for _, n := range names {
		if !insideValue(figures, n) && !q.holdsWordOf(n.Of(one.body.text)) && q.kind != kindWho && q.kind != kindWhere {
			return true
		}
	}
	return false
}

// before is what carries the subject of a strip along: the line that introduces
// its list, else the sentence or heading before it in the passage; nil where
// there is none.
func (e *Evaluator) before(s assay.Strip) *analysis {
	if line := introduction(s); line != "" {
		return e.analyze(line, s.Passage.Language)
	}
	if s.Passage.Text == "" {
		return nil
	}
	passage := e.analyze(s.Passage.Text, s.Passage.Language)
	at := s.Start - s.Passage.Start
	for i := len(passage.sentences) - 1; i >= 0; i-- {
		if before := passage.sentences[i]; before.End <= at {
			return e.analyze(before.Of(passage.text), s.Passage.Language)
		}
	}
	return nil
}

// surroundings is the passage of a strip, nil where the strip is all of it.
func (e *Evaluator) surroundings(s assay.Strip) *analysis {
	if s.Passage.Text == "" || len(s.Passage.Text) == len(s.Text) {
		return nil
	}
	return e.analyze(s.Passage.Text, s.Passage.Language)
}

// whole is the passage of a strip, graded once for all its strips.
func (g *grading) whole(p *assay.Passage) *graded {
	key := keyOf(p)
	if w := g.wholes[key]; w != nil {
		return w
	}
	w := &graded{passage: p}
	g.measure(w, g.e.analyze(p.Text, p.Language), setting{})
	g.scorePassage(w)
	g.wholes[key] = w
	return w
}

// wholeKey tells passages apart.
type wholeKey struct {
	document   string
	headings   string
	start, end int
	text       string
}

func keyOf(p *assay.Passage) wholeKey {
	return wholeKey{p.Document, p.Title + "\n" + strings.Join(p.Heading, "\n"), p.Start, p.End, p.Text}
}

// passagesOf are the passages of strips, each once.
func passagesOf(strips []assay.Strip) []assay.Passage {
	var out []assay.Passage
	seen := map[wholeKey]bool{}
	for i := range strips {
		if p := &strips[i].Passage; p.Text != "" && !seen[keyOf(p)] {
			seen[keyOf(p)] = true
			out = append(out, *p)
		}
	}
	return out
}

// share is part of whole, 1 where the whole is nothing.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 1
	}
	return min(1, part/whole)
}
