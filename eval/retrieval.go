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

// RetrievalReport is how well retrievers find the passages that answer.
type RetrievalReport struct {
	Task      Task   `json:"task"`
	Set       string `json:"set"`
	Part      Part   `json:"part"`
	Seed      uint64 `json:"seed"`
	Questions int    `json:"questions"`
	Groups    int    `json:"groups"`
	Documents int    `json:"documents"`
	Passages  int    `json:"passages"`
	// Depth is how many passages are asked for.
	Depth int `json:"depth"`
	// BuildTime is how long the retrievers took to be made, in milliseconds.
	BuildTime float64 `json:"build_ms"`
	// Systems are in the order in which they were given.
	Systems []RetrievalFigures `json:"systems"`
	// Worst has the questions that the last of the systems did worst on.
	Worst []RankedLowest `json:"worst"`
}

// RetrievalFigures are those of one retriever, all of them over the questions
// that none of the retrievers failed on.
type RetrievalFigures struct {
	Name string `json:"name"`
	// Failed counts the questions that the retriever failed on, Short those of
	// whose search it says that it fell short (assay.Found.Short).
	Failed Failures `json:"failed"`
	Short  Failures `json:"short"`
	// Recall is the mean share of the gold passages among the first K.
	Recall []RecallAtK `json:"recall"`
	// MRR is the mean reciprocal rank among the first Depth passages.
	MRR    Compared `json:"mrr"`
	NDCG10 Compared `json:"ndcg_at_10"`
	// QueryTime is how long a question took, in milliseconds.
	QueryTime QueryTime `json:"ms_per_query"`
}

// RecallAtK is the recall among the first K passages.
type RecallAtK struct {
	K      int      `json:"k"`
	Recall Compared `json:"recall"`
}

// QueryTime is a distribution of times in milliseconds: the median and the 95th
// percentile.
type QueryTime struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
}

// RankedLowest is a question whose passage was found late or not at all.
type RankedLowest struct {
	Question string `json:"question"`
	Gold     string `json:"gold"` // the document
	// Ranks are those of the first gold passage, from 1, with each of the systems;
	// 0 where none was found.
	Ranks []int `json:"ranks"`
}

// RetrievalSystem is a retriever under test.
type RetrievalSystem struct {
	Name      string
	Retriever assay.Retriever
}

// Build makes retrievers over documents, as cut into passages; passages[i] are
// those of docs[i]. A retriever may cut them anew. The first is what the others
// are compared with.
type Build func(ctx context.Context, docs []assay.Document, passages [][]assay.Passage) ([]RetrievalSystem, error)

// Retrieval measures retrievers on a set, side by side, asked with each question
// as it stands in the collection assay.DefaultCollection. ks are the depths of recall, 1 and
// up; nil means 1, 5, 10, 20 and 50. A question that any of them failed on is in
// no figure but Failed, so that all figures are of the same questions. Errors are
// as with Gate.
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
	systems, err := build(ctx, pool.Documents, pool.Passages)
	if err == nil && len(systems) == 0 {
		err = fmt.Errorf("there are none")
	}
	if err != nil {
		return nil, fmt.Errorf("eval retrieval: build the retrievers: %w", err)
	}
	r := &RetrievalReport{
		Task: TaskRetrieval, Set: set.Name, Part: set.part(), Seed: o.Seed,
		Questions: len(pool.Questions), Documents: len(pool.Documents),
		Depth: max(ndcgDepth, slices.Max(ks)), BuildTime: milliseconds(time.Since(start)),
	}
	for _, p := range pool.Passages {
		r.Passages += len(p)
	}
	asked, err := r.ask(ctx, pool.Questions, systems, o)
	if err != nil {
		return nil, fmt.Errorf("eval retrieval: %w", err)
	}
	r.fill(pool.Questions, systems, asked, ks, o)
	return r, nil
}

// ndcgDepth is where the gain is cut off.
const ndcgDepth = 10

func depths(ks []int) ([]int, error) {
	if len(ks) == 0 {
		return []int{1, 5, 10, 20, 50}, nil
	}
	ks = slices.Compact(slices.Sorted(slices.Values(ks)))
	if ks[0] < 1 {
		return nil, fmt.Errorf("k is %d; recall needs at least 1", ks[0])
	}
	return ks, nil
}

// outcome is what came of one question with one system.
type outcome struct {
	ranks []int // of the gold passages
	short string
}

