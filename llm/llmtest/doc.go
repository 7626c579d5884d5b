// Package llmtest is what tests of models stand on.
//
// [Fake] is a model that needs no server, answers as the test says and can be read
// back:
//
//	model := llmtest.InTurn(`{"grade": "yes"}`, &llm.Error{Kind: llm.Overloaded}, "done")
//	… // what calls it
//	for _, r := range model.Asked() { … }
package llmtest
