package eval

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func names(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}

func TestBootstrapCoversTheMean(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials, groups = 300, 60
	covered := 0
	for trial := range trials {
		values := make([]float64, groups)
		for i := range values {
			values[i] = random.NormFloat64() + 3
		}
		e := NewBootstrap(names(groups), 400, uint64(trial)).Mean(values)
		if e.Low <= 3 && 3 <= e.High {
			covered++
		}
	}
	// 95 % of 300 with three standard errors, less a little: the percentile
	// interval of a mean of 60 is slightly too narrow.
	if share := float64(covered) / trials; share < 0.90 || share > 0.99 {
		t.Errorf("the interval holds the mean in %.3f of the trials, want about 0.95", share)
	}
}

func TestBootstrapDrawsWholeGroups(t *testing.T) {
	// Ten groups, each with thirty equal rows: there are ten independent values,
	// however many rows.
	random := rand.New(rand.NewPCG(3, 4))
	single, many := make([]float64, 10), []float64{}
	var groups []string
	for g := range single {
		single[g] = random.Float64()
		for range 30 {
			many = append(many, single[g])
			groups = append(groups, strconv.Itoa(g))
		}
	}
	want := NewBootstrap(names(10), 1000, 5).Mean(single)
	got := NewBootstrap(groups, 1000, 5).Mean(many)
	for _, pair := range [][2]Figure{{got.Value, want.Value}, {got.Low, want.Low}, {got.High, want.High}} {
		if !near(float64(pair[0]), float64(pair[1])) {
			t.Fatalf("with repeated rows the interval is %v, want %v", got, want)
		}
	}
	byRow := NewBootstrap(names(300), 1000, 5).Mean(many)
	if byRow.High-byRow.Low > (got.High-got.Low)/2 {
		t.Errorf("drawing rows gives %v, drawing groups %v: the groups make no difference", byRow, got)
	}
}

func TestBootstrapIsSeeded(t *testing.T) {
	values := []float64{1, 5, 2, 8, 3, 9, 4}
	a := NewBootstrap(names(7), 200, 1).Mean(values)
	b := NewBootstrap(names(7), 200, 1).Mean(values)
	c := NewBootstrap(names(7), 200, 2).Mean(values)
	if a != b {
		t.Errorf("the same seed gave %v and %v", a, b)
	}
	if a == c {
		t.Errorf("two seeds gave the same interval %v", a)
	}
	if a.Value != c.Value {
		t.Errorf("the value depends on the seed: %v and %v", a, c)
	}
}

func TestBootstrapLeavesOutTheUndefined(t *testing.T) {
	// With two items of two labels, every second resample has one label only.
	items := scoredItems(0.9, 1, 0.1, 0)
	e := NewBootstrap(names(2), 100, 1).Estimate(newRanking(items).auroc)
	if e != (Estimate{1, 1, 1}) {
		t.Errorf("the estimate is %v, want 1 [1, 1]", e)
	}
}

func TestPairedDifferenceIsNarrower(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	own, other := make([]Scored, 200), make([]Scored, 200)
	for i := range own {
		positive := i%2 == 0
		base := random.Float64() + 0.3*indicator(positive)
		own[i] = Scored{Score: base + 0.05*random.Float64(), Positive: positive}
		other[i] = Scored{Score: base, Positive: positive}
	}
	boot := NewBootstrap(names(200), 500, 1)
	a, b := newRanking(own), newRanking(other)
	alone := boot.Estimate(a.auroc)
	difference := boot.Estimate(func(w []int) float64 { return a.auroc(w) - b.auroc(w) })
	if difference.High-difference.Low > (alone.High-alone.Low)/2 {
		t.Errorf("two scorers that agree differ by %v, one alone is %v: not paired", difference, alone)
	}
}

func TestFigureJSON(t *testing.T) {
	data, err := json.Marshal(NewBootstrap([]string{"one", "one"}, 0, 1).Mean([]float64{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(data), `{"value":1.5,"low":null,"high":null}`; got != want {
		t.Errorf("JSON is %s, want %s", got, want)
	}
	var back Estimate
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back.Value != 1.5 || !math.IsNaN(float64(back.Low)) {
		t.Errorf("read back as %v", back)
	}
	if got := back.String(); got != "1.500" {
		t.Errorf("an estimate without interval reads %q", got)
	}
}
