// Package prompted implements the parts of the loop by prompting a language model:
// [Judge] grades, checks and rates, [Generator] drafts answers with citations,
// [Rewriter], [Router] and [Condenser] treat the question, [Decomposer] cuts it up,
// and [Cascade] asks a judge only where a cheaper grader is unsure.
//
// # One prompt, top to bottom
//
// A part renders a template (prompt.go; templates/, with a golden of each rendered form
// under testdata/). Its evidence (evidence.go) stands in a fence (fence.go): a line with
// a mark that nobody who writes documents can know. Within it each line begins with
// something of ours, and what others wrote is no more than text there. The model is
// asked once at temperature 0 with a JSON schema. What comes back is read as generously
// as can be done without guessing (reply.go, mend.go, lenient.go): fences, thoughts and
// numbers in quotes are taken as meant, and a reply that could mean two things as none.
// What can't be read is asked for once more, and then it is an error or Undetermined: a
// failed judge has said nothing, least of all "irrelevant".
//
// Sentences and claims are named by numbers of our own, so that one that is missing,
// doubled or invented can never move a grade to another document. The judge (judge.go)
// finds the answer and names its sentences, and the grades of passages follow
// (grade.go): a small model can do that, and it takes few tokens. What it says, of
// answers or of claims (check.go), must share a word with what it names. A judge that
// fails behind another grader or checker (cascade.go) changes nothing. questions.go and
// decomposer.go treat the question in the same way.
//
// A draft is prose (draftprompt.go, generator.go), and read as it comes (drafting.go):
// what a model thinks and what it puts around a whole answer is taken off (around.go),
// then the marks of citations (marks.go); what is left is cut into sentences, items,
// tables and code (units.go), of which those that are no part of an answer (leftout.go)
// are left out (sieve.go), and out of the text that is told meanwhile (telling.go). In
// whatever pieces a text comes, what is made of it is the same.
//
// The model is any [llm.Model]; budget, retries, prices and caches are decorators
// around it that the parts don't know of.
package prompted
