package evaluator

import (
	"context"
	"testing"

	"github.com/assay-rag/assay"
)

func TestRate(t *testing.T) {
	e := newEvaluator(t, nil)
	rate := func(question, answer string) int {
		t.Helper()
		n, err := e.Rate(context.Background(), assay.Query{Question: question}, answer)
		if err != nil || n < 1 || n > 5 {
			t.Fatalf("Rate(%q, %q) = %d, %v", question, answer, n, err)
		}
		return n
	}
	const leave = "How many weeks of parental leave do employees get?"
	for _, nothing := range []string{"", " \n", assay.Abstention} {
		if n := rate(leave, nothing); n != 1 {
			t.Errorf("Rate of %q = %d, want 1", nothing, n)
		}
	}
	for _, c := range []struct{ question, better, worse string }{
		{leave, "Employees get 26 weeks of parental leave.", "Employees like their work."},
		{leave, "Employees get 26 weeks of parental leave.", "Employees get parental leave."},
		{"When does the Berlin office close?", "The Berlin office closes on 24 December.", "The Berlin office closes."},
		{"Who runs the Finance department?", "The Finance department is run by Marguerite Dufour.", "Lunch is served at noon."},
	} {
		if good, bad := rate(c.question, c.better), rate(c.question, c.worse); good <= bad {
			t.Errorf("%s\n%q is rated %d, %q %d", c.question, c.better, good, c.worse, bad)
		}
	}
	if n := rate(leave, "Employees get 26 weeks of parental leave."); n < 4 {
		t.Errorf("a full answer is rated %d", n)
	}
}
