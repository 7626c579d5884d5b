package assay

import (
	"strings"
	"time"
)

// Document is one document as it was read: its text and what is known of it.
type Document struct {
	// ID names the document within its collection and is what a citation shows:
	// the name of the folder that was added and the path below it, with slashes.
	ID string
	// Title is the document's title, or its file name where it has none.
	Title string
	// Text is the readable text, valid UTF-8. All offsets are bytes into it.
	Text string
	// Language is an ISO 639-1 code, empty where it could not be told.
	Language string
	// Date is when the document was last true, as far as it says so itself (front
	// matter, HTML meta, file name), else its modification time, else zero.
	Date time.Time
	// DateFrom says where Date comes from.
	DateFrom DateFrom
	// Version is the version the document gives itself, or empty.
	Version string
	// Meta holds the document's other metadata, such as its front matter.
	Meta map[string]string
	// Stamp lets whoever added the document recognise it unchanged; opaque to
	// the store.
	Stamp string
}

// DateFrom says where the date of a document comes from.
type DateFrom string

// Where dates come from, the most trusted first. A modification time says when a
// file was written to this disk, not how old what it says is: nothing is stale by
// it.
const (
	DateFromDocument DateFrom = "document" // its front matter or its own words
	DateFromName     DateFrom = "name"     // its file name
	DateFromFile     DateFrom = "mtime"    // its modification time
)

// Origin says which side of the perimeter a passage comes from.
type Origin string

// The origins.
const (
	OriginIndex    Origin = "index"    // the documents of the user's own
	OriginFallback Origin = "fallback" // the fallback source
	OriginPasted   Origin = "pasted"   // text that came with the question
)

// Passage is a piece of a document, the unit of retrieval: Text is exactly
// bytes Start to End of the document's text.
type Passage struct {
	// Document, Title, Language, Date, DateFrom, Version and Meta are the
	// document's.
	Document string
	Title    string
	Language string
	Date     time.Time
	DateFrom DateFrom
	Version  string
	Meta     map[string]string
	// Heading is the path of headings above the passage, outermost first.
	Heading []string
	// Text is the passage itself.
	Text string
	// Start and End are byte offsets into the document's text.
	Start, End int
	// Copies are the IDs of other documents that hold the same passage, which was
	// found once for all of them.
	Copies []string
	// Origin is filled in by the engine.
	Origin Origin
	// Score is the retriever's own, on a scale of its own. It orders passages
	// and is never compared with a threshold.
	Score float64
}

// passageKey says where a passage or a strip stands, and so identifies it within a
// run; without an extent it identifies the document.
type passageKey struct {
	document   string
	start, end int
	origin     Origin
}

func (p Passage) key() passageKey { return passageKey{p.Document, p.Start, p.End, p.Origin} }

// StatedDate is the document's date as far as it states one, else zero.
func (p Passage) StatedDate() time.Time {
	if p.DateFrom == DateFromFile {
		return time.Time{}
	}
	return p.Date
}

// HeadingPath joins the headings for display: "Leave › Parental leave".
func (p Passage) HeadingPath() string { return strings.Join(p.Heading, " › ") }

// Strip is a piece of a passage, the unit of evidence: one sentence, list item,
// table or block of code (CRAG's knowledge strip, §4.4).
type Strip struct {
	// Passage is where the strip stands.
	Passage Passage
	// Text is exactly bytes Start to End of the document's text.
	Text       string
	Start, End int
	// Grade is the strip's own; the zero Grade where nothing was graded.
	Grade Grade
}

// after is what stands after the strip in its passage.
func (s Strip) after() string {
	if at := s.End - s.Passage.Start; 0 <= at && at <= len(s.Passage.Text) {
		return s.Passage.Text[at:]
	}
	return ""
}

func (s Strip) key() passageKey {
	return passageKey{s.Passage.Document, s.Start, s.End, s.Passage.Origin}
}
