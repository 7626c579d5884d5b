// Package ingest turns files into documents and documents into passages: it
// walks a folder, reads one file a format, and cuts by structure.
package ingest
