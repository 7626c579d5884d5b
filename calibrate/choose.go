package calibrate

import (
	"math"
	"math/rand/v2"
)

// manyLabels is from how many on isotonic regression is tried: with fewer it
// follows chance (Niculescu-Mizil and Caruana 2005, §5, put the bound at about 200
// to 1,000).
const manyLabels = 200

// folds is how many parts cross-validation has.
const folds = 5

// Each use of a seed draws from a stream of its own.
const (
	foldStream = 3 + iota
	promiseStream
)

// fit fits one kind of map to labels sorted by score.
func (k Kind) fit(labels []Label, weights []int) Map {
	if k == Isotonic {
		return fitIsotonic(labels, weights)
	}
	return fitPlatt(labels, weights)
}

// chooseKind takes the kind with the lower log loss on labels that it was not
// fitted to, and returns what it says of each label then. With few labels it is
// Platt.
func chooseKind(labels []Label, seed uint64) (Kind, []float64) {
	platt := crossValidated(Platt, labels, seed)
	if len(labels) < manyLabels {
		return Platt, platt
	}
	isotonic := crossValidated(Isotonic, labels, seed)
	if logLoss(labels, isotonic) < logLoss(labels, platt) {
		return Isotonic, isotonic
	}
	return Platt, platt
}

// crossValidated is the probability of each label by a map that was fitted without
// its group and those of its fold.
func crossValidated(kind Kind, labels []Label, seed uint64) []float64 {
	of, groups := groupNumbers(labels)
	order := rand.New(rand.NewPCG(seed, foldStream)).Perm(groups)
	parts := min(folds, groups)
	out := make([]float64, len(labels))
	weights := make([]int, len(labels))
	for fold := range parts {
		for i := range labels {
			weights[i] = 1
			if order[of[i]]%parts == fold {
				weights[i] = 0
			}
		}
		m := kind.fit(labels, weights)
		for i, l := range labels {
			if weights[i] == 0 {
				out[i] = m.Probability(l.Score)
			}
		}
	}
	return out
}

// logLoss is the mean log loss in nats.
func logLoss(labels []Label, probabilities []float64) float64 {
	sum := 0.0
	for i, l := range labels {
		if l.Positive {
			sum -= math.Log(probabilities[i])
		} else {
			sum -= math.Log1p(-probabilities[i])
		}
	}
	return sum / float64(len(labels))
}
