package assay

import "context"

// Retriever finds passages. The index is one, so is a fallback source, and so is
// any search that a program already has.
type Retriever interface {
	// Retrieve returns at most s.K passages, best first; none is an answer, not
	// an error. It may be called concurrently. A source that could answer only in
	// part returns what it has and no error. Fake: RetrieverFunc.
	Retrieve(ctx context.Context, s Search) ([]Passage, error)
}

// Search is all that a source sees of a question.
type Search struct {
	// Words is what to look for, as text: operators and brackets in it mean
	// nothing.
	Words      string
	Collection string
	Filter     Filter
	K          int
}

// RetrieverFunc makes a function a Retriever.
type RetrieverFunc func(ctx context.Context, s Search) ([]Passage, error)

// Retrieve calls f.
func (f RetrieverFunc) Retrieve(ctx context.Context, s Search) ([]Passage, error) { return f(ctx, s) }

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
