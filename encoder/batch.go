package encoder

import (
	"context"
	"sync"
	"sync/atomic"
)

// groupTokens is how many tokens are computed together. More read the weights less
// often, fewer fit the caches better and spread over the cores more evenly.
const groupTokens = 256

// batch is the work of one call: the tokens of all its sequences, without padding,
// and a row of results for each.
type batch struct {
	tokens    []int32
	segments  []uint8
	sequences []sequence
	groups    [][2]int // runs of sequences that are computed together
	rows      []float32
	text      []int32 // tokens of one text, before it is cut
	places    []Span  // where they stand in it, of a pair
}

func (b *batch) reset() {
	b.tokens, b.segments, b.sequences, b.groups = b.tokens[:0], b.segments[:0], b.sequences[:0], b.groups[:0]
	b.places = b.places[:0]
}

// begin starts a sequence of the item.
func (b *batch) begin(item int) {
	b.sequences = append(b.sequences, sequence{start: len(b.tokens), item: item})
}

// add appends tokens of a segment to the sequence begun last.
func (b *batch) add(segment uint8, tokens ...int32) {
	b.tokens = append(b.tokens, tokens...)
	for range tokens {
		b.segments = append(b.segments, segment)
	}
	b.sequences[len(b.sequences)-1].end = len(b.tokens)
}

// group divides the sequences into runs for so many threads.
func (b *batch) group(threads int) {
	size := min(groupTokens, max(groupTokens/4, (len(b.tokens)+threads-1)/threads))
	for i := 0; i < len(b.sequences); {
		start, tokens := i, 0
		for i < len(b.sequences) && (i == start || tokens+b.sequences[i].len() <= size) {
			tokens += b.sequences[i].len()
			i++
		}
		b.groups = append(b.groups, [2]int{start, i})
	}
}

// reading makes a row of results of the last hidden state of one sequence, tokens ×
// hidden.
type reading func(n *network, s *scratch, row, hidden []float32)

// run computes the network for all sequences and leaves a row of results for each in
// b.rows: width numbers, and each more for every token. The groups are shared out
// over the threads. No goroutine is left when it returns.
func (e *Encoder) run(ctx context.Context, b *batch, width, each int, read reading) error {
	at := 0
	for i := range b.sequences {
		q := &b.sequences[i]
		q.row = at
		at += width + each*q.len()
		q.rowEnd = at
	}
	grow(&b.rows, at)
	b.group(e.threads)
	if workers := min(e.threads, len(b.groups)); workers > 1 {
		return e.runOn(ctx, workers, b, read)
	}
	s := e.scratch.Get().(*scratch)
	defer e.scratch.Put(s)
	for _, g := range b.groups {
		if err := e.runGroup(ctx, s, b, g, read); err != nil {
			return err
		}
	}
	return nil
}

// runOn is run with several threads.
func (e *Encoder) runOn(ctx context.Context, workers int, b *batch, read reading) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	var once sync.Once
	var failed error
	for range workers {
		wg.Go(func() {
			s := e.scratch.Get().(*scratch)
			defer e.scratch.Put(s)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(b.groups) {
					return
				}
				if err := e.runGroup(ctx, s, b, b.groups[i], read); err != nil {
					once.Do(func() { failed = err })
					return
				}
			}
		})
	}
	wg.Wait()
	return failed
}

func (e *Encoder) runGroup(ctx context.Context, s *scratch, b *batch, group [2]int, read reading) error {
	sequences := b.sequences[group[0]:group[1]]
	if err := e.network.forward(ctx, s, b, sequences); err != nil {
		return err
	}
	hidden, first := e.network.Hidden, sequences[0].start
	for _, q := range sequences {
		read(e.network, s, b.rows[q.row:q.rowEnd], s.hidden[(q.start-first)*hidden:(q.end-first)*hidden])
	}
	return nil
}
