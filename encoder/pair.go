package encoder

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Pair is two texts that a cross-encoder reads together, such as a question and a
// passage, or evidence and a claim.
type Pair struct{ A, B string }

// Logits are what the heads of a cross-encoder say of what they read: a number a
// head, as the model gives it, not yet a probability.
type Logits []float32

// ErrTooLong says that the first text of a pair leaves no room for the second.
var ErrTooLong = errors.New("the first text of the pair is too long")

// ErrNoHeads says that the model has no heads for pairs.
var ErrNoHeads = errors.New("the model has no classifier; it can only embed")

// overlap is which part of a window stands in the next one too, so that what
// belongs together is seen together: one in four.
const overlap = 4

// Read reads each pair and returns the logits of its windows, at least one: where
// both texts don't fit into MaxTokens, A stands before each of several windows of
// B, which overlap. A may take half of MaxTokens; a longer one is refused with
// ErrTooLong, and nothing is read.
//
// Safe for concurrent use. On a cancelled context it returns that error within the
// time of one layer.
func (e *Encoder) Read(ctx context.Context, pairs []Pair) ([][]Logits, error) {
	heads := e.Heads()
	if heads == 0 {
		return nil, fmt.Errorf("encoder read: %s: %w", e.name, ErrNoHeads)
	}
	b := e.batches.Get().(*batch)
	defer e.batches.Put(b)
	b.reset()
	for i, p := range pairs {
		if err := e.addPair(b, i, p); err != nil {
			return nil, fmt.Errorf("encoder read: pair %d: %w", i, err)
		}
	}
	if err := e.run(ctx, b, heads, classify); err != nil {
		return nil, fmt.Errorf("encoder read: %w", err)
	}
	rows, out := append([]float32(nil), b.rows...), make([][]Logits, len(pairs))
	for i, q := range b.sequences {
		out[q.item] = append(out[q.item], rows[i*heads:(i+1)*heads:(i+1)*heads])
	}
	return out, nil
}

// addPair adds a pair in as many windows as its second text needs.
func (e *Encoder) addPair(b *batch, item int, p Pair) error {
	b.text = e.tokenizer.tokens(b.text[:0], p.A)
	first := len(b.text)
	if first > e.maxTokens/2 {
		return fmt.Errorf("%w: it has %d tokens and may have %d", ErrTooLong, first, e.maxTokens/2)
	}
	b.text = e.tokenizer.tokens(b.text, p.B)
	a, rest := b.text[:first], b.text[first:]
	room := e.maxTokens - 3 - first
	windows, step := 1, 0.0
	if len(rest) > room {
		shared := room / overlap
		windows = (len(rest) - shared + room - shared - 1) / (room - shared)
		step = float64(len(rest)-room) / float64(windows-1)
	}
	for w := range windows {
		start := int(float64(w) * step)
		b.begin(item)
		b.add(0, e.tokenizer.cls)
		b.add(0, a...)
		b.add(0, e.tokenizer.sep)
		b.add(1, rest[start:min(start+room, len(rest))]...)
		b.add(1, e.tokenizer.sep)
	}
	return nil
}

// classify computes the heads from [CLS], through the pooler where the model has
// one (Devlin et al. 2019, §4.1).
func classify(n *network, row, hidden []float32) {
	first := hidden[:n.Hidden]
	if n.pooler != nil {
		pooled := make([]float32, n.Hidden)
		n.pooler.apply(n.kernels, nil, pooled, first, 1)
		for i, x := range pooled {
			pooled[i] = float32(math.Tanh(float64(x)))
		}
		first = pooled
	}
	for i := range row {
		sum := n.headBias[i]
		for j, w := range n.heads[i*n.Hidden : (i+1)*n.Hidden] {
			sum += w * first[j]
		}
		row[i] = sum
	}
}
