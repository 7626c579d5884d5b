// Package index is the embedded index: documents, passages and their words in
// one SQLite file, which any number of processes read while one writes. An
// [Index] is an [assay.Retriever], an [assay.Vocabulary], and the store that
// package ingest fills.
//
// # Searching
//
// A question takes this way through [Index.Retrieve], all of it in one snapshot:
//
//	question.go    words → terms, in each language of the collection
//	filter.go      filter → runs of passages that may be used at all
//	candidates.go  rarest terms → at most a thousand passages
//	retrieve.go    BM25 with all terms → the best K, read with their text
//
// Terms are made by package text, so that a question and a passage agree on
// stems, stop words and bigrams. The full-text table (FTS5, contentless) holds
// neither words nor counts of words but the numbers of terms, one for each
// passage and term, with a second and third token where the term is frequent or
// stands in the title or a heading. That choice has four reasons. A number needs
// no escaping and no tokenizer can take it apart. Terms belong to a collection,
// so collections don't see each other and cost each other nothing. Without
// positions the table is less than half as large, and reading a list of passages takes 0.1
// µs a row, where FTS5's own ranking takes one. And the tiers make the lists tell
// nearly what BM25 would, so that few candidates do.
//
// BM25 is finished here, from the bag of terms that each passage's row holds: two
// to three bytes a term, read and scored in about 10 µs a passage, where to
// analyse its text again takes 100 µs. The parameters are k1 = 1.2 and b = 0.75;
// an occurrence in the title or in a heading counts one and a half times one in
// the text. Scores order passages within one search and mean nothing beside those
// of another.
//
// On 74,574 passages of public question-answering sets the first twenty agree
// with BM25 over all passages at 0.998 (286 questions of 26 sets):
//
//	go test ./index -run TestAgreement -v -data FOLDER
//
// On 100,000 passages of synthetic text a search takes 16 ms (p50 on one of two
// shared cores; go test ./index -run xxx -bench Retrieve).
//
// A question of stop words alone ("to be or not to be") is searched for as it
// stands, and passages with its words in a row come first.
//
// # The file
//
// Documents are kept whole, cut into parts of 16 kB; a passage is a place in its
// document, and its text is read from one part or two. Text is half of the file,
// so to keep it in the passages too would make it half as large again. What
// derives from the texts (terms, the full-text table, acronyms and other names)
// can be made anew: [Index.Rebuild]. Vectors will stand beside the file, by the number of the
// passage, which is never used again, and the generation, a number that rises
// with every commit ([Index.Generation]).
//
// # What is promised
//
// A write is whole or was not made. When Put returns, its documents survive the
// end of the process, however it comes, kill -9 included. After a loss of power
// the file is sound, and the writes of the last moments may be missing
// (synchronous=NORMAL in WAL mode): their folders' stamps are missing with them, so
// that adding the folders again brings them back. Writes of several processes
// wait for each other, ten seconds at the most; reads wait for nobody. The file
// must be on a local disk, as WAL needs shared memory.
//
// A damaged full-text table is noticed, since every list is as long as the term's
// count says, and made anew by the search that noticed it. For other damage
// there is [Index.Check], which finds it, [Index.Rebuild], and [Salvage], which
// copies every document that can be read and keeps the damaged file.
//
// # The vocabulary
//
// [Index.Frequencies] reads counts that are kept with each write. [Index.Related]
// knows the acronyms that documents define, by the algorithm of Schwartz and
// Hearst (2003), the other names that they give ("also known as", "formerly",
// "(or …)"; English wordings only), and for a word that occurs nowhere the nearest
// that does. What a document brought goes with it.
package index
