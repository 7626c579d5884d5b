package assay_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/evaluator"
)

// notes stands for the search that a program already has.
func notes(_ context.Context, s assay.Search) ([]assay.Passage, error) {
	var found []assay.Passage
	for i, text := range []string{
		"Parental leave lasts 26 weeks at full pay. Tell your manager ten weeks ahead.",
		"The canteen opens at 11:30 and closes at 14:00.",
	} {
		if strings.Contains(strings.ToLower(text), "leave") == strings.Contains(s.Words, "leave") {
			found = append(found, assay.Passage{Document: fmt.Sprintf("note-%d", i+1), Text: text, End: len(text)})
		}
	}
	return found, nil
}

// An engine around a search that a program already has.
func Example() {
	engine, err := assay.New(evaluator.Parts(assay.RetrieverFunc(notes)), nil)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := engine.Ask(context.Background(), assay.Query{Question: "How many weeks does parental leave last?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Outcome, answer.Verdict)
	fmt.Println(answer.Text)
	fmt.Println(answer.Citations[0].Document)
	// Output:
	// answered correct
	// 26 weeks [1]
	// Parental leave lasts 26 weeks at full pay. [1]
	// note-1
}

// What the documents don't say is said to be missing, with the reason.
func ExampleEngine_Ask_abstention() {
	engine, err := assay.New(evaluator.Parts(assay.RetrieverFunc(notes)), nil)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := engine.Ask(context.Background(), assay.Query{Question: "Who founded the company?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Outcome)
	fmt.Println(answer.Text)
	// Output:
	// abstained
	// I don't have reliable information on this.
}

// The loop as it runs.
func ExampleEngine_Stream() {
	engine, err := assay.New(evaluator.Parts(assay.RetrieverFunc(notes)), nil)
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range engine.Stream(context.Background(), assay.Query{Question: "How many weeks does parental leave last?"}) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Kind == assay.EventDone {
			fmt.Printf("%s ▶ %s: %s\n", event.Step, event.Report.Next, event.Report.Why)
		}
	}
	// Output:
	// route ▶ retrieve: retrieval needed
	// retrieve ▶ grade: the mode has a gate
	// grade ▶ refine: Correct
	// refine ▶ answer: evidence refined
	// answer ▶ finish: good, or the best there is
	// finish ▶ :
}

// Whether a text is grounded in evidence, claim by claim.
func ExampleEngine_Check() {
	engine, err := assay.New(evaluator.Parts(assay.RetrieverFunc(notes)), nil)
	if err != nil {
		log.Fatal(err)
	}
	const evidence = "Parental leave lasts 26 weeks at full pay."
	result, err := engine.Check(context.Background(), assay.CheckRequest{
		Text:     "Parental leave lasts 26 weeks at full pay. Parental leave lasts 52 weeks at full pay.",
		Evidence: []assay.Passage{{Document: "policy", Text: evidence, End: len(evidence)}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range result.Claims {
		fmt.Println(c.Support)
	}
	// Output:
	// supported
	// contradicted
}

// The loop as a drawing; the first of its lines.
func ExampleMermaid() {
	first, _, _ := strings.Cut(assay.Mermaid(), "\n")
	fmt.Println(first)
	// Output: flowchart TD
}
