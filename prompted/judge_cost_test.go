package prompted

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

// What a judge uses, with every reply bad, stays below what was said to be the worst.
func TestWorstCaseOfAJudge(t *testing.T) {
	text := strings.Repeat("Leave lasts twenty-six weeks. ", 40)
	passages := make([]assay.Passage, 10)
	for i := range passages {
		passages[i] = assay.Passage{Document: "handbook/leave.md", Title: "Leave", Text: text, End: len(text)}
	}
	claims, strips := make([]string, 15), assay.StripsOf(passages[0])
	for i := range claims {
		claims[i] = "Leave lasts twenty-six weeks, for whoever has been here for a year."
	}
	load := assay.Load{Question: 20, Passages: len(passages), Strips: 12 * len(passages), Claims: len(claims)}
	for step, use := range map[string]func(context.Context, *Judge) error{
		"grade": func(ctx context.Context, j *Judge) error {
			_, err := j.Grade(ctx, assay.Query{Question: "How long is leave?"}, passages)
			return err
		},
		"check": func(ctx context.Context, j *Judge) error {
			_, err := j.Check(ctx, claims, strips)
			return err
		},
		"useful": func(ctx context.Context, j *Judge) error {
			_, err := j.Rate(ctx, assay.Query{Question: "How long is leave?"}, strings.Join(claims, " "))
			return err
		},
	} {
		for _, each := range []bool{false, true} {
			meter := llm.NewMeter(llm.Budget{Calls: llm.Unlimited, Tokens: llm.Unlimited})
			j := NewJudge(llm.Metered(llmtest.InTurn(many("no", 40)...), llm.MeterOptions{Name: "m"}), &JudgeOptions{PerPassage: each})
			err := use(llm.WithMeter(t.Context(), meter), j)
			if llm.KindOf(err) != llm.Malformed && !errors.As(err, new(*llm.Error)) {
				t.Fatalf("%s: %v", step, err)
			}
			used, worst := meter.Used(), j.WorstCase(step, load)
			if used.Calls > worst.Calls || used.Tokens > worst.In+worst.Out || worst.Calls == 0 {
				t.Errorf("%s (each: %v): used %+v, the worst is %+v", step, each, used, worst)
			}
		}
	}
}

func many(reply string, n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = reply
	}
	return out
}
