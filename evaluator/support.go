package evaluator

import (
	"math"
	"slices"
	"strings"
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
	cClash             // values of the claim that the best sentence states otherwise
	cOther             // names in the best sentence in the place of a name missing
	cDenied            // the best sentence denies and the claim does not
	cDenying           // the claim denies and the best sentence does not
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
	cAffirmed          // both or neither deny, and nothing clashes
	claimFeatureCount
)

func claimFeatureNames() []string {
	return []string{"union", "best", "two", "three", "answer", "answer in all", "missing", "missed", "named", "named best",
		"unnamed", "figures", "figures best", "clash", "other name", "denied", "denying", "opposite", "order", "pairs",
		"precise", "bounds", "hedged", "soft", "terms", "length", "telling", "short", "affirmed"}
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

// support is what the comparison of a claim with evidence found.
type support struct {
	x     [claimFeatureCount]float64
	best  *clue
	clues []clue
	// shares are the shares of the claim's terms.
	shares []float64
	// clash tells that something in the best sentence stands against the claim.
	clash bool
}

// exhibit is a strip of evidence taken apart: its text, its title and headings.
type exhibit struct{ body, title *analysis }

// weighSupport compares a claim with the evidence.
func (e *Evaluator) weighSupport(s *statement, evidence []exhibit) support {
	m := newMeasurer(&s.question)
	var out support
	n := len(s.terms)
	union := make([]float64, n)
	length := 0
	for i, ex := range evidence {
		hits := m.match(ex.body, m.body, nil)
		length += len(ex.body.tokens)
		clear(m.title)
		if ex.title != nil {
			m.match(ex.title, m.title, nil)
		}
		at := 0
		for _, sent := range ex.body.sentences {
			c := clue{strip: i, a: ex.body, sentence: sent, strengths: make([]float64, n)}
			start := at
			for at < len(hits) && int(hits[at].token) < sent.hi {
				h := hits[at]
				c.strengths[h.term] = max(c.strengths[h.term], float64(h.strength))
				at++
			}
			c.hits = hits[start:at]
			for j, t := range s.terms {
				c.strengths[j] = max(c.strengths[j], creditTitle*m.title[j])
				union[j] = max(union[j], c.strengths[j])
				c.score += t.share * c.strengths[j]
			}
			if sent.asks {
				c.score *= 0.7
			}
			out.clues = append(out.clues, c)
		}
	}
	slices.SortStableFunc(out.clues, func(a, b clue) int { return compareDown(a.score, b.score) })
	x := out.x[:]
	x[cTerms], x[cLength] = math.Log1p(float64(n)), math.Log1p(float64(length))
	for _, t := range s.terms {
		x[cTelling] += t.weight / float64(n)
		out.shares = append(out.shares, t.share)
	}
	if s.short {
		x[cShort] = 1
	}
	x[cNamed], x[cNamedBest], x[cFigures], x[cFigureBest] = 1, 1, 1, 1
	if len(out.clues) == 0 {
		return out
	}
	out.best = &out.clues[0]
	s.coverage(x, union, out.best.strengths)
	x[cTwo], x[cThree] = s.unions(out.clues)
	m.counts = slices.Grow(m.counts[:0], n)[:n]
	x[cPairs] = m.pairs(out.best.hits)
	x[cOrder] = s.inOrder(out.best.hits)
	if words := out.best.sentence.hi - out.best.sentence.lo; words > 0 {
		x[cPrecise] = float64(distinctTokens(out.best.hits)) / float64(words)
	}
	s.figureFeatures(x, &out)
	e.senseFeatures(s, x, &out)
	return out
}

func compareDown(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// coverage measures which terms of the claim the evidence holds, in all and in
// its best sentence.
func (s *statement) coverage(x, union, best []float64) {
	var answer, answerAll, answerTotal, named, namedBest, namedTotal, unnamed, unnamedTotal, missed float64
	for j, t := range s.terms {
		x[cUnion] += t.share * union[j]
		x[cBest] += t.share * best[j]
		x[cMissing] = max(x[cMissing], t.share*(1-union[j]))
		if union[j] < 0.5 {
			missed++
		}
		if union[j] < 1 {
			x[cSoft] += t.share * union[j]
		}
		if s.answer[j] {
			answer += t.weight * best[j]
			answerAll += t.weight * union[j]
			answerTotal += t.weight
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

// unions returns the weight covered by the best two and the best three
// sentences, the second and third chosen for what they add.
func (s *statement) unions(clues []clue) (two, three float64) {
	have := slices.Clone(clues[0].strengths)
	add := func() float64 {
		bestGain, at := 0.0, -1
		for i := range clues[1:] {
			gain := 0.0
			for j, t := range s.terms {
				gain += t.share * max(0, clues[i+1].strengths[j]-have[j])
			}
			if gain > bestGain {
				bestGain, at = gain, i+1
			}
		}
		sum := 0.0
		for j, t := range s.terms {
			if at > 0 {
				have[j] = max(have[j], clues[at].strengths[j])
			}
			sum += t.share * have[j]
		}
		return sum
	}
	two = add()
	return two, add()
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

// figureFeatures compares the values of the claim with those of the evidence.
func (s *statement) figureFeatures(x []float64, out *support) {
	if len(s.values) == 0 {
		return
	}
	stated := map[string]bool{}
	seen := map[*analysis]bool{}
	for i := range out.clues {
		if a := out.clues[i].a; !seen[a] {
			seen[a] = true
			all, _ := a.figures()
			for _, v := range all {
				stated[v.Norm] = true
			}
		}
	}
	inBest := out.best.values()
	found, foundBest, clash := 0.0, 0.0, 0.0
	for _, v := range s.values {
		if stated[v.Norm] {
			found++
		}
		switch {
		case holdsValue(inBest, v):
			foundBest++
		case !stated[v.Norm] && rivals(inBest, s.values, v):
			clash++
		}
	}
	n := float64(len(s.values))
	x[cFigures], x[cFigureBest], x[cClash] = found/n, foundBest/n, clash/n
	out.clash = out.clash || clash > 0
}

// values are those of the clue's own sentence.
func (c *clue) values() []value {
	all, _ := c.a.figures()
	lo := 0
	for lo < len(all) && all[lo].Start < c.sentence.Start {
		lo++
	}
	hi := lo
	for hi < len(all) && all[hi].Start < c.sentence.End {
		hi++
	}
	return all[lo:hi]
}

func holdsValue(values []value, v value) bool {
	for _, o := range values {
		if o.Norm == v.Norm {
			return true
		}
	}
	return false
}

// rivals tells whether a sentence states another value of the same kind and unit
// that the claim does not state too.
func rivals(inSentence, claimed []value, v value) bool {
	for _, o := range inSentence {
		if o.Kind == v.Kind && o.Unit == v.Unit && !holdsValue(claimed, o) {
			return true
		}
	}
	return false
}

// senseFeatures look for what turns a statement around.
func (e *Evaluator) senseFeatures(s *statement, x []float64, out *support) {
	best := out.best
	body := best.sentence.Of(best.a.text)
	denied := negated(body)
	switch {
	case denied && !s.negated:
		x[cDenied] = 1
	case !denied && s.negated:
		x[cDenying] = 1
	}
	here := map[string]bool{}
	for _, t := range best.a.tokens[best.sentence.lo:best.sentence.hi] {
		here[t.Term] = true
	}
	for j, t := range s.terms {
		if best.strengths[j] >= 1 {
			continue
		}
		for _, o := range e.antonyms[t.text] {
			if _, claimed := s.index[o]; here[o] && !claimed {
				x[cOpposite] += t.share
				break
			}
		}
	}
	x[cOther] = s.otherNames(best)
	folded := strings.ToLower(body)
	for _, b := range s.bounds {
		if !strings.Contains(folded, b) {
			x[cBounds]++
		}
	}
	x[cBounds] = math.Log1p(x[cBounds])
	for _, h := range []string{" may ", " might ", " could ", " possibly ", " perhaps ", " reportedly ", " allegedly "} {
		if strings.Contains(folded, h) {
			x[cHedged] = 1
		}
	}
	if denied == s.negated && x[cClash] == 0 && x[cOpposite] == 0 {
		x[cAffirmed] = 1
	}
	out.clash = out.clash || denied != s.negated || x[cOpposite] > 0
}

// otherNames returns the weight of names that the best sentence lacks, where it
// has other names that the claim lacks.
func (s *statement) otherNames(best *clue) float64 {
	lacking := 0.0
	for j, t := range s.terms {
		if t.named && best.strengths[j] < 0.5 {
			lacking += t.share
		}
	}
	if lacking == 0 {
		return 0
	}
	_, names := best.a.figures()
	for _, n := range names {
		if n.Start >= best.sentence.Start && n.End <= best.sentence.End && !touches(best.a, best.hits, n) {
			return lacking
		}
	}
	return 0
}
