package evaluator

import (
	"math"
	"slices"
)

// The features of a text for a question. All but the counts lie in [0, 1] and
// are relative to the question's own total, so that they compare between
// questions; the weights of terms stand for how telling they are.
const (
	fCoverage      = iota // weight of the terms that the text holds
	fContext              // the same with title, headings and, for a strip, its passage
	fSentence             // the most that one sentence holds
	fAnswering            // the most of one sentence, its surroundings counted in part
	fTyped                // the same among sentences that hold the kind of answer asked for
	fWindow               // the most within windowTokens tokens
	fPairs                // neighbouring terms of the question that are near here too
	fBM25                 // BM25 over the most that the question could reach
	fHeaviest             // the weightiest term
	fMissing              // weight of the heaviest term that even the context lacks
	fNamed                // the names of the question, 1 where it has none
	fNames                // the worst found of its names, its words together
	fUnnamed              // the other terms in the best sentence
	fFigures              // the numbers and dates of the question, 1 where it has none
	fNear                 // nearness of the answer's kind to the terms matched
	fNovel                // logarithm of the words in the best sentence that the question lacks
	fEcho                 // share of the best sentence that only repeats the question
	fSoft                 // weight covered by likeness of form alone
	fRepeats              // logarithm of the occurrences of the heaviest term
	fSupporting           // logarithm of the sentences that hold half of what the best does
	fPosition             // where the best sentence stands, 0 first to 1 last
	fLength               // logarithm of the text's words
	fTerms                // logarithm of the question's terms
	fTelling              // mean weight of the question's terms, in nats
	fAsks                 // 1 where the best sentence is itself a question
	fWhole                // names × unnamed: the subject is there, and what is asked of it
	fClose                // window × near: the terms stand together, the kind of answer with them
	fMissingWeight        // missing × telling: a rare word missed is worse
	fKind                 // one column for each kind of question and whether its answer's kind is there
	featureCount   = fKind + 3*10
)

var featureNames = []string{
	"coverage", "context", "sentence", "answering", "typed", "window", "pairs", "bm25", "heaviest", "missing", "named",
	"names", "unnamed", "figures", "near", "novel", "echo", "soft", "repeats", "supporting", "position", "length", "terms",
	"telling", "asks", "whole", "close", "missing weight",
}

// kinds in the order of their columns.
var kinds = []kind{kindHowTo, kindDefinition, kindNumber, kindDate, kindYesNo, kindWho, kindWhere, kindWhy, kindList, kindOther}

// passageFeatureNames are the names of the columns of measure.
func passageFeatureNames() []string {
	names := slices.Clone(featureNames)
	for _, k := range kinds {
		names = append(names, string(k)+" unmet", string(k)+" half met", string(k)+" met")
	}
	return names
}

// What a sentence is credited for terms that stand around it rather than in it:
// pronouns and headings carry a subject along. These and the next are judgements
// that the models were fitted with: to change one is to fit again.
const (
	creditBefore = 0.7 // in the sentence before
	creditTitle  = 0.6 // in the title, the headings or the first sentence
	creditText   = 0.4 // elsewhere in the text or its context
)

const (
	softCredit   = 0.7 // of a match by likeness of form, times the likeness
	windowTokens = 24  // about a sentence
	bm25K1       = 1.2 // the usual value
	bm25B        = 0.5 // less than the usual 0.75: passages are of a length
	meanLength   = 110 // terms of a passage, for BM25's length
)

// hit is one occurrence of a term of the question.
type hit struct {
	token    int32
	term     int16
	strength float32
}

// measurer compares texts with one question. It owns scratch space, so it is
// used by one goroutine at a time.
type measurer struct {
	q    *question
	hits []hit
	// by term: the strongest match in the body, in title and headings, in all
	// context, and in the sentence at hand and the one before it.
	body, title, around, own, before []float64
	counts                           []float64
}

func newMeasurer(q *question) *measurer {
	n := len(q.terms)
	flat := make([]float64, 6*n)
	return &measurer{q: q, body: flat[:n], title: flat[n : 2*n], around: flat[2*n : 3*n], own: flat[3*n : 4*n],
		before: flat[4*n : 5*n], counts: flat[5*n:]}
}

// match fills strengths with the best match of each term and returns the hits in
// the order of the text.
func (m *measurer) match(a *analysis, strengths []float64, hits []hit) []hit {
	clear(strengths)
	for i, t := range a.tokens {
		if j, ok := m.q.index[t.Term]; ok {
			hits = append(hits, hit{int32(i), int16(j), 1})
			strengths[j] = 1
		}
	}
	exact := len(hits)
	for j, t := range m.q.terms {
		if strengths[j] > 0 || t.figure {
			continue
		}
		for i, tok := range a.tokens {
			s := softCredit * likeness(t.text, tok.Term)
			if t.synonyms[tok.Term] {
				s = max(s, synonymCredit)
			}
			if s > 0 {
				hits = append(hits, hit{int32(i), int16(j), float32(s)})
				strengths[j] = max(strengths[j], s)
			}
		}
	}
	if len(hits) > exact {
		slices.SortFunc(hits, func(a, b hit) int { return int(a.token - b.token) })
	}
	return hits
}

