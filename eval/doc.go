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
//   - [Retrieval]: does a retriever find the passage that answers? Several are
//     measured side by side on the same questions, the first being what the others
//     are compared with. [KeepVectors] spares embedding a set anew in every run.
//   - [EndToEnd]: are answers right, and is none given where the documents hold
//     none? Engines answer the same questions over the same index, from which a
//     [Setting] leaves some of the documents out.
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
// # Rows of one's own
//
// One JSON object a line. A label is true, false, 1 or 0; for claims also
// "supported" (the only positive one), "partial", "unsupported" or
// "contradicted". "group" may name the document or customer that rows share; it
// is what the intervals draw.
//
// For the gate, with a label for each passage, or one for all of them together:
//
//	{"question": "…", "passages": [{"title": "…", "text": "…", "label": true}, {"text": "…", "label": false}]}
//	{"question": "…", "passages": [{"text": "…"}, {"text": "…"}], "label": true}
//
// For support, with evidence in sentences, or as one text that is cut into them:
//
//	{"claim": "…", "evidence": ["…", "…"], "label": "supported"}
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
// metrics.go has the metrics, bootstrap.go the intervals; set.go the sets,
// load.go their detection, set_qa.go and set_support.go their formats; bm25.go
// the baseline; task.go and judgement.go what the tasks share; gate.go,
// support.go and retrieval.go the tasks; endtoend.go the one with whole answers,
// answers.go how they are compared; vectors.go keeps vectors in a file;
// report.go the tables.
package eval
