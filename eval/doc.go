// Package eval measures Assay on labelled data.
//
// [Load] reads a set from a file or a folder and recognises its format by its
// content: SQuAD 2.0, CLAPNQ, PopQA, WiCE, BEGIN, or rows of one's own. A [Set]
// holds the items of each task that it can serve, and there are three tasks:
//
//   - [Gate]: does a grader tell passages that help to answer a question from
//     passages that don't? Beside it stands plain BM25 as a gate, on the same
//     items, with the difference and its interval.
//   - [Support]: does a checker tell claims that evidence carries from claims
//     that it doesn't?
//   - [Retrieval]: does a retriever find the passage that answers?
//
// The systems under test come in through the interfaces of package assay, so
// that anything that implements them can be measured. Each task returns a
// report, which prints itself as a table ([Report]) and marshals to JSON.
//
// # What the figures mean
//
// Every figure of quality is an [Estimate]: a value with a 95 % interval from a
// bootstrap that draws whole groups (articles, documents) instead of rows,
// because questions on one article are not independent. An item on which the
// system under test failed is counted as undetermined and left out of the
// figures, never scored as 0. Apart from times, the same set, seed and system
// give the same report.
//
// # Layout
//
// metrics.go has the metrics, bootstrap.go the intervals; set.go the sets and
// their detection, set_*.go one format each; bm25.go the baseline; gate.go,
// support.go and retrieval.go the tasks; report.go the tables.
package eval
