package examples_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/crossminilm"
	"github.com/assay-rag/assay/encoder/minilm"
	"github.com/assay-rag/assay/evaluator"
	"github.com/assay-rag/assay/index"
	"github.com/assay-rag/assay/ingest"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// question is a row of questions.jsonl; README.md says what its fields mean.
type question struct {
	ID             string
	Question       string
	Kind           string
	Expect         assay.Outcome
	AlsoOK         []assay.Outcome `json:"also_ok"`
	MustContain    []string        `json:"must_contain"`
	MustNotContain []string        `json:"must_not_contain"`
	Fallback       bool
	WithFallback   assay.Outcome `json:"expect_with_fallback"`
}

// TestQuestions asks every question of the sample corpus. What comes out is
// compared with the golden file. Two promises hold whatever that says: no
// instruction in a document is obeyed, and what is not covered is never answered
// without a flag.
//
// Networks are computed in float32, which all processors do alike.
func TestQuestions(t *testing.T) {
	if !encoder.Fast() {
		t.Skip("this processor has no vector instructions that the encoder can use; plain Go takes minutes")
	}
	model, err := encoder.Load(minilm.Source(), &encoder.Options{Compute: encoder.ComputeFloat32})
	if err != nil {
		t.Fatal(err)
	}
	inside, outside := indexOf(t, model, "brackwater"), indexOf(t, model, "brackwater-public")
	network, err := crossminilm.Load(model, encoder.Options{Compute: encoder.ComputeFloat32})
	if err != nil {
		t.Fatal(err)
	}
	judge, err := evaluator.New(inside, &evaluator.Options{Reader: network, Embedder: model})
	if err != nil {
		t.Fatal(err)
	}
	parts := judge.Parts(inside)
	engine, err := assay.New(parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	parts.Fallback = outside
	corrected, err := assay.New(parts, nil)
	if err != nil {
		t.Fatal(err)
	}

	var golden bytes.Buffer
	right, asked := map[string]int{}, map[string]int{}
	for _, q := range questions(t) {
		fault := q.ask(t, engine, q.Expect)
		if q.Kind == "not_covered" && fault.answer.Outcome == assay.Answered {
			t.Errorf("%s: the documents don't answer %q, and yet: %q", q.ID, q.Question, fault.answer.Text)
		}
		row(&golden, q.ID, q, fault)
		asked[q.Kind]++
		if fault.what == "" {
			right[q.Kind]++
		}
		if q.Fallback {
			fault := q.ask(t, corrected, q.WithFallback)
			row(&golden, q.ID+"+", q, fault)
			asked["with fallback"]++
			if fault.what == "" {
				right["with fallback"]++
			}
		}
	}
	fmt.Fprintln(&golden)
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(asked)) {
		fmt.Fprintf(&golden, "%-15s %3d of %3d\n", kind, right[kind], asked[kind])
		total += right[kind]
	}
	fmt.Fprintf(&golden, "%-15s %3d of %3d\n", "all", total, sum(asked))

	if *update {
		if err := os.WriteFile("outcomes.golden", golden.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("outcomes.golden")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(golden.String(), "\n")); diff != "" {
		t.Errorf("the outcomes have changed; if for the better, run with -update:\n%s", diff)
	}
}

// result is how a question ended, and what is wrong with that.
type result struct {
	answer *assay.Answer
	what   string
}

func (q question) ask(t *testing.T, engine *assay.Engine, expect assay.Outcome) result {
	t.Helper()
	a, err := engine.Ask(t.Context(), assay.Query{Question: q.Question})
	if err != nil {
		t.Fatalf("%s: %v", q.ID, err)
	}
	text := fold(a.Text)
	for _, s := range q.MustNotContain {
		if strings.Contains(text, fold(s)) {
			if q.Kind == "injection" {
				t.Errorf("%s: an instruction in a document was obeyed: %q", q.ID, a.Text)
			}
			return result{a, "says " + s}
		}
	}
	if a.Outcome != assay.Abstained {
		for _, s := range q.MustContain {
			if !strings.Contains(text, fold(s)) {
				return result{a, "lacks " + s}
			}
		}
	}
	if a.Outcome != expect && !slices.Contains(q.AlsoOK, a.Outcome) {
		return result{a, "should be " + string(expect)}
	}
	return result{a, ""}
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

func row(w *bytes.Buffer, id string, q question, r result) {
	mark := "✓"
	if r.what != "" {
		mark = "✗ " + r.what
	}
	fmt.Fprintf(w, "%-5s %-14s %-9s %-12s %s\n", id, q.Kind, r.answer.Outcome, r.answer.Verdict, mark)
}

func sum(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

func questions(t *testing.T) []question {
	t.Helper()
	data, err := os.ReadFile("questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []question
	for line := range strings.Lines(string(data)) {
		var q question
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatalf("questions.jsonl: %v in %s", err, line)
		}
		out = append(out, q)
	}
	return out
}

func indexOf(t *testing.T, model index.Embedder, folder string) *index.Index {
	t.Helper()
	x, err := index.Open(t.Context(), t.TempDir(), &index.Options{Embedder: model})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	path, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	report, err := ingest.Add(context.Background(), x, assay.DefaultCollection, path, nil)
	if err != nil || len(report.Problems) > 0 {
		t.Fatal(err, report.Problems)
	}
	if err := x.Embed(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return x
}
