// Package diskcache keeps replies of models, and vectors, on disk: it is the
// llm.Store behind llm.Cached and llm.CachedEmbedder.
//
//	cache, err := diskcache.Open(path, nil)
//	if err != nil {
//		log.Print(err) // and go on without one
//	}
//	defer cache.Close()
//	model = llm.Cached(model, cache, "http://localhost:8080/v1 qwen2.5")
//
// A cache is worth nothing beside what it serves, so it never fails a call: what
// can't be read is a miss, what can't be written is dropped, and the first error
// goes to the log. The file may be deleted at any time, also while it is open, and a
// damaged one, or one of another version, is replaced. A file that isn't a cache is
// refused and left as it is.
//
// # The file
//
// It is an SQLite file, which several processes may share. Its journal is
// TRUNCATE's rather than WAL, which is as fast here (see BenchmarkPut): a log beside
// the file would have to be deleted together with it, and by nobody who deletes only
// the file while another process has it open; and a home on a network has no
// shared memory. Nothing waits for the disk (synchronous=OFF): a crash of the
// system may damage the file, which then is replaced. Every value has a checksum over
// its key and itself, so that damage is a miss and never another answer.
//
// The least recently used values go first. A use is noted once a minute, so that
// reading seldom writes.
//
// The file holds what models said of private documents: only its owner may read it.
package diskcache
