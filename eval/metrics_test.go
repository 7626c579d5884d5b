package eval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// scoredItems writes items as score, label, score, label …
func scoredItems(pairs ...float64) []Scored {
	var out []Scored
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, Scored{Score: pairs[i], Positive: pairs[i+1] == 1})
	}
	return out
}

func near(a, b float64) bool {
	return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b)
}

func TestMetrics(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name                        string
		items                       []Scored
		auroc, auprc, brier, bal, a float64 // the last two at 0.5
	}{
		{"perfect", scoredItems(1, 1, 0, 0), 1, 1, 0, 1, 1},
		{"inverted", scoredItems(0, 1, 1, 0), 0, 0.5, 1, 0, 0},
		// Pairs won: 0.9 over both, 0.7 over one of two: 3/4. Precision 1/1, 2/3.
		{"one pair lost", scoredItems(0.9, 1, 0.8, 0, 0.7, 1, 0.6, 0), 0.75, (1 + 2.0/3) / 2,
			(0.01 + 0.64 + 0.09 + 0.36) / 4, 0.5, 0.5},
		// 0.9 wins two pairs, 0.5 draws one and wins one: 3.5/4. Precision 1/1, 2/3.
		{"a tie across labels", scoredItems(0.9, 1, 0.5, 0, 0.5, 1, 0.1, 0), 0.875, (1 + 2.0/3) / 2,
			(0.01 + 0.25 + 0.25 + 0.01) / 4, 0.75, 0.75},
		{"all tied", scoredItems(0.3, 1, 0.3, 0, 0.3, 0, 0.3, 0), 0.5, 0.25, (0.49 + 3*0.09) / 4, 0.5, 0.75},
		{"unequal classes", scoredItems(0.8, 1, 0.6, 0, 0.4, 0, 0.2, 0, 0.1, 0), 1, 1,
			(0.04 + 0.36 + 0.16 + 0.04 + 0.01) / 5, (1 + 0.75) / 2, 0.8},
		{"positives only", scoredItems(0.8, 1), nan, 1, 0.04, nan, 1},
		{"negatives only", scoredItems(0.8, 0), nan, nan, 0.64, nan, 0},
		{"nothing", nil, nan, nan, nan, nan, nan},
	} {
		for _, m := range []struct {
			name      string
			got, want float64
		}{
			{"AUROC", AUROC(c.items), c.auroc},
			{"AUPRC", AUPRC(c.items), c.auprc},
			{"Brier", Brier(c.items), c.brier},
			{"balanced accuracy", BalancedAccuracy(c.items, 0.5), c.bal},
			{"accuracy", Accuracy(c.items, 0.5), c.a},
		} {
			if !near(m.got, m.want) {
				t.Errorf("%s: %s is %v, want %v", c.name, m.name, m.got, m.want)
			}
		}
	}
}

func TestRetrievalMetrics(t *testing.T) {
	log2 := math.Log2
	for _, c := range []struct {
		name             string
		ranks            []int
		gold, k          int
		recall, rr, ndcg float64
	}{
		{"first", []int{1}, 1, 10, 1, 1, 1},
		{"third", []int{3}, 1, 10, 1, 1.0 / 3, 0.5},
		{"below k", []int{11}, 1, 10, 0, 1.0 / 11, 0},
		{"at k", []int{10}, 1, 10, 1, 0.1, 1 / log2(11)},
		{"not found", nil, 1, 10, 0, 0, 0},
		{"one of two", []int{2}, 2, 5, 0.5, 0.5, (1 / log2(3)) / (1 + 1/log2(3))},
		{"two of two, unordered", []int{4, 1}, 2, 5, 1, 1, (1 + 1/log2(5)) / (1 + 1/log2(3))},
		{"more gold than k", []int{1, 2}, 3, 2, 2.0 / 3, 1, 1},
	} {
		if got := RecallAt(c.ranks, c.gold, c.k); !near(got, c.recall) {
			t.Errorf("%s: recall is %v, want %v", c.name, got, c.recall)
		}
		if got := ReciprocalRank(c.ranks); !near(got, c.rr) {
			t.Errorf("%s: reciprocal rank is %v, want %v", c.name, got, c.rr)
		}
		if got := NDCGAt(c.ranks, c.gold, c.k); !near(got, c.ndcg) {
			t.Errorf("%s: nDCG is %v, want %v", c.name, got, c.ndcg)
		}
	}
}

// randomItems has few distinct scores, so that ties are common.
func randomItems(random *rand.Rand, n int) []Scored {
	items := make([]Scored, n)
	for i := range items {
		items[i] = Scored{Score: float64(random.IntN(6)) / 5, Positive: random.IntN(2) == 1}
	}
	return items
}

func TestAUROCIsTheShareOfPairsWon(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		items := randomItems(random, 2+random.IntN(30))
		var won, pairs float64
		for _, p := range items {
			for _, n := range items {
				if !p.Positive || n.Positive {
					continue
				}
				pairs++
				switch {
				case p.Score > n.Score:
					won++
				case p.Score == n.Score:
					won += 0.5
				}
			}
		}
		if got := AUROC(items); !near(got, won/pairs) {
			t.Fatalf("AUROC of %v is %v, want %v", items, got, won/pairs)
		}
	}
}

// A weight must mean exactly that the item is there so many times.
func TestWeightsAreCopies(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	for range 200 {
		items := randomItems(random, 2+random.IntN(20))
		weights := make([]int, len(items))
		var copies []Scored
		for i, it := range items {
			weights[i] = random.IntN(4)
			for range weights[i] {
				copies = append(copies, it)
			}
		}
		r := newRanking(items)
		for name, pair := range map[string][2]float64{
			"AUROC":             {r.auroc(weights), AUROC(copies)},
			"AUPRC":             {r.auprc(weights), AUPRC(copies)},
			"Brier":             {brier(items, weights), Brier(copies)},
			"balanced accuracy": {balancedAccuracy(items, 0.4, weights), BalancedAccuracy(copies, 0.4)},
			"accuracy":          {accuracy(items, 0.4, weights), Accuracy(copies, 0.4)},
			"F1":                {f1(items, 0.4, weights), F1(copies, 0.4)},
			"AURC":              {r.aurc(weights), AURC(copies)},
		} {
			if !near(pair[0], pair[1]) {
				t.Fatalf("%s with weights %v is %v, with copies %v", name, weights, pair[0], pair[1])
			}
		}
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	items := randomItems(random, 50)
	auroc, auprc := AUROC(items), AUPRC(items)
	for range 50 {
		random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		if !near(AUROC(items), auroc) || !near(AUPRC(items), auprc) {
			t.Fatalf("shuffled: AUROC %v, AUPRC %v; before %v, %v", AUROC(items), AUPRC(items), auroc, auprc)
		}
	}
}

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		values  []float64
		q, want float64
	}{
		{nil, 0.5, math.NaN()},
		{[]float64{4}, 0.95, 4},
		{[]float64{1, 2}, 0.5, 1.5},
		{[]float64{1, 2, 3, 4, 5}, 0, 1},
		{[]float64{1, 2, 3, 4, 5}, 1, 5},
		{[]float64{1, 2, 3, 4, 5}, 0.95, 4.8},
	} {
		if got := quantile(c.values, c.q); !near(got, c.want) {
			t.Errorf("quantile %v of %v is %v, want %v", c.q, c.values, got, c.want)
		}
	}
}
