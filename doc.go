// Package assay answers questions from documents, checks its own retrieval and
// its own answers, and says so when it can't answer.
//
// It combines two published designs. From Corrective RAG (Yan et al. 2024,
// arXiv 2401.15884) comes the gate: what was retrieved is graded and the set
// gets a verdict (Correct, Ambiguous, Incorrect) that decides whether to refine
// it, to search with other words, or to ask another source. From Self-RAG (Asai
// et al. 2023, arXiv 2310.11511) come the checks of the answer: each claim
// against the evidence, the whole for usefulness, and a retry that depends on
// what was wrong.
//
// # One question, top to bottom
//
// [Engine.Ask] runs one question through the loop:
//
//	route ▶ retrieve ▶ grade ▶ refine ▶ answer ▶ finish
//
// with the ways back over rewrite and fallback. The loop is data: loop.go holds
// the one table of steps and edges, decide.go the one pure function that
// chooses among them, and each step has a file of its own (route.go,
// retrieve.go, grade.go, refine.go, rewrite.go, fallback.go, answer.go,
// finish.go), but for quote, the last resort, which is in answer.go. [Mermaid]
// draws the table.
//
// A step knows its collaborators only by small interfaces, each declared in the
// file of the step that calls it: [Router], [Condenser], [Retriever], [Grader],
// [Rewriter], [Answerer], [Checker] and [Usefulness]. [Parts] holds one of each.
// Package evaluator implements all but the Retriever without a model, a key or a
// network; package prompted implements them by a language model (package llm), or by
// one only where the evaluator is unsure; package index is a Retriever over documents
// of one's own, and any search that a program already has becomes one with
// [RetrieverFunc].
//
// An Answerer only drafts. draft.go splits the draft into claims, answer.go has them
// checked, and release.go does so while the draft goes on, for [Engine.Stream] with
// [StreamVerified]. bill.go adds up what models cost, estimate.go tells it beforehand.
//
// Every run has a [Budget] and ends in an [Answer] labelled for what it is:
// answered, partial or abstained.
package assay