// firstEastern is the first byte of the Japanese, Chinese and Korean letters,
// whose bigrams are no words to be alike.
const firstEastern = 0xE3

// likeness tells how alike two terms are in form, in (0, 1], or 0 where they are
// not: one word with another ending, a compound, a letter wrong.
func likeness(a, b string) float64 {
	short, long := min(len(a), len(b)), max(len(a), len(b))
	if short < 4 || long > 3*short || a[0] >= firstEastern || b[0] >= firstEastern {
		return 0
	}
	prefix := 0
	for prefix < short && a[prefix] == b[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < short-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	switch {
	case prefix == short && short >= 5: // one begins the other
		return max(0.6, float64(short)/float64(long))
	case suffix == short && short >= 5:
		return 0.6
	case prefix+suffix >= long-1 && long >= 6 && prefix > 0: // one letter
		return 0.85
	case len(a) == len(b) && long >= 6 && prefix > 0 && prefix+suffix == long-2 && a[prefix] == b[prefix+1] && a[prefix+1] == b[prefix]:
		return 0.85 // two letters the wrong way round
	case prefix >= 5 && 10*prefix >= 6*long:
		return float64(prefix) / float64(long)
	}
	return 0
}

// setting is what a text stands among; any part may be nil.
type setting struct {
	title  *analysis // title and headings
	before *analysis // the sentence before it, or the one that introduces its list
	around *analysis // all else, such as the passage of a strip
}

// measure writes the features of the text a for the question into x, which has
// featureCount columns. It returns the position of the best sentence, -1 where
// there is none.
func (m *measurer) measure(a *analysis, in setting, x []float64) int {
	clear(x)
	q := m.q
	m.hits = m.match(a, m.body, m.hits[:0])
	hits := m.hits
	for _, part := range []struct {
		a         *analysis
		strengths []float64
	}{{in.title, m.title}, {in.before, m.before}, {in.around, m.around}} {
		clear(part.strengths)
		if part.a != nil {
			m.hits = m.match(part.a, part.strengths, m.hits)
		}
	}
	m.hits = m.hits[:len(hits)]

	b := m.bestSentence(a, hits)
	m.coverage(x)
	x[fSentence], x[fAnswering], x[fTyped] = b.plain, b.contextual, b.typed
	x[fUnnamed], x[fNear] = b.unnamed, b.near
	x[fWindow] = m.window(hits)
	x[fPairs] = m.pairs(hits)
	x[fNames] = m.names(hits)
	x[fBM25] = m.bm25(hits, len(a.tokens))
	if len(q.terms) > 0 {
		x[fRepeats] = math.Log1p(m.counts[q.heaviest])
	}
	x[fSupporting] = math.Log1p(float64(b.supporting))
	x[fNovel] = math.Log1p(float64(b.novel))
	x[fLength] = math.Log1p(float64(len(a.tokens)))
	x[fTerms] = math.Log1p(float64(len(q.terms)))
	for _, t := range q.terms {
		x[fTelling] += t.weight / float64(len(q.terms))
	}
	if b.sentence >= 0 {
		s := a.sentences[b.sentence]
		x[fEcho] = float64(b.repeated) / float64(max(1, b.repeated+b.novel))
		x[fPosition] = float64(b.sentence) / float64(max(1, len(a.sentences)-1))
		if s.asks {
			x[fAsks] = 1
		}
	}
	x[fWhole] = x[fNames] * x[fUnnamed]
	x[fClose] = x[fWindow] * x[fNear]
	x[fMissingWeight] = x[fMissing] * x[fTelling]
	column := fKind + 3*slices.Index(kinds, q.kind)
	switch {
	case b.met >= 1:
		column += 2
	case b.met > 0:
		column++
	}
	x[column] = 1
	return b.sentence
}

// coverage measures which terms are there at all.
func (m *measurer) coverage(x []float64) {
	q := m.q
	named, namedTotal, figures, figuresTotal := 0.0, 0.0, 0.0, 0.0
	for j, t := range q.terms {
		inBody := m.body[j]
		anywhere := max(inBody, m.title[j], m.around[j])
		x[fCoverage] += t.share * inBody
		x[fContext] += t.share * anywhere
		x[fMissing] = max(x[fMissing], t.share*(1-anywhere))
		if inBody < 1 {
			x[fSoft] += t.share * inBody
		}
		if t.named {
			named += t.weight * anywhere
			namedTotal += t.weight
		}
		if t.figure {
			figures += anywhere
			figuresTotal++
		}
	}
	x[fHeaviest], x[fNamed], x[fFigures] = 0, 1, 1
	if len(q.terms) > 0 {
		x[fHeaviest] = max(m.body[q.heaviest], m.title[q.heaviest], m.around[q.heaviest])
	}
	if namedTotal > 0 {
		x[fNamed] = named / namedTotal
	}
	if figuresTotal > 0 {
		x[fFigures] = figures / figuresTotal
	}
}
