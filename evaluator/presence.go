package evaluator

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assay-rag/assay/text"
)

// presence says how a part of the claim stands in a sentence.
type presence int

const (
	lacking presence = iota
	stands
	rivalled // another is in its place
)

// enoughOf is how much of a name, or of what is said of something, a sentence
// must hold: a judgement, so that a surname or a part of a title does.
const enoughOf = 0.5

func (s *statement) presence(t *crux, c *clue, title *analysis) presence {
	switch t.kind {
	case figureCrux:
		return s.figureIn(t, c, title)
	case codeCrux:
		return s.codeIn(t, c, title)
	}
	sum, total := 0.0, 0.0
	for _, j := range t.terms {
		sum += s.terms[j].weight * min(1, c.strengths[j]/creditTitle)
		total += s.terms[j].weight
	}
	if sum < enoughOf*total || t.kind == saidCrux && len(t.terms) < len(s.terms) && !s.said(t, c) {
		return lacking
	}
	return stands
}

// said tells whether the sentence itself, not only its headings, has the most
// telling term of what is said and another term of the claim.
func (s *statement) said(t *crux, c *clue) bool {
	heaviest := slices.MaxFunc(t.terms, func(i, j int) int { return cmp.Compare(s.terms[i].weight, s.terms[j].weight) })
	what, of := false, false
	for _, h := range c.hits {
		what = what || int(h.term) == heaviest
		of = of || !slices.Contains(t.terms, int(h.term))
	}
	return what && of
}

// figureIn says how a value stands in a sentence, or in the headings above it.
func (s *statement) figureIn(t *crux, c *clue, title *analysis) presence {
	v := s.values[t.value]
	var anchors []text.Span
	var own, rivals []int
	for _, o := range c.values() {
		switch {
		case o.Kind == valueNumber && o.Unit == "" && named(c.a.text, o.Span):
			continue
		case o.Norm == v.Norm:
			own = append(own, len(anchors))
		case agrees(o, v) || !exchangeable(o, v):
			continue
		case o.Unit == v.Unit && !holdsValue(s.values, o):
			rivals = append(rivals, len(anchors))
		}
		anchors = append(anchors, o.Span)
	}
	for _, at := range own {
		if !s.displaced(t, c, anchors, at) {
			return stands
		}
	}
	if len(own) > 0 {
		return rivalled
	}
	if s.worded(t.value, c) && !s.readOtherwise(t, c, len(rivals) > 0) {
		return stands
	}
	if title != nil {
		if above, _ := title.figures(); holdsValue(above, v) {
			return stands
		}
	}
	for _, at := range rivals {
		if s.inRole(t, c, anchors, at) {
			return rivalled
		}
	}
	return lacking
}

// named tells whether a number is part of a name: "3D".
func named(s string, number text.Span) bool { return !bounded(s, number.Start, number.End) }

// readOtherwise tells whether the words of a value stand in the sentence only as
// parts of others: the 5 of "5 minutes" is no count, nor is that of "5xx".
func (s *statement) readOtherwise(t *crux, c *clue, rivalled bool) bool {
	here := c.values()
	return !slices.ContainsFunc(c.hits, func(h hit) bool {
		at := c.a.tokens[h.token].Span
		if !slices.Contains(t.terms, int(h.term)) || !bounded(c.a.text, at.Start, at.End) {
			return false
		}
		return !rivalled || !slices.ContainsFunc(here, func(v value) bool { return v.Start <= at.Start && at.End <= v.End })
	})
}

// agrees tells whether one of two dates leaves out the year, the month or the
// day of the other.
func agrees(a, b value) bool {
	if a.Kind != valueDate && a.Kind != valueYear {
		return false
	}
	x, y := strings.TrimPrefix(a.Norm, "--"), strings.TrimPrefix(b.Norm, "--")
	return strings.HasPrefix(x, y) || strings.HasPrefix(y, x) || strings.HasSuffix(x, "-"+y) || strings.HasSuffix(y, "-"+x)
}

// exchangeable tells whether two values can stand in each other's place. The noun
// that a bare number counts is often no more than the next word.
func exchangeable(a, b value) bool {
	if a.Kind != b.Kind {
		return false
	}
	return a.Unit == b.Unit || a.Kind == valueNumber && units[a.Unit] == "" && units[b.Unit] == ""
}

// codeIn says how a quoted word or an identifier stands in a sentence, or in the
// headings above it.
func (s *statement) codeIn(t *crux, c *clue, title *analysis) presence {
	body := c.sentence.Of(c.a.text)
	class := codeClass(t.pieces[0])
	var anchors []text.Span
	own, rivals := -1, []int(nil)
	for _, o := range codes(body) {
		w := o.Of(body)
		if codeClass(w) != class {
			continue
		}
		if t.stands(w) {
			own = len(anchors)
		} else if place(s.text, w) < 0 {
			rivals = append(rivals, len(anchors))
		}
		anchors = append(anchors, text.Span{Start: o.Start + c.sentence.Start, End: o.End + c.sentence.Start})
	}
	switch {
	case own >= 0 && s.displaced(t, c, anchors, own):
		return rivalled
	case own >= 0, t.stands(body), title != nil && t.stands(title.text):
		return stands
	case len(t.pieces) == 1 && slices.ContainsFunc(rivals, func(at int) bool { return s.inRole(t, c, anchors, at) }):
		return rivalled
	}
	return lacking
}
