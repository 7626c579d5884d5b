package openai

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/assay-rag/assay/llm"
)

// EmbedderOptions say where a server is and how its model wants texts.
type EmbedderOptions struct {
	Options
	// QueryPrefix and PassagePrefix stand before each question and each passage, as
	// the model's card says: "query: " and "passage: " for E5.
	QueryPrefix, PassagePrefix string
	// MaxTokens is how long a text the model takes; longer ones are embedded in
	// pieces. 0 finds out: by what the server refuses, and by the tokens it counts,
	// since many cut a text without a word.
	MaxTokens int
	// Batch is how many texts are sent at a time; 0 is 64.
	Batch int
	// Shorten asks the server for vectors of the dimensions wanted, which models can
	// give that were trained for it.
	Shorten bool
}

// Embedder makes vectors of unit length by a server's /embeddings. It may be used
// concurrently, and satisfies llm.Embedder. A text that the model doesn't take
// whole has the mean of its pieces' vectors, weighted by their length; of very long
// ones, that of the first 64. Nothing is repeated that fails for a passing reason.
type Embedder struct {
	server
	o   EmbedderOptions
	dim int

	mu sync.Mutex
	// limit is how many tokens, as we estimate them, a piece may have; 0 is any.
	limit int
	// whole is the longest text of which it is known that the server doesn't cut it.
	whole int
	// batch is how many texts the server takes at a time.
	batch int
}

var _ llm.Embedder = (*Embedder)(nil)

const (
	defaultBatch = 64
	maxBytes     = 256 << 10 // of the texts of a request
	maxPieces    = 64        // of a text
	leastPiece   = 16        // tokens: a server that refuses these refuses something else
)

// NewEmbedder returns an embedder. dim is how many dimensions the model's vectors
// have; 0 asks the server for one to see. The error says which option can't be, or
// why the server didn't answer.
func NewEmbedder(ctx context.Context, model string, dim int, o *EmbedderOptions) (*Embedder, error) {
	if o == nil {
		o = &EmbedderOptions{}
	}
	if dim < 0 || o.Batch < 0 || o.MaxTokens < 0 {
		return nil, fmt.Errorf("openai new embedder: dimensions, batch and tokens can't be negative")
	}
	if o.Shorten && dim == 0 {
		return nil, fmt.Errorf("openai new embedder: say to how many dimensions vectors are to be shortened")
	}
	s, err := newServer(model, &o.Options)
	if err != nil {
		return nil, fmt.Errorf("openai new embedder: %w", err)
	}
	e := &Embedder{server: s, o: *o, dim: dim, limit: o.MaxTokens, batch: defaultBatch}
	if o.Batch > 0 {
		e.batch = o.Batch
	}
	if dim == 0 {
		made, err := e.ask(ctx, []string{o.QueryPrefix + "dimensions"})
		if err != nil {
			return nil, fmt.Errorf("openai new embedder: %w", err)
		}
		e.dim = len(made.vectors[0])
	}
	return e, nil
}

// Model names the model, and the options that change its vectors.
func (e *Embedder) Model() string {
	name := e.model
	if e.o.QueryPrefix != "" || e.o.PassagePrefix != "" {
		name += fmt.Sprintf(";query=%q;passage=%q", e.o.QueryPrefix, e.o.PassagePrefix)
	}
	if e.o.MaxTokens > 0 {
		name += fmt.Sprintf(";tokens=%d", e.o.MaxTokens)
	}
	return name
}

// Dim is how many dimensions the vectors have.
func (e *Embedder) Dim() int { return e.dim }

// EmbedQuery returns the vector of a question.
func (e *Embedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	made, err := e.embed(ctx, e.o.QueryPrefix, []string{text})
	if err != nil {
		return nil, err
	}
	return made[0], nil
}

// EmbedPassages returns the vectors of passages, in their order. Where one fails,
// none is returned.
func (e *Embedder) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	return e.embed(ctx, e.o.PassagePrefix, texts)
}

// embed makes a vector of each text, from its pieces where it has several. A piece
// that turns out too long lowers the limit; then all are cut anew.
func (e *Embedder) embed(ctx context.Context, prefix string, texts []string) ([][]float32, error) {
	if err := e.findCut(ctx, prefix, texts); err != nil {
		return nil, err
	}
	for {
		limit := e.lower(0)
		var pieces []string
		of := make([][]string, len(texts))
		for i, t := range texts {
			of[i] = []string{t}
			if limit > 0 {
				of[i] = split(t, limit-llm.EstimateTokens(prefix))
			}
			for _, p := range of[i] {
				pieces = append(pieces, prefix+p)
			}
		}
		made, err := e.many(ctx, pieces)
		if err != nil {
			if now := e.lower(0); llm.KindOf(err) == llm.TooLong && now > 0 && (now < limit || limit == 0) {
				continue
			}
			return nil, err
		}
		out := make([][]float32, len(texts))
		for i := range texts {
			n := len(of[i])
			out[i], made = mean(made[:n], of[i]), made[n:]
		}
		return out, nil
	}
}

