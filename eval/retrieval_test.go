package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

// byBM25 builds a plain ranker over all passages.
func byBM25(_ context.Context, _ []assay.Document, passages [][]assay.Passage) (assay.Retriever, error) {
	all := slices.Concat(passages...)
	var texts []string
	for _, p := range all {
		texts = append(texts, searchable(p))
	}
	model := newBM25(texts)
	return assay.RetrieverFunc(func(_ context.Context, s assay.Search) ([]assay.Passage, error) {
		var found []assay.Passage
		for i, p := range all {
			if p.Score = model.score(s.Words, texts[i]); p.Score > 0 {
				found = append(found, p)
			}
		}
		slices.SortStableFunc(found, func(a, b assay.Passage) int { return int(math.Copysign(1, b.Score-a.Score)) })
		return found[:min(s.K, len(found))], nil
	}), nil
}

func TestRetrieval(t *testing.T) {
	r, err := Retrieval(t.Context(), load(t, "popqa.jsonl"), byBM25, []int{3, 1, 3}, &Options{Worst: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.Questions != 4 || r.Documents != 6 || r.Passages != 6 || r.Depth != 10 || r.Groups != 4 {
		t.Errorf("report is %+v", r)
	}
	one := Estimate{1, 1, 1}
	if want := []RecallAtK{{1, one}, {3, one}}; !slices.Equal(r.Recall, want) {
		t.Errorf("recall is %v, want %v", r.Recall, want)
	}
	if r.MRR != one || r.NDCG10 != one {
		t.Errorf("MRR %v, nDCG %v, want 1", r.MRR, r.NDCG10)
	}
}

// fixed returns the same passages for every search.
func fixed(got ...assay.Passage) Build {
	return func(context.Context, []assay.Document, [][]assay.Passage) (assay.Retriever, error) {
		return assay.RetrieverFunc(func(context.Context, assay.Search) ([]assay.Passage, error) { return got, nil }), nil
	}
}

func retrievalSet(gold ...assay.Passage) *Set {
	return &Set{Name: "made", Retrieval: &Pool{Questions: []RetrievalItem{
		{Question: "first", Gold: gold, Group: "a"}, {Question: "second", Gold: []assay.Passage{place("elsewhere", 0, 9)}, Group: "b"},
	}}}
}

func place(document string, start, end int) assay.Passage {
	return assay.Passage{Document: document, Start: start, End: end}
}

func TestRetrievalRanks(t *testing.T) {
	set := retrievalSet(place("d", 0, 100), place("d", 100, 200))
	r, err := Retrieval(t.Context(), set, fixed(place("x", 0, 100), place("d", 90, 190), place("d", 80, 120), place("d", 0, 10)), []int{2, 3, 4}, &Options{Worst: 2})
	if err != nil {
		t.Fatal(err)
	}
	// Of two questions the second finds nothing. The first finds its second gold
	// passage at rank 2 and its first at rank 3 (half of 80:120 lies in it).
	for i, want := range []float64{0.25, 0.5, 0.5} {
		if got := r.Recall[i].Recall.Value; !near(float64(got), want) {
			t.Errorf("recall@%d is %v, want %v", r.Recall[i].K, got, want)
		}
	}
	if got := r.MRR.Value; got != 0.25 {
		t.Errorf("MRR is %v, want 0.25", got)
	}
	log2 := math.Log2
	if got, want := float64(r.NDCG10.Value), (1/log2(3)+1/log2(4))/(1+1/log2(3))/2; !near(got, want) {
		t.Errorf("nDCG is %v, want %v", got, want)
	}
	if want := []RankedLowest{{"second", "elsewhere", 0}, {"first", "d", 2}}; !slices.Equal(r.Worst, want) {
		t.Errorf("the worst are %v, want %v", r.Worst, want)
	}
}

func TestSamePlace(t *testing.T) {
	for _, c := range []struct {
		a, b assay.Passage
		want bool
	}{
		{place("d", 0, 100), place("d", 0, 100), true},
		{place("d", 0, 100), place("e", 0, 100), false},
		{place("d", 0, 100), place("d", 50, 150), true},
		{place("d", 0, 100), place("d", 51, 151), false},
		{place("d", 0, 1000), place("d", 400, 410), true}, // a piece of it
		{place("d", 0, 100), place("d", 100, 200), false},
		{place("d", 0, 0), place("d", 0, 100), false},
	} {
		if got := samePlace(c.a, c.b); got != c.want || samePlace(c.b, c.a) != got {
			t.Errorf("%v and %v: %v, want %v both ways", c.a, c.b, got, c.want)
		}
	}
}

func TestRetrievalFailures(t *testing.T) {
	set := load(t, "squad.json")
	build := func(ctx context.Context, docs []assay.Document, passages [][]assay.Passage) (assay.Retriever, error) {
		inner, err := byBM25(ctx, docs, passages)
		return assay.RetrieverFunc(func(ctx context.Context, s assay.Search) ([]assay.Passage, error) {
			switch {
			case strings.Contains(s.Words, "ferry"):
				return nil, errors.New("disk full")
			case strings.Contains(s.Words, "mill"):
				return make([]assay.Passage, s.K+1), nil
			}
			found, err := inner.Retrieve(ctx, s)
			return found.Passages, err
		}), err
	}
	r, err := Retrieval(t.Context(), set, build, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed.Count != 2 || !slices.Equal(r.Failed.Messages, []string{"disk full", "21 passages where at most 20 were asked for"}) {
		t.Errorf("failures are %+v", r.Failed)
	}
	if got := r.Recall[0].Recall.Value; got != 1 {
		t.Errorf("recall@1 is %v: the failures moved it", got)
	}
	_, err = Retrieval(t.Context(), set, func(context.Context, []assay.Document, [][]assay.Passage) (assay.Retriever, error) {
		return nil, errors.New("no room")
	}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "eval retrieval: build the retriever: no room") {
		t.Errorf("error is %v", err)
	}
}

func TestRetrievalAsksAsTheEngineDoes(t *testing.T) {
	var searches []string
	_, err := Retrieval(t.Context(), load(t, "own_retrieval.jsonl"), func(_ context.Context, docs []assay.Document, _ [][]assay.Passage) (assay.Retriever, error) {
		if len(docs) != 3 || docs[2].ID != "prices.md" {
			t.Errorf("documents are %v", docs)
		}
		return assay.RetrieverFunc(func(_ context.Context, s assay.Search) ([]assay.Passage, error) {
			searches = append(searches, fmt.Sprintf("%s/%s/%d", s.Words, s.Collection, s.K))
			return nil, nil
		}), nil
	}, []int{30}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"May I bring a dog?/default/30", "What does the sauna cost?/default/30"}; !slices.Equal(searches, want) {
		t.Errorf("searches are %q, want %q", searches, want)
	}
}
