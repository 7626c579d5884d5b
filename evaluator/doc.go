// Package evaluator judges, checks, answers, rewrites and routes without a model
// to call: no key, no network, no service. It works by the words alone, so it
// runs anywhere, costs microseconds a passage, and can say of each grade what it
// rests on. What it can't do is see that "stolen" and "taken without asking" are
// the same: a trained encoder or a judging model stands in front of it where
// there is one.
//
// [New] makes an [Evaluator], which implements all parts of an engine but the
// retriever; [Parts] puts one around a retriever.
//
// # Grading
//
// question.go takes a question apart once: its terms with their weights (weigh.go,
// from the index's own counts blended with background.go's table of common
// words), its names and numbers (values.go, entities.go), and the kind of answer
// it asks for (kind.go). features.go then measures a text against it: which terms
// are there (also in another form, or by synonym: synonyms.go), how close
// together (nearness.go), which sentence answers best (sentences.go) and whether
// it holds the kind of answer wanted (meets.go). model.go turns the measurements
// into a probability by an additive model, one readable curve a feature. hollow.go
// keeps down texts that only look like an answer: questions, stuffing, words
// addressed to the grader.
//
// grade.go puts this together for passages and strips and says in words why a
// grade is poor; conflict.go finds passages that answer differently, stale.go
// which of the two is out of date.
//
// # Checking
//
// statement.go takes a claim apart, support.go looks for its terms in the
// evidence, and sense.go for what turns it around: another number, a negation
// more or less, an opposite (antonyms.go). A model weighs this, and rules come
// after it: crux.go finds the parts of a claim that can't be reworded, presence.go
// whether a sentence has them, roles.go whether they have the same role there,
// denial.go what it denies, and verdict.go whether they stand where the rest of
// the claim does. verbatim.go finds claims that are cut out of the evidence as
// they are. check.go says what follows.
//
// # Answering
//
// answer.go chooses sentences of the evidence, short.go and yesno.go put the
// answer before them where it is one value or one word, useful.go rates an
// answer, rewrite.go finds other words for a search that failed, and route.go
// decides whether to search at all.
//
// # Weights
//
// The folder weights holds what the program in the folder fit has fitted to
// labelled pairs, and nothing is learned while a program runs. A grade of one
// half means even odds where half the questions are covered by the documents;
// the thresholds of the gate, 0.75 and 0.35, are meant on that scale.
package evaluator
