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

// Logits are what a cross-encoder's classifier says of what it has read, as the
// model gives it: not yet probabilities.
type Logits []float32

// ErrTooLong says that the first text of a pair leaves no room for the second.
var ErrTooLong = errors.New("the first text of the pair is too long")

// ErrNoClassifier says that the model can't read pairs.
var ErrNoClassifier = errors.New("the model has no classifier; it can only embed")

// overlapShare is which part of a window stands in the next one too, at least, so
// that what belongs together is seen together: one token in four.
const overlapShare = 4

// Read reads each pair and returns the logits of its windows, at least one: where
// both texts don't fit into MaxTokens, A stands before each of several windows of
// B, which overlap. A may take half of MaxTokens; a longer one is refused with
// ErrTooLong, and nothing is read.
//
// Safe for concurrent use. On a cancelled context it returns that error within the
// time that one text takes to be cut into tokens, or one layer to be computed.
func (e *Encoder) Read(ctx context.Context, pairs []Pair) ([][]Logits, error) {
	width := e.Logits()
	if width == 0 {
		return nil, fmt.Errorf("encoder read: %s: %w", e.name, ErrNoClassifier)
	}
	b := e.batches.Get().(*batch)
	defer e.batches.Put(b)
	b.reset()
	for i, p := range pairs {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("encoder read: %w", err)
		}
		if err := e.addPair(b, i, p); err != nil {
			return nil, fmt.Errorf("encoder read: pair %d: %w", i, err)
		}
	}
	if err := e.run(ctx, b, width, classify); err != nil {
		return nil, fmt.Errorf("encoder read: %w", err)
	}
	rows, out := append([]float32(nil), b.rows...), make([][]Logits, len(pairs))
	for i, q := range b.sequences {
		out[q.item] = append(out[q.item], rows[i*width:(i+1)*width:(i+1)*width])
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
	windows, slack := 1, max(0, len(rest)-room) // the last window starts at slack
	if slack > 0 {
		step := room - room/overlapShare
		windows = 1 + (slack+step-1)/step
	}
	for w := range windows {
		start := slack * w / max(1, windows-1)
		b.begin(item)
		b.add(0, e.tokenizer.cls)
		b.add(0, a...)
		b.add(0, e.tokenizer.sep)
		b.add(1, rest[start:min(start+room, len(rest))]...)
		b.add(1, e.tokenizer.sep)
	}
	return nil
}

// classify computes the logits from [CLS], through the pooler where the model has
// one (Devlin et al. 2019, §4.1).
func classify(n *network, s *scratch, row, hidden []float32) {
	first := hidden[:n.Hidden]
	if n.pooler != nil {
		n.pooler.apply(n.kernels, s, s.word, first, 1)
		for i, x := range s.word {
			s.word[i] = float32(math.Tanh(float64(x)))
		}
		first = s.word
	}
	for i := range row {
		sum := n.classifierBias[i]
		for j, w := range n.classifier[i*n.Hidden : (i+1)*n.Hidden] {
			sum += w * first[j]
		}
		row[i] = sum
	}
}
