package calibrate

// block is a run of labels with one probability.
type block struct {
	score, positives, weight float64 // sums
	last                     float64 // the highest score
}

func (b block) mean() float64 { return b.positives / b.weight }

// fitIsotonic fits a rising curve by pooling neighbours that fall (pool adjacent
// violators: Ayer et al. 1955; for probabilities Zadrozny and Elkan 2002). The steps
// are joined by straight lines through their middles, so that the curve rises
// strictly (centered isotonic regression: Oron and Flournoy 2017), and kept off 0
// and 1 by one part in n+2: no finite number of labels shows what is certain. The
// labels must be sorted by score.
func fitIsotonic(labels []Label, weights []int) Map {
	var blocks []block
	total := 0.0
	for i, l := range labels {
		w := weightOf(weights, i)
		if w == 0 {
			continue
		}
		total += w
		blocks = append(blocks, block{w * l.Score, w * l.indicator(), w, l.Score})
		for n := len(blocks); n > 1; n-- {
			before, b := &blocks[n-2], blocks[n-1]
			if before.last < l.Score && before.mean() < b.mean() {
				break
			}
			*before = block{before.score + b.score, before.positives + b.positives, before.weight + b.weight, b.last}
			blocks = blocks[:n-1]
		}
	}
	return joined(blocks, 1/(total+2))
}

// joined is the map through the middles of the blocks, with an end each at 0 and 1
// that lies a margin of the way further, so that the order is kept there too.
func joined(blocks []block, margin float64) Map {
	knots := []Knot{{Score: 0}}
	for _, b := range blocks {
		k := Knot{b.score / b.weight, min(max(b.mean(), margin), 1-margin)}
		if last := knots[len(knots)-1]; k.Score > last.Score && k.Probability > last.Probability && k.Score < 1 {
			knots = append(knots, k)
		}
	}
	first, last := blocks[0].mean(), blocks[len(blocks)-1].mean()
	first, last = min(max(first, margin), 1-margin), min(max(last, margin), 1-margin)
	knots[0].Probability = first * (1 - margin)
	return Map{Kind: Isotonic, Knots: append(knots, Knot{1, last + (1-last)*margin})}
}
