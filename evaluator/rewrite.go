package evaluator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// Rewrite returns other words for a question whose search failed, without a
// model: what the collection itself shows to stand for a word (acronyms,
// corrections, alternatives), other forms of words, the question without its
// frame, what no passage covered, and fewer words. What was found decides the
// order: after nothing, looser words come first; after much of no use, other
// words do.
//
// Words whose terms were all tried together before are never returned, in
// whatever order; nor, where the collection's own counts show it, words that
// differ from tried ones only in terms that it doesn't hold. "" means that none
// are left. An error means that the vocabulary could not be asked.
func (e *Evaluator) Rewrite(ctx context.Context, q assay.Query, tried []assay.SearchRound) (string, error) {
	w, err := e.rewriting(ctx, q, tried)
	if err != nil {
		return "", fmt.Errorf("evaluator rewrite: %w", err)
	}
	for _, words := range w.proposals() {
		if fresh, err := w.isNew(ctx, words); err != nil {
			return "", fmt.Errorf("evaluator rewrite: %w", err)
		} else if fresh {
			return words, nil
		}
	}
	return "", nil
}

// rewriting is what is known when other words are looked for.
type rewriting struct {
	e          *Evaluator
	collection string
	language   string
	question   string
	kind       kind
	words      []queryWord // of the question, without its frame and stop words
	related    map[string][]string
	forms      map[string][]string // by surface
	kindWord   string              // what texts of the kind hold, if the collection has it
	missing    string
	found      int  // passages that the last search brought
	counted    bool // the vocabulary knows the words
	spent      map[string]bool
}

// queryWord is one word of the question that is worth searching for.
type queryWord struct {
	surface string // folded
	term    string
	// count is in how many passages the term occurs; 1 where that is not known.
	count int
	named bool
	frame bool // part of the question's frame, not of its subject
}

// perKey bounds the alternatives taken for one word, and maxWords the words of a
// search: judgements, for a search that is still about the question.
const (
	perKey   = 2
	maxWords = 16
)

func (e *Evaluator) rewriting(ctx context.Context, q assay.Query, tried []assay.SearchRound) (*rewriting, error) {
	w := &rewriting{
		e: e, collection: q.Collection, language: text.Detect(q.Question), question: q.Question, kind: kindOf(q.Question),
		related: map[string][]string{}, forms: map[string][]string{}, spent: map[string]bool{},
	}
	w.words = w.take(q.Question)
	for _, t := range tried {
		if t.Origin == assay.OriginIndex || t.Origin == "" {
			w.missing, w.found = t.Missing, t.Found
		}
	}
	if e.vocab != nil {
		if err := w.ask(ctx); err != nil {
			return nil, err
		}
	}
	for _, words := range append([]string{q.Question}, searchedWords(tried)...) {
		signature, err := w.signature(ctx, words)
		if err != nil {
			return nil, err
		}
		w.spent[signature] = true
	}
	return w, nil
}

func searchedWords(tried []assay.SearchRound) []string {
	var out []string
	for _, t := range tried {
		if t.Origin == assay.OriginIndex || t.Origin == "" {
			out = append(out, t.Words)
		}
	}
	return out
}

// take reads the words of the question.
func (w *rewriting) take(question string) []queryWord {
	var out []queryWord
	names := entities(question)
	seen := map[string]bool{}
	frame := frameEnd(question)
	for _, t := range text.Analyze(question, w.language) {
		if seen[t.Term] {
			continue
		}
		seen[t.Term] = true
		surface := text.Fold(t.Of(question))
		out = append(out, queryWord{
			surface: surface, term: t.Term, count: 1, named: within(t.Span, names),
			frame: t.Start < frame || w.e.frame[t.Term],
		})
	}
	return out
}

// frameEnd is where the subject of the question begins: after "what is the
// procedure for", "can you tell me how to".
func frameEnd(question string) int {
	m := framePhrase().FindStringIndex(question)
	if m == nil {
		return 0
	}
	return m[1]
}

// ask learns from the vocabulary how often the words occur, what stands for
// them, and which of their other forms occur.
func (w *rewriting) ask(ctx context.Context) error {
	terms := make([]string, len(w.words))
	for i, word := range w.words {
		terms[i] = word.term
	}
	counts, err := w.counts(ctx, terms)
	if err != nil {
		return err
	}
	for i, n := range counts {
		w.words[i].count = n
	}
	w.counted = true
	related, err := w.e.vocab.Related(ctx, w.collection, w.question)
	if err != nil {
		return fmt.Errorf("related words: %w", err)
	}
	w.related = w.withoutGuesses(related)
	if err := w.askKind(ctx); err != nil {
		return err
	}
	return w.askForms(ctx)
}

