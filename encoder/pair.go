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

// Reading is what a cross-encoder says of one window of a pair, as the model gives
// it: not yet probabilities.
type Reading struct {
	// Logits are those of the pair, from [CLS]; Encoder.Logits of them.
	Logits []float32
	// Places are the words of B that its tokens in this window belong to, in order:
	// nil where the model says nothing of tokens.
	Places []Span
	// Tokens are the logits of these tokens, Encoder.TokenLogits for each, and Absent
	// those of [CLS], for a model that says so that what it looks for isn't there.
	Tokens, Absent []float32
}

// ErrTooLong says that the first text of a pair leaves no room for the second.
var ErrTooLong = errors.New("the first text of the pair is too long")

// ErrNoClassifier says that the model can't read pairs.
var ErrNoClassifier = errors.New("the model has no classifier; it can only embed")

// overlapShare is which part of a window stands in the next one too, at least, so
// that what belongs together is seen together: one token in four.
const overlapShare = 4

// Read reads each pair and returns what it makes of its windows, at least one: where
// both texts don't fit into MaxTokens, A stands before each of several windows of
// B, which overlap. A may take half of MaxTokens; a longer one is refused with
// ErrTooLong, and nothing is read.
//
// Safe for concurrent use. On a cancelled context it returns that error within the
// time that one text takes to be cut into tokens, or one layer to be computed.
func (e *Encoder) Read(ctx context.Context, pairs []Pair) ([][]Reading, error) {
	width, each := e.Logits(), e.TokenLogits()
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
	if err := e.run(ctx, b, width, each, classify); err != nil {
		return nil, fmt.Errorf("encoder read: %w", err)
	}
	rows, places := append([]float32(nil), b.rows...), append([]Span(nil), b.places...)
	out := make([][]Reading, len(pairs))
	for _, q := range b.sequences {
		r := Reading{Logits: rows[q.row : q.row+width : q.row+width]}
		if each > 0 {
			tokens, count := rows[q.row+width:q.rowEnd:q.rowEnd], q.len()-q.b-1 // but for the last [SEP]
			r.Absent = tokens[:each:each]
			r.Tokens = tokens[q.b*each : (q.b+count)*each : (q.b+count)*each]
			r.Places = places[q.places : q.places+count : q.places+count]
		}
		out[q.item] = append(out[q.item], r)
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
	places := len(b.places)
	b.text, b.places = e.tokenizer.placed(b.text, b.places, p.B)
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
		q := &b.sequences[len(b.sequences)-1]
		q.b, q.places = q.len(), places+start
		b.add(1, rest[start:min(start+room, len(rest))]...)
		b.add(1, e.tokenizer.sep)
	}
	return nil
}

// classify computes the logits of the pair from [CLS], through the pooler where the
// model has one (Devlin et al. 2019, §4.1), and those of each token.
func classify(n *network, s *scratch, row, hidden []float32) {
	first := hidden[:n.Hidden]
	if n.pooler != nil {
		grow(&s.pooled, n.pooler.out)
		n.pooler.apply(n.kernels, s, s.pooled, first, 1)
		for i, x := range s.pooled {
			s.pooled[i] = float32(math.Tanh(float64(x)))
		}
		first = s.pooled
	}
	width := len(n.classifier.bias)
	n.classifier.apply(row[:width], first)
	each := len(n.tokenClassifier.bias)
	for i := 0; each > 0 && i*n.Hidden < len(hidden); i++ {
		n.tokenClassifier.apply(row[width+i*each:][:each], hidden[i*n.Hidden:(i+1)*n.Hidden])
	}
}

// head is a small linear layer, too small to be packed for the kernels.
type head struct {
	weights []float32 // outputs × inputs
	bias    []float32 // one an output; none where the model has no such head
}

func (h head) apply(out, x []float32) {
	for i := range out {
		sum := h.bias[i]
		for j, w := range h.weights[i*len(x) : (i+1)*len(x)] {
			sum += w * x[j]
		}
		out[i] = sum
	}
}
