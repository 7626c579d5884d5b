package eval

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/assay-rag/assay"
)

func TestF1AndAURC(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name     string
		items    []Scored
		f1, aurc float64 // F1 at 0.5
	}{
		{"perfect", scoredItems(1, 1, 0, 0), 1, (0 + 1.0/2) / 2},
		{"inverted", scoredItems(0, 1, 1, 0), 0, (1 + 1.0/2) / 2},
		// One right of two taken, one of two found: 2/(2+1+1).
		{"half", scoredItems(0.9, 1, 0.8, 0, 0.2, 1, 0.1, 0), 0.5, (0 + 1.0/2 + 1.0/3 + 2.0/4) / 4},
		{"all tied", scoredItems(0.3, 1, 0.3, 0, 0.3, 0, 0.3, 0), 0, 0.75},
		// The two tied come in either order: one half of a negative each.
		{"a tie behind a positive", scoredItems(0.9, 1, 0.5, 0, 0.5, 1), 0.8, (0 + 0.5/2 + 1.0/3) / 3},
		{"negatives only", scoredItems(0.1, 0), nan, 1},
		{"nothing", nil, nan, nan},
	} {
		if got := F1(c.items, 0.5); !near(got, c.f1) {
			t.Errorf("%s: F1 is %v, want %v", c.name, got, c.f1)
		}
		if got := AURC(c.items); !near(got, c.aurc) {
			t.Errorf("%s: the area under risk and coverage is %v, want %v", c.name, got, c.aurc)
		}
	}
}

// many repeats an item.
func many(n int, score float64, positive bool) []Scored {
	return slices.Repeat([]Scored{{Score: score, Positive: positive}}, n)
}

