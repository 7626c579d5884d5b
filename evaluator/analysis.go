package evaluator

import (
	"sync"

	"github.com/assay-rag/assay/text"
)

// analysis is a text taken apart once, whatever is asked of it.
type analysis struct {
	text      string
	tokens    []text.Token
	sentences []sentence

	once   sync.Once
	values []value
	names  []text.Span
}

// sentence is one sentence of an analysis: its bytes and its tokens [lo, hi).
type sentence struct {
	text.Span
	lo, hi int
	// asks marks a question, or a word to the grader: neither answers anything.
	asks bool
	// listed marks a list item or a numbered step.
	listed bool
}

type analysisKey struct{ text, language string }

// analyze takes a text apart; the last few hundred are remembered, so that the
// passages of one grading cost nothing when their strips are graded.
func (e *Evaluator) analyze(s, language string) *analysis {
	key := analysisKey{s, language}
	if a, ok := e.analyses.get(key); ok {
		return a
	}
	a := newAnalysis(s, language)
	e.analyses.put(key, a)
	return a
}

func newAnalysis(s, language string) *analysis {
	a := &analysis{text: s, tokens: text.Analyze(s, language)}
	at := 0
	for _, span := range text.Sentences(s) {
		for at < len(a.tokens) && a.tokens[at].Start < span.Start {
			at++
		}
		lo := at
		for at < len(a.tokens) && a.tokens[at].Start < span.End {
			at++
		}
		body := span.Of(s)
		a.sentences = append(a.sentences, sentence{span, lo, at, text.Asking(body) || text.Addressed(body), listed(body)})
	}
	return a
}

// figures finds the values and names of the text, once.
func (a *analysis) figures() ([]value, []text.Span) {
	a.once.Do(func() {
		a.values = values(a.text)
		a.names = entities(a.text)
	})
	return a.values, a.names
}

// termSet is the set of the terms of tokens.
func termSet(tokens []text.Token) map[string]bool {
	out := make(map[string]bool, len(tokens))
	for _, t := range tokens {
		out[t.Term] = true
	}
	return out
}
