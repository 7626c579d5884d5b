package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	// halfSize is how many passages each half of a search proposes at least: four
	// times the fifty that are asked for where nobody says, as what is far down in
	// one half may come to the top with the other's score.
	halfSize = 200
	// mostPending is the share of a collection that may lack a vector before a
	// search goes by words alone: what lacks one would hardly win against the rest.
	mostPending = 0.1
	// embedPatience is how long a search waits for the vector of its question: a
	// built-in encoder needs hundredths of a second, and a person won't wait longer.
	embedPatience = 5 * time.Second
)

// meaning is the half of a search that compares vectors. The question's vector is
// made while the other half looks for words.
type meaning struct {
	q        query
	dense    dense
	pending  int // passages of the collection that have no vector
	question chan madeVector
	cancel   context.CancelFunc // ends the making of the question's vector
	err      error              // why it can't be had
}

type madeVector struct {
	v   []float32
	err error
}

// errWordsAlone is why a search goes by words alone, for the reader of an answer.
// It is no failure of the search.
type errWordsAlone string

func (e errWordsAlone) Error() string { return string(e) }

// beginMeaning starts to embed the question. It returns nil where there is nothing
// to compare: no embedder, no passages, or a question of stop words.
func (q query) beginMeaning(ctx context.Context, f *mappedFile) *meaning {
	if q.x.opts.Embedder == nil || !q.means || q.c.passages == 0 {
		return nil
	}
	m := &meaning{q: q}
	if m.err = m.begin(ctx, f); m.err == nil {
		m.question = make(chan madeVector, 1)
		ctx, m.cancel = context.WithTimeout(ctx, q.x.patience)
		go func() {
			defer close(m.question)
			v, err := q.x.opts.Embedder.EmbedQuery(ctx, q.Words)
			m.question <- madeVector{v, err}
		}()
	}
	return m
}

// end ends what begin began, whatever has come of it.
func (m *meaning) end() {
	if m.question != nil {
		m.cancel()
		for range m.question { // until the embedder has returned
		}
	}
}

// begin looks whether the vectors in the index can be compared with a question.
func (m *meaning) begin(ctx context.Context, f *mappedFile) error {
	e, ok, err := embeddingOf(ctx, m.q.s)
	if err != nil {
		return err
	}
	if ok && m.q.x.sameModel("retrieve", e) != nil { // another process has changed it
		return errWordsAlone("the vectors of the index are of another model, " + e.modelName())
	}
	if m.pending, err = pendingOf(ctx, m.q.s, m.q.c.id, e.embedded); err != nil {
		return err
	}
	if float64(m.pending) > mostPending*float64(m.q.c.passages) {
		return errWordsAlone(m.lacking())
	}
	m.dense = dense{snapshot: m.q.s, e: e, mapped: &m.q.x.mapped, file: f}
	return nil
}

// lacking says how many passages have no vector.
func (m *meaning) lacking() string {
	if m.pending == 1 {
		return fmt.Sprintf("1 of %d passages has no vector yet", m.q.c.passages)
	}
	return fmt.Sprintf("%d of %d passages have no vector yet", m.pending, m.q.c.passages)
}

// join makes one list of what words have found and what vectors find. Where vectors
// can't be had the words' hits are all there is, and short says so.
func (m *meaning) join(ctx context.Context, words []hit) (hits []hit, short string, err error) {
	hits, err = m.fused(ctx, words)
	if why, ok := errors.AsType[errWordsAlone](err); ok {
		return words, string(why) + ", so all were looked for by their words alone", nil
	}
	if err == nil && m.pending > 0 {
		short = m.lacking() + " and can be found by words alone"
	}
	return hits, short, err
}

// wait waits for the question's vector and makes those of the passages ready.
func (m *meaning) wait(ctx context.Context) error {
	if m.err != nil {
		return m.err
	}
	made := <-m.question
	m.dense.vector = made.v
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(made.err, context.DeadlineExceeded):
		return errWordsAlone(fmt.Sprintf("the question had no vector within %v", m.q.x.patience))
	case made.err != nil:
		return errWordsAlone(fmt.Sprintf("the question has no vector (%v)", made.err))
	case len(made.v) != m.dense.e.dim:
		return errWordsAlone(fmt.Sprintf("the question's vector has %d dimensions, not %d", len(made.v), m.dense.e.dim))
	case !finite(made.v):
		return errWordsAlone("the question's vector isn't made of finite numbers")
	}
	return m.dense.open(ctx)
}

func finite(v []float32) bool {
	return !slices.ContainsFunc(v, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) })
}

// fused takes the best of each half and gives every passage one score of both:
// what one half proposes is scored by the other too.
func (m *meaning) fused(ctx context.Context, words []hit) ([]hit, error) {
	if err := m.wait(ctx); err != nil {
		return nil, err
	}
	runs, err := m.q.alive(ctx)
	if err != nil {
		return nil, err
	}
	size := min(max(halfSize, m.q.K), maxCandidates)
	near, err := m.dense.nearest(ctx, runs, size)
	if err != nil {
		return nil, err
	}
	ids := idsOf(best(words, size), near)
	byWords, byMeaning := scoresOf(words), scoresOf(near)
	if err := byWords.complete(ids, func(others []int64) ([]hit, error) {
		return m.q.rank(ctx, others)
	}); err != nil {
		return nil, err
	}
	if err := byMeaning.complete(ids, func(others []int64) ([]hit, error) {
		return m.dense.nearest(ctx, singles(others), len(others))
	}); err != nil {
		return nil, err
	}
	fused := m.q.x.opts.Fusion(byWords.list(ids, 0), byMeaning.list(ids, math.NaN()))
	if len(fused) != len(ids) {
		return nil, fmt.Errorf("Options.Fusion made %d scores of %d; it must make one of each two", len(fused), len(ids))
	}
	hits := make([]hit, len(ids))
	for i, score := range fused {
		hits[i] = hit{ids[i], score}
	}
	return hits, nil
}

// idsOf lists the passages of both lists in order, each once.
func idsOf(a, b []hit) []int64 {
	ids := make([]int64, 0, len(a)+len(b))
	for _, h := range slices.Concat(a, b) {
		ids = append(ids, h.id)
	}
	slices.SortFunc(ids, cmp.Compare)
	return slices.Compact(ids)
}

// scores are those of one half, by passage.
type scores map[int64]float64

func scoresOf(hits []hit) scores {
	s := make(scores, 2*len(hits))
	s.add(hits)
	return s
}

func (s scores) add(hits []hit) {
	for _, h := range hits {
		s[h.id] = h.score
	}
}

// complete has those of the ids scored that aren't yet.
func (s scores) complete(ids []int64, score func([]int64) ([]hit, error)) error {
	var others []int64
	for _, id := range ids {
		if _, ok := s[id]; !ok {
			others = append(others, id)
		}
	}
	if len(others) == 0 {
		return nil
	}
	hits, err := score(others)
	s.add(hits)
	return err
}

// list puts the scores in the order of ids; missing stands for those there are none of.
func (s scores) list(ids []int64, missing float64) []float64 {
	out := make([]float64, len(ids))
	for i, id := range ids {
		v, ok := s[id]
		if !ok {
			v = missing
		}
		out[i] = v
	}
	return out
}
