package calibrate

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestBinomialTail(t *testing.T) {
	for _, c := range []struct {
		k, n int
		p    float64
		want float64
	}{
		{0, 29, 0.1, math.Pow(0.9, 29)},
		{1, 2, 0.5, 0.75},
		{2, 2, 0.3, 1},
		{2, 4, 0.25, 0.94921875},
		{0, 5000, 0.01, math.Pow(0.99, 5000)},
		{50, 100, 0.5, 0.5397946186935895},
	} {
		if got := binomialTail(c.k, c.n, c.p); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("binomialTail(%d, %d, %v) = %v, want %v", c.k, c.n, c.p, got, c.want)
		}
	}
}

func TestFaultless(t *testing.T) {
	for _, c := range []struct {
		risk, confidence float64
		want             int
	}{{0.1, 0.95, 29}, {0.05, 0.95, 59}, {0.2, 0.95, 14}, {0.1, 0.9, 22}} {
		got := faultless(c.risk, c.confidence)
		if got != c.want || binomialTail(0, got, c.risk) > 1-c.confidence || binomialTail(0, got-1, c.risk) <= 1-c.confidence {
			t.Errorf("faultless(%v, %v) = %d, want %d", c.risk, c.confidence, got, c.want)
		}
	}
}

// world is a way in which scores and labels come about, with groups of some size
// whose members are all alike.
type world struct {
	name      string
	groupSize int
	truth     func(score float64) float64
}

func (w world) labels(r *rand.Rand, n int) []Label {
	labels := make([]Label, 0, n)
	for g := 0; len(labels) < n; g++ {
		luck, score := r.Float64(), r.Float64()
		for range w.groupSize {
			labels = append(labels, Label{Score: score, Positive: luck < w.truth(score), Group: strconv.Itoa(g)})
		}
	}
	return labels
}

// risk is what share of that passed at a grade is wrong, in truth.
func (w world) risk(grade float64) float64 {
	const steps = 1000
	wrong := 0.0
	for i := range steps {
		wrong += 1 - w.truth(grade+(1-grade)*(float64(i)+0.5)/steps)
	}
	return wrong / steps
}

// TestPromiseHolds draws labels again and again and counts how often the promise is
// broken: at most 5 % of the draws may break it. In the worlds "just above" every
// threshold breaks it, so that all that is promised is broken; "steep" is such that
// much can be promised.
func TestPromiseHolds(t *testing.T) {
	const draws, risk, confidence = 2000, 0.1, 0.95
	flat := func(s float64) float64 { return 0.899 }
	steep := func(s float64) float64 { return logistic(12 * (s - 0.3)) }
	for _, w := range []world{
		{"just above", 1, flat}, {"just above, in groups", 5, flat},
		{"steep", 1, steep}, {"steep, in groups", 5, steep},
		{"just above at the end", 1, func(s float64) float64 { return min(s+0.45, 0.899) }},
	} {
		r := rand.New(rand.NewPCG(11, 1))
		broken, reached := 0, 0
		for range draws {
			p := promise(w.labels(r, 150*w.groupSize), risk, confidence, 1)
			if p.Reached {
				reached++
				if w.risk(p.Grade) > risk {
					broken++
				}
			}
		}
		t.Logf("%s: reached in %.1f %% of the draws, broken in %.1f %%", w.name, 100*float64(reached)/draws, 100*float64(broken)/draws)
		if float64(broken)/draws > 1-confidence {
			t.Errorf("%s: broken in %d of %d draws", w.name, broken, draws)
		}
		if strings.HasPrefix(w.name, "steep") && reached < draws*8/10 {
			t.Errorf("%s: reached in %d of %d draws", w.name, reached, draws)
		}
	}
}

// Labels of one group say the same five times over: taken for independent, they
// promise what isn't so.
func TestPromiseNeedsGroups(t *testing.T) {
	const draws = 500
	w := world{"just above, in groups", 5, func(s float64) float64 { return 0.899 }}
	r := rand.New(rand.NewPCG(12, 1))
	broken := 0
	for range draws {
		labels := w.labels(r, 750)
		for i := range labels {
			labels[i].Group = ""
		}
		if promise(labels, 0.1, 0.95, 1).Reached {
			broken++
		}
	}
	if float64(broken)/draws < 0.2 {
		t.Errorf("broken in %d of %d draws: the groups are not needed, and this test shows nothing", broken, draws)
	}
}

func TestIndependent(t *testing.T) {
	labels := []Label{
		{Score: 0.9, Question: "a", Group: "x"}, {Score: 0.4, Positive: true, Question: "a", Group: "x"},
		{Score: 0.7, Question: "b", Group: "x"},
		{Score: 0.5, Positive: true, Question: "c"}, {Score: 0.5, Question: "c"},
		{Score: 0.1}, {Score: 0.2},
	}
	byGroup := map[float64]int{}
	const draws = 400
	for seed := range uint64(draws) {
		got := independent(labels, seed)
		if len(got) != 4 {
			t.Fatalf("%d of 4 groups: %v", len(got), got)
		}
		byGroup[got[0].Score]++
		if got[1].Positive || got[1].Score != 0.5 {
			t.Errorf("of two graded alike %v was taken", got[1])
		}
	}
	if byGroup[0.4] > 0 || byGroup[0.9] < draws/3 || byGroup[0.7] < draws/3 {
		t.Errorf("of the group with two questions: %v", byGroup)
	}
}

func TestPromiseSays(t *testing.T) {
	good := func(n int) []Label {
		labels := make([]Label, n)
		for i := range labels {
			labels[i] = Label{Score: 0.9, Positive: true}
		}
		return labels
	}
	bad := func(n int) []Label {
		labels := good(n)
		for i := range labels {
			labels[i].Positive = i%3 > 0
		}
		return labels
	}
	for _, c := range []struct {
		name    string
		labels  []Label
		reached bool
		says    string
	}{
		{"as many as needed", good(29), true, "29 of 29 pass and 0 of them are wrong"},
		{"one too few", good(28), false, "At least 29 independent questions, one a group, must pass without a wrong one, and there are 28: label more"},
		{"a third wrong", bad(60), false, "Of the 60 graded best (from 0.90), 20 are wrong"},
	} {
		p := promise(c.labels, 0.1, 0.95, 1)
		if p.Reached != c.reached || !strings.Contains(p.String(), c.says) || strings.HasPrefix(p.String(), "not reachable") == c.reached {
			t.Errorf("%s: reached %v: %s", c.name, p.Reached, p)
		}
	}
}
