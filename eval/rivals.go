package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assay-rag/assay"
)

// The rivals are systems that need nothing, or a bi-encoder alone: what a grader or
// checker must beat to be worth its time.

// AlwaysGate passes everything: what standard RAG does.
func AlwaysGate() GateSystem { return GateSystem{Name: "always", Grader: scorer(alwaysOne)} }

// AlwaysSupport finds every claim supported.
func AlwaysSupport() SupportSystem { return SupportSystem{Name: "always", Checker: scorer(alwaysOne)} }

// BM25Gate ranks by plain BM25, with the frequencies of the set's own passages.
// A score is the share of the set's pairs of question and passage that have less, so
// that it is in [0, 1]; it ranks, and is no probability.
func BM25Gate(set *Set) GateSystem {
	var pairs [][2]string
	for _, it := range set.Gate {
		for _, p := range it.Passages {
			pairs = append(pairs, [2]string{it.Question, searchable(p)})
		}
	}
	return GateSystem{Name: "BM25", Grader: bm25Scorer(pairs)}
}

// BM25Strips ranks strips as BM25Gate does passages.
func BM25Strips(set *Set) GateSystem {
	var pairs [][2]string
	for _, it := range set.Strips {
		for _, s := range it.Strips {
			pairs = append(pairs, [2]string{it.Question, s.Text})
		}
	}
	return GateSystem{Name: "BM25", Grader: bm25Scorer(pairs)}
}

// BM25Support ranks claims by plain BM25 of their evidence as one text, as BM25Gate
// does questions.
func BM25Support(set *Set) SupportSystem {
	var pairs [][2]string
	for _, it := range set.Support {
		pairs = append(pairs, [2]string{it.Claim, joinStrips(it.Evidence)})
	}
	return SupportSystem{Name: "BM25", Checker: bm25Scorer(pairs)}
}

// CosineGate ranks by the cosine of question and passage, as dense retrieval does; 0
// where it is negative.
func CosineGate(e Embedder) GateSystem {
	return GateSystem{Name: "cosine", Version: e.Model(), Grader: cosineScorer(e)}
}

// CosineSupport ranks claims by their cosine with the evidence as one text.
func CosineSupport(e Embedder) SupportSystem {
	return SupportSystem{Name: "cosine", Version: e.Model(), Checker: cosineScorer(e)}
}

// scorer scores texts for a question or a claim, in [0, 1]. It is a grader and a
// checker at once.
type scorer func(ctx context.Context, question string, texts []string) ([]float64, error)

// Grade implements assay.Grader.
func (s scorer) Grade(ctx context.Context, q assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = searchable(p)
	}
	grades, err := s.grades(ctx, q.Question, texts)
	return assay.Assessment{Grades: grades}, err
}

// GradeStrips implements assay.Grader.
func (s scorer) GradeStrips(ctx context.Context, q assay.Query, strips []assay.Strip) ([]assay.Grade, error) {
	texts := make([]string, len(strips))
	for i, p := range strips {
		texts[i] = p.Text
	}
	return s.grades(ctx, q.Question, texts)
}

func (s scorer) grades(ctx context.Context, question string, texts []string) ([]assay.Grade, error) {
	scores, err := s(ctx, question, texts)
	if err != nil {
		return nil, err
	}
	grades := make([]assay.Grade, len(scores))
	for i, score := range scores {
		grades[i].Score = score
	}
	return grades, nil
}

// Check implements assay.Checker: a claim of a score of one half or more is called
// supported.
func (s scorer) Check(ctx context.Context, claims []string, evidence []assay.Strip) ([]assay.Finding, error) {
	out := make([]assay.Finding, len(claims))
	for i, claim := range claims {
		scores, err := s(ctx, claim, []string{joinStrips(evidence)})
		if err != nil {
			return nil, err
		}
		out[i] = assay.Finding{Support: assay.Unsupported, Score: scores[0]}
		if scores[0] >= 0.5 {
			out[i].Support = assay.Supported
		}
	}
	return out, nil
}

func alwaysOne(_ context.Context, _ string, texts []string) ([]float64, error) {
	return slices.Repeat([]float64{1}, len(texts)), nil
}

// bm25Scorer puts BM25 on the scale of the pairs that it will be asked about.
func bm25Scorer(pairs [][2]string) scorer {
	texts := make([]string, len(pairs))
	for i, p := range pairs {
		texts[i] = p[1]
	}
	model := newBM25(texts)
	scale := make([]float64, len(pairs))
	for i, p := range pairs {
		scale[i] = model.score(p[0], p[1])
	}
	slices.Sort(scale)
	return func(_ context.Context, question string, texts []string) ([]float64, error) {
		out := make([]float64, len(texts))
		for i, t := range texts {
			below, _ := slices.BinarySearch(scale, model.score(question, t))
			out[i] = float64(below) / float64(len(scale))
		}
		return out, nil
	}
}

func cosineScorer(e Embedder) scorer {
	return func(ctx context.Context, question string, texts []string) ([]float64, error) {
		q, err := e.EmbedQuery(ctx, question)
		if err != nil {
			return nil, fmt.Errorf("embed the question: %w", err)
		}
		vectors, err := e.EmbedPassages(ctx, texts)
		if err == nil && len(vectors) != len(texts) {
			err = errors.New("as many vectors as texts were expected")
		}
		if err != nil {
			return nil, fmt.Errorf("embed the passages: %w", err)
		}
		out := make([]float64, len(texts))
		for i, v := range vectors {
			out[i] = min(1, max(0, cosine(q, v)))
		}
		return out, nil
	}
}

// cosine is 0 where a vector is zero.
func cosine(a, b []float32) float64 {
	var product, aa, bb float64
	for i := range min(len(a), len(b)) {
		x, y := float64(a[i]), float64(b[i])
		product, aa, bb = product+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return product / math.Sqrt(aa*bb)
}
