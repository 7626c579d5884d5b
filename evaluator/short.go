package evaluator

import (
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// shortFloor is the grade from which a strip may be answered from in a few
// words, and shortCover the share of the question's weight that it must cover
// together with its headings: even odds, and a judgement.
const (
	shortFloor = 0.5
	shortCover = 0.55
)

// rival is how near the best grade another strip must be for its different
// answer to forbid a short one: a judgement, low because a short answer that is
// wrong misleads.
const rival = 0.7

// short answers in a few words, where the evidence is of one mind: the value
// asked for, or yes or no. It is better to say nothing here than to be wrong:
// the sentences follow anyway.
func (s *selection) short() (assay.Segment, bool) {
	lead := s.lead()
	if lead == nil || lead.form == codeForm || lead.score < shortFloor || !s.covers(lead) { // a figure in code is an example
		return assay.Segment{}, false
	}
	answer, norm, ok := s.answerIn(lead)
	if !ok || s.avoid[normalised(answer)] {
		return assay.Segment{}, false
	}
	for i := range s.candidates {
		c := &s.candidates[i]
		if c == lead || c.support || s.superseded(c) || !(c.chosen || c.score >= rival*lead.score) {
			continue
		}
		if _, other, ok := s.answerIn(c); ok && other != norm {
			return assay.Segment{}, false
		}
	}
	return assay.Segment{Text: answer, Cites: []int{lead.at}, Short: true}, true
}

// lead is the strip to answer from: the best one chosen that is not superseded;
// nil where what was chosen is disputed.
func (s *selection) lead() *candidate {
	for _, c := range s.conflicts {
		if a, b, ok := s.sides(c); ok && !c.Stale && (a.chosen || b.chosen) {
			return nil
		}
	}
	var best *candidate
	for i := range s.candidates {
		c := &s.candidates[i]
		if c.chosen && !c.support && !s.superseded(c) && (best == nil || c.score > best.score) {
			best = c
		}
	}
	return best
}

// superseded tells whether newer evidence replaces what the strip says.
func (s *selection) superseded(c *candidate) bool {
	for _, conflict := range s.conflicts {
		if a, _, ok := s.sides(conflict); ok && conflict.Stale && a == c {
			return true
		}
	}
	return false
}

// covers tells whether the strip and the headings above it hold enough of the
// question, and all of its names.
func (s *selection) covers(c *candidate) bool {
	whole := strings.Join(append([]string{c.Passage.Title}, c.Passage.Heading...), "\n") + "\n" + c.Text
	if s.q.covered(whole) < shortCover {
		return false
	}
	terms := termSet(text.Analyze(whole, s.q.language))
	for _, t := range s.q.terms {
		if (t.named || t.figure) && !terms[t.text] {
			return false
		}
	}
	return true
}

// answerIn returns the answer that one strip gives in a few words, and a form in
// which it can be compared.
func (s *selection) answerIn(c *candidate) (answer, norm string, ok bool) {
	if c.form == tableForm && (s.q.kind == kindNumber || s.q.kind == kindDate || s.q.kind == kindOther) {
		return s.q.cell(c.Text)
	}
	if c.form != sentenceForm && c.form != itemForm {
		return "", "", false
	}
	if c.form == itemForm && turned(c) {
		return "", "", false
	}
	body := s.trimmed(c)
	switch s.q.kind {
	case kindYesNo:
		if l := c.Passage.Language; l != "" && l != "en" {
			return "", "", false
		}
		answer = s.q.polarity(body, c.Passage.Heading)
		return answer, answer, answer != ""
	case kindNumber, kindDate:
		if qualified(body) {
			return "", "", false
		}
		return s.q.exactValue(body)
	case kindWho:
		if qualified(body) {
			return "", "", false
		}
		return s.q.exactName(body)
	}
	return "", "", false
}

// turned tells whether what introduces an item, or the heading above it, denies it
// or makes it depend on something.
func turned(c *candidate) bool {
	above := c.intro
	if n := len(c.Passage.Heading); above == "" && n > 0 {
		above = c.Passage.Heading[n-1]
	}
	return denies().MatchString(above) || hedges().MatchString(above) || qualified(above)
}

// qualified tells whether a sentence holds only under a condition, or no more.
func qualified(s string) bool { return qualifier().MatchString(s) }

var qualifier = lazily(`(?i)\b(if|unless|except|depending|depends|provided that|otherwise|no longer|formerly|previously|used to|not|never|n't|would|e\.g\.|for example|such as)\b`)

// exactValue returns the one value in the sentence that the question can ask
// for, with the words that bound it ("up to 26 weeks", "€12 per user").
func (q *question) exactValue(body string) (answer, norm string, ok bool) {
	w := wantedBy(q)
	if w.often {
		found := frequency().FindAllString(body, -1)
		if len(found) != 1 {
			return "", "", false
		}
		return found[0], normalised(found[0]), true
	}
	v, ok := q.only(q.fitting(w, body, ""), body)
	if !ok {
		return "", "", false
	}
	return widened(v, body, w).Of(body), v.Norm, true
}

// fitting returns the values in body that are wanted and that the question does
// not name itself. What is counted may stand in the heading instead.
func (q *question) fitting(w wanted, body, heading string) []value {
	var out []value
	for _, v := range values(body) {
		if holdsValue(q.values, v) || !(w.accepts(v, body) || (w.kinds[v.Kind] && w.holdsNoun(heading))) {
			continue
		}
		out = append(out, v)
	}
	return out
}

// only returns the value where there is one, or where the clause of one holds
// every term of the question that the clauses of the others hold. Later clauses
// leave out what an earlier one said, so an earlier one must say nothing but
// what was asked.
func (q *question) only(vs []value, body string) (value, bool) {
	if len(vs) == 0 {
		return value{}, false
	}
	if len(vs) == 1 {
		return vs[0], true
	}
	held := make([]map[int]bool, len(vs))
	for i, v := range vs {
		held[i] = q.termsIn(clauseAround(body, v.Span))
	}
	found := -1
	for i := range vs {
		best := i+1 == len(vs) || q.saysOnly(clauseAround(body, vs[i].Span), vs[i].Of(body))
		for j := range vs {
			if i != j && !contains(held[i], held[j]) {
				best = false
			}
		}
		if best && found >= 0 {
			return value{}, false // as good as another
		}
		if best {
			found = i
		}
	}
	if found < 0 {
		return value{}, false
	}
	return vs[found], true
}

// termsIn returns the positions of the question's terms that s holds.
func (q *question) termsIn(s string) map[int]bool {
	out := map[int]bool{}
	for _, t := range text.Analyze(s, q.language) {
		if i, ok := q.index[t.Term]; ok {
			out[i] = true
		}
	}
	return out
}

// saysOnly tells whether the clause holds no terms but those of the question and
// of the value.
func (q *question) saysOnly(clause, value string) bool {
	own := termSet(text.Analyze(value, q.language))
	for _, t := range text.Analyze(clause, q.language) {
		if _, asked := q.index[t.Term]; !asked && !own[t.Term] {
			return false
		}
	}
	return true
}

func contains(all, part map[int]bool) bool {
	for i := range part {
		if !all[i] {
			return false
		}
	}
	return true
}

// clauseAround returns the clause of s in which the span stands.
func clauseAround(s string, span text.Span) string {
	start, end := 0, len(s)
	for _, b := range clauseBreak().FindAllStringIndex(s, -1) {
		if b[1] <= span.Start {
			start = b[1]
		} else if b[0] >= span.End {
			end = b[0]
			break
		}
	}
	return s[start:end]
}

var clauseBreak = lazily(`(?i)[,;:(]\s|\s[–—-]\s|\s(?:and|but|while|whereas|or|und|et|y)\s`)

// widened takes in the words that bound the value and what it is counted by.
func widened(v value, body string, w wanted) text.Span {
	span := v.Span
	if m := boundBefore().FindStringIndex(body[:span.Start]); m != nil {
		span.Start = m[0]
		if strings.HasPrefix(body[m[0]:], " ") {
			span.Start++
		}
	}
	if v.Kind == valueNumber {
		if n := w.nounAfter(body[span.End:]); n > 0 {
			span.End += n
		}
	}
	if v.Kind != valueDate && v.Kind != valueYear {
		if m := rateAfter().FindStringIndex(body[span.End:]); m != nil {
			span.End += m[1]
		}
	}
	return span
}

var (
	boundBefore = lazily(`(?i)(?:^|\s)(?:up to|at least|at most|about|approximately|around|roughly|nearly|almost|over|under|within|more than|less than|fewer than|no more than|not more than|a maximum of|a minimum of|between|by|before|after|until|since)(?: the)? $`)
	rateAfter   = lazily(`(?i)^(?:\s?/\s?[a-z]+|(?:,? per [a-z]+)+(?: (?:and|per) [a-z]+ per [a-z]+)?|,? (?:a|an|each|every) (?:second|minute|hour|day|night|week|month|quarter|year|person|user|seat)\b)+`)
	frequency   = lazily(`(?i)\b(?:(?:once|twice|[a-z0-9]+ times)(?: (?:a|an|per|each|every|in a)) [a-z]+|every (?:[a-z0-9]+ )?(?:second|minute|hour|day|night|week|weekday|month|quarter|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?|hourly|daily|nightly|weekly|fortnightly|biweekly|monthly|quarterly|annually|yearly)\b`)
)

// exactName returns the one name of two words or more in the sentence that the
// question does not hold itself.
func (q *question) exactName(body string) (answer, norm string, ok bool) {
	for _, n := range entities(body) {
		name := n.Of(body)
		if !strings.Contains(name, " ") || !capitalised(name) || len(values(name)) > 0 || len(q.termsIn(name)) > 0 {
			continue
		}
		if answer != "" && answer != name {
			return "", "", false
		}
		answer = name
	}
	return answer, normalised(answer), answer != ""
}
