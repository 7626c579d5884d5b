package evaluator

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
)

// Reader reads two texts together with a network that was trained to tell whether
// the second helps to answer the first, a question, or carries it, a claim: an
// encoder with weights of one's own training, see the folder train. May be called concurrently.
type Reader interface {
	// Read reads each pair, in windows where it is long; see encoder.Encoder.Read.
	Read(ctx context.Context, pairs []encoder.Pair) ([][]encoder.Reading, error)
	// Model names the network and tells it from others of its name.
	Model() string
	// Logits and TokenLogits are how many numbers it gives for a pair and for a token.
	Logits() int
	TokenLogits() int
}

// The outputs of the network, in their order.
const (
	readHelps  = iota // the passage helps to answer
	readEnough        // it is enough
	readSupported
	readNeutral
	readContradicted
	readOutputs
)

// The outputs of the network for each token of the second text.
const (
	tokenHolds  = iota // it stands in a sentence that answers
	tokenBegins        // the answer begins with it
	tokenEnds          // the answer ends with it
	tokenOutputs
)

// longestSpan is how many tokens an answer may have where its place is looked for.
const longestSpan = 24

// reading is what the network makes of a pair: log-odds, and where the answer stands.
type reading struct {
	helps, enough float64
	// span is by how much the likeliest place of an answer is likelier than none.
	span                    float64
	supported, contradicted float64 // beside the two others
	tokens                  []readToken
}

// readToken is a word of the second text, and the log-odds that it stands in a
// sentence that answers.
type readToken struct {
	encoder.Span
	holds float64
	times int // in how many windows it was read
}

// readingOf puts the windows of a pair together: what one of them says is said.
func readingOf(windows []encoder.Reading) reading {
	r := reading{helps: math.Inf(-1), enough: math.Inf(-1), span: math.Inf(-1), supported: math.Inf(-1)}
	for _, w := range windows {
		r.helps = max(r.helps, float64(w.Logits[readHelps]))
		r.enough = max(r.enough, float64(w.Logits[readEnough]))
		r.span = max(r.span, likeliestSpan(w))
		if s := oddsOf(w.Logits, readSupported); s > r.supported {
			r.supported, r.contradicted = s, oddsOf(w.Logits, readContradicted)
		}
		r.take(w)
	}
	return r
}

// oddsOf are the log-odds of one of the three outputs for a claim.
func oddsOf(logits []float32, output int) float64 {
	others := 0.0
	for k := readSupported; k <= readContradicted; k++ {
		if k != output {
			others += math.Exp(float64(logits[k] - logits[output]))
		}
	}
	return -math.Log(others)
}

// take adds the tokens of a window; those that stood in the one before are read twice,
// and the mean of both counts.
func (r *reading) take(w encoder.Reading) {
	known := len(r.tokens)
	if len(w.Places) > 0 {
		known, _ = slices.BinarySearchFunc(r.tokens, w.Places[0].Start, func(t readToken, start int) int { return t.Start - start })
	}
	for i, place := range w.Places {
		holds := float64(w.Tokens[i*tokenOutputs+tokenHolds])
		if at := known + i; at < len(r.tokens) {
			t := &r.tokens[at]
			t.holds = (t.holds*float64(t.times) + holds) / float64(t.times+1)
			t.times++
			continue
		}
		r.tokens = append(r.tokens, readToken{place, holds, 1})
	}
}

// likeliestSpan is the most that a beginning and an end of an answer add up to, over
// what stands for none.
func likeliestSpan(w encoder.Reading) float64 {
	n := len(w.Places)
	best := math.Inf(-1)
	for i := range n {
		begins := float64(w.Tokens[i*tokenOutputs+tokenBegins])
		for j := i; j < min(n, i+longestSpan); j++ {
			best = max(best, begins+float64(w.Tokens[j*tokenOutputs+tokenEnds]))
		}
	}
	if n == 0 {
		return 0
	}
	return best - float64(w.Absent[tokenBegins]) - float64(w.Absent[tokenEnds])
}

// holds is the mean over the tokens of a part of the second text, and of none the
// least that any has.
func (r *reading) holds(start, end int) float64 {
	sum, n, least := 0.0, 0, 0.0
	for _, t := range r.tokens {
		least = min(least, t.holds)
		if t.Start < end && t.End > start {
			sum += t.holds
			n++
		}
	}
	if n == 0 {
		return least
	}
	return sum / float64(n)
}

// readable is a passage as the network reads it, with its title and headings, and
// where its own text begins there.
func readable(p *assay.Passage) (s string, begin int) {
	var head []string
	for _, part := range append([]string{p.Title}, p.Heading...) {
		part = strings.TrimSpace(part)
		if part != "" && !slices.Contains(head, part) && !strings.HasPrefix(p.Text, part) {
			head = append(head, part)
		}
	}
	if len(head) == 0 {
		return p.Text, 0
	}
	title := strings.Join(head, ". ") + ". "
	return title + p.Text, len(title)
}

// read reads pairs, those that were read lately from memory.
func (e *Evaluator) read(ctx context.Context, pairs []encoder.Pair) ([]*reading, error) {
	return e.readings.all(pairs, func(missing []encoder.Pair) ([]*reading, error) {
		windows, err := e.reader.Read(ctx, missing)
		readings := make([]*reading, len(windows))
		for i, w := range windows {
			r := readingOf(w)
			readings[i] = &r
		}
		return readings, err
	})
}

// readPassages reads passages for a question. A question that
// is too long to be read with anything is graded by its words.
func (e *Evaluator) readPassages(ctx context.Context, question string, passages []*assay.Passage) ([]*reading, error) {
	pairs := make([]encoder.Pair, len(passages))
	for i, p := range passages {
		s, _ := readable(p)
		pairs[i] = encoder.Pair{A: question, B: s}
	}
	readings, err := e.read(ctx, pairs)
	if errors.Is(err, encoder.ErrTooLong) {
		return nil, nil
	}
	return readings, err
}
