// Package evaluator judges, checks, answers, rewrites and routes without a model
// to call: no key, no service. By the words alone it runs anywhere, costs
// microseconds a passage, and can say of each grade what it rests on. What words
// can't do is see that "stolen" and "taken without asking" are the same: for that
// a small network reads with it, in some milliseconds a passage.
//
// [New] makes an [Evaluator], which implements all parts of an engine but the
// retriever; [Parts] puts one around a retriever.
//
// # What a text is made of
//
// lexemes.go cuts a text into words, numbers and signs; values.go reads the
// quantities and dates of it, with numbers.go, dates.go and units.go for their
// parts, and entities.go the names. analysis.go keeps a text taken apart, and
// memo.go the last few hundred of them. pattern.go holds back the compiling of
// patterns.
//
// # Grading
//
// question.go takes a question apart once: its terms with their weights
// (weigh.go, from the index's own counts blended with background.go's table of
// common words), its names and numbers, and the kind of answer it asks for
// (kind.go; wanted.go for a number or a date). features.go then measures a text
// against it: which terms are there (also in another form, or by synonym:
// synonyms.go), how close together (nearness.go), which sentence answers best
// (sentences.go) and whether it holds the kind of answer wanted (meets.go).
// model.go turns the measurements into a probability by an additive model, one
// readable curve a feature. hollow.go keeps down texts that only look like an
// answer: questions, stuffing, words addressed to the grader (package text's mood.go);
// sibling.go those on the Heron 2 where the Heron 5 is asked for.
//
// With a [Reader], a trained network reads question and passage together (reader.go),
// an [Embedder] says how near the two are (vectors.go), and a second additive model
// weighs this beside what the words say (network.go): the words know names, figures
// and rare terms, the network what is the same in other words. One pass gives a
// passage's grade, that of each of its strips, and where the answer likely stands.
// Claims are read with their evidence likewise, whole and clause by clause.
//
// grade.go puts this together for passages and says in words why a grade is poor,
// strip.go for strips as parts of their passages; conflict.go finds passages that
// answer differently, stale.go which of the two is out of date.
//
// # Answering
//
// answer.go chooses sentences of the evidence: form.go tells how each looks and
// what of it can be shown, complete.go adds what it can't be read without. short.go
// puts the answer before them where it is one value or one name, yesno.go where it
// is one word, table.go where it is one cell. useful.go rates an answer.
//
// # Checking
//
// statement.go takes a claim apart, support.go looks for its terms in the
// evidence, and sense.go for what turns it around: another number, a negation
// more or less, an opposite (antonyms.go). A model weighs this, and rules come
// after it: crux.go finds the parts of a claim that can't be reworded, presence.go
// whether a sentence has them, roles.go whether they have the same role there,
// denial.go what it denies, bound.go whether a figure is a least or a most, and
// account.go whether they stand where the rest of the claim does. verbatim.go
// finds claims that are cut out of the evidence as they are. check.go says what
// follows.
//
// # Rewriting and routing
//
// rewrite.go finds other words for a search that failed: it learns from the
// index what stands for a word and takes families.go for its other forms, and
// proposals.go makes searches of them. route.go decides whether to search at all,
// and condense.go puts a follow-up together with what it leans on.
//
// # Weights
//
// The folder weights holds what the program in the folder fit has fitted to
// labelled pairs, and nothing is learned while a program runs. A grade of one
// half means even odds where half the questions are covered by the documents;
// the thresholds of the gate, 0.75 and 0.35, are meant on that scale. fitting.go is
// what the program needs of this package.
//
// A constant in the code says what it was chosen on; "a judgement" is one that
// nothing was measured for.
package evaluator
