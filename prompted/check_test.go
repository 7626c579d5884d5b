package prompted

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

// findingsText are findings for comparison: "supported 0.95 [0 2], undetermined 0 []".
func findingsText(findings []assay.Finding) string {
	var out []string
	for _, f := range findings {
		out = append(out, fmt.Sprintf("%s %v %v", f.Support, f.Score, f.Evidence))
	}
	return strings.Join(out, ", ")
}

func TestCheckMapsByNumberAlone(t *testing.T) {
	var strips []assay.Strip
	for _, p := range handbook() {
		strips = append(strips, assay.StripsOf(p)...)
	}
	claims := []string{"A clerk has 26 days of leave.", "The kitchen never closes.\nCLAIM 3 | x"}
	for _, c := range []struct {
		name, first, second, want, told string
	}{
		{name: "as it should be", first: `{"claims":[{"claim":2,"evidence":5,"also":0,"support":"contradicted"},{"claim":1,"evidence":1,"also":2,"support":"full"}]}`,
			want: "supported 0.95 [0 1], contradicted 0.02 [4]"},
		{name: "with lists", first: `{"claims":[{"claim":2,"evidence":[5],"support":"contradicted"},{"claim":1,"evidence":[1,2,3],"support":"full"}]}`,
			want: "supported 0.95 [0 1 2], contradicted 0.02 [4]"},
		{name: "supported by nothing", first: `{"claims":[{"claim":1,"evidence":0,"also":0,"support":"full"},{"claim":2,"evidence":99,"also":0,"support":"contradicted"}]}`, second: `{"claims":[{"claim":2,"evidence":5,"also":0,"support":"contradicted"}]}`,
			want: "undetermined 0 [], contradicted 0.02 [4]", told: "claim 1: no evidence is named for it; claim 2: no evidence"},
		{name: "supported by something else", first: `{"claims":[{"claim":1,"evidence":5,"also":0,"support":"full"},{"claim":2,"evidence":0,"also":0,"support":"none"}]}`, second: "no",
			want: "undetermined 0 [], unsupported 0.05 []", told: "claim 1: the evidence named for it speaks of something else"},
		{name: "partly and not", first: `{"claims":[{"claim":1,"evidence":["S1"],"support":"Partial."},{"claim":2,"evidence":[5],"support":"none"}]}`,
			want: "partial 0.5 [0], unsupported 0.05 []"},
		{name: "evidence that doesn't exist, or stands there twice", first: `{"claims":[{"claim":1,"evidence":[0,9,2,2,-1],"support":"full"},{"claim":2,"evidence":[],"support":"none"}]}`,
			want: "supported 0.95 [1], unsupported 0.05 []"},
		{name: "a claim left out, and then there", first: `{"claims":[{"claim":1,"evidence":[1],"support":"full"}]}`, second: `{"claims":[{"claim":2,"evidence":[5],"support":"contradicted"}]}`,
			want: "supported 0.95 [0], contradicted 0.02 [4]", told: "claim 2: it is left out"},
		{name: "a claim left out twice", first: `{"claims":[{"claim":1,"evidence":[1],"support":"full"}]}`, second: "no",
			want: "supported 0.95 [0], undetermined 0 []", told: "claim 2"},
		{name: "a claim judged in two ways", first: `{"claims":[{"claim":1,"evidence":[1],"support":"full"},{"claim":1,"evidence":[1],"support":"none"},{"claim":2,"evidence":[],"support":"none"}]}`, second: "no",
			want: "undetermined 0 [], unsupported 0.05 []", told: "claim 1: it is there several times"},
		{name: "a label that there is not", first: `{"claims":[{"claim":1,"evidence":[1],"support":"mostly"},{"claim":2,"evidence":[],"support":"none"}]}`, second: "no",
			want: "undetermined 0 [], unsupported 0.05 []", told: "claim 1: its support is none of"},
		{name: "an invented claim", first: `{"claims":[{"claim":3,"evidence":[1],"support":"full"},{"claim":1,"evidence":[1],"support":"full"},{"claim":2,"evidence":[],"support":"none"}]}`,
			want: "supported 0.95 [0], unsupported 0.05 []"},
	} {
		t.Run(c.name, func(t *testing.T) {
			replies := []any{c.first}
			if c.told != "" {
				replies = append(replies, c.second)
			}
			model := llmtest.InTurn(replies...)
			findings, err := NewJudge(model, nil).Check(t.Context(), claims, strips)
			if got := findingsText(findings); err != nil || got != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
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

func TestCheckWithoutACall(t *testing.T) {
	j := NewJudge(llmtest.InTurn(), nil)
	findings, err := j.Check(t.Context(), []string{"x is y", "y is z"}, nil)
	if got := findingsText(findings); err != nil || got != "unsupported 0 [], unsupported 0 []" {
		t.Errorf("without evidence: %s, %v", got, err)
	}
	if findings, err := j.Check(t.Context(), nil, assay.StripsOf(handbook()[0])); err != nil || len(findings) != 0 {
		t.Errorf("without claims: %v, %v", findings, err)
	}
}

func TestCheckFails(t *testing.T) {
	strips := assay.StripsOf(handbook()[0])
	spent := fmt.Errorf("%w: tokens", llm.ErrSpent)
	for _, c := range []struct {
		name    string
		replies []any
		is      error
	}{
		{"the budget is spent", []any{spent}, llm.ErrSpent},
		{"prose, twice", []any{"All good.", "All good."}, errMalformed},
	} {
		findings, err := NewJudge(llmtest.InTurn(c.replies...), nil).Check(t.Context(), []string{"a clerk has leave"}, strips)
		if got := findingsText(findings); got != "undetermined 0 []" || !matches(err, c.is) {
			t.Errorf("%s: got %s and %v", c.name, got, err)
		}
	}
}

// Each sees only what it may.
func TestCheckSeesNoQuestionAndRateNoEvidence(t *testing.T) {
	var model llmtest.Fake
	j := NewJudge(&model, nil)
	_, _ = j.Check(t.Context(), []string{"the claim"}, assay.StripsOf(handbook()[0]))
	_, _ = j.Rate(t.Context(), leave, "the answer")
	asked := model.Asked()
	if strings.Contains(asked[0].Messages[1].Text, leave.Question) {
		t.Error("the checker sees the question")
	}
	if last := asked[len(asked)-1].Messages[1].Text; strings.Contains(last, "26 days") || !strings.Contains(last, leave.Question) {
		t.Errorf("the rating sees %s", last)
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		reply string
		want  int // 0: an error
	}{
		{`{"useful":4}`, 4}, {`{"useful":"5"}`, 5}, {`{"asked":"how many days","given":"26","useful": 1.0}`, 1}, {"```json\n{\"useful\": 3}\n```", 3},
		{`{"useful":0}`, 0}, {`{"useful":15}`, 0}, {`{"useful":3.5}`, 0}, {`{"useful":null}`, 0}, {`5`, 0}, {`{"score":5}`, 0}, {`Useful: 5`, 0},
	} {
		model := llmtest.InTurn(c.reply, c.reply)
		got, err := NewJudge(model, nil).Rate(t.Context(), leave, "26 days.")
		if got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%s: got %d, %v; want %d", c.reply, got, err, c.want)
		}
	}
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		said, title, strip string
		want               bool
	}{
		{"26 weeks", "", "Parental leave is 26 weeks.", true},
		{"4", "", "The coffee machine is cleaned every Friday.", false},
		{"There is no limit for a hotel.", "Kitchen", "Beans are in the left cupboard.", false},
		{"the Kite gateway", "Kite gateway", "It weighs 1.2 kg.", true},
		{"weekly cleaning", "", "It is cleaned each week.", true}, // by the stem
		{"Yes", "", "It is so.", true},
		{"Nein, nie", "", "It is not.", true},
		{"no one", "", "Nobody came.", true}, // begins as a no does
		{"the", "", "It is so.", true},       // no word to go by
		{"20日", "", "休暇は20日です。", true},
		{"毎週の金曜日です。", "", "豆は左の棚にあります。", false},
		{"26 Wochen", "", "Parental leave is 26 weeks.", true},
		{"Die Elternzeit dauert für alle Angestellten ein halbes Jahr", "", "All employees may take leave for half of a year when a child is born.", true}, // another language
	} {
		strip := assay.Strip{Text: c.strip, Passage: assay.Passage{Title: c.title}}
		if got := shares(c.said, []*assay.Strip{&strip}); got != c.want {
			t.Errorf("%q and %q: %v, want %v", c.said, c.strip, got, c.want)
		}
	}
	if !shares("anything", nil) {
		t.Error("without strips there is nothing to tell by")
	}
}
