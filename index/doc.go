// Package index is the embedded index: documents, passages and their words in
// one SQLite file.
package index
