package encoder

import (
	"context"
	"math"
)

// sequence is a run of tokens that attend to each other: a text or a pair, or one
// window of it.
type sequence struct {
	start, end  int // into the batch's tokens
	item        int // which text or pair of the call it is of
	row, rowEnd int // into the batch's rows, once it runs
	b           int // of a pair: how many tokens stand before its second text
	places      int // of a pair: where the places of the second text begin, in the batch's
}

func (s sequence) len() int { return s.end - s.start }

// scratch is the memory of one pass through the network. It grows to the largest
// pass it has seen.
type scratch struct {
	hidden, attended, merged []float32 // tokens × hidden
	triples                  []float32 // tokens × 3·hidden: query, key, value
	inner                    []float32 // tokens × intermediate
	quantized                []int8    // tokens × the widest input of a layer
	scale                    []float32 // of each token's row in quantized
	sum                      []int32
	word                     []float32 // hidden: a row of a table
	pooled                   []float32 // what the pooler makes

	keys, values, scores []float32 // of one attention head
	zeros                []float32
}

func grow[T any](s *[]T, n int) {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
}

// fit makes room for so many tokens, of which the longest sequence has longest.
func (s *scratch) fit(n *network, tokens, longest int) {
	grow(&s.hidden, tokens*n.Hidden)
	grow(&s.attended, tokens*n.Hidden)
	grow(&s.merged, tokens*n.Hidden)
	grow(&s.triples, tokens*3*n.Hidden)
	grow(&s.inner, tokens*n.Intermediate)
	grow(&s.quantized, tokens*max(n.Hidden, n.Intermediate))
	grow(&s.scale, tokens)
	grow(&s.sum, tokens)
	grow(&s.word, n.Hidden)
	padded := roundUp(longest)
	grow(&s.keys, padded*n.headSize)
	grow(&s.values, padded*n.headSize)
	grow(&s.scores, longest*padded)
	grow(&s.zeros, max(sizeUnit, n.kernels.Width))
}

func roundUp(n int) int { return (n + sizeUnit - 1) / sizeUnit * sizeUnit }

// forward computes the last hidden state of the sequences, which stand one after
// the other in b, without padding, into s.hidden (tokens × hidden, the first token
// of the first sequence first). It looks at ctx before each layer.
func (n *network) forward(ctx context.Context, s *scratch, b *batch, sequences []sequence) error {
	first := sequences[0].start
	tokens, longest := sequences[len(sequences)-1].end-first, 0
	for _, q := range sequences {
		longest = max(longest, q.len())
	}
	s.fit(n, tokens, longest)
	n.embed(s, b, sequences)
	k := n.kernels
	for i := range n.layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		l := &n.layers[i]
		l.attention.apply(k, s, s.triples, s.hidden, tokens)
		for _, q := range sequences {
			for head := range n.AttentionHeads {
				n.attend(s, q.start-first, q.len(), head)
			}
		}
		l.merge.apply(k, s, s.merged, s.attended, tokens)
		l.mergeNorm.apply(k, s.hidden, s.merged, s.hidden, n.Epsilon)
		l.up.apply(k, s, s.inner, s.hidden, tokens)
		k.GELU(s.inner)
		l.down.apply(k, s, s.merged, s.inner, tokens)
		l.downNorm.apply(k, s.hidden, s.merged, s.hidden, n.Epsilon)
	}
	return nil
}

// embed puts the sum of a token's word, position and segment into s.hidden.
func (n *network) embed(s *scratch, b *batch, sequences []sequence) {
	at := 0
	for _, q := range sequences {
		for i := q.start; i < q.end; i++ {
			x := s.hidden[at : at+n.Hidden]
			n.words.row(x, int(b.tokens[i]))
			n.positions.row(s.word, i-q.start)
			for j, v := range s.word {
				x[j] += v
			}
			n.segments.row(s.word, int(b.segments[i]))
			for j, v := range s.word {
				x[j] += v
			}
			at += n.Hidden
		}
	}
	n.inputNorm.apply(n.kernels, s.hidden, s.hidden, nil, n.Epsilon)
}

// attend computes one attention head of one sequence, of length tokens from row
// start on, into its columns of s.attended.
func (n *network) attend(s *scratch, start, length, head int) {
	k, size, stride := n.kernels, n.headSize, 3*n.Hidden
	padded := roundUp(length)
	keys, values, scores := s.keys[:padded*size], s.values[:padded*size], s.scores[:length*padded]
	query := s.triples[start*stride+head*size:]
	n.packHead(keys, values, query[n.Hidden:], query[2*n.Hidden:], length, padded)
	for t := 0; t < padded; t += k.Width {
		k.MatMul(scores[t:], padded, query, stride, keys[t*size:(t+k.Width)*size], s.zeros[:k.Width], length, size)
	}
	for t := range length {
		row := scores[t*padded : (t+1)*padded]
		for j := length; j < padded; j++ {
			row[j] = -1e30
		}
		k.Softmax(row, n.attentionScale)
	}
	out := s.attended[start*n.Hidden+head*size:]
	for j := 0; j < size; j += k.Width {
		k.MatMul(out[j:], n.Hidden, scores, padded, values[j*padded:(j+k.Width)*padded], s.zeros[:k.Width], length, padded)
	}
}

// packHead packs a head's keys and values as the weights of linear layers are: the
// keys as the layer from a query to the scores, the values as the layer from the
// scores to the output. key and value are their columns of the first row.
func (n *network) packHead(keys, values, key, value []float32, length, padded int) {
	width, size, stride := n.kernels.Width, n.headSize, 3*n.Hidden
	for t := range length {
		panel := keys[t/width*width*size+t%width:]
		for i, at := 0, 0; i < size; i, at = i+1, at+width {
			panel[at] = key[t*stride+i]
		}
		for j := 0; j < size; j += width {
			copy(values[j*padded+t*width:][:width], value[t*stride+j:])
		}
	}
	// Behind the last token stand keys of nothing, so that no number is left of an
	// earlier pass: even weighed by zero, an infinity would spoil the sum.
	for t := length; t < padded; t++ {
		panel := keys[t/width*width*size+t%width:]
		for i, at := 0, 0; i < size; i, at = i+1, at+width {
			panel[at] = 0
		}
		for j := 0; j < size; j += width {
			clear(values[j*padded+t*width:][:width])
		}
	}
}

func inverseRoot(n int) float32 { return float32(1 / math.Sqrt(float64(n))) }
