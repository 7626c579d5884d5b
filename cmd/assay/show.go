package main

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/assay-rag/assay"
)

// showCmd prints a document.
type showCmd struct {
	Source   source    `embed:""`
	Document string    `arg:"" complete:"document" help:"The document as answers name it, or the end of its name where no other ends so."`
	At       byteRange `placeholder:"START:END" help:"Print only these bytes, as a citation gives them."`
	Context  int       `short:"C" placeholder:"N" help:"With --at: print N lines before and after too."`
	JSON     bool      `name:"json" help:"Print the document with what is known of it as JSON."`
}

// Help teaches by example.
func (showCmd) Help() string {
	return `The text is the one that was indexed, the readable text of the file, and a citation's offsets count in it.

Examples:

    assay show handbook/leave.md
    assay show leave.md --at 120:260
    assay show --docs ./handbook leave.md --at 120:260 --context 3`
}

// shown is a document in JSON.
type shown struct {
	Document string            `json:"document"`
	Title    string            `json:"title"`
	Language string            `json:"language"`
	Date     string            `json:"date"`
	DateFrom assay.DateFrom    `json:"date_from"`
	Version  string            `json:"version"`
	Meta     map[string]string `json:"meta"`
	Start    int               `json:"start"`
	End      int               `json:"end"`
	Text     string            `json:"text"`
}

// Run prints the document.
func (c *showCmd) Run(ctx context.Context, e env) error {
	if c.Context < 0 {
		return misusef("leave the flag out for none", "show: --context %d", c.Context)
	}
	shelf, err := e.openShelf(ctx, c.Source, sense{})
	if err != nil {
		return err
	}
	defer shelf.Close()
	d, err := shelf.Document(ctx, c.Source.collection(), c.Document)
	if err != nil {
		return err
	}
	at := c.At
	if at == (byteRange{}) {
		at.end = len(d.Text)
	}
	if err := checkRange(d, at); err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.stdout, shown{
			d.ID, d.Title, d.Language, dateOnly(d.Date), d.DateFrom, d.Version, orEmpty(d.Meta), at.start, at.end, d.Text[at.start:at.end],
		}, true)
	}
	before, after := surrounding(d.Text, at, c.Context)
	if !e.outTerminal {
		_, err := io.WriteString(e.stdout, d.Text[before:after]) // exactly, for programs
		return err
	}
	part := styleNone
	if c.Context > 0 {
		part = styleBold
	}
	e.outScreen().line(plain(d.Text[before:at.start]), span{d.Text[at.start:at.end], part}, plain(strings.TrimSuffix(d.Text[at.end:after], "\n")))
	return nil
}

// checkRange refuses a range that isn't one of the document's text.
func checkRange(d assay.Document, at byteRange) error {
	switch {
	case at.end > len(d.Text):
		return misusef("the document may have changed since the citation was made: ask again",
			"show: %s has %d bytes; %d:%d goes beyond them", d.ID, len(d.Text), at.start, at.end)
	case !startsRune(d.Text, at.start) || !startsRune(d.Text, at.end):
		return misusef("the document may have changed since the citation was made: ask again",
			"show: %d:%d cuts a character of %s in two", at.start, at.end, d.ID)
	}
	return nil
}

func startsRune(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// surrounding widens a range to whole lines and n more on each side; with n = 0
// not at all.
func surrounding(text string, at byteRange, n int) (start, end int) {
	start, end = at.start, at.end
	if n == 0 {
		return start, end
	}
	start = strings.LastIndexByte(text[:start], '\n') + 1
	for range n {
		start = strings.LastIndexByte(text[:max(start-1, 0)], '\n') + 1
	}
	whole := end > 0 && text[end-1] == '\n' // the range ends with its line
	for i := 0; i <= n && end < len(text); i++ {
		if i == 0 && whole {
			continue
		}
		line := strings.IndexByte(text[end:], '\n') + 1
		if line == 0 {
			line = len(text) - end
		}
		end += line
	}
	return start, end
}
