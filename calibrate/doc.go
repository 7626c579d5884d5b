// Package calibrate turns a grader's grades into probabilities that hold on one's
// own documents, and into thresholds that follow from what mistakes cost.
//
// [Fit] takes labels: grades that a grader gave, each with what a person says. It
// makes a [Calibration] of them:
//
//   - a [Map] from grades to probabilities: Platt scaling, or with many labels
//     isotonic regression where cross-validation finds it better
//   - two thresholds, which follow from [Costs], each with the grade at which it
//     lies and how sure that is
//   - a [Promise] that can be checked: with confidence 95 %, at most 10 % of what
//     is passed as Correct rests on insufficient evidence
//
// A Calibration is written to a file and read again by [Read]. It belongs to the
// grader whose grades it was fitted to, in that version: see [Calibration.For].
// [Grader] is that grader with its grades mapped.
//
// # What is independent of what
//
// Labels that share a group (a document, a customer) are not independent. Folds of
// the cross-validation and resamples of the intervals take whole groups, and the
// promise takes one question a group.
//
// The promise is about questions as the gate sees them: what is passed rests on the
// passage that is graded best. Where the passages of one question are labelled one
// by one, Label.Question says so, and the best of them stands for the question.
//
// # Layout
//
// label.go has the labels and what is refused; platt.go and isotonic.go the two
// ways, choose.go the choice; costs.go the thresholds; promise.go and binomial.go
// the promise; calibration.go puts them together; file.go reads and writes;
// grader.go uses it.
package calibrate
