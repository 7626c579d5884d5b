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
	model := llmtest.InTurn(`{"passages":[
		{"passage":2,"sentences":[3],"reason":"stale","score":0.4},
		{"passage":1,"sentences":[1],"reason":"relevant","score":0.95},
		{"passage":3,"sentences":[],"reason":"irrelevant","score":0.02}],
		"conflicts":[{"a":1,"b":2,"newer":1,"note":"26 days against\n20 days"}],"missing":"none"}`)
	a, err := NewJudge(model, nil).Grade(t.Context(), leave, handbook())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := gradesText(a.Grades), "0.95, 0.4 stale, 0.02 irrelevant"; got != want {
		t.Errorf("grades %s, want %s", got, want)
	}
	for i, want := range []string{"0.95, 0.1 irrelevant", "0.4 stale, 0.1 irrelevant", "0.02 irrelevant"} {
		if got := gradesText(a.Strips[i]); got != want {
			t.Errorf("the strips of passage %d are graded %s, want %s", i, got, want)
		}
	}
	if diff := cmp.Diff([]assay.Conflict{{A: 1, B: 0, Stale: true, Note: "26 days against 20 days"}}, a.Conflicts); diff != "" || a.Missing != "" {
		t.Errorf("missing %q; conflicts (-want +got):\n%s", a.Missing, diff)
	}
	asked := model.Asked()
	if len(asked) != 1 || asked[0].Temperature != 0 || asked[0].Schema == nil || asked[0].MaxTokens < 200 {
		t.Errorf("asked %+v", asked)
	}
}

// How replies on three passages come out, and what the one repair is told.
func TestGradeMapsByNumberAlone(t *testing.T) {
	const rest = `,"conflicts":[],"missing":""}`
	first := func(n int, more string) string {
		return fmt.Sprintf(`{"passage":%d,"sentences":[%d],"reason":"relevant","score":0.9%s}`, n, 2*n-1, more)
	}
	all := func(passages ...string) string { return `{"passages":[` + strings.Join(passages, ",") + `]` + rest }
	good := all(first(1, ""), first(2, ""), first(3, ""))
	for _, c := range []struct {
		name, first, second string
		want                string
		told                string // what the repair says; "" for no repair
		strips              string // of the first passage
	}{
		{name: "as it should be", first: good, want: "0.9, 0.9, 0.9", strips: "0.9, 0.1 irrelevant"},
		{name: "one is left out, and comes with the repair", first: all(first(1, ""), first(3, "")), second: good, want: "0.9, 0.9, 0.9", told: "passage 2: there is no grade", strips: "0.9, 0.1 irrelevant"},
		{name: "one is left out twice", first: all(first(1, ""), first(3, "")), second: all(first(1, ""), first(3, "")), want: "0.9, ?, 0.9", told: "passage 2", strips: "0.9, 0.1 irrelevant"},
		{name: "the repair has only what was missing", first: all(first(1, ""), first(3, "")), second: all(first(2, "")), want: "0.9, 0.9, 0.9", told: "passage 2", strips: "0.9, 0.1 irrelevant"},
		{name: "the repair is worse", first: all(first(1, ""), first(3, "")), second: "I can't.", want: "0.9, ?, 0.9", told: "passage 2", strips: "0.9, 0.1 irrelevant"},
		{name: "one is there twice, with two scores", first: all(first(1, ""), `{"passage":1,"score":0.1}`, first(2, ""), first(3, "")), second: "no", want: "?, 0.9, 0.9", told: "passage 1: there are several grades"},
		{name: "one is there twice, the same", first: all(first(1, ""), first(1, ""), first(2, ""), first(3, "")), want: "0.9, 0.9, 0.9", strips: "0.9, 0.1 irrelevant"},
		{name: "one is invented", first: all(first(1, ""), first(2, ""), first(3, ""), first(4, ""), first(0, ""), first(-7, "")), want: "0.9, 0.9, 0.9", strips: "0.9, 0.1 irrelevant"},
		{name: "one has no number", first: all(`{"sentences":[1],"score":0.9}`, first(2, ""), first(3, "")), second: "no", want: "?, 0.9, 0.9", told: "passage 1"},
		{name: "a score out of range", first: all(`{"passage":1,"score":90}`, first(2, ""), first(3, "")), second: "no", want: "?, 0.9, 0.9", told: "passage 1: the score is not a number from 0 to 1"},
		{name: "a score below 0", first: all(`{"passage":1,"score":-0.1}`, first(2, ""), first(3, "")), second: "no", want: "?, 0.9, 0.9", told: "passage 1"},
		{name: "a score that is no number", first: all(`{"passage":1,"score":NaN}`, first(2, ""), first(3, "")), second: "no", want: "?, 0.9, 0.9", told: "passage 1"},
		{name: "the sentence of another passage", first: all(`{"passage":1,"sentences":[3,1,99],"reason":"relevant","score":0.9}`, first(2, ""), first(3, "")), want: "0.9, 0.9, 0.9", strips: "0.9, 0.1 irrelevant"},
		{name: "only sentences of other passages", first: all(`{"passage":1,"sentences":[3,0,-1],"reason":"relevant","score":0.9}`, first(2, ""), first(3, "")), want: "0.9, 0.9, 0.9"},
		{name: "a reason in the judge's own words", first: all(`{"passage":1,"sentences":[1],"reason":"Speaks of clerks","score":0.9}`, first(2, ""), first(3, "")), want: "0.9, 0.9, 0.9", strips: "0.9, 0.1 irrelevant"},
	} {
		t.Run(c.name, func(t *testing.T) {
			replies := []any{c.first}
			if c.told != "" {
				replies = append(replies, c.second)
			}
			model := llmtest.InTurn(replies...)
			a, err := NewJudge(model, nil).Grade(t.Context(), leave, handbook())
			if got := gradesText(a.Grades); err != nil || got != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
			if got := gradesText(a.Strips[0]); got != c.strips {
				t.Errorf("the strips of the first passage are graded %s, want %s", got, c.strips)
			}
			asked := model.Asked()
			if len(asked) != len(replies) {
				t.Fatalf("asked %d times, want %d", len(asked), len(replies))
			}
			if last := asked[len(asked)-1].Messages; c.told != "" && !strings.Contains(last[len(last)-1].Text, c.told) {
				t.Errorf("the repair is told %q, want %q", last[len(last)-1].Text, c.told)
			}
		})
	}
}

