package evaluator

import (
	"math"
	"strings"
)

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
	for i, v := range s.values {
		if stated[v.Norm] {
			found++
		}
		switch {
		case holdsValue(inBest, v):
			foundBest++
		case !stated[v.Norm] && !s.worded(i, out.best) && rivals(inBest, s.values, v):
			clash++
		}
	}
	n := float64(len(s.values))
	x[cFigures], x[cFigureBest], x[cClash] = found/n, foundBest/n, x[cBest]*clash/n
	out.clash = out.clash || clash > 0
}

// worded tells whether all words of a value stand in the clue, so that it may be
// stated in a form that was not read as a value.
func (s *statement) worded(value int, c *clue) bool {
	for _, j := range s.valueTerms[value] {
		if c.strengths[j] < 1 {
			return false
		}
	}
	return len(s.valueTerms[value]) > 0
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
	clauses, precise := s.clauses(best)
	denied := negated(clauses)
	switch {
	case denied && !s.negated:
		x[cDenied] = x[cBest] * precise
	case !denied && s.negated:
		x[cDenying] = x[cBest]
	}
	here := termSet(best.a.tokens[best.sentence.lo:best.sentence.hi])
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
	out.clash = out.clash || denied != s.negated || x[cOpposite] > 0
}

// clauseShare is how much of the best clause's weight another must hold to be
// read with it: a judgement that the claim model was fitted with.
const clauseShare = 0.75

// clauses returns the part of a clue's sentence that speaks of the claim, the
// clauses that hold about as much of it as the best one, and the share of their
// terms that the claim repeats.
func (s *statement) clauses(c *clue) (body string, precise float64) {
	whole := c.sentence.Of(c.a.text)
	ends := clauseEnds(whole)
	clauseOf := func(token int) int {
		at := c.a.tokens[token].Start - c.sentence.Start
		k := 0
		for k < len(ends)-1 && at >= ends[k] {
			k++
		}
		return k
	}
	weights, words, repeated := make([]float64, len(ends)), make([]int, len(ends)), make([]int, len(ends))
	for t := c.sentence.lo; t < c.sentence.hi; t++ {
		words[clauseOf(t)]++
	}
	most, last := 0.0, int32(-1)
	for _, h := range c.hits {
		k := clauseOf(int(h.token))
		weights[k] += s.terms[h.term].share * float64(h.strength)
		most = max(most, weights[k])
		if h.token != last {
			repeated[k]++
			last = h.token
		}
	}
	var out strings.Builder
	start, hits, total := 0, 0, 0
	for k, end := range ends {
		if weights[k] >= clauseShare*most {
			out.WriteString(whole[start:end])
			out.WriteByte(' ')
			hits, total = hits+repeated[k], total+words[k]
		}
		start = end
	}
	return out.String(), float64(hits) / float64(max(1, total))
}

// clauseEnds returns the ends of the clauses of a sentence, its own last.
func clauseEnds(s string) []int {
	var ends []int
	for i := 0; i < len(s); i++ {
		if (s[i] == ',' || s[i] == ';' || s[i] == ':') && i+1 < len(s) && s[i+1] == ' ' {
			ends = append(ends, i+1)
			continue
		}
		for _, word := range [3]string{" but ", " while ", " although "} {
			if s[i] == ' ' && strings.HasPrefix(s[i:], word) {
				ends = append(ends, i+1)
			}
		}
	}
	return append(ends, len(s))
}

// otherNames returns the weight of names that the best sentence lacks, where it
// has other names that the claim lacks.
func (s *statement) otherNames(best *clue) float64 {
	lacking := 0.0
	for j, t := range s.terms {
		if t.named && best.strengths[j] < enough {
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
