package evaluator

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/assay-rag/assay/text"
)

// The features of evidence for a claim. See features.go for their scale.
const (
	cUnion      = iota // weight of the claim's terms in all the evidence
	cBest              // the most that one sentence holds
	cTwo               // the most that this and another sentence hold
	cThree             // and a third
	cAnswer            // of the terms asserted, in the best sentence
	cAnswerAll         // of the terms asserted, in all
	cMissing           // weight of the heaviest term missing
	cMissed            // logarithm of the number of terms missing
	cNamed             // names of the claim in the evidence, 1 where it has none
	cNamedBest         // names in the best sentence
	cUnnamed           // the other terms in the best sentence
	cFigures           // values of the claim that the evidence states, 1 where it has none
	cFigureBest        // values that the best sentence states
	cClash             // values that the best sentence states otherwise, times best
	cOther             // names in the best sentence in the place of a name missing
	cDenied            // best, where that sentence denies and the claim does not, times the share of its clauses that the claim repeats
	cDenying           // best, where the claim denies and that sentence does not
	cOpposite          // terms of the claim whose opposite stands in the best sentence
	cOrder             // longest run of terms in the same order, over the claim
	cPairs             // neighbouring terms near each other in the best sentence
	cPrecise           // share of the best sentence that the claim repeats
	cBounds            // words such as "only" that the evidence lacks
	cHedged            // the best sentence says "may" or "might"
	cSoft              // weight covered by likeness of form alone
	cTerms             // logarithm of the claim's terms
	cLength            // logarithm of the evidence's words
	cTelling           // mean weight of the claim's terms
	cShort             // the claim is a short answer with its question
	claimFeatureCount
)

func claimFeatureNames() []string {
	return []string{"union", "best", "two", "three", "answer", "answer in all", "missing", "missed", "named", "named best",
		"unnamed", "figures", "figures best", "clash", "other name", "denied", "denying", "opposite", "order", "pairs",
		"precise", "bounds", "hedged", "soft", "terms", "length", "telling", "short"}
}

// clue is one sentence of the evidence as it bears on a claim.
type clue struct {
	strip     int // position of its strip
	a         *analysis
	sentence  sentence
	hits      []hit
	strengths []float64
	score     float64
}

// values are those of the clue's own sentence.
func (c *clue) values() []value {
	all, _ := c.a.figures()
	return valuesIn(all, c.sentence.Span)
}

// support is what the comparison of a claim with evidence found.
type support struct {
	x     [claimFeatureCount]float64
	claim *statement
	best  *clue
	clues []clue
	// denials are the sentences that say of something that it is false.
	denials []clue
	// titles are the titles and headings of the strips, nil where there are none.
	titles []*analysis
	// clash tells that something in the best sentence, whatever it holds of the claim,
	// stands against it.
	clash bool
	// coversQuestion tells that the best sentence covers the question of a short claim.
	coversQuestion bool
}

// askedCover is how much of a short claim's question a sentence covers that
// answers it: a judgement.
const askedCover = 0.8

// exhibit is a strip of evidence taken apart: its text, its title and headings, and
// its sentences with their moods.
type exhibit struct {
	body, title *analysis
	language    string
	parts       []part
}

// part is a sentence of an exhibit, or what a sentence denies or states beside it.
type part struct {
	sentence
	mood text.Mood
}

// newExhibit finds the parts of a text before the text after it. A sentence that denies
// and goes on to state ("It is wrong that X; it is Y") makes two.
func newExhibit(a, title *analysis, after string) exhibit {
	ex := exhibit{body: a, title: title, parts: make([]part, 0, len(a.sentences))}
	for i, s := range a.sentences {
		body, next := s.Of(a.text), after
		if i+1 < len(a.sentences) {
			next = a.text[a.sentences[i+1].Start:]
		}
		if statement, rest := text.Denied(body); statement != "" && rest != "" {
			cut := s.Start + strings.LastIndex(body, rest)
			mid := s.lo
			for mid < s.hi && a.tokens[mid].Start < cut {
				mid++
			}
			denied, stated := s, s
			denied.End, denied.hi, stated.Start, stated.lo = cut, mid, cut, mid
			ex.parts = append(ex.parts, part{denied, text.Denies}, part{stated, text.States})
			continue
		}
		ex.parts = append(ex.parts, part{s, text.MoodOf(body, next)})
	}
	return ex
}

// weighSupport compares a claim with the evidence: with what states something
// alone, or with questions too, which give the words that an answer leaves out.
func (e *Evaluator) weighSupport(s *statement, evidence []exhibit, stated bool) support {
	m := newMeasurer(&s.question)
	out := support{claim: s}
	n := len(s.terms)
	length := 0
	for i, ex := range evidence {
		length += len(ex.body.tokens)
		out.titles = append(out.titles, ex.title)
		for k, c := range s.cluesIn(m, i, ex) {
			switch mood := ex.parts[k].mood; {
			case mood == text.Denies:
				out.denials = append(out.denials, c)
			case mood == text.States, mood == text.Asks && !stated:
				out.clues = append(out.clues, c)
			}
		}
	}
	slices.SortStableFunc(out.clues, func(a, b clue) int { return cmp.Compare(b.score, a.score) })
	x := out.x[:]
	x[cTerms], x[cLength] = math.Log1p(float64(n)), math.Log1p(float64(length))
	for _, t := range s.terms {
		x[cTelling] += t.weight / float64(n)
	}
	if s.short {
		x[cShort] = 1
	}
	x[cNamed], x[cNamedBest], x[cFigures], x[cFigureBest] = 1, 1, 1, 1
	if len(out.clues) == 0 {
		return out
	}
	out.best = &out.clues[0]
	all := cover{s.terms, make([]float64, n)}
	for i := range out.clues {
		all.take(out.clues[i].strengths)
	}
	s.coverage(&out, all.have, out.best.strengths)
	x[cTwo], x[cThree] = s.unions(out.clues)
	x[cPairs] = m.pairs(out.best.hits)
	x[cOrder] = s.inOrder(out.best.hits)
	if words := out.best.sentence.hi - out.best.sentence.lo; words > 0 {
		x[cPrecise] = float64(distinctTokens(out.best.hits)) / float64(words)
	}
	s.figureFeatures(x, &out)
	e.senseFeatures(s, x, &out)
	return out
}

