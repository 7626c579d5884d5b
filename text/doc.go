// Package text knows words and sentences: where they begin and end, which
// language they are in, what their stems are, and where a quotation stands in a
// text that differs from it in small ways. It knows nothing of documents,
// questions or the loop, and needs neither a model nor data from outside.
//
// # A tour
//
// [Sentences] and [Words] cut a text, in any language. [Fold] makes letters the
// same that differ in case, width or diacritics only. [Analyze] does all that an
// index needs to one passage or question: words, stems by Snowball
// (snowballstem.org), stop words out, identifiers whole and in parts, and pairs
// of characters where a script has no spaces. A passage and a question must be
// analysed in the same language to meet; [Detect] tells which it is, or that a
// text is too short to tell, and then the language of the documents is the one
// to ask in. [IsStop] tells stop words one by one.
//
// [MoodOf] reads what a sentence does with what it says: states it, asks it, orders
// the reader to say it, or says that it is false. [IsHeading] and [Fence] know the lines
// of Markdown that part a text.
//
// [Tokens] estimates what a text costs a model. [Align] finds what a quote was
// taken from when the one who quotes was careless.
//
// # Conventions
//
// All positions are byte offsets into the string given, which need not be valid
// UTF-8. Languages are ISO 639-1 codes; "" means unknown. Everything takes time
// linear in its input (Align: and quadratic in the quote), and may be called
// concurrently.
package text
