package eval_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/eval"
)

// opening grades by one word, and is as good as that.
type opening struct{}

func (opening) Grade(_ context.Context, _ assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	grades := make([]assay.Grade, len(passages))
	for i, p := range passages {
		if strings.Contains(p.Text, "opens") {
			grades[i].Score = 0.9
		}
	}
	return assay.Assessment{Grades: grades}, nil
}

func (opening) GradeStrips(_ context.Context, _ assay.Query, strips []assay.Strip) ([]assay.Grade, error) {
	return make([]assay.Grade, len(strips)), nil
}

func ExampleGate() {
	set, err := eval.Load("testdata/own_gate.jsonl", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := eval.Gate(context.Background(), set, []eval.GateSystem{{Name: "opening", Grader: opening{}}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	opening := report.Systems[0]
	fmt.Println("AUROC", opening.AUROC.Value)
	for _, v := range opening.Verdicts {
		fmt.Println(v.Verdict, v.Positives, v.Negatives)
	}
	// Output:
	// AUROC 0.750
	// correct 1 0
	// ambiguous 0 0
	// incorrect 1 2
	// undetermined 0 0
}