// ask puts the questions to all systems; the outcomes are by system and question.
func (r *RetrievalReport) ask(ctx context.Context, questions []RetrievalItem, systems []RetrievalSystem, o Options) ([][]reply[outcome], error) {
	out := make([][]reply[outcome], len(systems))
	for s := range out {
		out[s] = make([]reply[outcome], len(questions))
	}
	err := o.measure(ctx, len(questions), func(i int) {
		// Each is the first to be asked equally often: what one has read is quicker
		// for the next.
		for n := range systems {
			s := (i + n) % len(systems)
			out[s][i] = r.askOne(ctx, questions[i], systems[s])
		}
	})
	if err != nil {
		return nil, err
	}
	for s := range systems {
		if err := gatherFailures(errorsOf(out[s])).all(len(questions)); err != nil {
			return nil, fmt.Errorf("%s %w", systems[s].Name, err)
		}
	}
	return out, nil
}

func (r *RetrievalReport) askOne(ctx context.Context, q RetrievalItem, s RetrievalSystem) (out reply[outcome]) {
	start := time.Now()
	found, err := s.Retriever.Retrieve(ctx, assay.Search{
		Words: q.Question, Collection: assay.DefaultCollection, K: r.Depth,
	})
	out.took = time.Since(start)
	if err == nil && len(found.Passages) > r.Depth {
		err = fmt.Errorf("%d passages where at most %d were asked for", len(found.Passages), r.Depth)
	}
	out.value, out.err = outcome{goldRanks(found.Passages, q.Gold), found.Short}, err
	return out
}

// fill computes the figures of what was asked.
func (r *RetrievalReport) fill(questions []RetrievalItem, systems []RetrievalSystem, asked [][]reply[outcome], ks []int, o Options) {
	var all []int // the questions that no system failed on
	var groups []string
	for i, q := range questions {
		if !failedOn(asked, i) {
			all, groups = append(all, i), append(groups, q.Group)
		}
	}
	boot := NewBootstrap(groups, o.Resamples, o.Seed)
	r.Groups = boot.Groups()
	compared := func(s int, value func(ranks []int, gold int) float64) Compared {
		return boot.compared(s, func(s int) metric {
			values := make([]float64, len(all))
			for n, i := range all {
				values[n] = value(asked[s][i].value.ranks, len(questions[i].Gold))
			}
			return mean(values)
		})
	}
	for s, system := range systems {
		f := RetrievalFigures{
			Name: system.Name, Failed: gatherFailures(errorsOf(asked[s])), Short: gatherShort(asked[s]),
			MRR:       compared(s, func(ranks []int, _ int) float64 { return ReciprocalRank(ranks) }),
			NDCG10:    compared(s, func(ranks []int, gold int) float64 { return NDCGAt(ranks, gold, ndcgDepth) }),
			QueryTime: queryTime(asked[s], all),
		}
		for _, k := range ks {
			f.Recall = append(f.Recall, RecallAtK{k, compared(s, func(ranks []int, gold int) float64 { return RecallAt(ranks, gold, k) })})
		}
		r.Systems = append(r.Systems, f)
	}
	r.Worst = worstRanked(questions, asked, all, o.Worst)
}

// gatherShort counts the searches that fell short.
func gatherShort(outcomes []reply[outcome]) Failures {
	errs := make([]error, len(outcomes))
	for i, o := range outcomes {
		if o.value.short != "" {
			errs[i] = fmt.Errorf("%s", o.value.short)
		}
	}
	return gatherFailures(errs)
}

func queryTime[T any](outcomes []reply[T], all []int) QueryTime {
	times := make([]float64, len(all))
	for n, i := range all {
		times[n] = milliseconds(outcomes[i].took)
	}
	slices.Sort(times)
	return QueryTime{quantile(times, 0.5), quantile(times, 0.95)}
}

// worstRanked lists the n questions for which the last system found a gold
// passage latest.
func worstRanked(questions []RetrievalItem, asked [][]reply[outcome], all []int, n int) []RankedLowest {
	out := []RankedLowest{}
	for _, i := range all {
		low := RankedLowest{Question: questions[i].Question, Gold: questions[i].Gold[0].Document}
		for _, of := range asked {
			first := 0
			if len(of[i].value.ranks) > 0 {
				first = slices.Min(of[i].value.ranks)
			}
			low.Ranks = append(low.Ranks, first)
		}
		out = append(out, low)
	}
	late := func(l RankedLowest) int {
		if last := l.Ranks[len(l.Ranks)-1]; last > 0 {
			return last
		}
		return math.MaxInt
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
			if !counted[k] && finds(p, g) {
				counted[k] = true
				ranks = append(ranks, i+1)
				break
			}
		}
	}
	return ranks
}

// finds tells whether a passage is the gold one, or stands for copies of which
// one is in the gold one's document.
func finds(p, gold assay.Passage) bool {
	return samePlace(p, gold) || slices.Contains(p.Copies, gold.Document)
}

// samePlace tells whether two passages of a document share at least half of the
// shorter one.
func samePlace(a, b assay.Passage) bool {
	shared := min(a.End, b.End) - max(a.Start, b.Start)
	return a.Document == b.Document && shared > 0 && 2*shared >= min(a.End-a.Start, b.End-b.Start)
}