// askingCredit is what a sentence of the evidence that asks is worth beside one
// that states: a judgement that the claim model was fitted with.
const askingCredit = 0.7

// cluesIn are the parts of a strip as they bear on the claim, one each.
func (s *statement) cluesIn(m *measurer, strip int, ex exhibit) []clue {
	hits := m.match(ex.body, m.body, nil)
	clear(m.title)
	if ex.title != nil {
		m.match(ex.title, m.title, nil)
	}
	out := make([]clue, 0, len(ex.parts))
	at := 0
	for _, p := range ex.parts {
		sent := p.sentence
		c := clue{strip: strip, a: ex.body, sentence: sent, strengths: make([]float64, len(s.terms))}
		start := at
		for at < len(hits) && int(hits[at].token) < sent.hi {
			h := hits[at]
			c.strengths[h.term] = max(c.strengths[h.term], float64(h.strength))
			at++
		}
		c.hits = hits[start:at]
		s.creditValues(&c)
		for j, t := range s.terms {
			c.strengths[j] = max(c.strengths[j], creditTitle*m.title[j])
			c.score += t.share * c.strengths[j]
		}
		if sent.asks {
			c.score *= askingCredit
		}
		out = append(out, c)
	}
	return out
}

// creditValues counts the words of a value as found where the clue states the
// same value in other words ("26 weeks", "twenty-six weeks").
func (s *statement) creditValues(c *clue) {
	if len(s.values) == 0 {
		return
	}
	here := c.values()
	for i, v := range s.values {
		if holdsValue(here, v) {
			for _, j := range s.valueTerms[i] {
				c.strengths[j] = 1
			}
		}
	}
}

// coverage measures which terms of the claim the evidence holds, in all and in
// its best sentence.
func (s *statement) coverage(out *support, union, best []float64) {
	x := out.x[:]
	var asked, askedTotal, answer, answerAll, answerTotal, named, namedBest, namedTotal, unnamed, unnamedTotal, missed float64
	for j, t := range s.terms {
		x[cUnion] += t.share * union[j]
		x[cBest] += t.share * best[j]
		x[cMissing] = max(x[cMissing], t.share*(1-union[j]))
		if union[j] < enough {
			missed++
		}
		if union[j] < 1 {
			x[cSoft] += t.share * union[j]
		}
		if s.answer[j] {
			answer += t.weight * best[j]
			answerAll += t.weight * union[j]
			answerTotal += t.weight
		} else {
			asked += t.weight * best[j]
			askedTotal += t.weight
		}
		if t.named {
			named += t.weight * union[j]
			namedBest += t.weight * best[j]
			namedTotal += t.weight
		} else {
			unnamed += t.weight * best[j]
			unnamedTotal += t.weight
		}
	}
	x[cMissed] = math.Log1p(missed)
	x[cAnswer], x[cAnswerAll] = x[cBest], x[cUnion]
	if s.short && askedTotal > 0 {
		out.coversQuestion = asked >= askedCover*askedTotal
	}
	if answerTotal > 0 {
		x[cAnswer], x[cAnswerAll] = answer/answerTotal, answerAll/answerTotal
	}
	if namedTotal > 0 {
		x[cNamed], x[cNamedBest] = named/namedTotal, namedBest/namedTotal
	}
	if unnamedTotal > 0 {
		x[cUnnamed] = unnamed / unnamedTotal
	}
}

// cover is how much of each term of a claim the sentences taken so far hold.
type cover struct {
	terms []term
	have  []float64
}

func (c *cover) take(strengths []float64) {
	for j, x := range strengths {
		c.have[j] = max(c.have[j], x)
	}
}

// weight is the share of the claim that is covered.
func (c *cover) weight() float64 {
	sum := 0.0
	for j, t := range c.terms {
		sum += t.share * c.have[j]
	}
	return sum
}

// next takes the clue that adds the most and returns its position, -1 where none
// adds more than least.
func (c *cover) next(clues []clue, least float64) int {
	most, at := least, -1
	for i := range clues {
		gain := 0.0
		for j, t := range c.terms {
			gain += t.share * max(0, clues[i].strengths[j]-c.have[j])
		}
		if gain > most {
			most, at = gain, i
		}
	}
	if at >= 0 {
		c.take(clues[at].strengths)
	}
	return at
}

// unions returns the weight covered by the best two and the best three
// sentences, the second and third chosen for what they add.
func (s *statement) unions(clues []clue) (two, three float64) {
	c := cover{s.terms, slices.Clone(clues[0].strengths)}
	c.next(clues, 0)
	two = c.weight()
	c.next(clues, 0)
	return two, c.weight()
}

// inOrder is the longest common subsequence of the claim's terms and the hits,
// over the length of the claim.
func (s *statement) inOrder(hits []hit) float64 {
	if len(s.order) == 0 {
		return 0
	}
	row := make([]int, len(hits)+1)
	for _, t := range s.order {
		diagonal := 0
		for i, h := range hits {
			above := row[i+1]
			if int(h.term) == t {
				row[i+1] = diagonal + 1
			} else {
				row[i+1] = max(row[i+1], row[i])
			}
			diagonal = above
		}
	}
	return float64(row[len(hits)]) / float64(len(s.order))
}
