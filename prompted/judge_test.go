package prompted

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

var leave = assay.Query{Question: "How many days of leave does a clerk have?"}

// handbook are three passages whose sentences are numbered 1–2, 3–4 and 5.
func handbook() []assay.Passage {
	passages := []assay.Passage{
		{Document: "leave.md", Title: "Leave", Heading: []string{"Leave", "Clerks"}, Text: "A clerk has 26 days of leave a year.\nIt is taken by March.",
			Date: time.Date(2025, 6, 15, 0, 0, 0, 0, time.UTC), DateFrom: assay.DateFromDocument, Version: "3"},
		{Document: "old.md", Title: "Staff rules", Text: "## Clerks\n\nA clerk has 20 days of leave.\n\n## Tables\n\n| grade | days |\n|---|---|\n| clerk | 20 |",
			Date: time.Date(2022, 3, 1, 0, 0, 0, 0, time.UTC), DateFrom: assay.DateFromName},
		{Document: "kitchen.md", Title: "Kitchen", Text: "The kitchen closes at six.", Date: time.Now(), DateFrom: assay.DateFromFile},
	}
	for i := range passages {
		passages[i].End = len(passages[i].Text)
	}
	return passages
}

// grades are grades for comparison: "0.9", "0.3 stale", "?" where undetermined.
func gradesText(grades []assay.Grade) string {
	var out []string
	for _, g := range grades {
		s := "?"
		if !g.Undetermined {
			s = strings.TrimSpace(fmt.Sprintf("%v %s", g.Score, g.Reason))
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestGradeInOneCall(t *testing.T) {
	model := llmtest.InTurn(`{"answer":"26 days","sentences":[1],"partly":[2],"against":[3],"score":0.95,"missing":"none"}`)
	a, err := NewJudge(model, nil).Grade(t.Context(), leave, handbook())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := gradesText(a.Grades), "0.95, 0.55 stale, 0.1 irrelevant"; got != want {
		t.Errorf("grades %s, want %s", got, want)
	}
	for i, want := range []string{"0.95, 0.5 insufficient", "0.55 stale, 0.1 irrelevant", "0.1 irrelevant"} {
		if got := gradesText(a.Strips[i]); got != want {
			t.Errorf("the strips of passage %d are graded %s, want %s", i, got, want)
		}
	}
	want := []assay.Conflict{{A: 1, B: 0, Stale: true, Note: "“A clerk has 20 days of leave.” (2022-03-01) against “A clerk has 26 days of leave a year.” (2025-06-15)"}}
	if diff := cmp.Diff(want, a.Conflicts); diff != "" || a.Missing != "" {
		t.Errorf("missing %q; conflicts (-want +got):\n%s", a.Missing, diff)
	}
	asked := model.Asked()
	if len(asked) != 1 || asked[0].Temperature != 0 || asked[0].Schema == nil || asked[0].MaxTokens < 200 {
		t.Errorf("asked %+v", asked)
	}
}

// How replies on three passages come out, and what the one repair is told.
func TestGradeMapsByNumberAlone(t *testing.T) {
	const good = `{"answer":"26","sentences":[1],"partly":[],"against":[],"score":0.9,"missing":""}`
	const graded = "0.9, 0.1 irrelevant, 0.1 irrelevant"
	for _, c := range []struct {
		name, reply string
		want        string
		told        string // what the repair says; "" for no repair
	}{
		{name: "as it should be", reply: good, want: graded},
		{name: "of several passages", reply: `{"answer":"26","sentences":[5,1],"partly":[3],"score":0.9}`, want: "0.9, 0.5 insufficient, 0.9"},
		{name: "numbers that don't exist among others", reply: `{"answer":"26","sentences":[1,6,0,-1,99],"partly":[77],"against":[1000],"score":0.9}`, want: graded},
		{name: "a number several times", reply: `{"answer":"26","sentences":[1,1,1],"partly":[1],"score":0.9}`, want: graded},
		{name: "only a part", reply: `{"answer":"","sentences":[],"partly":[3],"score":0}`, want: "0.1 irrelevant, 0.5 insufficient, 0.1 irrelevant"},
		{name: "nothing", reply: `{"answer":"","sentences":[],"partly":[],"against":[],"score":0,"missing":"all"}`, want: "0.1 irrelevant, 0.1 irrelevant, 0.1 irrelevant"},
		{name: "nothing, and no score either", reply: `{"answer":"","sentences":[]}`, want: "0.1 irrelevant, 0.1 irrelevant, 0.1 irrelevant"},
		{name: "unsure", reply: `{"answer":"26","sentences":[1],"score":0.4}`, want: "0.4 insufficient, 0.1 irrelevant, 0.1 irrelevant"},
		{name: "sure, with something missing", reply: `{"answer":"26","sentences":[1],"score":0.9,"missing":"whether it is paid"}`, want: "0.5 insufficient, 0.1 irrelevant, 0.1 irrelevant"},
		{name: "sure of no answer", reply: `{"answer":"","sentences":[1],"score":0.9}`, want: "0.5 insufficient, 0.1 irrelevant, 0.1 irrelevant"},
		{name: "an answer that isn't in its sentences", reply: `{"answer":"40 weeks","sentences":[5],"score":1}`, want: "0.1 irrelevant, 0.1 irrelevant, 0.5 insufficient"},
		{name: "an answer that is in the title of its passage", reply: `{"answer":"the kitchen","sentences":[5],"score":0.9}`, want: "0.1 irrelevant, 0.1 irrelevant, 0.9"},
		{name: "a bare yes", reply: `{"answer":"Yes.","sentences":[1],"score":0.9}`, want: graded},
		{name: "an answer in another language", reply: `{"answer":"Die Angestellten haben sechsundzwanzig freie Tage im Jahr","sentences":[1,2],"score":0.9}`, want: graded},
		{name: "another answer, of one age", reply: `{"answer":"26","sentences":[1],"against":[5],"score":0.9}`, want: "0.9 contradictory, 0.1 irrelevant, 0.9 contradictory"},
		{name: "another answer that is older", reply: `{"answer":"26","sentences":[1],"against":[3],"score":0.9}`, want: "0.9, 0.55 stale, 0.1 irrelevant"},
		{name: "another answer that is newer", reply: `{"answer":"20","sentences":[3],"against":[1],"score":0.9}`, want: "0.9, 0.55 stale, 0.1 irrelevant"},
		{name: "another answer in the same passage", reply: `{"answer":"26","sentences":[1],"against":[2],"score":0.9}`, want: graded},
		{name: "another answer to none", reply: `{"answer":"","sentences":[],"against":[3],"score":0.9}`, want: "0.1 irrelevant, 0.1 irrelevant, 0.1 irrelevant"},

		{name: "only numbers that don't exist", reply: `{"answer":"26","sentences":[6,0],"score":0.9}`, told: "there is no sentence of these numbers"},
		{name: "an answer of its own knowledge", reply: `{"answer":"25 days","sentences":[],"score":0.9}`, told: "there is an answer, and no sentence that states it"},
		{name: "no sentences", reply: `{"answer":"26","score":0.9}`, told: `"sentences" is not there`},
		{name: "null for the sentences", reply: `{"answer":"26","sentences":null,"score":0.9}`, told: `"sentences" is not there`},
		{name: "a score out of range", reply: `{"answer":"26","sentences":[1],"score":90}`, told: "the score is not a number from 0 to 1"},
		{name: "a score below 0", reply: `{"answer":"26","sentences":[1],"score":-0.1}`, told: "the score is not"},
		{name: "a score that is no number", reply: `{"answer":"26","sentences":[1],"score":NaN}`, told: "the score is not"},
		{name: "no score", reply: `{"answer":"26","sentences":[1]}`, told: "the score is not"},
		{name: "prose", reply: `The first passage says 26 days.`, told: "no whole JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, second := range []string{good, "I can't."} {
				model := llmtest.InTurn(c.reply, second)
				a, err := NewJudge(model, nil).Grade(t.Context(), leave, handbook())
				want, calls := c.want, 1
				if c.told != "" {
					want, calls = "?, ?, ?", 2
					if second == good {
						want = graded
					}
				}
				if got := gradesText(a.Grades); got != want || (err != nil) != (want == "?, ?, ?") {
					t.Errorf("got %s, %v; want %s", got, err, want)
				}
				asked := model.Asked()
				if len(asked) != calls {
					t.Fatalf("asked %d times, want %d", len(asked), calls)
				}
				if last := asked[calls-1].Messages; c.told != "" && !strings.Contains(last[len(last)-1].Text, c.told) {
					t.Errorf("the repair is told %q, want %q", last[len(last)-1].Text, c.told)
				}
			}
		})
	}
}

// Neighbouring passages overlap, and the judge names a sentence in one of them.
func TestGradeOfASentenceThatStandsTwice(t *testing.T) {
	passages := handbook()
	passages[2].Text = "It is taken by March.\nA clerk has 26 days of leave a year."
	a, err := NewJudge(llmtest.InTurn(`{"answer":"26","sentences":[1],"score":0.9}`), nil).Grade(t.Context(), leave, passages)
	if got := gradesText(a.Strips[2]); err != nil || got != "0.1 irrelevant, 0.9" || a.Grades[2].Score != 0.9 {
		t.Errorf("got %s and %v, %v", got, a.Grades[2], err)
	}
}

// What the older passage says is out of date only where it is clearly older by what
// documents say themselves.
func TestConflictsByDate(t *testing.T) {
	day := func(n int, from assay.DateFrom) assay.Passage {
		return assay.Passage{Date: time.Date(2024, 1, n, 0, 0, 0, 0, time.UTC), DateFrom: from, Text: "It is so.", End: 9, Document: fmt.Sprint(n)}
	}
	doc := assay.DateFromDocument
	for _, c := range []struct {
		name   string
		states assay.Passage
		other  assay.Passage
		want   string
	}{
		{"the other is newer", day(1, doc), day(29, doc), "0.55 stale, 0.9"},
		{"the other is older", day(60, doc), day(29, doc), "0.9, 0.55 stale"},
		{"a day less apart", day(1, doc), day(28, doc), "0.9 contradictory, 0.9 contradictory"},
		{"no date", day(1, doc), assay.Passage{Text: "It is not.", End: 10}, "0.9 contradictory, 0.9 contradictory"},
		{"the date of a file says nothing", day(1, doc), day(300, assay.DateFromFile), "0.9 contradictory, 0.9 contradictory"},
	} {
		c.states.Text = "It is such."
		a, err := NewJudge(llmtest.InTurn(`{"answer":"so","sentences":[1],"against":[2],"score":0.9}`), nil).Grade(t.Context(), leave, []assay.Passage{c.states, c.other})
		if got := gradesText(a.Grades); got != c.want || err != nil || len(a.Conflicts) != 1 {
			t.Errorf("%s: got %s, %d conflicts, %v; want %s", c.name, got, len(a.Conflicts), err, c.want)
		}
	}
}

func TestGradeFails(t *testing.T) {
	spent := fmt.Errorf("%w: calls", llm.ErrSpent)
	good := `{"answer":"26","sentences":[1],"score":0.9}`
	for _, c := range []struct {
		name    string
		replies []any
		want    string
		is      error // nil: no error
	}{
		{"the budget is spent", []any{spent}, "?, ?, ?", llm.ErrSpent},
		{"the budget is spent before the repair", []any{"prose", spent}, "?, ?, ?", llm.ErrSpent},
		{"prose, twice", []any{"It is relevant.", "It is relevant."}, "?, ?, ?", errMalformed},
		{"the model refuses, twice", []any{llm.Reply{Text: good, Finish: llm.FinishRefused}, "I won't."}, "?, ?, ?", errMalformed},
		{"cut off, and as long a reply would be cut again", []any{llm.Reply{Text: good[:20], Finish: llm.FinishLength}}, "?, ?, ?", errTruncated},
	} {
		a, err := NewJudge(llmtest.InTurn(c.replies...), nil).Grade(t.Context(), leave, handbook())
		if got := gradesText(a.Grades); got != c.want || !matches(err, c.is) {
			t.Errorf("%s: got %s and %v; want %s and %v", c.name, got, err, c.want, c.is)
		}
	}
}

// Errors of a kind.
var (
	errMalformed = &llm.Error{Kind: llm.Malformed}
	errTruncated = &llm.Error{Kind: llm.Truncated}
)

// matches tells whether an error is the one that is wanted, or of its kind, or is none
// where none is.
func matches(err, want error) bool {
	if kind := llm.KindOf(want); kind != "" {
		return llm.KindOf(err) == kind
	}
	return errors.Is(err, want)
}

func TestGradeNothing(t *testing.T) {
	for _, o := range []*JudgeOptions{nil, {PerPassage: true}} {
		j := NewJudge(llmtest.InTurn(), o)
		a, err := j.Grade(t.Context(), leave, nil)
		if err != nil || len(a.Grades) != 0 {
			t.Errorf("got %+v, %v", a, err)
		}
		if grades, err := j.GradeStrips(t.Context(), leave, nil); err != nil || len(grades) != 0 {
			t.Errorf("got %+v, %v", grades, err)
		}
	}
}

// A fake that grades by what stands in the prompt, for calls that come in any order.
func gradesByTitle(r llm.Request) (llm.Reply, error) {
	prompt := r.Messages[1].Text
	switch {
	case strings.Contains(prompt, "Leave"):
		return llm.Reply{Text: `{"sentences":[1],"reason":"relevant","score":0.9}`}, nil
	case strings.Contains(prompt, "Kitchen"):
		return llm.Reply{Text: `{"sentences":[],"reason":"irrelevant","score":0}`}, nil
	}
	return llm.Reply{}, &llm.Error{Kind: llm.Overloaded}
}

func TestGradePerPassage(t *testing.T) {
	model := &llmtest.Fake{Reply: gradesByTitle}
	a, err := NewJudge(model, &JudgeOptions{PerPassage: true}).Grade(t.Context(), leave, handbook())
	if got, want := gradesText(a.Grades), "0.9, ?, 0 irrelevant"; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	for i, want := range []string{"0.9, 0.1 irrelevant", "?, ?", "0 irrelevant"} {
		if got := gradesText(a.Strips[i]); got != want {
			t.Errorf("the strips of passage %d are graded %s, want %s", i, got, want)
		}
	}
	for _, r := range model.Asked() {
		if strings.Count(r.Messages[1].Text, "\nPASSAGE") != 1 {
			t.Errorf("asked about several passages at once:\n%s", r.Messages[1].Text)
		}
	}
	spent := fmt.Errorf("%w: money", llm.ErrSpent)
	down := errors.New("down")
	_, err = NewJudge(llmtest.InTurn(down, spent, down), &JudgeOptions{PerPassage: true, Parallel: 1}).Grade(t.Context(), leave, handbook())
	if !errors.Is(err, llm.ErrSpent) {
		t.Errorf("all failed, one for want of budget: %v", err)
	}
}

// At most so many calls run at once, and at least so many do.
func TestGradePerPassageSideBySide(t *testing.T) {
	const parallel, passages = 3, 7
	var running, most atomic.Int32
	together := make(chan struct{})
	model := &llmtest.Fake{
		Before: func(ctx context.Context, _ llm.Request) error {
			n := running.Add(1)
			defer running.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			if n == parallel {
				select {
				case <-together:
				default:
					close(together)
				}
			}
			select {
			case <-together: // so many have come together once
			case <-ctx.Done():
				return ctx.Err()
			}
			return nil
		},
		Reply: gradesByTitle,
	}
	many := slices.Repeat(handbook()[:1], passages)
	a, err := NewJudge(model, &JudgeOptions{PerPassage: true, Parallel: parallel}).Grade(t.Context(), leave, many)
	if err != nil || len(a.Grades) != passages || most.Load() != parallel {
		t.Errorf("%d grades, %v; %d at once, want %d", len(a.Grades), err, most.Load(), parallel)
	}
}

func TestGradeStrips(t *testing.T) {
	var strips []assay.Strip
	for _, p := range handbook() {
		strips = append(strips, assay.StripsOf(p)...)
	}
	strips = slices.Delete(strips, 1, 2) // sentences 1, 2–3 and 4
	model := llmtest.InTurn(`{"answer":"26 days","sentences":[1],"partly":[3],"against":[],"score":0.9,"missing":""}`)
	grades, err := NewJudge(model, nil).GradeStrips(t.Context(), leave, strips)
	if got, want := gradesText(grades), "0.9, 0.1 irrelevant, 0.5 insufficient, 0.1 irrelevant"; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	grades, err = NewJudge(llmtest.InTurn("no", "no"), nil).GradeStrips(t.Context(), leave, strips)
	if got := gradesText(grades); err == nil || got != "?, ?, ?, ?" {
		t.Errorf("a judge that says nothing: %s, %v", got, err)
	}
}

// TestJudgeRepliesFromTheField reads replies that were recorded elsewhere: a folder
// with judge_replies.jsonl.
func TestJudgeRepliesFromTheField(t *testing.T) {
	folder := os.Getenv("ASSAY_CASES")
	if folder == "" {
		t.Skip("ASSAY_CASES names no folder of recorded replies")
	}
	f, err := os.Open(filepath.Join(folder, "judge_replies.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := 0
	for lines := bufio.NewScanner(f); lines.Scan(); rows++ {
		var row struct {
			Name, Content, Reasoning string
			Want                     *struct {
				Score  float64
				Reason string
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		t.Run(row.Name, func(t *testing.T) {
			reply := llm.Reply{Text: row.Content, Reasoning: row.Reasoning}
			model := llmtest.InTurn(reply, reply)
			a, err := NewJudge(model, &JudgeOptions{PerPassage: true}).Grade(t.Context(), leave, handbook()[:1])
			g := a.Grades[0]
			if row.Want == nil {
				if !g.Undetermined || err == nil || len(model.Asked()) != 2 {
					t.Errorf("graded %+v, %v, after %d calls; want undetermined after a repair", g, err, len(model.Asked()))
				}
				return
			}
			want := gradeOf(words(row.Want.Reason), row.Want.Score)
			if err != nil || g != want || len(model.Asked()) != 1 {
				t.Errorf("graded %+v, %v, after %d calls; want %+v at once", g, err, len(model.Asked()), want)
			}
			if known := string(g.Reason) == row.Want.Reason || g.Note == row.Want.Reason || row.Want.Reason == "relevant" && g.Reason == "" && g.Note == ""; !known {
				t.Errorf("the reason %q is lost in %+v", row.Want.Reason, g)
			}
		})
	}
	if rows == 0 {
		t.Error("the file holds no row")
	}
}

// FuzzJudge holds that whatever a model says, there is a grade in [0, 1] or none for
// each passage, strip and claim, and that what is named exists.
func FuzzJudge(f *testing.F) {
	for _, c := range gradeReplies {
		f.Add(c.text)
	}
	f.Add(`{"answer":"26","sentences":[1,-3,99],"partly":[2],"against":[3,5],"score":0.9,"missing":""}`)
	f.Add(`{"claims":[{"claim":1,"evidence":1,"also":-2,"support":"full"},{"claim":9,"support":"none"}]}`)
	passages := handbook()
	strips := assay.StripsOf(passages[0])
	f.Fuzz(func(t *testing.T, said string) {
		model := &llmtest.Fake{Reply: func(llm.Request) (llm.Reply, error) { return llm.Reply{Text: said}, nil }}
		for _, each := range []bool{false, true} {
			a, _ := NewJudge(model, &JudgeOptions{PerPassage: each}).Grade(t.Context(), leave, passages)
			if len(a.Grades) != len(passages) || len(a.Strips) != len(passages) {
				t.Fatalf("%d grades and %d lists for %d passages", len(a.Grades), len(a.Strips), len(passages))
			}
			for i, grades := range append(a.Strips, a.Grades) {
				if i < len(passages) && len(grades) != len(assay.StripsOf(passages[i])) {
					t.Errorf("%d grades for the strips of passage %d", len(grades), i)
				}
				for _, g := range grades {
					if !g.Undetermined && !(0 <= g.Score && g.Score <= 1) {
						t.Errorf("a grade of %v", g.Score)
					}
				}
			}
			for _, c := range a.Conflicts {
				if min(c.A, c.B) < 0 || max(c.A, c.B) >= len(passages) || c.A == c.B {
					t.Errorf("a conflict between %d and %d", c.A, c.B)
				}
			}
		}
		findings, _ := NewJudge(model, nil).Check(t.Context(), []string{"A clerk has leave."}, strips)
		for _, f := range findings {
			for _, e := range f.Evidence {
				if e < 0 || e >= len(strips) {
					t.Errorf("evidence %d of %d", e, len(strips))
				}
			}
			if f.Support == assay.Supported && len(f.Evidence) == 0 {
				t.Error("supported by nothing")
			}
		}
	})
}
