package prompted_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
	"github.com/assay-rag/assay/prompted"
)

var (
	_ assay.Rewriter  = (*prompted.Rewriter)(nil)
	_ assay.Router    = (*prompted.Router)(nil)
	_ assay.Condenser = (*prompted.Condenser)(nil)
	_ assay.Estimator = (*prompted.Rewriter)(nil)
	_ assay.Estimator = (*prompted.Router)(nil)
	_ assay.Estimator = (*prompted.Condenser)(nil)
	_ assay.Estimator = (*prompted.Decomposer)(nil)
)

var down = &llm.Error{Kind: llm.Unreachable}

// fixed is a rewriter and a condenser that knows one thing.
type fixed struct {
	words string
	err   error
}

func (f fixed) Rewrite(context.Context, assay.Query, []assay.SearchRound) (string, error) {
	return f.words, f.err
}
func (f fixed) Condense(context.Context, assay.Query) (string, error) { return f.words, f.err }

func TestRewriter(t *testing.T) {
	q := assay.Query{Question: "How long is paternity leave?"}
	tried := []assay.SearchRound{{Words: "paternity leave length", Origin: assay.OriginIndex, Found: 3, Best: 0.2, Verdict: assay.Incorrect}}
	for _, c := range []struct {
		name    string
		options *prompted.RewriterOptions
		replies []any
		want    string
		fails   bool
	}{
		{"other words", nil, []any{`{"query": "parental leave\nfathers"}`}, "parental leave fathers", false},
		{"in a fence", nil, []any{"```json\n{\"query\": \"parental leave\"}\n```"}, "parental leave", false},
		{"tried before", nil, []any{`{"query": "Leave length, paternity"}`}, "", false},
		{"the question", nil, []any{`{"query": "how long is paternity leave"}`}, "", false},
		{"none", nil, []any{`{"query": ""}`}, "", false},
		{"mended", nil, []any{"parental leave", `{"query": "parental leave"}`}, "parental leave", false},
		{"not mended", nil, []any{"parental leave", "parental leave"}, "", true},
		{"too many", nil, []any{`{"query": "` + strings.Repeat("leave ", 99) + `"}`, `{"query": "parental leave"}`}, "parental leave", false},
		{"down", nil, []any{down}, "", true},
		{"down, with another", &prompted.RewriterOptions{Else: fixed{words: "leave for fathers"}}, []any{down}, "leave for fathers", false},
		{"first another", &prompted.RewriterOptions{First: fixed{words: "leave for fathers"}}, nil, "leave for fathers", false},
		{"first another, which knows none", &prompted.RewriterOptions{First: fixed{}}, []any{`{"query": "parental leave"}`}, "parental leave", false},
		{"first another, which fails", &prompted.RewriterOptions{First: fixed{err: errors.New("no ink")}}, []any{`{"query": "parental leave"}`}, "parental leave", false},
	} {
		got, err := prompted.NewRewriter(llmtest.InTurn(c.replies...), c.options).Rewrite(t.Context(), q, tried)
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

func TestRouter(t *testing.T) {
	for _, c := range []struct {
		reply string
		want  assay.Route
	}{
		{`{"small_talk": false, "mode": "standard", "why": "one fact"}`, assay.Route{Retrieve: true, Mode: assay.ModeStandard, Why: "one fact"}},
		{`{"small_talk": "yes", "mode": "full", "why": "a greeting"}`, assay.Route{Mode: assay.ModeFull, Why: "a greeting"}},
		{`{"small_talk": "perhaps", "mode": "fast"}`, assay.Route{Retrieve: true, Mode: assay.ModeFull}},
		{`{"mode": "Standard."}`, assay.Route{Retrieve: true, Mode: assay.ModeStandard}},
	} {
		got, err := prompted.NewRouter(llmtest.InTurn(c.reply)).Route(t.Context(), assay.Query{Question: "How long is leave?"})
		if got != c.want || err != nil {
			t.Errorf("%s: %+v, %v", c.reply, got, err)
		}
	}
	if _, err := prompted.NewRouter(llmtest.InTurn(down)).Route(t.Context(), assay.Query{Question: "x"}); llm.KindOf(err) != llm.Unreachable {
		t.Errorf("down: %v", err)
	}
}

func TestCondenser(t *testing.T) {
	q := assay.Query{Question: "And how long is it for fathers?", History: []assay.Turn{{Question: "Is parental leave paid?", Answer: "Yes."}}}
	alone := "How long is parental leave for fathers?"
	reply := `{"question": "` + alone + `"}`
	for _, c := range []struct {
		name    string
		options *prompted.CondenserOptions
		replies []any
		want    string
		fails   bool
	}{
		{"condensed", nil, []any{reply}, alone, false},
		{"empty", nil, []any{`{"question": ""}`, reply}, alone, false},
		{"in another language", nil, []any{`{"question": "Wie lange dauert die Elternzeit für Väter bei uns?"}`, reply}, alone, false},
		{"an essay", nil, []any{`{"question": "` + strings.Repeat("how long is it ", 50) + `"}`, reply}, alone, false},
		{"never right", nil, []any{`{"question": ""}`, `{"question": ""}`}, "", true},
		{"never right, with another", &prompted.CondenserOptions{Else: fixed{words: "else"}}, []any{`{"question": ""}`, `{"question": ""}`}, "else", false},
		{"down", nil, []any{down}, "", true},
		{"down, with another", &prompted.CondenserOptions{Else: fixed{words: "else"}}, []any{down}, "else", false},
	} {
		got, err := prompted.NewCondenser(llmtest.InTurn(c.replies...), c.options).Condense(t.Context(), q)
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	q.History = nil
	if got, err := prompted.NewCondenser(llmtest.InTurn(), nil).Condense(t.Context(), q); got != q.Question || err != nil {
		t.Errorf("without a history: %q, %v", got, err)
	}
}

func TestDecomposer(t *testing.T) {
	const whole = "Is the hub or the bridge older, and who made the older one?"
	parts := func(list string) string { return `{"questions": [` + list + `]}` }
	good := parts(`{"id": 3, "question": "Who made the answer to 1?", "after": [1, 2, 1]}, {"id": 1, "question": "How old is the hub?", "after": []}, {"id": 2, "question": "How old is the bridge?"}`)
	want := "1 How old is the hub? []; 2 How old is the bridge? []; 3 Who made the answer to 1? [1 2]"
	for _, c := range []struct {
		name    string
		replies []any
		want    string
	}{
		{"parts", []any{good}, want},
		{"one", []any{parts(`{"id": 1, "question": "Which is older?", "after": []}`)}, "1 " + whole + " []"},
		{"none", []any{parts(``)}, "1 " + whole + " []"},
		{"ids in quotes", []any{strings.NewReplacer(`: 3,`, `: "3",`, `[1, 2, 1]`, `"1 and 2"`).Replace(good)}, want},
		{"waiting for each other", []any{parts(`{"id": 1, "question": "a b", "after": [2]}, {"id": 2, "question": "c d", "after": [1]}`), good}, want},
		{"waiting for itself", []any{parts(`{"id": 1, "question": "a b", "after": [1]}, {"id": 2, "question": "c d", "after": []}`), good}, want},
		{"after what is not there", []any{parts(`{"id": 1, "question": "a b", "after": [7]}, {"id": 2, "question": "c d", "after": []}`), good}, want},
		{"the same id", []any{parts(`{"id": 1, "question": "a b", "after": []}, {"id": 1, "question": "c d", "after": []}`), good}, want},
		{"no id", []any{parts(`{"question": "a b", "after": []}, {"id": 1, "question": "c d", "after": []}`), good}, want},
		{"empty", []any{parts(`{"id": 1, "question": "", "after": []}, {"id": 2, "question": "c d", "after": []}`), good}, want},
		{"the whole again", []any{parts(`{"id": 1, "question": "a b", "after": []}, {"id": 2, "question": "` + whole + `", "after": []}`), good}, want},
		{"one twice", []any{parts(`{"id": 1, "question": "a b", "after": []}, {"id": 2, "question": "a b?", "after": []}`), good}, want},
		{"nine", []any{parts(strings.Repeat(`{"id": 1, "question": "a b", "after": []}, `, 8) + `{"id": 1, "question": "a b", "after": []}`), good}, want},
	} {
		model := llmtest.InTurn(c.replies...)
		questions, err := prompted.NewDecomposer(model).Decompose(t.Context(), whole)
		var got []string
		for _, q := range questions {
			got = append(got, fmt.Sprint(q.ID, " ", q.Question, " ", q.After))
		}
		if strings.Join(got, "; ") != c.want || err != nil || len(model.Asked()) != len(c.replies) {
			t.Errorf("%s: %q, %v after %d calls", c.name, got, err, len(model.Asked()))
		}
	}
	if _, err := prompted.NewDecomposer(llmtest.InTurn("no", "no")).Decompose(t.Context(), whole); llm.KindOf(err) != llm.Malformed {
		t.Errorf("never right: %v", err)
	}
}

// What a part says that it costs at the worst is enough for a call with its repair.
func TestQuestionCosts(t *testing.T) {
	long := strings.Repeat("How long is parental leave? ", 20)
	turn := assay.Turn{Question: long, Answer: long}
	q := assay.Query{Question: long, History: []assay.Turn{turn, turn, turn, turn, turn, turn}}
	size := llm.EstimateTokens(long)
	for _, c := range []struct {
		name string
		part func(m llm.Model) assay.Estimator
		use  func(part any)
		of   assay.Load
	}{
		{"rewriter", func(m llm.Model) assay.Estimator { return prompted.NewRewriter(m, nil) }, func(p any) { p.(*prompted.Rewriter).Rewrite(t.Context(), q, nil) }, assay.Load{Question: size}},
		{"router", func(m llm.Model) assay.Estimator { return prompted.NewRouter(m) }, func(p any) { p.(*prompted.Router).Route(t.Context(), q) }, assay.Load{Question: size}},
		{"condenser", func(m llm.Model) assay.Estimator { return prompted.NewCondenser(m, nil) }, func(p any) { p.(*prompted.Condenser).Condense(t.Context(), q) }, assay.Load{Question: 13 * size}},
		{"decomposer", func(m llm.Model) assay.Estimator { return prompted.NewDecomposer(m) }, func(p any) { p.(*prompted.Decomposer).Decompose(t.Context(), long) }, assay.Load{Question: size}},
	} {
		model := llmtest.InTurn("not JSON", "not JSON")
		part := c.part(model)
		c.use(part)
		in, out := 0, 0
		for _, r := range model.Asked() {
			in += r.EstimateTokens()
			out += r.MaxTokens
		}
		if cost := part.WorstCase("", c.of); cost.Calls != len(model.Asked()) || cost.In < in || cost.Out != out {
			t.Errorf("%s: %+v, but %d calls took %d and %d tokens", c.name, cost, len(model.Asked()), in, out)
		}
	}
}
