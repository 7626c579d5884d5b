package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/assay-rag/assay"
)

// RetrievalReport is how well a retriever finds the passages that answer.
type RetrievalReport struct {
	Task      Task     `json:"task"`
	Set       string   `json:"set"`
	Seed      uint64   `json:"seed"`
	Questions int      `json:"questions"`
	Groups    int      `json:"groups"`
	Documents int      `json:"documents"`
	Passages  int      `json:"passages"`
	Failed    Failures `json:"failed"`
	// Recall is the mean share of the gold passages among the first K.
	Recall []RecallAtK `json:"recall"`
	// MRR is the mean reciprocal rank among the first Depth passages.
	MRR    Estimate `json:"mrr"`
	Depth  int      `json:"depth"`
	NDCG10 Estimate `json:"ndcg_at_10"`
	// BuildTime is how long the retriever took to be made, QueryTime how long a
	// question took at the median and the 95th percentile; milliseconds.
	BuildTime float64        `json:"build_ms"`
	QueryTime QueryTime      `json:"ms_per_query"`
	Worst     []RankedLowest `json:"worst"`
}

// RecallAtK is the recall among the first K passages.
type RecallAtK struct {
	K      int      `json:"k"`
	Recall Estimate `json:"recall"`
}

// QueryTime is a distribution of times in milliseconds.
type QueryTime struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
}

// RankedLowest is a question whose passage was found late or not at all.
type RankedLowest struct {
	Question string `json:"question"`
	Gold     string `json:"gold"` // the document
	Rank     int    `json:"rank"` // of the first gold passage, from 1; 0 where none was found
}

// Build makes a retriever over documents, as cut into passages; passages[i] are
// those of docs[i]. It may cut them anew.
type Build func(ctx context.Context, docs []assay.Document, passages [][]assay.Passage) (assay.Retriever, error)

// Retrieval measures a retriever on a set, asked with each question as it
// stands in the collection assay.DefaultCollection. ks are the depths of recall, 1 and
// up; nil means 1, 5, 10 and 20. A question that the retriever failed on is in no figure but Failed.
// Errors are as with Gate.
func Retrieval(ctx context.Context, set *Set, build Build, ks []int, opts *Options) (*RetrievalReport, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("eval retrieval: options: %w", err)
	}
	if ks, err = depths(ks); err != nil {
		return nil, fmt.Errorf("eval retrieval: %w", err)
	}
	if err := set.require(TaskRetrieval); err != nil {
		return nil, err
	}
	pool := set.Retrieval
	start := time.Now()
	retriever, err := build(ctx, pool.Documents, pool.Passages)
	if err != nil {
		return nil, fmt.Errorf("eval retrieval: build the retriever: %w", err)
	}
	r := &RetrievalReport{
		Task: TaskRetrieval, Set: set.Name, Seed: o.Seed,
		Questions: len(pool.Questions), Documents: len(pool.Documents),
		Depth: max(ndcgDepth, slices.Max(ks)), BuildTime: milliseconds(time.Since(start)),
	}
	for _, p := range pool.Passages {
		r.Passages += len(p)
	}
	if err := r.ask(ctx, pool.Questions, retriever, ks, o); err != nil {
		return nil, fmt.Errorf("eval retrieval: %w", err)
	}
	return r, nil
}

// ndcgDepth is where the gain is cut off.
const ndcgDepth = 10

func depths(ks []int) ([]int, error) {
	if len(ks) == 0 {
		return []int{1, 5, 10, 20}, nil
	}
	ks = slices.Compact(slices.Sorted(slices.Values(ks)))
	if ks[0] < 1 {
		return nil, fmt.Errorf("k is %d; recall needs at least 1", ks[0])
	}
	return ks, nil
}

