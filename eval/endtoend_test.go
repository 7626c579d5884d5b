package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-rag/assay"
)

// askerFunc answers by the question alone.
type askerFunc func(question string) (*assay.Answer, error)

func (f askerFunc) Ask(_ context.Context, q assay.Query) (*assay.Answer, error) { return f(q.Question) }

// says is an answer that quotes itself.
func says(outcome assay.Outcome, text string) *assay.Answer {
	a := &assay.Answer{Outcome: outcome, Text: text + " [1]"}
	if outcome != assay.Abstained {
		grounded := outcome == assay.Answered
		a.Grounded = &grounded
		a.Claims = []assay.Claim{{Text: text}}
		a.Citations = []assay.Citation{{Quote: text}}
	}
	return a
}

// letters has n questions ("a?"), each with a document that says its answer ("alpha a"),
// and one that no document answers.
func letters(n int) *Set {
	b := newPoolBuilder()
	set := &Set{Name: "made"}
	for i := range n {
		l := string(rune('a' + i))
		b.add("about "+l, "", "it is alpha "+l)
		b.add("beside "+l, "", "beside it is "+l)
		set.Answers = append(set.Answers, AnswerItem{
			Question: l + "?", Right: []string{"alpha " + l}, Wrong: []string{"omega " + l},
			Documents: []string{"about " + l}, Beside: []string{"beside " + l}, Group: l,
		})
	}
	set.Answers = append(set.Answers, AnswerItem{Question: "none?", Group: "none"})
	set.Retrieval = &b.pool
	return set
}

// known builds systems that know the documents of letters: a question that none is
// about gets what otherwise says.
func known(names []string, otherwise ...func(question string) *assay.Answer) BuildAskers {
	return func(_ context.Context, docs []assay.Document, _ [][]assay.Passage) ([]AnswerSystem, error) {
		var out []AnswerSystem
		for i, name := range names {
			out = append(out, AnswerSystem{Name: name, Asker: askerFunc(func(q string) (*assay.Answer, error) {
				for _, d := range docs {
					if d.ID == "about "+strings.TrimSuffix(q, "?") {
						return says(assay.Answered, d.Text), nil
					}
				}
				return otherwise[i](q), nil
			})})
		}
		return out, nil
	}
}

func guess(q string) *assay.Answer {
	return says(assay.Partial, "omega "+strings.TrimSuffix(q, "?"))
}

func abstain(string) *assay.Answer { return says(assay.Abstained, assay.Abstention) }

