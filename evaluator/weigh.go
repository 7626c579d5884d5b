package evaluator

import (
	"context"
	"math"
)

// priorPassages is how many passages the background table counts for beside
// those of the collection: enough to steady the weights of thirty passages, too
// few to matter among ten thousand.
const priorPassages = 200

// minWeight keeps a term that stands in every passage from counting for nothing. How
// little it counts is a judgement.
const minWeight = 0.05

// weigh returns the weight of each term (as text.Analyze makes it): its inverse
// document frequency in nats, from the collection's own counts blended with the
// background table; always > 0. It also tells which terms the collection holds;
// known is nil where no vocabulary could be asked.
func (e *Evaluator) weigh(ctx context.Context, collection string, terms []string) (weights []float64, known []bool) {
	var passages int
	var counts []int
	if e.vocab != nil && len(terms) > 0 {
		n, c, err := e.vocab.Frequencies(ctx, collection, terms)
		switch {
		case err != nil:
			e.log.Debug("evaluator: the index could not tell its word counts; the background table stands in", "error", err)
		case len(c) == len(terms) && n > 0:
			passages, counts = n, c
			known = make([]bool, len(terms))
		}
	}
	weights = make([]float64, len(terms))
	for i, term := range terms {
		share := e.weights.background.share(term)
		if counts != nil {
			known[i] = counts[i] > 0
			share = (float64(counts[i]) + priorPassages*share) / float64(passages+priorPassages)
		}
		weights[i] = max(minWeight, -math.Log(min(share, 1)))
	}
	return weights, known
}
