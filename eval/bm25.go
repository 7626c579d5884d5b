package eval

import (
	"math"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// bm25 scores texts by Okapi BM25 (Robertson and Zaragoza 2009, §3) with the
// document frequencies of one pool. It is the baseline of the gate: what ranking
// alone knows, without a judgement.
type bm25 struct {
	frequency map[string]int // in how many texts of the pool a term occurs
	texts     map[string]termCounts
	mean      float64 // terms a text
}

// termCounts are the terms of a text.
type termCounts struct {
	counts map[string]int
	length int
}

// The usual constants.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// newBM25 learns the frequencies from the distinct texts.
func newBM25(texts []string) *bm25 {
	m := &bm25{frequency: map[string]int{}, texts: map[string]termCounts{}}
	total := 0
	for _, t := range texts {
		if _, ok := m.texts[t]; ok {
			continue
		}
		counted := terms(t)
		m.texts[t] = counted
		total += counted.length
		for term := range counted.counts {
			m.frequency[term]++
		}
	}
	m.mean = float64(max(total, 1)) / float64(max(len(m.texts), 1))
	return m
}

// score is on BM25's own scale: 0 where no term is shared, without an upper
// bound, and comparable between questions only roughly.
func (m *bm25) score(question, passage string) float64 {
	in, ok := m.texts[passage]
	if !ok {
		in = terms(passage)
	}
	norm := bm25K1 * (1 - bm25B + bm25B*float64(in.length)/m.mean)
	score := 0.0
	asked := map[string]bool{}
	// In the order of the question, so that the sum is the same to the last bit
	// in every run.
	for _, t := range text.Analyze(question, "") {
		if asked[t.Term] {
			continue
		}
		asked[t.Term] = true
		tf := float64(in.counts[t.Term])
		score += m.weight(t.Term) * tf * (bm25K1 + 1) / (tf + norm)
	}
	return score
}

// weight is the inverse document frequency, kept above 0 for terms that occur in
// more than half of the texts.
func (m *bm25) weight(term string) float64 {
	n := float64(m.frequency[term])
	return math.Log(1 + (float64(len(m.texts))-n+0.5)/(n+0.5))
}

func terms(s string) termCounts {
	t := termCounts{counts: map[string]int{}}
	for _, a := range text.Analyze(s, "") {
		t.counts[a.Term]++
		t.length++
	}
	return t
}

// searchable is the text of a passage as the baseline sees it.
func searchable(p assay.Passage) string {
	if p.Title == "" {
		return p.Text
	}
	return p.Title + "\n" + p.Text
}