func TestConflicts(t *testing.T) {
	for _, c := range []struct {
		said string
		want []assay.Conflict
	}{
		{`[{"a":1,"b":2,"newer":0,"note":"x"}]`, []assay.Conflict{{A: 0, B: 1, Note: "x"}}},
		{`[{"a":1,"b":2,"newer":2,"note":"x"}]`, []assay.Conflict{{A: 0, B: 1, Stale: true, Note: "x"}}},
		{`[{"a":1,"b":2,"newer":1,"note":"x"}]`, []assay.Conflict{{A: 1, B: 0, Stale: true, Note: "x"}}},
		{`[{"a":1,"b":2,"newer":3,"note":"x"},{"a":2,"b":1,"newer":1}]`, []assay.Conflict{{A: 0, B: 1, Note: "x"}}},
		{`[{"a":1,"b":1},{"a":0,"b":2},{"a":1,"b":9},{"b":2},7]`, nil},
		{`"none"`, nil},
	} {
		var said list[conflictReply]
		if err := json.Unmarshal([]byte(c.said), &said); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, conflictsIn(said, 3)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.said, diff)
		}
	}
}

func TestGradeFails(t *testing.T) {
	spent := fmt.Errorf("%w: calls", llm.ErrSpent)
	partly := `{"passages":[{"passage":1,"sentences":[1],"reason":"relevant","score":0.9}]}`
	for _, c := range []struct {
		name    string
		replies []any
		want    string
		is      error // nil: no error
	}{
		{"the budget is spent", []any{spent}, "?, ?, ?", llm.ErrSpent},
		{"the budget is spent before the repair", []any{"prose", spent}, "?, ?, ?", llm.ErrSpent},
		{"something could be used before", []any{partly, spent}, "0.9, ?, ?", nil},
		{"prose, twice", []any{"It is relevant.", "It is relevant."}, "?, ?, ?", errMalformed},
		{"the model refuses, twice", []any{llm.Reply{Text: partly, Finish: llm.FinishRefused}, "I won't."}, "?, ?, ?", errMalformed},
		{"cut off: no repair, and what is whole is used", []any{llm.Reply{Text: partly[:len(partly)-2] + `,{"pass`, Finish: llm.FinishLength}}, "0.9, ?, ?", nil},
	} {
		a, err := NewJudge(llmtest.InTurn(c.replies...), nil).Grade(t.Context(), leave, handbook())
		if got := gradesText(a.Grades); got != c.want || !matches(err, c.is) {
			t.Errorf("%s: got %s and %v; want %s and %v", c.name, got, err, c.want, c.is)
		}
	}
}

var errMalformed = errors.New("malformed")

// matches tells whether an error is the one that is wanted, or is none where none is.
func matches(err, want error) bool {
	if want == errMalformed {
		return llm.KindOf(err) == llm.Malformed
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
	if got, want := gradesText(a.Strips[0]), "0.9, 0.1 irrelevant"; got != want || a.Strips[1] != nil {
		t.Errorf("strips %s and %v, want %s and none", got, a.Strips[1], want)
	}
	for _, r := range model.Asked() {
		if strings.Count(r.Messages[1].Text, "PASSAGE ") != 1 {
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
	model := llmtest.InTurn(`{"passages":[{"passage":1,"sentences":[],"reason":"relevant","score":0.9},
		{"passage":2,"sentences":[2],"reason":"stale","score":0.5},{"passage":3,"sentences":[],"reason":"irrelevant","score":0}]}`)
	grades, err := NewJudge(model, nil).GradeStrips(t.Context(), leave, strips)
	if got, want := gradesText(grades), "0.9, 0.5 stale, 0.1 irrelevant, 0 irrelevant"; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if _, err := NewJudge(llmtest.InTurn("no", "no"), nil).GradeStrips(t.Context(), leave, strips); err == nil {
		t.Error("a judge that says nothing gives no error")
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
