package evaluator

import (
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// account is what became of the telling parts of a claim, its cruxes.
type account struct {
	// base is the sentence that carries the rest of the claim, and rest how much
	// of that it holds.
	base *clue
	rest float64
	// clash is set where base has something else in the place of a part, denied
	// where it denies what the claim says or the other way round.
	clash, denied bool
	// asked is set where base asks whether it is so, and nothing answers.
	asked bool
	// missing counts the parts that neither base nor what belongs to it has;
	// absent those of them that stand nowhere in the evidence.
	missing, absent int
	carried         int // how many stand where they should
	// with are strips beside base's that carry parts.
	with []int
}

func (v *account) problems() int {
	n := 2*v.missing + v.absent
	if v.clash {
		n += 4
	}
	if v.denied {
		n += 4
	}
	return n
}

// likeBest is how much of the rest of the claim that the best sentence holds
// another must hold to be tried in its place: a judgement.
const likeBest = 0.9

// blockCredit is for a block of code: it names things, and says little of them.
// How little is a judgement.
const blockCredit = 0.7

// saysNot is how much of the rest of the claim, over the most that a sentence
// holds, one must hold that names a part as what is not so: a judgement.
const saysNot = 0.7

// judge looks for the telling parts of a claim where the rest of it stands.
func (found *support) judge(evidence []assay.Strip) account {
	s := found.claim
	rests := make([]float64, len(found.clues))
	most := 0.0
	for i := range found.clues {
		rests[i] = s.restOf(&found.clues[i])
		if formOf(strings.TrimSpace(evidence[found.clues[i].strip].Text)) == codeForm {
			rests[i] *= blockCredit
		}
		most = max(most, rests[i])
	}
	var best account
	for i := range found.clues {
		if rests[i] < likeBest*most || found.clues[i].sentence.asks {
			continue
		}
		v := s.judgeBy(&found.clues[i], found, evidence)
		v.rest = rests[i]
		if best.base == nil || v.problems() < best.problems() {
			best = v
		}
	}
	for i := range found.clues {
		if c := &found.clues[i]; rests[i] >= saysNot*most && s.excludedBy(c) {
			return account{base: c, rest: rests[i], clash: true}
		}
	}
	if best.base == nil { // there are only questions
		best = s.judgeBy(found.best, found, evidence)
		best.rest = rests[0]
		best.asked = found.best.wondered() && !found.answers(found.best, evidence)
	}
	return best
}

// wondered tells whether a sentence asks whether something is so.
func (c *clue) wondered() bool {
	body := c.sentence.Of(c.a.text)
	return text.Asking(body) && kindOf(body) == kindYesNo
}

// answers tells whether what follows a question answers it as the claim does: it
// says yes, or has a part of the claim.
func (found *support) answers(question *clue, evidence []assay.Strip) bool {
	s := found.claim
	for i := range found.clues {
		c := &found.clues[i]
		follows := c.a == question.a && c.sentence.lo == question.sentence.hi ||
			c.a != question.a && nextTo(evidence[question.strip], evidence[c.strip])
		if !follows || c.sentence.asks {
			continue
		}
		if affirms().MatchString(c.sentence.Of(c.a.text)) {
			return true
		}
		for j := range s.cruxes {
			if s.presence(&s.cruxes[j], c, found.titles[c.strip]) == stands {
				return true
			}
		}
	}
	return false
}

// affirms is how a sentence begins that says yes to the question before it.
var affirms = lazily(`(?i)^\W*(?:a(?:nswer)?\s*[:.]\s*)?(?:yes|correct|indeed|right|true|absolutely|certainly|of course|(?:it|they|we|you) (?:does|do|is|are|can|has|have))\b`)

// restOf is how much of the claim without what is asserted in figures and codes
// a sentence holds.
func (s *statement) restOf(c *clue) float64 {
	exact := map[int]bool{}
	for i, t := range s.cruxes {
		if t.kind == figureCrux || t.kind == codeCrux && !s.topical(i) {
			for _, j := range t.terms {
				exact[j] = true
			}
		}
	}
	sum, total := 0.0, 0.0
	for j, t := range s.terms {
		if !exact[j] {
			sum += t.share * c.strengths[j]
			total += t.share
		}
	}
	if total == 0 {
		return c.score
	}
	return sum / total
}

// topical tells whether a code is what the claim is about, since a figure,
// another code or a verb that says what it is follows.
func (s *statement) topical(which int) bool {
	end := s.cruxes[which].End
	return copula().MatchString(s.text[end:]) || slices.ContainsFunc(s.cruxes, func(o crux) bool {
		return (o.kind == figureCrux || o.kind == codeCrux) && o.Start > end
	})
}

func (s *statement) judgeBy(base *clue, found *support, evidence []assay.Strip) account {
	v := account{base: base, denied: s.deniedBy(base)}
	for i := range s.cruxes {
		t := &s.cruxes[i]
		switch s.presence(t, base, found.titles[base.strip]) {
		case stands:
			v.carried++
			continue
		case rivalled:
			v.clash = true
			continue
		}
		where, anywhere := -1, false
		for k := range found.clues {
			c := &found.clues[k]
			if c == base || s.presence(t, c, found.titles[c.strip]) != stands {
				continue
			}
			anywhere = true
			if joinedTo(base, c, evidence) || s.contextual(t) && samePassage(evidence[base.strip], evidence[c.strip]) || s.sharesSubject(t, c) {
				where = c.strip
				break
			}
		}
		switch {
		case where >= 0:
			v.carried++
			if where != base.strip && !slices.Contains(v.with, where) {
				v.with = append(v.with, where)
			}
		case anywhere:
			v.missing++
		default:
			v.missing++
			v.absent++
		}
	}
	return v
}

// excludedBy tells whether a sentence names a figure or a code of the claim only
// as what is not so ("1, not 0").
func (s *statement) excludedBy(c *clue) bool {
	if s.negated || c.sentence.asks {
		return false
	}
	body := c.sentence.Of(c.a.text)
	for i := range s.cruxes {
		t := &s.cruxes[i]
		out, in := false, false
		note := func(at int) {
			if ruledOut(body[:at]) {
				out = true
			} else {
				in = true
			}
		}
		switch t.kind {
		case figureCrux:
			for _, v := range c.values() {
				if v.Norm == s.values[t.value].Norm {
					note(v.Start - c.sentence.Start)
				}
			}
		case codeCrux:
			if len(t.pieces) == 1 {
				if at := place(body, t.pieces[0]); at >= 0 {
					note(at)
				}
			}
		}
		if out && !in {
			return true
		}
	}
	return false
}

// sharesSubject tells whether a sentence is about the claim's subject and about
// what stands around a part of the claim.
func (s *statement) sharesSubject(t *crux, c *clue) bool {
	subject, near := false, false
	around := s.around(t)
	for _, h := range c.hits {
		j := int(h.term)
		if h.strength < 1 || slices.Contains(t.terms, j) {
			continue
		}
		subject = subject || s.subject(j)
		near = near || slices.Contains(around, j)
	}
	return subject && near
}

// subject tells whether a term is of what the claim is about: its names, or
// else the terms that it begins with.
func (s *statement) subject(term int) bool {
	if s.named {
		return s.terms[term].named
	}
	for i, j := range s.order {
		if i >= 2 {
			break
		}
		if j == term {
			return true
		}
	}
	return false
}

// contextual tells whether a part may be said once for a whole passage: its date,
// a name, a title.
func (s *statement) contextual(t *crux) bool {
	switch t.kind {
	case figureCrux:
		kind := s.values[t.value].Kind
		return kind == valueDate || kind == valueYear
	case codeCrux:
		return len(t.pieces) > 1
	}
	return t.kind == nameCrux
}

func samePassage(a, b assay.Strip) bool {
	return a.Passage.Document == b.Passage.Document && a.Passage.Start == b.Passage.Start && a.Passage.End == b.Passage.End
}

// joinedTo tells whether one of two sentences follows the other and refers to it
// ("It …", "This …").
func joinedTo(a, b *clue, evidence []assay.Strip) bool {
	if a.a == b.a {
		return a.sentence.lo == b.sentence.hi && refers(a) || b.sentence.lo == a.sentence.hi && refers(b)
	}
	x, y := evidence[a.strip], evidence[b.strip]
	if x.Passage.Document != y.Passage.Document {
		return false
	}
	return nextTo(x, y) && refers(b) || nextTo(y, x) && refers(a)
}

// nextTo tells whether b begins where a ends, but for white space.
func nextTo(a, b assay.Strip) bool {
	const gap = 3
	return a.End > 0 && b.Start >= a.End && b.Start-a.End <= gap
}

var anaphors = set("it its this that these those they their them he she his her such both each which otherwise also then")

// refers tells whether a sentence begins by referring to the one before.
func refers(c *clue) bool {
	body := c.sentence.Of(c.a.text)
	for i, w := range text.Words(body) {
		if i == 2 {
			break
		}
		if anaphors[strings.ToLower(w.Of(body))] {
			return true
		}
	}
	return false
}
