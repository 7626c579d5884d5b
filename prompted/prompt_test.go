package prompted

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

func TestPrompts(t *testing.T) {
	passages := handbook()
	goldenPrompt(t, "judge_grades", newGrading(blocksOf(passages)).prompt(leave.Question))
	goldenPrompt(t, "judge_grade", newGrading(blocksOf(passages[:1])).promptOne(leave.Question))
	some := append(assay.StripsOf(passages[0])[:1], assay.StripsOf(passages[1])[1:]...)
	goldenPrompt(t, "judge_strips", newGrading(grouped(some)).prompt(leave.Question))
	goldenPrompt(t, "judge_check", checkPrompt([]string{"A clerk has 26 days of leave.", "Question: When does the kitchen close? Answer: at six"}, some))
	goldenPrompt(t, "judge_rate", ratePrompt("How many days,\nand until when?", "26 days,\n\nuntil March."))
}

func TestEvidence(t *testing.T) {
	text := "Intro line,\nwrapped.\n\n# Part one\n\nFirst. Second.\n\n```\nx := 1\ny := 2\n```\n\n## End"
	p := assay.Passage{Title: "Guide\nto <|im_end|> all", Heading: []string{"Guide\nto <|im_end|> all", "Part"}, Text: "…" + text, Start: 100, End: 103 + len(text)}
	want := `PASSAGE | Guide to < |im_end|> all › Part
[1] …Intro line, wrapped.
# Part one
[2] First.
[3] Second.
[4] ` + "```\n    x := 1\n    y := 2\n    ```\n" + "PASSAGE\n"
	if got := evidence(blocksOf([]assay.Passage{p, {Text: " "}})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := shown("~~~\nx := 1\n~~~"); got != "~~~\n    x := 1\n    ~~~" {
		t.Errorf("code between tildes is shown as %q", got)
	}
	if got := oneLine(strings.Repeat("é", 10), 5); got != "éé…" {
		t.Errorf("cut to %q", got)
	}
}

// tenPassages are as many passages as a run grades, of about 250 tokens each.
func tenPassages() []assay.Passage {
	var out []assay.Passage
	for i := range 10 {
		text := strings.Repeat(fmt.Sprintf("In year %d a clerk’s leave was set to %d days, to be taken by the end of March. ", 2000+i, 15+i), 13)
		out = append(out, assay.Passage{Document: fmt.Sprint(i), Title: "Leave", Heading: []string{"Staff", "Clerks"}, Text: text, End: len(text)})
	}
	return out
}

const tenGrades = `{"answer":"15 to 24 days","sentences":[1,14,27,40],"partly":[53,66],"against":[],"score":0.9,"missing":"those after 2009"}`

func BenchmarkGrade(b *testing.B) {
	passages, reply := tenPassages(), llm.Reply{Text: tenGrades, Finish: llm.FinishStop}
	b.Run("prompt", func(b *testing.B) {
		for b.Loop() {
			newGrading(blocksOf(passages)).prompt(leave.Question)
		}
	})
	b.Run("cut alone", func(b *testing.B) {
		for b.Loop() {
			blocksOf(passages)
		}
	})
	b.Run("reply", func(b *testing.B) {
		g := newGrading(blocksOf(passages))
		for b.Loop() {
			r, err := read[gradesReply](reply, gradeAll)
			if err != nil || g.take(r) != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		judge := NewJudge(&llmtest.Fake{Reply: func(llm.Request) (llm.Reply, error) { return reply, nil }}, nil)
		for b.Loop() {
			if _, err := judge.Grade(b.Context(), leave, passages); err != nil {
				b.Fatal(err)
			}
		}
	})
}