// withoutGuesses leaves out what the vocabulary takes to be meant by a word that
// the collection doesn't hold, where that is a word all the same: "trial" is no
// slip for "triage".
func (w *rewriting) withoutGuesses(related map[string][]string) map[string][]string {
	out := maps.Clone(related)
	for _, word := range w.words {
		if word.count == 0 && w.isWord(word.term) {
			maps.DeleteFunc(out, func(k string, _ []string) bool { return text.Fold(k) == word.surface })
		}
	}
	return out
}

// askKind finds the word that texts of the kind asked for hold, in this
// collection too.
func (w *rewriting) askKind(ctx context.Context) error {
	var words, terms []string
	for _, word := range kindWords[w.kind] {
		if t := text.Analyze(word, "en"); len(t) == 1 {
			words, terms = append(words, word), append(terms, t[0].Term)
		}
	}
	counts, err := w.counts(ctx, terms)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(counts, func(n int) bool { return n > 0 }); i >= 0 {
		w.kindWord = words[i]
	}
	return nil
}

func (w *rewriting) askForms(ctx context.Context) error {
	var surfaces, candidates, terms []string
	seen := map[string]bool{}
	for _, word := range w.words {
		if word.named || word.frame {
			continue
		}
		for _, form := range derivations(word.surface, word.term) {
			tokens := text.Analyze(form, w.language)
			if len(tokens) == 1 && !seen[tokens[0].Term] && w.isForm(word, form, tokens[0].Term) {
				seen[tokens[0].Term] = true
				surfaces, candidates, terms = append(surfaces, word.surface), append(candidates, form), append(terms, tokens[0].Term)
			}
		}
	}
	if len(terms) == 0 {
		return nil
	}
	counts, err := w.counts(ctx, terms)
	if err != nil {
		return err
	}
	for i, n := range counts {
		if n > 0 {
			w.forms[surfaces[i]] = append(w.forms[surfaces[i]], candidates[i])
		}
	}
	return nil
}

// isForm tells whether a word derived from another is one that people write,
// with a term of its own: known at large, and more than the beginning of the
// other ("elem" of "elemence"), unless that is all there is ("ship" of
// "shipment").
func (w *rewriting) isForm(of queryWord, form, term string) bool {
	if term == of.term || !w.isWord(term) {
		return false
	}
	beginning := strings.HasPrefix(of.surface, term) || strings.HasPrefix(singular(of.surface), term)
	return !beginning || form == term || form == term+"e" || strings.HasSuffix(form, "ification")
}

// isWord tells whether a term is known from texts at large.
func (w *rewriting) isWord(term string) bool {
	b := w.e.weights.background
	return b.share(term) > b.unseen
}

func (w *rewriting) counts(ctx context.Context, terms []string) ([]int, error) {
	_, counts, err := w.e.vocab.Frequencies(ctx, w.collection, terms)
	switch {
	case err != nil:
		return nil, fmt.Errorf("how often words occur: %w", err)
	case len(counts) != len(terms):
		return nil, fmt.Errorf("how often words occur: %d counts for %d terms", len(counts), len(terms))
	}
	return counts, nil
}

// isNew tells whether a search for the words can bring what no earlier one did.
func (w *rewriting) isNew(ctx context.Context, words string) (bool, error) {
	signature, err := w.signature(ctx, words)
	return signature != "" && !w.spent[signature], err
}

// signature is the set of terms of the words: of those the collection holds,
// where that is known and the last search found something. (A source that found
// nothing for words that it holds wants all of them at once, so that leaving out
// one that it doesn't hold is new.)
func (w *rewriting) signature(ctx context.Context, words string) (string, error) {
	var terms []string
	for _, t := range text.Analyze(words, w.language) {
		terms = append(terms, t.Term)
	}
	sort.Strings(terms)
	terms = slices.Compact(terms)
	if w.counted && w.found > 0 && len(terms) > 0 {
		counts, err := w.counts(ctx, terms)
		if err != nil {
			return "", err
		}
		var known []string
		for i, t := range terms {
			if counts[i] > 0 {
				known = append(known, t)
			}
		}
		terms = known
	}
	return strings.Join(terms, " "), nil
}
