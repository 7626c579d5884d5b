// Package eval measures Assay on labelled data.
//
// [Load] reads a set from a file or a folder and recognises its format by its
// content: SQuAD 2.0, CLAPNQ, PopQA, WiCE, BEGIN, ExpertQA, RAMDocs, MTRAG-UN,
// RetrievalQA, or rows of one's own; [LoadAll] reads all below a folder. A [Set]
// holds the items of each task that it can serve:
//
//   - [Gate]: does a grader tell passages that help to answer a question from
//     passages that don't? [Set.Pooled] makes a harder gate of a retrieval set:
//     ten passages found among all, with and without those that answer.
//   - [Strips]: does a grader find the sentences that help?
//   - [Support]: does a checker tell claims that evidence carries from claims
//     that it doesn't?
//   - [Useful]: does a rater of answers agree with people?
//   - [Route]: does a router tell questions that need documents from other
//     messages?
//   - [Retrieval]: does a retriever find the passage that answers?
//     [KeepVectors] spares embedding a set anew in every run.
//   - [EndToEnd]: are answers right, and is none given where the documents hold
//     none? Engines answer the same questions over the same index, from which a
//     [Setting] leaves some of the documents out.
//
// The systems under test come in through the interfaces of package assay, so
// that anything that implements them can be measured. A task takes several, side
// by side on the same items; the first is what the others are compared with, in
// pairs. Rivals that need nothing are at hand: [BM25Gate], [CosineGate],
// [AlwaysGate] and their like for the other tasks. Each task returns a report,
// which prints itself as a table ([Report]) and marshals to JSON, with the
// [Curves] that a plot needs; [Summarise] puts reports together.
//
// A [Journal] keeps what systems said, so that a measurement that was killed goes
// on where it stopped. [Set.Part] divides a set, always in the same way, into a
// part to tune on and a part to report.
//
// # What the figures mean
//
// Every figure of quality is an [Estimate]: a value with a 95 % interval from a
// bootstrap that draws whole groups (articles, documents) instead of rows,
// because questions on one article are not independent. A [Difference] of two
// systems is of pairs, on the same resamples, with a p-value. An item on which any
// of the systems failed is left out of the figures of all, and counted for the one
// that failed, never scored as 0. Apart from times, the same set, seed and system
// give the same report.
//
// Thresholds belong to a system, and one system's mean nothing to another. So that
// systems of any scale can be compared there is [Figures.Fitted] besides: each half
// of the groups is decided by the threshold that serves the other half best.
//
// # Rows of one's own
//
// One JSON object a line. A label is true, false, 1 or 0; for claims also
// "supported" (the only positive one), "partial", "unsupported" or
// "contradicted". "group" may name the document or customer that rows share; it
// is what the intervals draw and the parts divide. "kind" is what figures are broken
// down by. A .csv with the same columns will do, with lists as JSON.
//
// For the gate, with a label for each passage, or one for all of them together:
//
//	{"question": "…", "passages": [{"title": "…", "text": "…", "label": true}, {"text": "…", "label": false}]}
//	{"question": "…", "passages": [{"text": "…"}, {"text": "…"}], "label": true}
//
// For strips, with a label for each:
//
//	{"question": "…", "strips": [{"text": "…", "label": true}, {"text": "…", "label": false}]}
//
// For support, with evidence in sentences, or as one text that is cut into them:
//
//	{"claim": "…", "evidence": ["…", "…"], "label": "supported"}
//
// For ratings of answers, from 1 (no help) to 5 (complete), and for the route:
//
//	{"question": "…", "answer": "…", "rating": 4}
//	{"question": "…", "retrieve": false}
//
// For retrieval, with the documents of all rows in one pool, and "gold" the IDs
// of those that answer:
//
//	{"documents": [{"id": "leave.md", "title": "…", "text": "…"}]}
//	{"question": "…", "gold": ["leave.md"]}
//
// End to end, the same with "answers", the right ones; an empty list, without
// "gold", says that no document answers:
//
//	{"question": "…", "gold": ["leave.md"], "answers": ["26 weeks", "half a year"]}
//	{"question": "…", "answers": []}
//
// # Layout
//
// metrics.go has the metrics, reliability.go what scores are worth as
// probabilities, curves.go the curves, bootstrap.go intervals and comparisons;
// set.go the sets and part.go their division; load.go their detection, csv.go
// tables, set_qa.go, set_search.go, set_support.go and set_own.go the formats;
// pooled.go the gate of a pool; bm25.go and rivals.go the rivals; task.go and
// figures.go what the tasks share, journal.go what is kept; gate.go, strips.go,
// support.go, useful.go, route.go and retrieval.go the tasks; endtoend.go the one
// with whole answers, answers.go how they are compared; vectors.go keeps vectors in
// a file; report.go the tables, summary.go all of a folder; html.go the page, with html_plot.go
// and html_curves.go for its plots; baseline.go sets a run beside an earlier one.
package eval
