package evaluator

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-rag/assay/text"
)

// question is a question taken apart once, for all the texts graded against it.
type question struct {
	text     string
	language string
	kind     kind
	// terms are the distinct terms in reading order, index their positions.
	terms []term
	index map[string]int
	// pairs are neighbouring terms of the question.
	pairs [][2]int
	// heaviest is the position of the weightiest term.
	heaviest int
	// named tells that a term belongs to a name, names lists the terms of each.
	named  bool
	names  [][]int
	values []value
	// onlyStop tells that the question is made of stop words.
	onlyStop bool
	// script is the writing system of most of its letters.
	script string
}

// term is one word of a question.
type term struct {
	text string
	// surface is the word as the question has it.
	surface string
	// weight is the term's inverse document frequency in nats, share its part of
	// the sum over the question.
	weight, share float64
	// named marks a part of a name, frame a word that names the kind of answer
	// ("year", "person"), figure one with a digit in it.
	named, frame, figure bool
	// synonyms are other terms that may stand for it; nil where none is known.
	synonyms map[string]bool
}

// frameWords name the kind of answer wanted; a text that answers need not
// repeat them.
const frameWords = "year date day month time person people city country place number amount name kind type sort " +
	"percent percentage many much long old called define defined mean meaning definition reason procedure step steps " +
	"explain describe tell list example know find question answer following happen " +
	"heavy soon far deep fast tall wide large big high often frequently late stand " +
	"rid deal allow permit able way thing want wish possible"

// frameWeight is what a frame word keeps of its weight: a judgement that the models were
// fitted with.
const frameWeight = 0.35

// question takes a question apart, to be compared with texts in a language. The
// last few are remembered.
func (e *Evaluator) question(ctx context.Context, s, collection, language string) *question {
	key := questionKey{s, collection, language}
	if q, ok := e.questions.get(key); ok {
		return q
	}
	q, lasting := e.newQuestion(ctx, s, collection, language)
	if lasting {
		e.questions.put(key, q)
	}
	return q
}

type questionKey struct{ text, collection, language string }

// newQuestion also tells whether its weights are those of the documents: where the
// index failed to tell its counts this time, it may the next.
func (e *Evaluator) newQuestion(ctx context.Context, s, collection, language string) (_ *question, lasting bool) {
	q := &question{text: s, language: language, kind: kindOf(s), index: map[string]int{}, values: values(s), script: script(s)}
	tokens, onlyStop := tellingTokens(s, language)
	q.onlyStop = onlyStop
	names := entities(s)
	last := -1
	for _, t := range tokens {
		last = q.take(e.term(s, t, names), last)
	}
	for _, name := range names {
		var terms []int
		for _, t := range tokens {
			if at := q.index[t.Term]; name.Start <= t.Start && t.End <= name.End && !slices.Contains(terms, at) {
				terms = append(terms, at)
			}
		}
		if len(terms) > 0 {
			q.names = append(q.names, terms)
		}
	}
	return q, e.weighQuestion(ctx, q, collection)
}

// tellingTokens are the tokens of a question or a claim; of one that is made of
// stop words ("who are you") its words, which are better than nothing.
func tellingTokens(s, language string) (tokens []text.Token, onlyStop bool) {
	if tokens = text.Analyze(s, language); len(tokens) > 0 {
		return tokens, false
	}
	for _, w := range text.Words(s) {
		tokens = append(tokens, text.Token{Span: w, Term: text.Fold(w.Of(s))})
	}
	return tokens, true
}

// term is what a token of s is, weights apart.
func (e *Evaluator) term(s string, t text.Token, names []text.Span) term {
	surface := t.Of(s)
	return term{
		text: t.Term, surface: surface, frame: e.frame[t.Term], synonyms: e.synonyms[t.Term],
		named: within(t.Span, names), figure: strings.ContainsAny(surface, "0123456789"),
	}
}

// take adds a term, unless it is known, and makes a pair of it and the one before
// it, at last (-1: none). It returns the position of the term.
func (q *question) take(t term, last int) int {
	at, known := q.index[t.text]
	if !known {
		at = len(q.terms)
		q.index[t.text] = at
		q.terms = append(q.terms, t)
	}
	if last >= 0 && last != at {
		q.pairs = append(q.pairs, [2]int{last, at})
	}
	return at
}

func (e *Evaluator) weighQuestion(ctx context.Context, q *question, collection string) (lasting bool) {
	names := make([]string, len(q.terms))
	for i, t := range q.terms {
		names[i] = t.text
	}
	weights, known := e.weigh(ctx, collection, names)
	total := 0.0
	for i := range q.terms {
		t := &q.terms[i]
		t.weight = weights[i]
		if t.frame && !t.named {
			t.weight *= frameWeight
		}
		q.named = q.named || t.named
		total += t.weight
		if t.weight > q.terms[q.heaviest].weight {
			q.heaviest = i
		}
	}
	for i := range q.terms {
		q.terms[i].share = q.terms[i].weight / total
	}
	return e.vocab == nil || known != nil
}

// dated tells whether the question names a year or a date.
func (q *question) dated() bool {
	return slices.ContainsFunc(q.values, func(v value) bool { return v.Kind == valueYear || v.Kind == valueDate })
}

func within(s text.Span, spans []text.Span) bool {
	for _, o := range spans {
		if o.Start <= s.Start && s.End <= o.End {
			return true
		}
	}
	return false
}

// script names the writing system of most letters of s: "latin", "cjk", or the
// name of another; "" without letters.
func script(s string) string {
	var latin, cjk, cyrillic, greek, arabic, other int
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r):
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			cjk += 3 // a character of these is worth about a word's part
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case unicode.Is(unicode.Greek, r):
			greek++
		case unicode.Is(unicode.Arabic, r):
			arabic++
		default:
			other++
		}
	}
	best, name := 0, ""
	for _, c := range []struct {
		n    int
		name string
	}{{latin, "latin"}, {cjk, "cjk"}, {cyrillic, "cyrillic"}, {greek, "greek"}, {arabic, "arabic"}, {other, "other"}} {
		if c.n > best {
			best, name = c.n, c.name
		}
	}
	return name
}

// covered is the share of the question's weight whose terms stand in s.
func (q *question) covered(s string) float64 {
	total := 0.0
	seen := map[int]bool{}
	for _, t := range text.Analyze(s, q.language) {
		if i, ok := q.index[t.Term]; ok && !seen[i] {
			seen[i] = true
			total += q.terms[i].share
		}
	}
	return total
}
