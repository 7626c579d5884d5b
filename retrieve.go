package assay

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-rag/assay/llm"
)

// Retriever finds passages. The index is one, so is a fallback source, and so is
// any search that a program already has.
type Retriever interface {
	// Retrieve returns at most s.K passages, best first; none is an answer, not
	// an error. It may be called concurrently. A source that could search only in
	// part returns what it has, says so in Found.Short, and returns no error.
	// Fake: assaytest.Retriever.
	Retrieve(ctx context.Context, s Search) (Found, error)
}

// Search is all that a source sees of a question.
type Search struct {
	// Words is what to look for, as text: operators and brackets in it mean
	// nothing.
	Words string
	// Collection and Filter are for the index; a fallback source is sent neither.
	Collection string
	Filter     Filter
	// K is how many passages are wanted at the most.
	K int
}

// Found is what a search brought.
type Found struct {
	// Passages are at most Search.K, best first.
	Passages []Passage
	// Short says in what way the source searched less well than it could, in a
	// sentence for the reader of the answer ("12 of 40 passages have no vector
	// yet …"); empty where it did all it can.
	Short string
}

// RetrieverFunc makes a function a Retriever that never falls short.
type RetrieverFunc func(ctx context.Context, s Search) ([]Passage, error)

// Retrieve calls f.
func (f RetrieverFunc) Retrieve(ctx context.Context, s Search) (Found, error) {
	passages, err := f(ctx, s)
	return Found{Passages: passages}, err
}

// Vocabulary is what an index can tell of the words of its documents. A
// Retriever may implement it; evaluator weighs and rewrites better with one.
// Both methods may be called concurrently.
type Vocabulary interface {
	// Frequencies tells how many passages the collection holds and in how many
	// of them each term (as text.Analyze makes it) occurs; the counts are in the
	// order of the terms.
	Frequencies(ctx context.Context, collection string, terms []string) (passages int, counts []int, err error)
	// Related returns what the collection itself shows to stand for the words:
	// expansions of an acronym ("PTO" ↔ "paid time off"), other forms of a word
	// that occur in it, and alternatives that it names side by side. The key is
	// the word or phrase as it stands in the question, lower-cased.
	Related(ctx context.Context, collection string, words string) (map[string][]string, error)
}

// retrieve searches the index for the words in hand.
func (r *run) retrieve(ctx context.Context) (string, error) {
	round, err := r.search(ctx, r.parts.Retriever, OriginIndex, r.words)
	if err != nil {
		if errors.Is(err, llm.ErrSpent) || ctx.Err() != nil {
			return "", err
		}
		if len(r.evidence.items) == 0 {
			return "", &fatalError{err}
		}
		r.words, r.indexDry = "", true
		r.note(ReasonSourceDown, "the index could not be asked again: %v", err)
		return "the index could not be asked again", err
	}
	r.words = ""
	if len(r.searches) > 1 && round.New == 0 {
		r.indexDry = true // the same evidence twice: the index has no more to say
	}
	return fmt.Sprintf("%q: %d found, %d of them new", round.Words, round.Found, round.New), nil
}

// search asks one source within the budget and takes in what it finds. The
// round is recorded even when the source fails.
func (r *run) search(ctx context.Context, source Retriever, origin Origin, words string) (SearchRound, error) {
	round := SearchRound{Words: words, Origin: origin, Verdict: NoVerdict}
	if err := r.meter.Reserve(llm.Usage{Searches: 1}); err != nil {
		return round, err
	}
	asked := Search{Words: words, K: r.opts.Wide}
	if origin == OriginIndex { // collections and metadata are the index's own, and nobody else's business
		asked.Collection, asked.Filter = r.query.Collection, r.query.Filter
	}
	found, err := source.Retrieve(ctx, asked)
	if err != nil {
		round.Failed = err.Error()
		r.searches = append(r.searches, round)
		return round, err
	}
	if found.Short != "" {
		r.note(ReasonSearchShort, "%s", found.Short)
	}
	passages := found.Passages[:min(len(found.Passages), r.opts.Wide)]
	fresh := r.evidence.add(passages, origin, len(r.searches)+1, r.opts.Narrow)
	if !r.mode.gates() {
		r.admit(fresh)
	}
	round.Found, round.New = len(passages), len(fresh)
	r.searches = append(r.searches, round)
	return round, nil
}

// admit lets passages through without a grade, all of their strips with them.
func (r *run) admit(items []*item) {
	for _, it := range items {
		it.kept, it.why = true, "not graded in this mode"
		for _, s := range StripsOf(it.passage) {
			it.strips = append(it.strips, heldStrip{Strip: s, kept: true})
		}
	}
}
