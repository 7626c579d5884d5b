// Package adversary makes an adversarial set from documents: questions that
// tempt a system to answer what the documents don't say, and plain ones as a
// control. It does so by rules, without a model: few questions, each with a
// sentence that says why it is what it is and where that stands, for a person to
// accept.
//
//	cases, err := adversary.Make(documents, nil)
//	report, err := adversary.Run(ctx, engine, assay.Query{}, cases, nil)
//
// # How a question comes about
//
// corpus.go cuts the documents into sections and their sentences, items and rows.
// clause.go, with verbs.go, takes a plain statement apart: what it is about, its
// verb, and the one value it gives (value.go). table.go does the same with the
// cells of a table. Either makes a fact (fact.go): a question with a gap for the
// subject, a subject and a value, so that a question about something else, or
// from a false value, is the same question with one thing changed.
//
//   - control.go asks facts as they are: the answer is the value.
//   - premise.go asks why a fact is so, with another value or although the
//     documents deny it.
//   - nearmiss.go asks a fact of a sibling that it isn't said of (names.go).
//   - uncovered.go asks for something that occurs nowhere, about what the documents
//     are about.
//   - conflict.go finds two documents that give the same fact different values:
//     stale where one is the older, else contradictory.
//   - deprecated.go asks for what is said to be deprecated, removed or replaced.
//   - ambiguous.go asks for what several subjects have, without naming one.
//
// The rules read English and pass over what they don't understand: most sentences.
// That something occurs nowhere is checked against every word of every document,
// that it isn't said of a sibling against every section that names it.
//
// # Running
//
// run.go asks the questions of a system and holds outcomes and texts against the
// rows (Case.Fault). report.go counts them by kind.
package adversary
