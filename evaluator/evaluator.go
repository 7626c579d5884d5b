package evaluator

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/text"
)

// Evaluator judges, checks, answers, rewrites and routes by words, and by what a
// Reader reads where it has one.
// Make one with New; it may be used concurrently.
type Evaluator struct {
	vocab    assay.Vocabulary // nil where the index can't tell its words
	log      *slog.Logger
	reader   Reader // nil where the words are all there is
	embedder Embedder
	weights  *Weights
	frame    map[string]bool
	antonyms map[string][]string
	synonyms map[string]map[string]bool

	questions  *memo[questionKey, *question]
	statements *memo[questionKey, *statement]
	analyses   *memo[analysisKey, *analysis]
	readings   *memo[encoder.Pair, *reading]
	vectors    *memo[string, []float32]
}

// Options tune an Evaluator. The zero value is the default.
type Options struct {
	// Weights is a folder of weights as the fit program writes it; nil means
	// those that are built in.
	Weights fs.FS
	// Reader reads questions and passages, and claims and evidence, beside the words;
	// nil means that the words are all there is.
	Reader Reader
	// Embedder says how near texts are in meaning; a Reader needs one beside it.
	Embedder Embedder
	// Log receives what a person who runs the engine may want to know; nil
	// discards it.
	Log *slog.Logger
}

// How much is remembered. A text taken apart takes some 20 times its size,
// so that this is a few megabytes, and enough for the passages and strips of the
// questions under way.
const (
	questionsKept = 64
	textsKept     = 256
)

// New makes an Evaluator. With a vocabulary it weighs words as they are used in
// the documents at hand; v may be nil. It fails on weights that do not belong to
// this version.
func New(v assay.Vocabulary, o *Options) (*Evaluator, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Weights == nil {
		built, err := fs.Sub(embedded, "weights")
		if err != nil {
			return nil, fmt.Errorf("evaluator new: %w", err)
		}
		opts.Weights = built
	}
	weights, err := loadWeights(opts.Weights)
	if err != nil {
		return nil, fmt.Errorf("evaluator new: %w", err)
	}
	if r := opts.Reader; r != nil {
		if r.Logits() != readOutputs || r.TokenLogits() != tokenOutputs {
			return nil, fmt.Errorf("evaluator new: the network %s gives %d numbers for a pair and %d for a token, and %d and %d are wanted: those of the folder train",
				r.Model(), r.Logits(), r.TokenLogits(), readOutputs, tokenOutputs)
		}
		if weights.Network == nil {
			return nil, errors.New("evaluator new: there is a network, and the weights don't say how to weigh what it reads; fit them with it")
		}
		if opts.Embedder == nil {
			return nil, errors.New("evaluator new: there is a network, and no Embedder beside it; give the encoder whose words it borrows")
		}
	}
	if opts.Reader == nil && opts.Embedder != nil {
		return nil, errors.New("evaluator new: there is an Embedder, and no Reader that it could stand beside")
	}
	return &Evaluator{
		vocab: v, log: opts.Log, weights: weights, frame: termSet(text.Analyze(frameWords, "en")), antonyms: antonymTable(), synonyms: synonymTable(),
		reader:     opts.Reader,
		embedder:   opts.Embedder,
		questions:  newMemo[questionKey, *question](questionsKept),
		statements: newMemo[questionKey, *statement](questionsKept),
		analyses:   newMemo[analysisKey, *analysis](textsKept),
		readings:   newMemo[encoder.Pair, *reading](textsKept),
		vectors:    newMemo[string, []float32](textsKept),
	}, nil
}

// Version tells whether grades compare: thresholds and probabilities that were fitted
// to those of one version belong to no other.
func (e *Evaluator) Version() string {
	version := fmt.Sprintf("words@%08x", e.weights.mark)
	if e.reader != nil {
		version += "+" + e.reader.Model() + "+" + e.embedder.Model()
	}
	return version
}

// Parts fills the parts of an engine around a retriever with one Evaluator, which goes by
// words alone; for one with a Reader use New. A
// retriever that is also an assay.Vocabulary is used as one.
func Parts(r assay.Retriever) assay.Parts {
	v, _ := r.(assay.Vocabulary)
	e, err := New(v, nil)
	if err != nil { // the weights that are built in are wrong: no use of this build
		panic(err)
	}
	return e.Parts(r)
}

// Parts fills the parts of an engine around a retriever with this Evaluator.
func (e *Evaluator) Parts(r assay.Retriever) assay.Parts {
	return assay.Parts{Retriever: r, Grader: e, Checker: e, Answerer: e, Usefulness: e, Rewriter: e, Router: e, Condenser: e}
}
