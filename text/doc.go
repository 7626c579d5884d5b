// Package text knows words and sentences: where they begin and end, which
// language they are in, what their stems are, and where a quotation stands in a
// text that differs from it in small ways. It knows nothing of documents,
// questions or the loop.
//
// All positions are byte offsets into the string given.
package text