// ask puts the questions and fills in what comes of them.
func (r *RetrievalReport) ask(ctx context.Context, questions []RetrievalItem, retriever assay.Retriever, ks []int, o Options) error {
	n := len(questions)
	ranks, errs := make([][]int, n), make([]error, n)
	times := make([]time.Duration, n)
	err := o.measure(ctx, n, func(i int) {
		start := time.Now()
		found, err := retriever.Retrieve(ctx, assay.Search{
			Words: questions[i].Question, Collection: assay.DefaultCollection, K: r.Depth,
		})
		times[i] = time.Since(start)
		got := found.Passages
		if err == nil && len(got) > r.Depth {
			err = fmt.Errorf("%d passages where at most %d were asked for", len(got), r.Depth)
		}
		ranks[i], errs[i] = goldRanks(got, questions[i].Gold), err
	})
	if err != nil {
		return err
	}
	r.Failed = gatherFailures(errs)
	if err := r.Failed.all(n); err != nil {
		return fmt.Errorf("the retriever %w", err)
	}
	answered := ranked{}
	for i, q := range questions {
		if errs[i] == nil {
			answered.add(q, ranks[i], times[i])
		}
	}
	answered.fill(r, ks, o)
	return nil
}

// ranked holds the questions that the retriever answered, and at which ranks it
// had their gold passages.
type ranked struct {
	questions []RetrievalItem
	ranks     [][]int
	groups    []string
	times     []float64 // milliseconds
}

func (a *ranked) add(q RetrievalItem, ranks []int, took time.Duration) {
	a.questions = append(a.questions, q)
	a.ranks = append(a.ranks, ranks)
	a.groups = append(a.groups, q.Group)
	a.times = append(a.times, milliseconds(took))
}

func (a *ranked) fill(r *RetrievalReport, ks []int, o Options) {
	boot := NewBootstrap(a.groups, o.Resamples, o.Seed)
	mean := func(metric func(ranks []int, gold int) float64) Estimate {
		values := make([]float64, len(a.ranks))
		for i, ranks := range a.ranks {
			values[i] = metric(ranks, len(a.questions[i].Gold))
		}
		return boot.Mean(values)
	}
	for _, k := range ks {
		r.Recall = append(r.Recall, RecallAtK{k, mean(func(ranks []int, gold int) float64 { return RecallAt(ranks, gold, k) })})
	}
	r.Groups = boot.Groups()
	r.MRR = mean(func(ranks []int, _ int) float64 { return ReciprocalRank(ranks) })
	r.NDCG10 = mean(func(ranks []int, gold int) float64 { return NDCGAt(ranks, gold, ndcgDepth) })
	slices.Sort(a.times)
	r.QueryTime = QueryTime{quantile(a.times, 0.5), quantile(a.times, 0.95)}
	r.Worst = a.worst(o.Worst)
}

func (a *ranked) worst(n int) []RankedLowest {
	out := []RankedLowest{}
	for i, q := range a.questions {
		low := RankedLowest{Question: q.Question, Gold: q.Gold[0].Document}
		if len(a.ranks[i]) > 0 {
			low.Rank = slices.Min(a.ranks[i])
		}
		out = append(out, low)
	}
	late := func(l RankedLowest) int {
		if l.Rank == 0 {
			return math.MaxInt
		}
		return l.Rank
	}
	slices.SortStableFunc(out, func(x, y RankedLowest) int { return cmp.Compare(late(y), late(x)) })
	return out[:min(n, len(out))]
}

// goldRanks returns the ranks, from 1, at which gold passages were found. Each
// gold passage counts once, where it was found first, and each rank finds one at
// the most.
func goldRanks(got, gold []assay.Passage) []int {
	var ranks []int
	counted := make([]bool, len(gold))
	for i, p := range got {
		for k, g := range gold {
			if !counted[k] && samePlace(p, g) {
				counted[k] = true
				ranks = append(ranks, i+1)
				break
			}
		}
	}
	return ranks
}

// samePlace tells whether two passages of a document share at least half of the
// shorter one.
func samePlace(a, b assay.Passage) bool {
	shared := min(a.End, b.End) - max(a.Start, b.Start)
	return a.Document == b.Document && shared > 0 && 2*shared >= min(a.End-a.Start, b.End-b.Start)
}
