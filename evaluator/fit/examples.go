package main

import (
	"context"
	"hash/fnv"
	"math"
	"runtime"
	"strings"
	"sync"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/evaluator"
	"github.com/assay-rag/assay/text"
)

// part says what an example is used for.
type part uint8

const (
	partFit part = iota
	partTune
	partReport
)

// example is a labelled row of features.
type example struct {
	x      []float64
	label  int // 0 or 1; of claims 0 supported, 1 neutral, 2 contradicted
	set    string
	part   part
	hard   bool // a negative of the same document, or one that people judged
	twoWay bool // neutral may be contradicted
	weight float64
}

// partOf splits by document or question: 70 of a hundred to fit, 10 to tune, 20
// to report on.
func partOf(set, group string, seed uint64) part {
	switch h := hash(set+"\x00"+group, seed) % 100; {
	case h < 70:
		return partFit
	case h < 80:
		return partTune
	}
	return partReport
}

func hash(s string, seed uint64) uint64 {
	h := fnv.New64a()
	h.Write([]byte{byte(seed), byte(seed >> 8), byte(seed >> 16), byte(seed >> 24)})
	h.Write([]byte(s))
	z := h.Sum64()
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9 // FNV alone leaves the low bits uneven
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// minimum length of an answer that is looked for in sentences.
const answerLetters = 3

// otherStrips is how many sentences without the answer are taken of a passage
// with it, and of one without.
const (
	otherStrips = 6
	poorStrips  = 2
)

// baseOf is what the passage of a row and its strips share.
func baseOf(r answerRow, seed uint64) example {
	group := r.Group
	if group == "" {
		group = r.Question
	}
	return example{
		label: r.Label, set: r.Set, part: partOf(r.Set, group, seed),
		hard: strings.HasPrefix(r.Negative, "doc") || strings.HasPrefix(r.Negative, "human"),
	}
}

func passageOf(r answerRow) (assay.Query, assay.Passage) {
	return assay.Query{Question: r.Question}, assay.Passage{Text: r.Text, Language: "en", End: len(r.Text)}
}

// passageExamples measures passages.
func passageExamples(ctx context.Context, e *evaluator.Evaluator, rows []answerRow, seed uint64) []example {
	return mixed(parallel(rows, func(r answerRow) example {
		x := baseOf(r, seed)
		q, p := passageOf(r)
		x.x = e.PassageFeatures(ctx, q, p)
		return x
	}))
}

// stripExamples measures the sentences of passages that hold the answer or
// don't. The Evaluator must have the weights for passages.
func stripExamples(ctx context.Context, e *evaluator.Evaluator, rows []answerRow, seed uint64) []example {
	var out []example
	for _, some := range parallel(rows, func(r answerRow) []example {
		if r.Sentence == 1 {
			return nil
		}
		return sentenceExamples(r, baseOf(r, seed), func(q assay.Query, strips []assay.Strip) [][]float64 {
			return e.StripFeatures(ctx, q, strips)
		})
	}) {
		out = append(out, some...)
	}
	return mixed(out)
}

// mixed leaves out the sets that have one label only: they would teach what a
// set looks like, not what an answer does.
func mixed(examples []example) []example {
	labels := map[string][2]bool{}
	for _, x := range examples {
		l := labels[x.set]
		l[x.label] = true
		labels[x.set] = l
	}
	var out []example
	for _, x := range examples {
		if l := labels[x.set]; l[0] && l[1] {
			out = append(out, x)
		}
	}
	return out
}

// sentenceExamples takes the sentences with the answer and some without. Of a
// passage whose answer does not stand in it word for word nothing is known.
func sentenceExamples(r answerRow, base example, measure func(assay.Query, []assay.Strip) [][]float64) []example {
	if r.Label == 1 && (len(r.Answer) < answerLetters || r.Answer == "yes" || r.Answer == "no" || !strings.Contains(r.Text, r.Answer)) {
		return nil
	}
	q, p := passageOf(r)
	others, most := 0, otherStrips
	if r.Label == 0 {
		most = poorStrips
	}
	var strips []assay.Strip
	var out []example
	sentences := text.Sentences(r.Text)
	turn := int(hash(r.Text, 0) % uint64(max(1, len(sentences))))
	for i := range sentences {
		s := sentences[(i+turn)%len(sentences)]
		body := s.Of(r.Text)
		x := base
		x.label, x.hard = 0, r.Label == 1
		if r.Label == 1 && strings.Contains(body, r.Answer) {
			x.label = 1
		} else if others++; others > most {
			continue
		}
		strips = append(strips, assay.Strip{Passage: p, Text: body, Start: s.Start, End: s.End})
		out = append(out, x)
	}
	for i, x := range measure(q, strips) {
		out[i].x = x
	}
	return out
}

var supportLabels = map[string]int{"supported": 0, "neutral": 1, "contradicted": 2}

// claimExamples measures claims against their evidence.
func claimExamples(e *evaluator.Evaluator, rows []claimRow, seed uint64) []example {
	return parallel(rows, func(r claimRow) example {
		x, strip := claimOf(r, seed)
		x.x = e.ClaimFeatures(r.Claim, []assay.Strip{strip})
		return x
	})
}

// claimOf is the example of a row without its features, and the row's evidence.
func claimOf(r claimRow, seed uint64) (example, assay.Strip) {
	group := r.Group
	if group == "" {
		group = r.Evidence
	}
	strip := assay.Strip{Text: r.Evidence, End: len(r.Evidence), Passage: assay.Passage{Text: r.Evidence, Language: "en", End: len(r.Evidence)}}
	return example{label: supportLabels[r.Label], set: r.Set, part: partOf(r.Set, group, seed), hard: r.Weak == 0, twoWay: r.TwoWay == 1}, strip
}

// parallel applies f to all rows on all cores; the results keep the order.
func parallel[R, T any](rows []R, f func(R) T) []T {
	out := make([]T, len(rows))
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			for i := w * len(rows) / workers; i < (w+1)*len(rows)/workers; i++ {
				out[i] = f(rows[i])
			}
		})
	}
	group.Wait()
	return out
}

// hardWeight is what a hard negative counts for beside an easy one.
const hardWeight = 2

// weigh gives every set the weight of the square root of its size, so that none
// rules, and within a set each label the same: a grade of one half then means
// even odds before the text is read. That is the gate's situation: it asks
// whether the best of the passages retrieved answers, and about as many
// questions put to a set of documents are covered as are not. Strips are not
// balanced: of the sentences of a passage few hold the answer, and a grade is to
// say how likely this one does.
func weigh(examples []example, outputs int, balanced bool) {
	type key struct {
		set   string
		part  part
		label int
	}
	sum, size := map[key]float64{}, map[key]float64{}
	for i := range examples {
		x := &examples[i]
		x.weight = 1
		if x.hard && x.label != 0 || outputs == 1 && x.hard {
			x.weight = hardWeight
		}
		sum[key{x.set, x.part, x.label}] += x.weight
		size[key{x.set, x.part, -1}]++
	}
	labels := map[key]float64{}
	for k := range sum {
		labels[key{k.set, k.part, -1}]++
	}
	for i := range examples {
		x := &examples[i]
		all := key{x.set, x.part, -1}
		if balanced {
			x.weight *= math.Sqrt(size[all]) / labels[all] / sum[key{x.set, x.part, x.label}]
		} else {
			x.weight = 1 / math.Sqrt(size[all])
		}
	}
}