func TestCalibrationError(t *testing.T) {
	for _, c := range []struct {
		name  string
		items []Scored
		want  float64
	}{
		{"calibrated", append(many(10, 0.5, true), many(10, 0.5, false)...), 0},
		{"sure and wrong", many(20, 0.9, false), 0.9},
		// A gap of 0.3, less the variance of a share of 20 that is one half.
		{"a gap", append(many(10, 0.8, true), many(10, 0.8, false)...), math.Sqrt(0.09 - 0.25/19)},
		// Two bins, equal scores staying together: gaps of 0.2 and 0.1, no variance.
		{"two bins", append(many(30, 0.2, false), many(10, 0.9, true)...), math.Sqrt((30*0.04 + 10*0.01) / 40)},
		{"nothing", nil, math.NaN()},
	} {
		if got := CalibrationError(c.items); !near(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestReliabilityBinsHoldAllItems(t *testing.T) {
	var items []Scored
	for i := range 400 {
		items = append(items, Scored{Score: float64(i*i%97) / 97, Positive: i%3 == 0})
	}
	bins := newBinning(items).reliability()
	n := 0
	for i, b := range bins {
		n += b.Items
		if b.Low > b.Score || b.Score > b.High || i > 0 && b.Low <= bins[i-1].High {
			t.Errorf("bin %d is %+v, after %+v", i, b, bins[max(i-1, 0)])
		}
	}
	if n != len(items) || len(bins) < 10 || len(bins) > reliabilityBins {
		t.Errorf("%d items in %d bins, want all 400 in about 15", n, len(bins))
	}
}

func TestCurves(t *testing.T) {
	items := scoredItems(0.9, 1, 0.8, 0, 0.4, 1, 0.1, 0)
	c := curves(items, assay.Thresholds{Lower: 0.35, Upper: 0.75})
	points := [][2]float64{}
	for _, p := range c.ROC {
		points = append(points, [2]float64{p.FalsePositive, p.TruePositive})
	}
	if want := [][2]float64{{0, 0}, {0, 0.5}, {0.5, 0.5}, {0.5, 1}, {1, 1}}; !slices.Equal(points, want) {
		t.Errorf("the ROC curve is %v, want %v", points, want)
	}
	if c.ROC[0].Threshold.Defined() || c.ROC[1].Threshold != 0.9 {
		t.Errorf("the thresholds begin with %v, %v", c.ROC[0].Threshold, c.ROC[1].Threshold)
	}
	if want := []RiskPoint{{0.25, 0, 0.9}, {0.5, 0.5, 0.8}, {0.75, 1.0 / 3, 0.4}, {1, 0.5, 0.1}}; !slices.Equal(c.RiskCoverage, want) {
		t.Errorf("risk and coverage are %v, want %v", c.RiskCoverage, want)
	}
	for threshold, want := range map[int]SweepPoint{
		0:   {0, 1, 0, 0, 1, 0},
		75:  {0.75, 0.5, 0.25, 0.25, 0.5, 0.5},
		85:  {0.85, 0.25, 0.5, 0.25, 0, 0.5},
		100: {1, 0, 0.75, 0.25, 0, 1},
	} {
		if got := c.Sweep[threshold]; got != want {
			t.Errorf("at %d %%: %+v, want %+v", threshold, got, want)
		}
	}
	if len(c.Sweep) != 101 {
		t.Errorf("%d thresholds are tried", len(c.Sweep))
	}
}

// A plot needs the ends of a curve, and a report must not grow with its set.
func TestCurvesAreThinned(t *testing.T) {
	var items []Scored
	for i := range 5000 {
		items = append(items, Scored{Score: float64(i) / 5000, Positive: i%2 == 0})
	}
	c := curves(items, assay.DefaultThresholds)
	if n := len(c.ROC); n != mostPoints {
		t.Errorf("the ROC curve has %d points, want %d", n, mostPoints)
	}
	if first, last := c.ROC[0], c.ROC[mostPoints-1]; first.TruePositive != 0 || last.TruePositive != 1 || last.FalsePositive != 1 {
		t.Errorf("it goes from %+v to %+v", first, last)
	}
	if last := c.RiskCoverage[mostPoints-1]; last.Coverage != 1 {
		t.Errorf("coverage ends at %v", last.Coverage)
	}
	// Without items there is nothing to draw, and it is JSON all the same.
	if _, err := json.Marshal(curves(nil, assay.DefaultThresholds)); err != nil {
		t.Error(err)
	}
}

func TestBestThreshold(t *testing.T) {
	for _, c := range []struct {
		name  string
		items []Scored
		want  float64
	}{
		{"between", scoredItems(0.9, 1, 0.6, 1, 0.4, 0, 0.2, 0), 0.6},
		{"one astray", scoredItems(0.9, 0, 0.8, 1, 0.7, 1, 0.2, 0, 0.1, 0), 0.7},
		{"one label", scoredItems(0.9, 1), 0.5},
		{"nothing", nil, 0.5},
	} {
		if got := bestThreshold(c.items); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A threshold fitted on the items that it is judged on would flatter a system that
// knows nothing: cross-fitted it is at one half.
func TestFittedDoesNotFlatter(t *testing.T) {
	flattered, fair := 0.0, 0.0
	const rounds = 40
	for round := range rounds {
		m := measurement{set: &Set{}, systems: []contestant{{Name: "blind"}}}
		var items []labelled
		all := [][]reply[float64]{{}}
		for i := range 60 {
			group := strconv.Itoa(round*1000 + i)
			items = append(items, labelled{positive: i%2 == 0, group: group})
			all[0] = append(all[0], reply[float64]{value: float64(len(itemKey(group))) * float64(itemKey(group)[0]) / 1e5})
		}
		c := newContest(m, items, all, func(s float64) float64 { return s }, Options{Resamples: 1})
		flattered += BalancedAccuracy(c.scored[0], bestThreshold(c.scored[0])) / rounds
		fair += BalancedAccuracy(c.fitted(0), taken) / rounds
	}
	if flattered < 0.53 || math.Abs(fair-0.5) > 0.025 {
		t.Errorf("fitted on itself it has %.3f, on the other half %.3f; want more than 0.53, and one half", flattered, fair)
	}
}

func TestKinds(t *testing.T) {
	m := measurement{set: &Set{}, systems: []contestant{{Name: "made"}}}
	var items []labelled
	all := [][]reply[float64]{{}}
	for i := range 90 {
		kind := []string{"easy", "hard", "few"}[min(i/40, 2)]
		it := labelled{positive: i%2 == 0, group: strconv.Itoa(i), kind: kind}
		score := indicator(it.positive)
		if kind == "hard" {
			score = 1 - score
		}
		items, all[0] = append(items, it), append(all[0], reply[float64]{value: score})
	}
	c := newContest(m, items, all, func(s float64) float64 { return s }, Options{Resamples: 20})
	kinds := c.kinds(c.fitted(0))
	if len(kinds) != 2 || kinds[0].Kind != "easy" || kinds[1].Kind != "hard" {
		t.Fatalf("the kinds are %+v, want easy and hard: ten items are too few", kinds)
	}
	if k := kinds[0]; k.Items != 40 || k.Positives != 20 || k.AUROC.Value != 1 {
		t.Errorf("easy is %+v", k)
	}
	if k := kinds[1]; k.AUROC.Value != 0 {
		t.Errorf("hard is %+v", k)
	}
}

func TestCompare(t *testing.T) {
	boot := NewBootstrap(names(40), 500, 1)
	alike, better, noisy := make([]float64, 40), make([]float64, 40), make([]float64, 40)
	for i := range alike {
		alike[i], better[i] = 0.5, 0.6
		noisy[i] = 0.5 + float64(i%2) - 0.5
	}
	if d := boot.Compare(mean(alike), mean(alike)); d.Value != 0 || d.P != 1 {
		t.Errorf("a system differs from itself by %v", d)
	}
	if d := boot.Compare(mean(better), mean(alike)); !near(float64(d.Value), 0.1) || !near(float64(d.P), 2.0/501) {
		t.Errorf("one that is better on every item: %v, want p of 2 in 501", d)
	}
	if d := boot.Compare(mean(noisy), mean(alike)); d.P < 0.5 {
		t.Errorf("one that is better as often as worse: %v", d)
	}
	if d := NewBootstrap([]string{"a", "a"}, 10, 1).Compare(mean([]float64{1, 2}), mean([]float64{0, 0})); d.Value != 1.5 || d.P.Defined() {
		t.Errorf("with one group: %v, want no p", d)
	}
}

// Where nothing differs, a p-value below 0.05 must be about as rare as it says.
func TestCompareHoldsItsLevel(t *testing.T) {
	low := 0
	const rounds = 200
	for round := range rounds {
		a, b := make([]float64, 60), make([]float64, 60)
		for i := range a {
			key := itemKey(strconv.Itoa(round), strconv.Itoa(i))
			a[i], b[i] = float64(key[0]), float64(key[1])
		}
		if NewBootstrap(names(60), 200, uint64(round)).Compare(mean(a), mean(b)).P < 0.05 {
			low++
		}
	}
	if low > rounds/10 {
		t.Errorf("p is below 0.05 in %d of %d rounds without a difference", low, rounds)
	}
}