func endToEnd(t *testing.T, set *Set, s Setting, build BuildAskers, o *Options) *EndToEndReport {
	t.Helper()
	r, err := EndToEnd(t.Context(), set, s, build, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEndToEnd(t *testing.T) {
	r := endToEnd(t, letters(9), Setting{Uncovered: 0.5}, known([]string{"guesser", "careful"}, guess, abstain), &Options{Worst: 2})
	if r.Questions != 10 || r.Uncovered != 5 || r.Measured != 10 || r.Groups != 10 || r.Documents != 10 || r.LeftOut != 8 {
		t.Errorf("report is %+v", r)
	}
	guesser, careful := r.Systems[0], r.Systems[1]
	for _, c := range []struct {
		name string
		got  Compared
		want Figure
	}{
		{"guesser wrong", guesser.Wrong, 0.5}, {"careful wrong", careful.Wrong, 0},
		{"guesser coverage", guesser.Coverage, 1}, {"careful coverage", careful.Coverage, 1},
		{"guesser right", guesser.Right, 1}, {"guesser wrong, covered", guesser.WrongCovered, 0},
		{"guesser exact match", guesser.ExactMatch, 0}, {"guesser F1", guesser.F1, 2. / 3},
		{"guesser cited", guesser.Cited, 1}, {"guesser misled", guesser.Misled, 4. / 9}, {"careful misled", careful.Misled, 0},
		{"guesser abstained", guesser.Abstained, 0}, {"careful abstained", careful.Abstained, 1},
		{"guesser lucky", guesser.Lucky, 0}, {"guesser grounded", guesser.Grounded, 0.5}, {"careful grounded", careful.Grounded, 1},
		{"guesser answered", guesser.Answered, 1},
	} {
		if !near(float64(c.got.Value), float64(c.want)) {
			t.Errorf("%s is %v, want %v", c.name, c.got.Value, c.want)
		}
	}
	if got, want := float64(careful.Wrong.Difference.Value), -0.5; got != want {
		t.Errorf("careful is wrong %v more, want %v", got, want)
	}
	wantLabels := []LabelCount{{assay.Answered, 5, 0, 0, 0}, {assay.Partial, 0, 0, 0, 5}, {assay.Abstained, 0, 0, 0, 0}}
	if !slices.Equal(guesser.Labels, wantLabels) {
		t.Errorf("labels are %v, want %v", guesser.Labels, wantLabels)
	}
	c := r.Changes[0]
	if c.System != "careful" || c.WrongCut.Value != 1 || c.CoverageLost.Value != 0 {
		t.Errorf("changes are %+v", c)
	}
	corrected := c.Corrected[0]
	if corrected.From != StateWrong || corrected.To != StateRight || corrected.Uncovered != 5 || corrected.Covered != 0 || len(corrected.Examples) != 2 {
		t.Errorf("corrected are %+v", corrected)
	}
	if e := corrected.Examples[0]; !strings.HasPrefix(e.First, "omega") || e.Second != "" || len(e.Right) != 0 {
		t.Errorf("example is %+v", e)
	}
	for _, b := range c.Broken {
		if b.Covered+b.Uncovered > 0 {
			t.Errorf("broken is %+v", b)
		}
	}
}

func TestEndToEndChanges(t *testing.T) {
	// Seven covered questions, each on one of the ways between states that are counted.
	before, after := "rrwwssw", "wsrsrww"
	byLetter := func(states string) askerFunc {
		return func(q string) (*assay.Answer, error) {
			l := q[:1]
			switch states[l[0]-'a'] {
			case 'r':
				return says(assay.Answered, "alpha "+l), nil
			case 'w':
				return says(assay.Answered, "beta"), nil
			}
			return says(assay.Abstained, assay.Abstention), nil
		}
	}
	set := letters(7)
	set.Answers = set.Answers[:7]
	r := endToEnd(t, set, Setting{}, asked(AnswerSystem{Name: "before", Asker: byLetter(before)}, AnswerSystem{Name: "after", Asker: byLetter(after)}), nil)
	if r.Uncovered != 0 || r.LeftOut != 0 {
		t.Errorf("%d are uncovered, %d documents left out; want all there", r.Uncovered, r.LeftOut)
	}
	for _, change := range slices.Concat(r.Changes[0].Corrected, r.Changes[0].Broken, []AnswerChange{r.Changes[0].Kept}) {
		if change.Covered != 1 || change.Uncovered != 0 || len(change.Examples) != 0 {
			t.Errorf("change is %+v, want one question", change)
		}
	}
	if r.Systems[0].Abstained.Value.Defined() {
		t.Error("nothing is uncovered, and a share of it abstained")
	}
}

// asked are systems that need no documents.
func asked(all ...AnswerSystem) BuildAskers {
	return func(context.Context, []assay.Document, [][]assay.Passage) ([]AnswerSystem, error) { return all, nil }
}

func TestSettingLeavesDocumentsOut(t *testing.T) {
	set := letters(9)
	set.Answers[3].Documents = []string{"about c"} // shares it, and it doesn't answer
	for _, c := range []struct {
		setting              Setting
		questions, uncovered int
	}{
		{Setting{}, 10, 2}, {Setting{Uncovered: 0.5}, 10, 5}, {Setting{Uncovered: 1}, 10, 10}, {Setting{Limit: 4, Uncovered: 1}, 4, 4}, {Setting{Limit: 40}, 10, 2},
	} {
		for seed := range uint64(5) {
			a := c.setting.of(set, seed)
			if len(a.questions) != c.questions || a.uncovered() != c.uncovered {
				t.Errorf("%+v, seed %d: %d of %d uncovered, want %d of %d", c.setting, seed, a.uncovered(), len(a.questions), c.uncovered, c.questions)
			}
			if len(a.documents)+a.leftOut != len(set.Retrieval.Documents) || len(a.passages) != len(a.documents) {
				t.Errorf("%+v: %d documents, %d left out", c.setting, len(a.documents), a.leftOut)
			}
			has := func(id string) bool {
				return slices.ContainsFunc(a.documents, func(d assay.Document) bool { return d.ID == id })
			}
			for i, q := range a.questions {
				for _, id := range q.Documents {
					if a.gone[i] == has(id) {
						t.Errorf("%+v, question %q: gone is %v, its document is there: %v", c.setting, q.Question, a.gone[i], has(id))
					}
				}
			}
			if again := c.setting.of(set, seed); !reflect.DeepEqual(a, again) {
				t.Error("the same seed gives another setting")
			}
		}
	}
	if a, b := (Setting{Uncovered: 0.5}).of(set, 1), (Setting{Uncovered: 0.5}).of(set, 2); reflect.DeepEqual(a.documents, b.documents) || a.key == b.key {
		t.Error("another seed leaves the same documents out")
	}
}

func TestEndToEndFailuresAreInNoFigure(t *testing.T) {
	set := letters(4)
	flaky := askerFunc(func(q string) (*assay.Answer, error) {
		switch q {
		case "a?":
			return nil, errors.New("the index is gone")
		case "b?":
			return &assay.Answer{Outcome: "perhaps"}, nil
		case "c?":
			a := says(assay.Partial, "alpha c")
			a.Reasons = []assay.Note{{Code: assay.ReasonModelDown, Text: "the model is down; the documents are quoted"}}
			return a, nil
		}
		return says(assay.Answered, "alpha "+q[:1]), nil
	})
	sure := askerFunc(func(q string) (*assay.Answer, error) { return says(assay.Answered, "alpha "+q[:1]), nil })
	r := endToEnd(t, set, Setting{}, asked(AnswerSystem{Name: "sure", Asker: sure}, AnswerSystem{Name: "flaky", Asker: flaky}), nil)
	if r.Measured != 2 || r.Systems[1].Failed.Count != 3 || r.Systems[0].Failed.Count != 0 {
		t.Errorf("%d measured, %d failed", r.Measured, r.Systems[1].Failed.Count)
	}
	if got := r.Systems[0].Coverage.Value; got != 1 {
		t.Errorf("coverage is %v of those that none failed on, want 1", got)
	}
	always := AnswerSystem{Name: "down", Asker: askerFunc(func(string) (*assay.Answer, error) { return nil, errors.New("down") })}
	if _, err := EndToEnd(t.Context(), set, Setting{}, asked(always), nil); err == nil || !strings.Contains(err.Error(), "failed on all 5 items") {
		t.Errorf("error is %v", err)
	}
}

func TestEndToEndGoesOnFromAJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	var calls atomic.Int64
	system := AnswerSystem{Name: "counted", Asker: askerFunc(func(q string) (*assay.Answer, error) {
		calls.Add(1)
		a := says(assay.Answered, "alpha "+q[:1])
		a.Usage.Calls, a.Usage.Tokens = 2, 300
		return a, nil
	})}
	run := func(s Setting) *EndToEndReport {
		j, err := OpenJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		return endToEnd(t, letters(4), s, asked(system), &Options{Journal: j})
	}
	first := run(Setting{})
	if f := first.Systems[0]; f.Calls != 2 || f.Tokens != 300 || f.USD.Defined() {
		t.Errorf("a question took %v calls, %v tokens, $%v", f.Calls, f.Tokens, f.USD)
	}
	second := run(Setting{})
	if calls.Load() != 5 {
		t.Errorf("%d were asked in two runs, want 5", calls.Load())
	}
	first.Systems[0].Time, second.Systems[0].Time = QueryTime{}, QueryTime{}
	if a, b := fmt.Sprint(first), fmt.Sprint(second); a != b {
		t.Errorf("the second run says\n%s\nnot\n%s", b, a)
	}
	run(Setting{Uncovered: 0.8}) // of other documents, whatever the question
	if calls.Load() != 10 {
		t.Errorf("%d were asked, want 10", calls.Load())
	}
}

func TestEndToEndRefuses(t *testing.T) {
	set := letters(2)
	one := AnswerSystem{Name: "one", Asker: askerFunc(func(string) (*assay.Answer, error) { return abstain(""), nil })}
	for _, c := range []struct {
		name    string
		set     *Set
		setting Setting
		build   BuildAskers
		want    string
	}{
		{"share", set, Setting{Uncovered: 1.5}, asked(one), "must be in [0, 1]"},
		{"limit", set, Setting{Limit: -1}, asked(one), "must not be negative"},
		{"set", gateSet(2), Setting{}, asked(one), "doesn't fit this task; it fits: gate"},
		{"systems", set, Setting{}, asked(), "no system"},
		{"names", set, Setting{}, asked(one, one), "named one"},
		{"build", set, Setting{}, func(context.Context, []assay.Document, [][]assay.Passage) ([]AnswerSystem, error) {
			return nil, errors.New("disk full")
		}, "build the systems: disk full"},
	} {
		if _, err := EndToEnd(t.Context(), c.set, c.setting, c.build, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q in it", c.name, err, c.want)
		}
	}
}

func TestSetsHaveAnswers(t *testing.T) {
	for _, c := range []struct {
		file              string
		items, unanswered int
	}{{"popqa.jsonl", 4, 0}, {"squad.json", 5, 2}, {"clapnq", 3, 1}, {"ramdocs.jsonl", 2, 0}, {"mtrag.jsonl", 4, 1}} {
		set := load(t, c.file)
		none := 0
		for _, q := range set.Answers {
			if len(q.Right) == 0 {
				none++
			} else if len(q.Documents) == 0 {
				t.Errorf("%s: %q has an answer and no document", c.file, q.Question)
			}
		}
		if len(set.Answers) != c.items || none != c.unanswered {
			t.Errorf("%s: %d questions, %d without an answer; want %d, %d", c.file, len(set.Answers), none, c.items, c.unanswered)
		}
	}
}

func TestEndToEndGoldens(t *testing.T) {
	paid := func(name string, otherwise func(string) *assay.Answer) AnswerSystem {
		return AnswerSystem{Name: name, Version: "small", Asker: askerFunc(func(q string) (*assay.Answer, error) {
			var a *assay.Answer
			switch {
			case q == "c?":
				return nil, errors.New("reply \x1b[31mcut off\nafter 3 tokens")
			case q < "k":
				a = says(assay.Answered, "alpha "+q[:1])
			default:
				a = otherwise(q)
			}
			cost := 0.001
			a.Usage.Calls, a.Usage.Tokens, a.Usage.Cost = 2, 600, &cost
			return a, nil
		})}
	}
	r := endToEnd(t, letters(25), Setting{Uncovered: 0.5}, asked(paid("guesser", guess), paid("careful", abstain)), &Options{Worst: 1})
	for i := range r.Systems {
		r.Systems[i].Time = QueryTime{1.5, 12}
	}
	var table, object bytes.Buffer
	if err := errors.Join(r.WriteTable(&table), WriteJSON(&object, r)); err != nil {
		t.Fatal(err)
	}
	golden(t, "end-to-end.txt", table.Bytes())
	golden(t, "end-to-end.json", object.Bytes())
	if i := bytes.IndexFunc(table.Bytes(), func(r rune) bool { return r < ' ' && r != '\n' }); i >= 0 {
		t.Errorf("control character %q in the table", table.Bytes()[i])
	}
	if err := r.WriteTable(&fullDisk{100}); err == nil || !strings.Contains(err.Error(), "eval report: disk full") {
		t.Errorf("error is %v", err)
	}
}

func TestOwnRowsHaveAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.jsonl")
	write := func(rows ...string) {
		if err := os.WriteFile(path, []byte(strings.Join(rows, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"question": "How long is it?", "answers": ["26 weeks"], "gold": ["leave.md"], "documents": [{"id": "leave.md", "text": "Leave lasts 26 weeks."}]}`,
		`{"question": "Who pays?", "answers": [], "group": "money"}`,
		`{"question": "What lasts?", "gold": ["leave.md"]}`)
	set, err := Load(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []AnswerItem{
		{Question: "How long is it?", Right: []string{"26 weeks"}, Documents: []string{"leave.md"}, Group: "How long is it?"},
		{Question: "Who pays?", Right: []string{}, Group: "money"},
	}
	if !reflect.DeepEqual(set.Answers, want) || len(set.Retrieval.Questions) != 2 {
		t.Errorf("answers are %+v, want %+v; %d questions for retrieval", set.Answers, want, len(set.Retrieval.Questions))
	}
	write(`{"question": "How long is it?", "answers": ["26 weeks"]}`)
	if _, err := Load(path, 1); err == nil || !strings.Contains(err.Error(), `own.jsonl:1: "answers" need "gold"`) {
		t.Errorf("error is %v", err)
	}
}
