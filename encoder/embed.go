package encoder

import (
	"context"
	"fmt"
	"math"
)

// EmbedPassages returns a vector for each text, of Dim numbers and unit length, as
// the model was trained to (Reimers and Gurevych 2019, §3): the mean of the tokens'
// last hidden states, or that of [CLS], by the model's configuration. A text longer
// than MaxTokens is read in windows of even length; its vector is that of all
// windows together. The vector of a text doesn't depend on the others.
//
// Safe for concurrent use. On a cancelled context it returns that error within the
// time that one text takes to be cut into tokens, or one layer to be computed.
func (e *Encoder) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	return e.embed(ctx, e.network.passagePrompt, texts)
}

// EmbedQuery returns the vector of a question, to be compared with those of
// passages by their product. Some models put a prompt before questions and
// another before passages.
func (e *Encoder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vectors, err := e.embed(ctx, e.network.queryPrompt, []string{text})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

func (e *Encoder) embed(ctx context.Context, prompt string, texts []string) ([][]float32, error) {
	if prompt != "" {
		prompted := make([]string, len(texts))
		for i, t := range texts {
			prompted[i] = prompt + t
		}
		texts = prompted
	}
	dim := e.Dim()
	numbers, vectors := make([]float32, len(texts)*dim), make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = numbers[i*dim : (i+1)*dim : (i+1)*dim]
	}
	if err := e.EmbedInto(ctx, numbers, texts); err != nil {
		return nil, err
	}
	return vectors, nil
}

// EmbedInto is EmbedPassages without the model's prompt, for a caller that keeps its memory: the
// vectors go into out, one after the other, len(texts) × Dim numbers. Once it has
// seen the longest call it allocates nothing (on several threads a few hundred
// bytes).
func (e *Encoder) EmbedInto(ctx context.Context, out []float32, texts []string) error {
	dim := e.Dim()
	if len(out) != len(texts)*dim {
		return fmt.Errorf("encoder embed: %d numbers for %d vectors of %d", len(out), len(texts), dim)
	}
	b := e.batches.Get().(*batch)
	defer e.batches.Put(b)
	b.reset()
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("encoder embed: %w", err)
		}
		e.addText(b, i, t)
	}
	read := reading(sumTokens)
	if e.network.poolFirst {
		read = firstToken
	}
	if err := e.run(ctx, b, dim, 0, read); err != nil {
		return fmt.Errorf("encoder embed: %w", err)
	}
	clear(out)
	for i, q := range b.sequences {
		v := out[q.item*dim : (q.item+1)*dim]
		for j, x := range b.rows[i*dim : (i+1)*dim] {
			v[j] += x
		}
	}
	for i := range texts {
		normalize(out[i*dim : (i+1)*dim])
	}
	return nil
}

// addText adds a text in as many windows as it needs.
func (e *Encoder) addText(b *batch, item int, text string) {
	b.text = e.tokenizer.tokens(b.text[:0], text)
	room := e.maxTokens - 2
	windows := max(1, (len(b.text)+room-1)/room)
	for w := range windows {
		b.begin(item)
		b.add(0, e.tokenizer.cls)
		b.add(0, b.text[w*len(b.text)/windows:(w+1)*len(b.text)/windows]...)
		b.add(0, e.tokenizer.sep)
	}
}

// sumTokens adds up the tokens' vectors. Their mean has the same direction, and of
// several windows the sum is the mean of all their tokens.
func sumTokens(_ *network, _ *scratch, row, hidden []float32) {
	clear(row)
	for at := 0; at < len(hidden); at += len(row) {
		for j, x := range hidden[at : at+len(row)] {
			row[j] += x
		}
	}
}

// firstToken takes the vector of [CLS].
func firstToken(_ *network, _ *scratch, row, hidden []float32) { copy(row, hidden) }

// normalize brings a vector to unit length; one of zeros stays.
func normalize(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	inverse := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= inverse
	}
}
