package evaluator

import (
	"math"
	"strings"

	"github.com/assay-rag/assay/text"
)

// statement is a claim taken apart: a question whose terms must all be found,
// with what can turn its sense around.
type statement struct {
	question
	// answer marks the terms that are asserted: all of a plain claim, the answer's
	// in a claim of the form "Question: … Answer: …".
	answer []bool
	short  bool // the claim has that form
	// valueTerms are the terms of each value.
	valueTerms [][]int
	// order holds the terms in reading order, repeated as they are.
	order []int
	// places are where the terms in order stand in the claim.
	places []text.Span
	// cruxes are the parts that the evidence must have as they are.
	cruxes []crux
	// denied marks the terms that a negation stands before.
	denied map[int]bool
	// non marks the terms with "non-" before them.
	non map[int]bool
	// negated tells that the claim denies something.
	negated bool
	// bounds are the words that limit or stretch a claim ("only", "all").
	bounds []string
}

// answerShare is the part of a short claim's weight that its answer carries: a
// judgement that the claim model was fitted with.
const answerShare = 0.5

// statement takes a claim apart, to be compared with evidence in a language.
func (e *Evaluator) statement(claim, language string) *statement {
	key := questionKey{claim, "", language}
	if s, ok := e.statements.get(key); ok {
		return s
	}
	s := e.newStatement(claim, language)
	e.statements.put(key, s)
	return s
}

func (e *Evaluator) newStatement(claim, language string) *statement {
	asked, asserted, short := cutShort(claim)
	s := &statement{short: short}
	s.text, s.language, s.kind, s.index, s.script = claim, language, kindOther, map[string]int{}, script(claim)
	from := len(claim) - len(asserted)
	if short {
		s.kind = kindOf(asked)
	}
	tokens, _ := tellingTokens(claim, language)
	e.readTerms(s, tokens, from)
	s.readValues(tokens, from)
	s.readDenials(asked, asserted)
	s.bounds = boundsOf(asserted)
	s.tell(from)
	e.weighStatement(s)
	return s
}

// readTerms takes in the terms of a claim. What it asserts begins at byte from.
func (e *Evaluator) readTerms(s *statement, tokens []text.Token, from int) {
	names := entities(s.text)
	last := -1
	for _, t := range tokens {
		asserted := !s.short || t.Start >= from
		if !asserted && (t.End <= len("Question:") || t.Start >= from-len("Answer: ")) {
			continue // the words "Question" and "Answer"
		}
		read := e.term(s.text, t, names)
		read.frame = read.frame && !asserted
		last = s.take(read, last)
		if last == len(s.answer) { // a new one
			s.answer = append(s.answer, asserted)
		}
		s.order = append(s.order, last)
		s.places = append(s.places, t.Span)
	}
}

// readValues takes in the values that a claim asserts, with their terms.
func (s *statement) readValues(tokens []text.Token, from int) {
	for _, v := range values(s.text) {
		if s.short && v.Start < from {
			continue
		}
		s.values = append(s.values, v)
		var parts []int
		for _, t := range tokens {
			if v.Start <= t.Start && t.End <= v.End {
				parts = append(parts, s.index[t.Term])
			}
		}
		s.valueTerms = append(s.valueTerms, parts)
	}
}

// readDenials finds what the claim denies, and whether it denies as a whole.
func (s *statement) readDenials(asked, asserted string) {
	s.negated = negated(asserted)
	if s.short {
		s.negated = s.negated != negated(asked)
	}
	s.denied, s.non = map[int]bool{}, map[int]bool{}
	denied := deniedAt(s.text)
	for i, p := range s.places {
		if denied[p.Start] {
			s.denied[s.order[i]] = true
		}
		if prefixedNon(s.text, p.Start) {
			s.non[s.order[i]] = true
		}
	}
}

// joined undoes what tokenisers do to a text ("2 , 500", "do n't"), so that
// its numbers and negations are read as they were meant.
func joined(s string) string {
	if strings.Contains(s, " n't") {
		s = strings.ReplaceAll(s, " n't", "n't")
	}
	for from := 0; ; {
		at := strings.Index(s[from:], " , ")
		if at < 0 {
			return s
		}
		at += from
		from = at + 3
		digits := 0
		for from+digits < len(s) && s[from+digits] >= '0' && s[from+digits] <= '9' {
			digits++
		}
		if digits == 3 && at > 0 && s[at-1] >= '0' && s[at-1] <= '9' {
			s = s[:at] + "," + s[from:]
			from = at + 1
		}
	}
}

// cutShort takes a claim of the form "Question: … Answer: …" apart.
func cutShort(claim string) (asked, asserted string, short bool) {
	rest, ok := strings.CutPrefix(claim, "Question:")
	if !ok {
		return "", claim, false
	}
	at := strings.LastIndex(rest, "Answer:")
	if at < 0 {
		return "", claim, false
	}
	return rest[:at], strings.TrimLeft(rest[at+len("Answer:"):], " "), true
}

func (e *Evaluator) weighStatement(s *statement) {
	asserted, total := 0.0, 0.0
	for i := range s.terms {
		t := &s.terms[i]
		t.weight = max(minWeight, -math.Log(e.weights.background.share(t.text)))
		if t.frame && !t.named {
			t.weight *= frameWeight
		}
		s.named = s.named || t.named
		total += t.weight
		if s.answer[i] {
			asserted += t.weight
		}
		if t.weight > s.terms[s.heaviest].weight {
			s.heaviest = i
		}
	}
	for i := range s.terms {
		t := &s.terms[i]
		t.share = t.weight / total
		if s.short && asserted > 0 && asserted < total {
			if s.answer[i] {
				t.share = answerShare * t.weight / asserted
			} else {
				t.share = (1 - answerShare) * t.weight / (total - asserted)
			}
		}
	}
}

var negations = map[string]bool{
	"not": true, "no": true, "never": true, "nor": true, "none": true, "nobody": true, "nothing": true, "neither": true,
	"without": true, "cannot": true, "nowhere": true, "unable": true, "fails": true, "failed": true, "lacks": true,
	"lacked": true, "refused": true, "refuses": true, "nt": true, "n't": true,
	"nicht": true, "kein": true, "keine": true, "ne": true, "pas": true, "jamais": true, "nunca": true,
}

// negated tells whether a text denies: whether it has an odd number of words
// that negate.
func negated(s string) bool {
	n := 0
	for _, w := range text.Words(s) {
		word := w.Of(s)
		if len(word) > 12 {
			continue
		}
		word = strings.ToLower(word)
		if negations[word] || strings.HasSuffix(word, "n't") || strings.HasSuffix(word, "n’t") {
			n++
		} else if word == "t" && w.Start >= 2 && (s[w.Start-2] == 'n' || s[w.Start-2] == 'N') { // "do n't", split at the apostrophe
			n++
		}
	}
	return n%2 == 1
}

var boundWords = map[string]bool{
	"only": true, "all": true, "every": true, "always": true, "any": true, "entire": true, "entirely": true, "exclusively": true,
	"solely": true, "first": true, "last": true, "most": true, "least": true, "best": true, "largest": true, "must": true,
	"exactly": true, "sole": true, "completely": true, "both": true,
}

// boundsOf returns the words of s that limit or stretch what it says.
func boundsOf(s string) []string {
	var out []string
	for _, w := range text.Words(s) {
		if word := w.Of(s); len(word) <= 11 {
			if word = strings.ToLower(word); boundWords[word] {
				out = append(out, word)
			}
		}
	}
	return out
}
