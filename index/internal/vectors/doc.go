// Package vectors keeps the vectors of an index's passages in a file that is
// mapped into memory, and finds the nearest ones to a question by looking at
// every one of them.
//
// The index's SQLite file is the truth and holds every vector too. This file is
// derived from it: it may be deleted at any time and made again with [Create].
// It exists because a scan of a million vectors takes milliseconds here, and
// would take seconds through SQL.
//
// # The file
//
// A header of 64 bytes says what the file is: its format, the number of
// dimensions, and an epoch, sixteen random bytes that also stand in SQLite and so
// tie the two files together. A record of fixed size follows for every vector, in
// ascending order of passage ids; an interval of ids is a run of records that
// binary search finds. All numbers are little-endian.
//
//	header   magic "ASAYVEC1" 8 | version 4 | dimensions 4 | epoch 16 | zero 28 | CRC-32C 4
//	record   CRC-32C 4 | scale 4 | passage id 8 | a byte for each dimension, up to a multiple of 32
//
// For an epoch and an id there is only ever one vector: whoever embeds passages
// anew, with another model say, chooses another epoch. So whatever a reader has
// mapped stays right however the file changes.
//
// # Vectors
//
// A [Vector] is a scale and a signed byte for each dimension, kept as an unsigned
// byte that is 128 higher, as the kernels of package simd want it. [Quantize]
// makes one; [Vector.AppendBlob] and [ParseBlob] are its form in SQLite.
//
// # Writing
//
// [File.Append] adds records at the end, in place. One writer at a time may do
// so, across processes too: the index holds its write lock meanwhile. Call it
// after SQLite has committed the same vectors; then the file can only ever be
// behind SQLite, and what lies after [File.Last] is appended by whoever writes next.
//
// A write that was cut short leaves a torn record, which its checksum gives away.
// The file is good up to there, and the next Append writes over the rest. Nothing
// is truncated, as another process may have those bytes mapped.
//
// An append isn't flushed to the disk before it returns; the vectors are safe in
// SQLite. But a power cut can leave a hole anywhere in what wasn't flushed, and
// [Open] must not have to read the whole file to find it. So the file is flushed
// each time that it grows past a multiple of 8 MiB, and Open checks every record
// after the multiple before last.
//
// # Reading
//
// [File.Scan] looks at the file's state first. It sees records that another
// process has appended, and follows to the new file where the path was given to
// another one by Create. Scans under way keep the mapping that they began with.
//
// The first pass multiplies the question, as bytes too, with all records; the
// second computes the score of the best of these again with the question as it
// was given, and checks their checksums. What is lost is the rounding of the
// stored vectors alone. Kernels differ in speed only: the scores and their order
// are the same on every machine.
//
// A mapped file that is cut short under its reader is a fault of memory, which
// would end the process. Here it becomes [ErrDamaged], like every other damage.
package vectors
