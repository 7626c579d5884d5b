package evaluator

import (
	"math"

	"github.com/assay-rag/assay"
)

// Where a network reads the texts too, a second additive model weighs what it says
// beside what the words say. Both are log-odds, so that the one is heard where the
// other is unsure.

// The features of a passage for the second model.
const (
	nWords  = iota // the log-odds by the words
	nHelps         // by the network: the passage helps
	nEnough        // it is enough
	nSpan          // the likeliest place of an answer, over none
	nHolds         // the best sentence
	nCosine        // of the vectors of question and passage
	networkPassageCount
)

func networkPassageNames() []string {
	return []string{"words", "helps", "enough", "span", "holds", "cosine"}
}

// The features of a strip.
const (
	nStripWords  = iota // the log-odds by the words
	nStripHolds         // the mean of the network's over its tokens
	nStripLead          // by how much it is less than the best sentence's of the passage
	nStripHelps         // the passage's
	nStripCosine        // of the vectors of question and strip
	networkStripCount
)

func networkStripNames() []string {
	return []string{"words", "holds", "lead", "passage helps", "cosine"}
}

// The features of a claim.
const (
	nClaimSupported    = iota // the log-odds by the words
	nClaimContradicted        //
	nReadSupported            // by the network
	nReadContradicted         //
	nReadWeakest              // the part of the claim that is supported least, by the network
	networkClaimCount
)

func networkClaimNames() []string {
	return []string{"words supported", "words contradicted", "supported", "contradicted", "weakest"}
}

// passageFeatures are those of a passage whose log-odds by its words and whose cosine
// are given.
func (r *reading) passageFeatures(words, cosine float64, body *analysis, begin int) []float64 {
	x := make([]float64, networkPassageCount)
	x[nWords], x[nHelps], x[nEnough], x[nSpan] = words, r.helps, r.enough, r.span
	x[nHolds], x[nCosine] = r.bestSentence(body, begin), cosine
	return x
}

// bestSentence is the most that a sentence holds of the answer. The body begins at
// byte begin of what was read.
func (r *reading) bestSentence(body *analysis, begin int) float64 {
	best := math.Inf(-1)
	for _, s := range body.sentences {
		best = max(best, r.holds(begin+s.Start, begin+s.End))
	}
	if math.IsInf(best, -1) {
		return r.holds(0, 0)
	}
	return best
}

// stripFeatures are those of a strip of a passage.
func (r *reading) stripFeatures(words, cosine float64, s assay.Strip, whole *analysis, begin int) []float64 {
	x := make([]float64, networkStripCount)
	at := begin + s.Start - s.Passage.Start
	x[nStripWords], x[nStripHelps], x[nStripCosine] = words, r.helps, cosine
	x[nStripHolds] = r.holds(at, at+len(s.Text))
	x[nStripLead] = x[nStripHolds] - r.bestSentence(whole, begin)
	return x
}

// claimFeatures are those of a claim that was read, of which the words say p.
func (c *checking) claimFeatures(p []float64) []float64 {
	x := make([]float64, networkClaimCount)
	x[nClaimSupported], x[nClaimContradicted] = odds(p[outSupported]), odds(p[outContradicted])
	x[nReadSupported], x[nReadContradicted] = c.reading.supported, c.reading.contradicted
	x[nReadWeakest] = c.weakest
	return x
}

// odds are the log-odds of a probability, within what can be told apart.
func odds(p float64) float64 {
	const least = 1e-4
	p = min(max(p, least), 1-least)
	return math.Log(p / (1 - p))
}
