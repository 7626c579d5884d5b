package prompted_test

import (
	"context"
	"fmt"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm/llmtest"
	"github.com/assay-rag/assay/prompted"
)

func ExampleGenerator() {
	model := llmtest.InTurn("Parental leave is 26 weeks [1]. It is paid in full [2].")
	generator := prompted.NewGenerator(model, nil)

	leave := assay.Passage{Document: "handbook/leave.md", Text: "Parental leave is 26 weeks. It is paid in full."}
	draft, err := generator.Draft(context.Background(), assay.DraftRequest{
		Query:    assay.Query{Question: "How long is parental leave, and is it paid?"},
		Evidence: assay.StripsOf(leave),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range draft.Segments {
		fmt.Println(s.Text, s.Cites)
	}
	// Output:
	// Parental leave is 26 weeks. [0]
	// It is paid in full. [1]
}
