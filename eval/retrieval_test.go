package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

// byBM25 builds a plain ranker over all passages.
func byBM25(_ context.Context, _ []assay.Document, passages [][]assay.Passage) ([]RetrievalSystem, error) {
	return []RetrievalSystem{{"BM25", rankerOf(passages)}}, nil
}

func rankerOf(passages [][]assay.Passage) assay.Retriever {
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
	})
}

func TestRetrieval(t *testing.T) {
	r, err := Retrieval(t.Context(), load(t, "popqa.jsonl"), byBM25, []int{3, 1, 3}, &Options{Worst: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.Questions != 4 || r.Documents != 6 || r.Passages != 6 || r.Depth != 10 || r.Groups != 4 {
		t.Errorf("report is %+v", r)
	}
	one := Compared{Estimate: Estimate{1, 1, 1}}
	f := r.Systems[0]
	if want := []RecallAtK{{1, one}, {3, one}}; !slices.Equal(f.Recall, want) {
		t.Errorf("recall is %v, want %v", f.Recall, want)
	}
	if f.MRR != one || f.NDCG10 != one {
		t.Errorf("MRR %v, nDCG %v, want 1", f.MRR, f.NDCG10)
	}
}

// fixed returns the same passages for every search.
func fixed(name string, got ...assay.Passage) RetrievalSystem {
	return RetrievalSystem{name, assay.RetrieverFunc(func(context.Context, assay.Search) ([]assay.Passage, error) { return got, nil })}
}

// systems are there before any documents are.
func systems(all ...RetrievalSystem) Build {
	return func(context.Context, []assay.Document, [][]assay.Passage) ([]RetrievalSystem, error) { return all, nil }
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
	r, err := Retrieval(t.Context(), set, systems(fixed("fixed", place("x", 0, 100), place("d", 90, 190), place("d", 80, 120), place("d", 0, 10))), []int{2, 3, 4}, &Options{Worst: 2})
	if err != nil {
		t.Fatal(err)
	}
	// Of two questions the second finds nothing. The first finds its second gold
	// passage at rank 2 and its first at rank 3 (half of 80:120 lies in it).
	f := r.Systems[0]
	for i, want := range []float64{0.25, 0.5, 0.5} {
		if got := f.Recall[i].Recall.Value; !near(float64(got), want) {
			t.Errorf("recall@%d is %v, want %v", f.Recall[i].K, got, want)
		}
	}
	if got := f.MRR.Value; got != 0.25 {
		t.Errorf("MRR is %v, want 0.25", got)
	}
	log2 := math.Log2
	if got, want := float64(f.NDCG10.Value), (1/log2(3)+1/log2(4))/(1+1/log2(3))/2; !near(got, want) {
		t.Errorf("nDCG is %v, want %v", got, want)
	}
	if want := []RankedLowest{{"second", "elsewhere", []int{0}}, {"first", "d", []int{2}}}; !reflect.DeepEqual(r.Worst, want) {
		t.Errorf("the worst are %v, want %v", r.Worst, want)
	}
}

func TestRetrievalComparesInPairs(t *testing.T) {
	// Of ten questions the first system finds every second one, at rank 2; the
	// second finds those too, at rank 1, and one more in five.
	set := &Set{Name: "made", Retrieval: &Pool{}}
	for i := range 10 {
		d := strconv.Itoa(i)
		set.Retrieval.Questions = append(set.Retrieval.Questions, RetrievalItem{Question: d, Gold: []assay.Passage{place(d, 0, 9)}, Group: d})
	}
	finding := func(name string, rank int, finds func(i int) bool) RetrievalSystem {
		return RetrievalSystem{name, assay.RetrieverFunc(func(_ context.Context, s assay.Search) ([]assay.Passage, error) {
			if i, _ := strconv.Atoi(s.Words); !finds(i) {
				return nil, nil
			}
			return append(make([]assay.Passage, rank-1), place(s.Words, 0, 9)), nil
		})}
	}
	even := func(i int) bool { return i%2 == 0 }
	r, err := Retrieval(t.Context(), set, systems(finding("one", 2, even), finding("two", 1, func(i int) bool { return even(i) || i == 7 })), []int{1, 5}, &Options{Worst: 1})
	if err != nil {
		t.Fatal(err)
	}
	one, two := r.Systems[0], r.Systems[1]
	if one.Name != "one" || one.MRR.Value != 0.25 || one.MRR.Difference != nil {
		t.Errorf("the first has %+v", one)
	}
	if d := two.Recall[1].Recall.Difference; two.Recall[1].Recall.Value != 0.6 || !near(float64(d.Value), 0.1) || d.Low != 0 || d.High > 0.4 {
		t.Errorf("recall@5 of the second is %v, the difference %v: it must not be larger than single questions make it", two.Recall[1].Recall, d)
	}
	if d := two.Recall[0].Recall.Difference; !near(float64(d.Value), 0.6) || d.Low <= 0 {
		t.Errorf("the difference in recall@1 is %v", d)
	}
	if want := []RankedLowest{{"1", "1", []int{0, 0}}}; !reflect.DeepEqual(r.Worst, want) {
		t.Errorf("the worst are %v, want %v", r.Worst, want)
	}
}

func TestRetrievalIsOverWhatAllSystemsAnswered(t *testing.T) {
	set := retrievalSet(place("d", 0, 9))
	failing := RetrievalSystem{"failing", assay.RetrieverFunc(func(_ context.Context, s assay.Search) ([]assay.Passage, error) {
		if s.Words == "second" {
			return nil, errors.New("disk full")
		}
		return nil, nil
	})}
	r, err := Retrieval(t.Context(), set, systems(fixed("fixed", place("d", 0, 9)), failing), []int{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Systems[0].Recall[0].Recall.Value; got != 1 || r.Groups != 1 {
		t.Errorf("recall@1 is %v over %d groups, want 1 over the one question that both answered", got, r.Groups)
	}
	if r.Systems[0].Failed.Count != 0 || r.Systems[1].Failed.Count != 1 {
		t.Errorf("failures are %+v and %+v", r.Systems[0].Failed, r.Systems[1].Failed)
	}
	never := RetrievalSystem{"never", assay.RetrieverFunc(func(context.Context, assay.Search) ([]assay.Passage, error) { return nil, errors.New("no room") })}
	if _, err := Retrieval(t.Context(), set, systems(failing, never), nil, nil); err == nil || !strings.Contains(err.Error(), "never failed on all 2 items") {
		t.Errorf("error is %v", err)
	}
}

// short says that it looked for words alone.
type short struct{ assay.Retriever }

func (s short) Retrieve(ctx context.Context, search assay.Search) (assay.Found, error) {
	found, err := s.Retriever.Retrieve(ctx, search)
	found.Short = "no vectors yet"
	return found, err
}

func TestRetrievalSaysWhatFellShort(t *testing.T) {
	r, err := Retrieval(t.Context(), retrievalSet(place("d", 0, 9)), systems(fixed("whole"), RetrievalSystem{"short", short{fixed("").Retriever}}), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Systems[0].Short.Count != 0 || r.Systems[1].Short.Count != 2 || !slices.Equal(r.Systems[1].Short.Messages, []string{"no vectors yet"}) {
		t.Errorf("short are %+v and %+v", r.Systems[0].Short, r.Systems[1].Short)
	}
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil || !strings.Contains(table.String(), "short fell short in 2 searches: no vectors yet") {
		t.Errorf("the table (error %v) is\n%s", err, &table)
	}
}

func TestRetrievalCountsCopies(t *testing.T) {
	got := place("other", 40, 80)
	got.Copies = []string{"d"}
	if ranks := goldRanks([]assay.Passage{place("x", 0, 9), got}, []assay.Passage{place("d", 0, 40)}); !slices.Equal(ranks, []int{2}) {
		t.Errorf("ranks are %v, want 2: the gold passage is folded into its copy", ranks)
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
	build := func(_ context.Context, _ []assay.Document, passages [][]assay.Passage) ([]RetrievalSystem, error) {
		inner := rankerOf(passages)
		return []RetrievalSystem{{"BM25", assay.RetrieverFunc(func(ctx context.Context, s assay.Search) ([]assay.Passage, error) {
			switch {
			case strings.Contains(s.Words, "ferry"):
				return nil, errors.New("disk full")
			case strings.Contains(s.Words, "mill"):
				return make([]assay.Passage, s.K+1), nil
			}
			found, err := inner.Retrieve(ctx, s)
			return found.Passages, err
		})}}, nil
	}
	r, err := Retrieval(t.Context(), set, build, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := r.Systems[0]
	if f.Failed.Count != 2 || !slices.Equal(f.Failed.Messages, []string{"disk full", "51 passages where at most 50 were asked for"}) {
		t.Errorf("failures are %+v", f.Failed)
	}
	if got := f.Recall[0].Recall.Value; got != 1 {
		t.Errorf("recall@1 is %v: the failures moved it", got)
	}
	for _, c := range []struct {
		build Build
		want  string
	}{
		{func(context.Context, []assay.Document, [][]assay.Passage) ([]RetrievalSystem, error) {
			return nil, errors.New("no room")
		}, "no room"},
		{systems(), "there are none"},
	} {
		if _, err := Retrieval(t.Context(), set, c.build, nil, nil); err == nil || !strings.Contains(err.Error(), "eval retrieval: build the retrievers: "+c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}

func TestRetrievalAsksAsTheEngineDoes(t *testing.T) {
	var searches []string
	_, err := Retrieval(t.Context(), load(t, "own_retrieval.jsonl"), func(_ context.Context, docs []assay.Document, _ [][]assay.Passage) ([]RetrievalSystem, error) {
		if len(docs) != 3 || docs[2].ID != "prices.md" {
			t.Errorf("documents are %v", docs)
		}
		return []RetrievalSystem{{"asked", assay.RetrieverFunc(func(_ context.Context, s assay.Search) ([]assay.Passage, error) {
			searches = append(searches, fmt.Sprintf("%s/%s/%d", s.Words, s.Collection, s.K))
			return nil, nil
		})}}, nil
	}, []int{30}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"May I bring a dog?/default/30", "What does the sauna cost?/default/30"}; !slices.Equal(searches, want) {
		t.Errorf("searches are %q, want %q", searches, want)
	}
}