// lower lowers the limit of a piece, unless to is 0 or less than any server takes,
// and returns the one in force.
func (e *Embedder) lower(to int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if to >= leastPiece && (e.limit == 0 || to < e.limit) {
		e.limit = to
	}
	return e.limit
}

// many asks for as many texts at a time as the server takes. What it refuses
// together is asked for in halves; a single text that is too long lowers the limit.
func (e *Embedder) many(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	n := fitting(texts, e.batch)
	e.mu.Unlock()
	if n < len(texts) {
		return e.inTwo(ctx, texts, n)
	}
	if n == 0 {
		return nil, nil
	}
	made, err := e.ask(ctx, texts)
	switch kind := llm.KindOf(err); {
	case err == nil:
		return made.vectors, nil
	case n > 1 && kind == llm.TooLong:
		return e.inTwo(ctx, texts, n/2)
	case n > 1 && kind == llm.BadRequest:
		both, halfErr := e.inTwo(ctx, texts, n/2)
		switch {
		case halfErr != nil && llm.KindOf(halfErr) == "":
			return nil, halfErr // the budget or the context ended it
		case halfErr != nil:
			return nil, err // it wasn't the number of them
		}
		e.mu.Lock()
		e.batch = min(e.batch, n/2)
		e.mu.Unlock()
		return both, nil
	case kind == llm.TooLong:
		e.lower(llm.EstimateTokens(texts[0]) / 2)
	}
	return nil, err
}

func (e *Embedder) inTwo(ctx context.Context, texts []string, at int) ([][]float32, error) {
	a, err := e.many(ctx, texts[:at])
	if err != nil {
		return nil, err
	}
	b, err := e.many(ctx, texts[at:])
	return append(a, b...), err
}

// findCut finds out whether the server cuts long texts without a word. It has the
// longest one counted, whole and in halves: where the whole has clearly fewer tokens
// than both halves, it was cut. This is done once for each length that is new.
func (e *Embedder) findCut(ctx context.Context, prefix string, texts []string) error {
	longest, n := "", 0
	for _, t := range texts {
		if k := llm.EstimateTokens(t); k > n {
			longest, n = t, k
		}
	}
	e.mu.Lock()
	known := e.o.MaxTokens > 0 || n <= max(e.whole+e.whole/8, shortText) || e.limit > 0 && n > e.limit
	e.mu.Unlock()
	if known {
		return nil
	}
	cut, counted, err := e.cutTo(ctx, prefix, longest, n)
	if k := llm.KindOf(err); err != nil && k != llm.TooLong && k != llm.BadRequest {
		return err // what the server refuses is for many to deal with
	}
	e.lower(cut * 3 / 4) // our estimate of the pieces may be too low
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.whole = max(e.whole, n); err == nil && !counted {
		e.whole = maxBytes // nothing can be found out
	}
	return nil
}

// cutTo tells to how many tokens the server cuts a text of about n; 0 is not at
// all. counted is false where it doesn't count.
func (e *Embedder) cutTo(ctx context.Context, prefix, text string, n int) (cut int, counted bool, err error) {
	whole, err := e.ask(ctx, []string{prefix + text})
	if err != nil || whole.tokens == 0 || whole.tokens >= n {
		return 0, whole.tokens > 0, err
	}
	halves := split(text, n*2/3)
	parts, err := e.ask(ctx, halves)
	if err != nil || parts.tokens <= whole.tokens+whole.tokens/8+len(halves)*4 {
		return 0, true, err
	}
	return whole.tokens, true, nil
}

// shortText is how many tokens every model takes.
const shortText = 120

// fitting is how many of the texts go into one request.
func fitting(texts []string, most int) int {
	size := 0
	for i, t := range texts[:min(len(texts), most)] {
		if size += len(t); size > maxBytes && i > 0 {
			return i
		}
	}
	return min(len(texts), most)
}

// split cuts a text into pieces of at most limit tokens, by halves and between words
// where it can.
func split(text string, limit int) []string {
	if llm.EstimateTokens(text) <= max(limit, leastPiece) {
		return []string{text}
	}
	at := len(text) / 2
	if i := strings.IndexAny(text[at:], " \n\t"); i >= 0 && i < len(text)/4 {
		at += i
	} else {
		for at > 0 && text[at]&0xc0 == 0x80 {
			at--
		}
	}
	if at == 0 {
		return []string{text}
	}
	pieces := append(split(text[:at], limit), split(text[at:], limit)...)
	return pieces[:min(len(pieces), maxPieces)]
}

// mean is the mean of the pieces' vectors, of unit length.
func mean(made [][]float32, pieces []string) []float32 {
	if len(made) == 1 {
		return made[0]
	}
	sum := make([]float32, len(made[0]))
	for i, v := range made {
		for j, x := range v {
			sum[j] += x * float32(len(pieces[i]))
		}
	}
	if !unit(sum) {
		return made[0] // they cancel each other out
	}
	return sum
}

// unit gives a vector the length 1, or returns false where it has no direction.
func unit(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if !(length > 0) || math.IsInf(length, 0) {
		return false
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return true
}
