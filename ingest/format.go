package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/assay-rag/assay"
)

// format is a way to read a file.
type format uint8

const (
	unsupported format = iota
	plain
	markdown
	mdx
	page  // HTML
	xpage // XHTML
)

// ErrFormat says that a file is of no format that is read, such as source code
// or an image. Errors of Parse wrap it.
var ErrFormat = errors.New("not a format that is read")

// sniffed is how much of a file is looked at to tell what it is, in bytes.
const sniffed = 8 << 10

var formats = map[string]format{
	".md": markdown, ".markdown": markdown, ".mdx": mdx,
	".html": page, ".htm": page, ".xhtml": xpage,
	".txt": plain, ".text": plain, ".rst": plain, ".adoc": plain, ".asciidoc": plain, ".org": plain,
}

// programs are files without an extension that hold no prose.
var programs = set("makefile gnumakefile dockerfile containerfile vagrantfile jenkinsfile gemfile rakefile procfile brewfile justfile build workspace owners codeowners")

// byName returns the format that a file's name tells; ask is set where the
// beginning of the file has to be seen.
func byName(name string) (f format, ask bool) {
	base := strings.ToLower(path.Base(name))
	ext := path.Ext(base)
	if f := formats[ext]; f != unsupported {
		return f, false
	}
	if ext == "" && !programs[base] || strings.HasPrefix(base, "readme.") && len(ext) > 4 {
		return plain, true
	}
	return unsupported, false
}

// formatOf returns the format of a file by its name and its beginning.
func formatOf(name string, head []byte) format {
	f, ask := byName(name)
	if f == unsupported || binary(head) || ask && bytes.HasPrefix(head, []byte("#!")) {
		return unsupported
	}
	if f == plain && looksHTML(head) {
		return page
	}
	return f
}

// looksHTML tells whether a file begins as a page does.
func looksHTML(head []byte) bool {
	s := strings.ToLower(string(bytes.TrimSpace(bytes.TrimPrefix(head[:min(len(head), 512)], []byte("\xef\xbb\xbf")))))
	return strings.HasPrefix(s, "<!doctype html") || strings.HasPrefix(s, "<html")
}

// draft is a document while it is read.
type draft struct {
	writer
	meta     map[string]string
	title    string // what the format itself calls the title
	language string // what the document says it is in
	unmarked bool   // plain text, where what looks like a heading need not be one
}

// Parse reads a file: its name, which tells the format, and its content. The
// document has neither ID nor Stamp, and no date where only the file system
// knows one. The error is ErrFormat for what isn't a text document; all text is
// read somehow, however damaged.
//
// Time and memory are linear in the size of the data, whatever it holds. Parse
// may be called concurrently.
func Parse(name string, data []byte) (assay.Document, []Block, error) {
	f := formatOf(name, data[:min(len(data), sniffed)])
	if f == unsupported {
		return assay.Document{}, nil, fmt.Errorf("ingest parse: %s: %w", path.Base(name), ErrFormat)
	}
	s := decode(data, f == page || f == xpage)
	var d draft
	switch f {
	case markdown, mdx:
		readMarkdown(s, f == mdx, &d)
	case page, xpage:
		readHTML(s, f == xpage, &d)
	default:
		readPlain(s, strings.ToLower(path.Ext(name)), &d)
	}
	return d.document(name), d.blocks, nil
}
