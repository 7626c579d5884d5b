// Package llmtest is what tests of models stand on.
//
// [Fake] is a model that needs no server, answers as the test says and can be read
// back:
//
//	model := llmtest.InTurn(`{"grade": "yes"}`, &llm.Error{Kind: llm.Overloaded}, "done")
//	… // what calls it
//	for _, r := range model.Asked() { … }
//
// [Run] is the suite that each provider passes, against recordings of what servers
// answer, good and bad; [RunLive] the part of it that holds for any live server.
// A [Playback] answers from a recording in place of a server, and [NoKeys] fails
// where one holds a key.
package llmtest
