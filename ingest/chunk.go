package ingest

import (
	"slices"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// Sizes of passages, in tokens as text.Tokens estimates them.
const (
	minTokens       = 150 // below it, a section is joined with the next one
	maxTokens       = 300
	wholeTokens     = 400 // a list, a table or code up to this is kept whole
	hardTokens      = 512 // never exceeded
	overlapTokens   = 40
	tailTokens      = 60 // a last passage smaller than this joins the one before
	maxIntroduction = 60 // a line that announces what follows
)

// maxHeading bounds a heading in a passage's path, and a table's header, in
// bytes; window is how much of a paragraph is looked at together.
const (
	maxHeading = 300
	window     = 16 << 10
)

// Chunk cuts a document that Parse returned into passages; blocks that don't
// fit the text are mended, and without blocks the text is cut by blank lines.
//
// A heading begins a passage, except that sections too small to stand alone are
// joined with the next ones below the same parent until they hold 150 tokens. A
// passage holds at most 300, or 400 where that keeps a list, a table or code
// whole. Larger ones are cut between items, rows and lines, paragraphs between
// sentences; then the last sentence, up to 40 tokens, is repeated at the
// beginning of the next passage of the section. The bound for all is 512.
//
// The passages are in the order of the text and cover all of it but white space
// and stretches of 1 KiB and more that hold no words, such as base64 (see the
// package's tour); a text without any words has no passages. Heading is the path of headings above a passage, its own last; where
// sections were joined, what their paths have in common. The later parts of a
// table have its header row as the last heading: Text holds only what stands
// at Start, so this is how they keep the names of their columns.
func Chunk(doc assay.Document, blocks []Block) []assay.Passage {
	c := &chunker{doc: doc}
	o := &outline{s: doc.Text, take: c.take}
	tile(doc.Text, blocks, o.block)
	o.end()
	return c.end()
}

// joins tells whether the section after another is to share its passage: the
// first is no more than a heading, or it is small and the second is a sibling or
// below it, and small enough.
func joins(a, b section) bool {
	if onlyHeadings(a) {
		return true
	}
	if a.tokens >= minTokens || a.tokens+b.tokens > maxTokens {
		return false
	}
	common := commonPath(a.path, b.path)
	return len(common) >= len(a.path)-1 && len(common) >= len(b.path)-1
}

// onlyHeadings tells whether a section has no text of its own.
func onlyHeadings(a section) bool {
	for _, c := range a.cuts {
		if !c.glued || c.tokens > maxTokens/4 {
			return false
		}
	}
	return a.tokens <= maxTokens/2
}

// join appends the second section to the first. What is only a heading takes
// the path of the other.
func join(a, b section) section {
	path := commonPath(a.path, b.path)
	switch {
	case onlyHeadings(a):
		path = b.path
	case onlyHeadings(b):
		path = a.path
	}
	return section{path: path, cuts: append(a.cuts[:len(a.cuts):len(a.cuts)], b.cuts...), tokens: a.tokens + b.tokens}
}

func commonPath(a, b []string) []string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n:n]
}

// chunker makes passages of sections.
type chunker struct {
	doc    assay.Document
	out    []assay.Passage
	worded bool // some of the text is words

	joined, next section // the section to be cut, and the one after it
}

// take takes the next section; it is joined with the one before or cut when it
// is known whether it is the last.
func (c *chunker) take(s section) {
	c.advance(false)
	c.next = s
}

// end returns the passages.
func (c *chunker) end() []assay.Passage {
	c.advance(true)
	c.section(c.joined)
	if !c.worded {
		return nil
	}
	return c.out
}

// advance joins the next section with the one before it, or cuts that one.
func (c *chunker) advance(last bool) {
	switch {
	case len(c.next.cuts) == 0:
	case len(c.joined.cuts) == 0:
		c.joined = c.next
	case joins(c.joined, c.next) || last && onlyHeadings(c.next):
		c.joined = join(c.joined, c.next)
	default:
		c.section(c.joined)
		c.joined = c.next
	}
	c.next = section{}
}

