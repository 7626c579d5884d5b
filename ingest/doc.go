// Package ingest turns files into documents and documents into passages.
//
// [Add] walks a folder, reads what changed since the last time, and hands
// documents with their passages to a [Store], a batch at a time. [Parse] reads
// one file of any supported format; [Chunk] cuts what it returns.
//
// # From bytes to readable text
//
// Markdown, HTML and plain text all become one light form, the text that
// answers quote and that offsets count in: headings as "## Heading", a
// paragraph a line, list items as "- item" or "1. item" indented by two spaces
// a level, tables as rows between pipes, code between fences. The marks of
// emphasis, links and inline code are gone. Beside the text, Parse returns its
// [Block]s, so that nobody has to find the structure again.
//
// A file is never lost to its encoding: what can't be decoded becomes U+FFFD.
// Markdown over half a megabyte is parsed in parts, cut between blocks, and its
// footnotes stay where they stand.
//
// # What is read
//
// Files named .md, .markdown, .mdx, .html, .htm, .xhtml, .txt, .text, .rst,
// .adoc, .asciidoc or .org, and files without an extension that hold text and
// aren't programs, such as README. All others are skipped and counted.
//
// Rules in .gitignore and .assayignore files hold for the folder they are in
// and what is below it, as git reads them; where the folder is part of a git
// work tree, those of the folders above it hold too. In the same folder,
// .assayignore has the last word. Files and folders whose names begin with a
// dot are skipped, .github and .gitlab apart, and so are CVS and __pycache__.
// Symbolic links are skipped: what they lead to is outside the folder, ignored,
// or walked anyway. The folder named may itself be one.
//
// # What is cut
//
// Passages hold 150 to 300 tokens where the structure lets them, 512 at most,
// and cover every letter of the text but those of wordless stretches: base64,
// dumps in hexadecimal, a letter repeated, from 1 KiB on, with less than one word
// in 48 bytes. They would be found by nobody and shift the weights of all other
// passages. A key or a sum among words stays, and so do code, numbers and
// addresses. A file that holds nothing else is skipped and counted as such.
// See [Chunk].
package ingest
