// Package assaytest holds fakes of the engine's parts that a test can read back.
//
// They work on text that says what should come of it: a passage whose text begins
// with a number, such as "0.80 Leave lasts 26 weeks.", is graded so by [Grader],
// and a claim that holds the word "unsupported" is found so by [Checker].
package assaytest