// group is the cuts of one passage.
type group struct {
	cuts   []cut
	tokens int
}

// section cuts a section, without its wordless stretches.
func (c *chunker) section(s section) {
	from, junk := 0, 0 // of the cuts to be packed, and of the wordless ones at their end
	for i, k := range s.cuts {
		if wordless(c.doc.Text[k.start:k.end]) {
			continue
		}
		c.worded = true
		if junk < i && s.cuts[i-1].end-s.cuts[junk].start >= minWordless {
			c.packed(s.path, s.cuts[from:junk])
			from = i
		}
		junk = i + 1
	}
	if n := len(s.cuts); junk == n || s.cuts[n-1].end-s.cuts[junk].start < minWordless {
		junk = n
	}
	c.packed(s.path, s.cuts[from:junk])
}

// packed packs cuts that follow each other into passages.
func (c *chunker) packed(path []string, cuts []cut) {
	if len(cuts) == 0 {
		return
	}
	groups := pack(cuts)
	for i, g := range groups {
		start := g.cuts[0].start
		if i > 0 {
			start = c.overlap(groups[i-1], g)
		}
		below := path
		if h := g.cuts[0].header; h != "" {
			below = append(path[:len(path):len(path)], h)
		}
		c.passage(below, start, g.cuts[len(g.cuts)-1].end)
	}
}

// pack fills groups up to maxTokens. What is glued to the next cut goes with it.
func pack(cuts []cut) []group {
	var groups []group
	var g group
	for i := 0; i < len(cuts); {
		n, tokens := 1, cuts[i].tokens
		for i+n < len(cuts) && cuts[i+n-1].glued && tokens+cuts[i+n].tokens <= hardTokens-overlapTokens-8 {
			tokens += cuts[i+n].tokens
			n++
		}
		if len(g.cuts) > 0 && g.tokens+tokens > maxTokens {
			groups = append(groups, g)
			g = group{}
		}
		g.cuts = append(g.cuts, cuts[i:i+n]...)
		g.tokens += tokens
		i += n
	}
	if last := len(groups) - 1; last >= 0 && g.tokens < tailTokens && groups[last].tokens+g.tokens <= wholeTokens {
		groups[last].cuts = append(groups[last].cuts, g.cuts...)
		groups[last].tokens += g.tokens
		return groups
	}
	return append(groups, g)
}

// overlap returns where a group begins that follows another in its section: at
// the last sentence of the other, if that is prose and short.
func (c *chunker) overlap(before, g group) int {
	start := g.cuts[0].start
	last := before.cuts[len(before.cuts)-1]
	if !last.prose || last.glued || g.cuts[0].header != "" || g.tokens+overlapTokens > hardTokens-8 {
		return start
	}
	from := max(last.start, last.end-overlapTokens*8)
	from = onLetter(c.doc.Text, from)
	spans := text.Sentences(c.doc.Text[from:last.end])
	if len(spans) == 0 {
		return start
	}
	at := onLetter(c.doc.Text, from+spans[len(spans)-1].Start)
	if len(spans) == 1 && from > last.start || at <= before.cuts[0].start || text.Tokens(c.doc.Text[at:last.end]) > overlapTokens {
		return start
	}
	return at
}

// passage adds the passage of a span, in halves if the estimate of the whole is
// above the bound that the sum of its parts kept.
func (c *chunker) passage(path []string, start, end int) {
	s := c.doc.Text
	if start, end = trim(s, start, end); start >= end {
		return
	}
	if text.Tokens(s[start:end]) > hardTokens {
		if middle := breakBefore(s, start, start+(end-start)/2); middle > start && middle < end {
			c.passage(path, start, middle)
			c.passage(path, middle, end)
			return
		}
	}
	c.out = append(c.out, assay.Passage{
		Document: c.doc.ID, Title: c.doc.Title, Language: c.doc.Language, Date: c.doc.Date, DateFrom: c.doc.DateFrom, Version: c.doc.Version, Meta: c.doc.Meta,
		Heading: slices.Clone(path), Text: s[start:end], Start: start, End: end,
	})
}
