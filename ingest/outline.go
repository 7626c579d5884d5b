package ingest

import (
	"strings"
	"unicode/utf8"

	"github.com/assay-rag/assay/text"
)

// maxCuts is how many cuts of a section are held at a time. A larger section
// is handed out in parts, so that memory doesn't grow with it.
const maxCuts = 4096

// section is a heading with what stands below it up to the next.
type section struct {
	path   []string // the heading's own text last
	cuts   []cut
	tokens int
}

// outline groups the cuts of a text under its headings. It takes the text's
// blocks in order and hands each section to take when the next one begins.
type outline struct {
	s    string
	take func(section)

	section
	levels []int   // of the headings in path
	items  []Block // of the present list, while it may fit in a passage
	cutUp  bool    // the present list doesn't
}

// block takes the next block.
func (o *outline) block(b Block) {
	if b.Kind == Item {
		o.item(b)
		return
	}
	o.endList()
	switch b.Kind {
	case Heading:
		o.heading(b)
	case Table:
		o.table(b)
	case Code:
		if !o.whole(b.Start, b.End) {
			o.rows(b.Start, b.End, "")
		}
	default:
		o.paragraph(b.Start, b.End)
	}
}

// end hands out what is left.
func (o *outline) end() {
	o.endList()
	o.flush()
}

// flush hands out the cuts so far; more may follow below the same heading.
func (o *outline) flush() {
	if len(o.cuts) > 0 {
		o.take(o.section)
	}
	o.section = section{path: o.path}
}

func (o *outline) add(c cut) {
	o.cuts = append(o.cuts, c)
	if o.tokens += c.tokens; len(o.cuts) >= maxCuts {
		o.flush()
	}
}

func (o *outline) heading(b Block) {
	o.flush()
	for len(o.levels) > 0 && o.levels[len(o.levels)-1] >= b.Level {
		o.levels, o.path = o.levels[:len(o.levels)-1], o.path[:len(o.path)-1]
	}
	o.levels = append(o.levels, b.Level)
	o.path = append(o.path[:len(o.path):len(o.path)], headingText(cutAt(o.s[b.Start:b.End], maxHeading)))
	o.prose(b.Start, b.End, cut{glued: true})
}

// paragraph adds a paragraph; a short one that ends in a colon belongs to what
// it announces.
func (o *outline) paragraph(start, end int) {
	like := cut{prose: true}
	if o.s[end-1] == ':' && end-start <= maxIntroduction*16 {
		like.glued = text.Tokens(o.s[start:end]) <= maxIntroduction
	}
	o.prose(start, end, like)
}

// item takes an item of a list. The list is added whole if it fits in a passage,
// else item by item.
func (o *outline) item(b Block) {
	o.items = append(o.items, b)
	if !o.cutUp && b.End-o.items[0].Start <= wholeTokens*16 {
		return
	}
	o.cutUp = true
	o.singly()
}

func (o *outline) endList() {
	if n := len(o.items); n > 0 && !o.whole(o.items[0].Start, o.items[n-1].End) {
		o.singly()
	}
	o.items, o.cutUp = o.items[:0], false
}

// singly adds the items gathered, one by one.
func (o *outline) singly() {
	for _, b := range o.items {
		if n, ok := fits(o.s, b.Start, b.End, maxTokens); ok {
			o.add(cut{start: b.Start, end: b.End, tokens: n})
		} else {
			o.prose(b.Start, b.End, cut{prose: true})
		}
	}
	o.items = o.items[:0]
}

// fits counts the tokens of a span, if they are no more than most.
func fits(s string, start, end, most int) (int, bool) {
	if end-start > most*16 {
		return 0, false
	}
	n := text.Tokens(s[start:end])
	return n, n <= most
}

// whole adds a span as one cut, if it fits in a passage.
func (o *outline) whole(start, end int) bool {
	n, ok := fits(o.s, start, end, wholeTokens)
	if ok {
		o.add(cut{start: start, end: end, tokens: n})
	}
	return ok
}

// table adds a table whole, or else its rows, of which the first stays with its
// delimiter and is the header that the others carry.
func (o *outline) table(b Block) {
	if o.whole(b.Start, b.End) {
		return
	}
	first, rest, _ := strings.Cut(o.s[b.Start:b.End], "\n")
	second, _, _ := strings.Cut(rest, "\n")
	if !delimiterRow(cutAt(second, maxHeading)) || len(first) > maxHeading {
		o.rows(b.Start, b.End, "")
		return
	}
	end := b.Start + len(first) + 1 + len(second)
	o.add(cut{start: b.Start, end: end, tokens: text.Tokens(o.s[b.Start:end]), glued: true})
	o.rows(end, b.End, strings.Trim(first, "| "))
}

// rows adds the lines of a span.
func (o *outline) rows(start, end int, header string) {
	for start < end {
		stop := end
		if i := strings.IndexByte(o.s[start:end], '\n'); i >= 0 {
			stop = start + i + 1
		}
		o.prose(start, stop, cut{header: header})
		start = stop
	}
}

// prose adds a span whole if it fits, else sentence by sentence; the cuts are
// like the one given. A very long span is looked at a window at a time.
func (o *outline) prose(start, end int, like cut) {
	start, end = trim(o.s, start, end)
	if start == end {
		return
	}
	if n, ok := fits(o.s, start, end, maxTokens); ok {
		o.piece(start, end, n, like)
		return
	}
	for start < end {
		stop := end
		if stop-start > window {
			stop = breakBefore(o.s, start, start+window)
		}
		o.sentences(start, stop, like)
		start = stop
	}
}

// sentences adds the sentences of a span. Each reaches to where the next begins,
// so that nothing is between them.
func (o *outline) sentences(start, end int, like cut) {
	from := start
	spans := text.Sentences(o.s[start:end])
	for i := range spans {
		to := end
		if i+1 < len(spans) {
			to = onLetter(o.s, start+spans[i+1].Start)
		}
		o.pieces(from, to, like)
		from = max(from, to)
	}
	o.pieces(from, end, like)
}

// pieces adds a span as one cut, halved until each fits.
func (o *outline) pieces(start, end int, like cut) {
	if start >= end {
		return
	}
	if start, end = trim(o.s, start, end); start == end {
		return
	}
	n := text.Tokens(o.s[start:end])
	if n <= maxTokens || end-start <= utf8.UTFMax {
		o.piece(start, end, n, like)
		return
	}
	middle := breakBefore(o.s, start, start+(end-start)/2)
	o.pieces(start, middle, like)
	o.pieces(middle, end, like)
}

func (o *outline) piece(start, end, tokens int, like cut) {
	like.start, like.end, like.tokens = start, end, tokens
	o.add(like)
}
