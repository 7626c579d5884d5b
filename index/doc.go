// Package index is the embedded index: documents, passages, their words and their
// vectors in one SQLite file, which any number of processes read while one writes.
// An [Index] is an [assay.Retriever], an [assay.Vocabulary], and the store that
// package ingest fills.
//
// # Searching
//
// A question takes this way through [Index.Retrieve], all of it in one snapshot:
//
//	question.go    words → terms, in each language of the collection
//	filter.go      filter → runs of passages that may be used at all
//	hybrid.go      question → its vector, while the words are looked for
//	candidates.go  rarest terms → at most a thousand passages
//	retrieve.go    BM25 with all terms
//	dense.go       vector → the nearest passages
//	fusion.go      what both halves propose → one score each
//	fold.go        the best K, read with their text, copies folded into one
//
// # From passage to vector
//
// The other way round, from the passages that were put to what a search scans:
//
//	embed.go   passages without a vector → batches → the table vectors
//	mapped.go  which file of vectors a search reads, and whether it may
//	follow.go  table → file: what it lacks is appended, or it is made anew
//	stored.go  the table, page by page
//	upkeep.go  both compared (Check), mended (Rebuild), and made small (Compact)
//	export.go  the table goes along, the file is made where it arrives
//
// # Words
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
// # Vectors
//
// With [Options.Embedder] every passage gets a vector, by [Index.Embed]: after a
// document is put, not with it, so that it can be found by its words at once.
// Numbers of passages only rise, and a document that changes gets new ones. So one
// number, the highest passage that was embedded, tells what is left to do; an
// interrupted Embed goes on where it was, and of several processes that try one
// gets ahead. The embedder works while nobody holds the write lock.
//
// The table of vectors is the truth. The file vectors beside the index derives from
// it and is what a search reads (package index/internal/vectors): all of it that the
// filter lets pass, exactly. It is appended to after the commit, under the write
// lock. So it can only be behind, and then the search reads the rest from the table;
// whatever else is wrong with it, the next who may write makes it anew (follow.go).
// A search never waits for that: where somebody is writing it reads the table.
//
// Each half proposes two hundred passages or K, and scores what the other one
// proposes; [Options.Fusion] makes one score of two. Filters act inside both
// halves. A search for nothing but numbers and codes goes by words where they find
// any: an encoder can't read a code. Where more than a tenth of a collection has no vector, or the question
// can't be embedded, the search goes by words alone and says so in Found.Short.
//
// Passages with the same words are copies and are found once, as the newest of them
// with the IDs of the others. What might be a contradiction is never folded: another
// number, a "not" or a "must" more, another order. Nor is what differs in a heading
// that the question asks about.
//
// On the same 100,000 passages a search by both halves takes 30 ms (p50) on one of
// two shared cores, the question's vector left out (-bench HybridRetrieve).
//
// # The file
//
// Documents are kept whole, cut into parts of 16 kB; a passage is a place in its
// document, and its text is read from one part or two. Text is half of the file,
// so to keep it in the passages too would make it half as large again. What
// derives from the texts (terms, the full-text table, acronyms and other names)
// can be made anew: [Index.Rebuild]. Vectors derive from them too, but at a cost:
// Rebuild keeps them, and Salvage carries them on. The generation is a number that
// rises with every commit ([Index.Generation]).
//
// [Index.Export] writes one file of it all while others go on, [Import] installs
// it elsewhere, and [Index.Compact] makes the index smaller after much was removed.
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
