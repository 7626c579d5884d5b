package eval

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

// stripsBy grades strips by what they hold.
type stripsBy struct {
	graderFunc
	score func(text string) float64
}

func (s stripsBy) GradeStrips(_ context.Context, _ assay.Query, strips []assay.Strip) ([]assay.Grade, error) {
	grades := make([]assay.Grade, len(strips))
	for i, t := range strips {
		if grades[i].Score = s.score(t.Text); grades[i].Score < 0 {
			return nil, errors.New("no model")
		}
	}
	return grades, nil
}

func stripSet(t *testing.T) *Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "strips.jsonl")
	rows := `{"question": "price?", "strips": [{"text": "aaaa", "label": true}, {"text": "bbbb", "label": false}, {"text": "cccc", "label": true}, {"text": "dddd", "label": false}]}
{"question": "date?", "strips": [{"text": "aaaaaaaaaa", "label": true}, {"text": "bb", "label": false}]}
`
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := Load(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestStrips(t *testing.T) {
	alphabetic := stripsBy{score: func(text string) float64 { return float64('z'-text[0]) / 26 }}
	knowing := stripsBy{score: func(text string) float64 { return indicator(text[0] == 'a' || text[0] == 'c') }}
	r, err := Strips(t.Context(), stripSet(t), []GateSystem{{Name: "alphabetic", Grader: alphabetic}, {Name: "knowing", Grader: knowing}}, &Options{Worst: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Questions != 2 || r.Strips != 6 || r.Helping != 3 || r.Groups != 2 {
		t.Errorf("it is of %+v", r)
	}
	// a and b have room in half of the first text; in the second the one that helps has
	// none, whoever chooses.
	if got := r.Systems[0].RecallAtHalf.Value; got != 0.25 {
		t.Errorf("recall of the alphabet is %v, want a half and nothing", got)
	}
	if got := r.Systems[1].RecallAtHalf.Value; got != 0.5 || r.Ceiling != 0.5 {
		t.Errorf("recall of who knows is %v of %v, want one half of one half", got, r.Ceiling)
	}
	// a a, b b, c, d: precision 2/2 for two and 3/5.
	if got := float64(r.Systems[0].AUPRC.Value); !near(got, (1+1+3.0/5)/3) {
		t.Errorf("AUPRC of the alphabet is %v", got)
	}
	if got := r.Systems[1]; got.AUPRC.Value != 1 || got.AUROC.Value != 1 || got.AUPRC.Difference.Value <= 0 {
		t.Errorf("who knows has %+v", got)
	}
	if w := r.Worst; len(w) != 1 || w[0].Text != "cccc" {
		t.Errorf("the worst is %+v, want the one that helps behind one that doesn't", w)
	}
	failing := stripsBy{score: func(text string) float64 { return indicator(len(text) == 4)*2 - 1 }}
	if r, err = Strips(t.Context(), stripSet(t), []GateSystem{{Name: "failing", Grader: failing}}, nil); err != nil {
		t.Fatal(err)
	}
	if r.Measured != 1 || r.Systems[0].Undetermined.Count != 1 {
		t.Errorf("%d measured, %+v failed; want one each", r.Measured, r.Systems[0].Undetermined)
	}
}

// raterFunc rates answers.
type raterFunc func(answer string) (int, error)

func (f raterFunc) Rate(_ context.Context, _ assay.Query, answer string) (int, error) {
	return f(answer)
}

func usefulSet() *Set {
	set := &Set{Name: "made"}
	for i := range 5 {
		set.Useful = append(set.Useful, UsefulItem{Question: "q", Answer: strings.Repeat("x", i+1), Rating: i + 1, Group: string(rune('a' + i))})
	}
	return set
}

func TestUseful(t *testing.T) {
	byLength := UsefulSystem{Name: "length", Rater: raterFunc(func(answer string) (int, error) { return len(answer), nil })}
	backwards := UsefulSystem{Name: "backwards", Rater: raterFunc(func(answer string) (int, error) { return 6 - len(answer), nil })}
	r, err := Useful(t.Context(), usefulSet(), []UsefulSystem{byLength, backwards, AlwaysUseful()}, &Options{Worst: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ spearman, exact, off float64 }{{1, 1, 0}, {-1, 0.2, 2.4}, {math.NaN(), 0.2, 2}} {
		f := r.Systems[i]
		if !near(float64(f.Spearman.Value), want.spearman) || !near(float64(f.Exact.Value), want.exact) || !near(float64(f.Error.Value), want.off) {
			t.Errorf("%s has correlation %v, same %v, distance %v; want %v", f.Name, f.Spearman.Value, f.Exact.Value, f.Error.Value, want)
		}
	}
	r, err = Useful(t.Context(), usefulSet(), []UsefulSystem{{Name: "odd", Rater: raterFunc(func(answer string) (int, error) { return len(answer) * 2, nil })}}, &Options{Worst: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Systems[0].Undetermined; f.Count != 3 || !slices.Contains(f.Messages, "rating 6 is not in 1 to 5") {
		t.Errorf("ratings of more than 5: %+v", f)
	}
	if w := r.Worst; len(w) != 1 || w[0].Text != "xx" || w[0].Score != 4 {
		t.Errorf("the worst is %+v", w)
	}
}

func TestRanksHaveWeights(t *testing.T) {
	values, weights := []float64{3, 1, 2, 2}, []int{2, 1, 0, 3}
	copies := []float64{3, 3, 1, 2, 2, 2}
	of := ranks(copies, nil)
	want := []float64{of[0], of[2], 0, of[3]}
	for i, got := range ranks(values, weights) {
		if weights[i] > 0 && got != want[i] {
			t.Errorf("rank %d is %v, with copies %v", i, got, want[i])
		}
	}
}

// routerFunc tells whether a message needs documents.
type routerFunc func(question string) (bool, error)

func (f routerFunc) Route(_ context.Context, q assay.Query) (assay.Route, error) {
	retrieve, err := f(q.Question)
	return assay.Route{Retrieve: retrieve}, err
}

func TestRoute(t *testing.T) {
	set := &Set{Name: "made", Route: []RouteItem{
		{"when does it open?", true, "1", ""}, {"who cooks?", true, "2", ""}, {"what costs it", true, "3", ""},
		{"hello", false, "4", ""}, {"how are you?", false, "5", ""},
	}}
	marks := RouteSystem{Name: "marks", Router: routerFunc(func(q string) (bool, error) { return strings.HasSuffix(q, "?"), nil })}
	r, err := Route(t.Context(), set, []RouteSystem{marks, AlwaysRoute()}, &Options{Worst: 2})
	if err != nil {
		t.Fatal(err)
	}
	f := r.Systems[0]
	for name, c := range map[string][2]float64{
		"accuracy": {float64(f.Accuracy.Value), 0.6}, "balanced": {float64(f.BalancedAccuracy.Value), (2.0/3 + 0.5) / 2},
		"retrieved": {float64(f.Retrieved.Value), 2.0 / 3}, "spared": {float64(f.Spared.Value), 0.5},
	} {
		if !near(c[0], c[1]) {
			t.Errorf("%s is %v, want %v", name, c[0], c[1])
		}
	}
	if a := r.Systems[1]; a.Retrieved.Value != 1 || a.Spared.Value != 0 {
		t.Errorf("always: %+v", a)
	}
	if len(r.Worst) != 2 || r.Worst[0].Subject != "what costs it" {
		t.Errorf("the worst are %+v", r.Worst)
	}
}

func TestRivals(t *testing.T) {
	set := gateSet(5)
	rivals := []GateSystem{BM25Gate(set), CosineGate(letterEmbedder{})}
	for _, s := range rivals {
		for _, it := range set.Gate {
			score, err := s.score(t.Context(), it)
			if err != nil || !(0 <= score && score <= 1) {
				t.Errorf("%s scores %v, %v", s.Name, score, err)
			}
		}
	}
	if rivals[1].Version != "letters" {
		t.Errorf("the version of the cosine is %q, want its model", rivals[1].Version)
	}
	// On the scale of the set BM25 orders as it does on its own.
	model := newBM25([]string{"barley", "rye barley", "oats"})
	scaled := bm25Scorer([][2]string{{"barley", "barley"}, {"barley", "rye barley"}, {"barley", "oats"}})
	got, err := scaled(t.Context(), "barley", []string{"barley", "rye barley", "oats"})
	if err != nil || !slices.Equal(got, []float64{2.0 / 3, 1.0 / 3, 0}) || !(model.score("barley", "barley") > model.score("barley", "rye barley")) {
		t.Errorf("scores are %v, %v", got, err)
	}
	for _, c := range []struct {
		a, b []float32
		want float64
	}{{[]float32{1, 0}, []float32{2, 0}, 1}, {[]float32{1, 0}, []float32{0, 3}, 0}, {[]float32{0, 0}, []float32{1, 1}, 0}} {
		if got := cosine(c.a, c.b); got != c.want {
			t.Errorf("the cosine of %v and %v is %v, want %v", c.a, c.b, got, c.want)
		}
	}
	r, err := Support(t.Context(), supportSet(8), []SupportSystem{BM25Support(supportSet(8)), CosineSupport(letterEmbedder{}), AlwaysSupport()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Systems[2]; f.Findings[0].Positives != 4 || f.Findings[0].Negatives != 4 {
		t.Errorf("always finds %+v", f.Findings)
	}
}

// letterEmbedder counts letters.
type letterEmbedder struct{}

func (letterEmbedder) Model() string { return "letters" }
func (letterEmbedder) Dim() int      { return 26 }
func (e letterEmbedder) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i], _ = e.EmbedQuery(ctx, t)
	}
	return out, nil
}

func (letterEmbedder) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	v := make([]float32, 26)
	for _, r := range strings.ToLower(text) {
		if 'a' <= r && r <= 'z' {
			v[r-'a']++
		}
	}
	return v, nil
}

// A question that leans on what was said before is graded as what it means.
func TestGateCondenses(t *testing.T) {
	asked := ""
	s := GateSystem{Grader: graderFunc(func(q string, _ assay.Passage) (assay.Grade, error) {
		asked = q
		return assay.Grade{}, nil
	})}
	it := GateItem{Question: "and on Sunday?", Passages: cut("d", "", []string{"x"}), History: []assay.Turn{{Question: "When does it open?"}}}
	if _, err := s.score(t.Context(), it); err != nil || asked != "and on Sunday?" {
		t.Errorf("without a condenser %q is graded: %v", asked, err)
	}
	s.Condenser = condenserFunc(func(q assay.Query) string { return q.History[0].Question + " " + q.Question })
	if _, err := s.score(t.Context(), it); err != nil || asked != "When does it open? and on Sunday?" {
		t.Errorf("with one %q is graded: %v", asked, err)
	}
}

type condenserFunc func(q assay.Query) string

func (f condenserFunc) Condense(_ context.Context, q assay.Query) (string, error) { return f(q), nil }

func TestLoadAll(t *testing.T) {
	sets, skipped, err := LoadAll("testdata", 1)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range sets {
		names = append(names, s.Name)
	}
	for _, want := range []string{"clapnq", "begin", "wice-pages", "wice-chunks", "squad2", "own-gate", "own-route", "mtrag-un"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %v", want, names)
		}
	}
	if !slices.Contains(skipped, filepath.Join("testdata", "golden", "gate.json")) {
		t.Errorf("passed over are %v", skipped)
	}
}

func TestSummary(t *testing.T) {
	set := gateSet(10)
	gate, err := Gate(t.Context(), set, []GateSystem{BM25Gate(set), AlwaysGate()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	support, err := Support(t.Context(), supportSet(6), []SupportSystem{AlwaysSupport()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := Summarise([]Report{gate, support})
	if len(s.Lines) != 2 || s.Lines[0].Task != TaskGate || s.Lines[1].Items != 6 {
		t.Fatalf("the lines are %+v", s.Lines)
	}
	var b strings.Builder
	if err := s.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gate · made", "support · made", "\nsummary\n", "\ngate     made  20     AUROC   BM25    1.000"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in:\n%s", want, b.String())
		}
	}
}
