package ingest

import (
	"strings"
	"unicode/utf8"

	"github.com/assay-rag/assay/text"
)

// cut is a part of a document's text that a passage takes whole: a block, or,
// where that is too large, a sentence, an item, a row or a line of it.
type cut struct {
	start, end int
	tokens     int
	// prose is set for what has sentences, of which the last may be repeated at
	// the beginning of the next passage.
	prose bool
	// glued is set for what belongs to the cut after it: a heading, the line that
	// announces a list.
	glued bool
	// header is the header row of the table that this is a later part of.
	header string
}

// section is a heading with what stands below it up to the next.
type section struct {
	path   []string // the heading's own text last
	cuts   []cut
	tokens int
}

// tile makes blocks of a text that are in order, don't overlap, begin and end
// between letters, and leave nothing out: what none covers becomes paragraphs.
func tile(s string, blocks []Block) []Block {
	out := make([]Block, 0, len(blocks))
	at := 0
	for _, b := range blocks {
		b.Start, b.End = onLetter(s, max(b.Start, at)), onLetter(s, min(b.End, len(s)))
		if b.Start >= b.End || b.Kind > Code {
			continue
		}
		if b.Start, b.End = trim(s, b.Start, b.End); b.Start == b.End {
			continue
		}
		out = appendGap(out, s, at, b.Start)
		out = append(out, b)
		at = b.End
	}
	return appendGap(out, s, at, len(s))
}

func onLetter(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// appendGap adds the paragraphs of s[start:end].
func appendGap(out []Block, s string, start, end int) []Block {
	for start < end {
		stop := end
		if i := strings.Index(s[start:end], "\n\n"); i >= 0 {
			stop = start + i + 2
		}
		if from, to := trim(s, start, stop); from < to {
			out = append(out, Block{Kind: Paragraph, Start: from, End: to})
		}
		start = stop
	}
	return out
}

// trim narrows a span to what is in it without white space around.
func trim(s string, start, end int) (int, int) {
	part := strings.TrimRight(s[start:end], " \t\n\r\v\f\u0085\u00a0\u2028\u2029\u3000")
	end = start + len(part)
	return end - len(strings.TrimLeft(part, " \t\n\r\v\f\u0085\u00a0\u2028\u2029\u3000")), end
}

// sections groups the cuts of a text under its headings.
func sections(s string, blocks []Block) []section {
	out := []section{{}}
	var levels []int
	var path []string
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		if b.Kind == Heading {
			for len(levels) > 0 && levels[len(levels)-1] >= b.Level {
				levels, path = levels[:len(levels)-1], path[:len(path)-1]
			}
			levels = append(levels, b.Level)
			path = append(path[:len(path):len(path)], headingText(cutAt(s[b.Start:b.End], maxHeading)))
			out = append(out, section{path: path})
		}
		current := &out[len(out)-1]
		from := len(current.cuts)
		if b.Kind == Item {
			last := i
			for last+1 < len(blocks) && blocks[last+1].Kind == Item {
				last++
			}
			current.cuts = appendList(current.cuts, s, blocks[i:last+1])
			i = last
		} else {
			current.cuts = appendBlock(current.cuts, s, b)
		}
		for _, c := range current.cuts[from:] {
			current.tokens += c.tokens
		}
	}
	if len(out[0].cuts) == 0 {
		out = out[1:]
	}
	return out
}

// appendBlock adds the cuts of a block other than an item.
func appendBlock(cuts []cut, s string, b Block) []cut {
	switch b.Kind {
	case Heading:
		from := len(cuts)
		cuts = appendProse(cuts, s, b.Start, b.End)
		for i := from; i < len(cuts); i++ {
			cuts[i].glued, cuts[i].prose = true, false
		}
		return cuts
	case Table:
		return appendTable(cuts, s, b)
	case Code:
		if whole, ok := wholeCut(s, b.Start, b.End); ok {
			return append(cuts, whole)
		}
		return appendRows(cuts, s, b.Start, b.End, "")
	}
	from := len(cuts)
	cuts = appendProse(cuts, s, b.Start, b.End)
	if n := len(cuts) - 1; n == from && cuts[n].tokens <= maxIntroduction && s[cuts[n].end-1] == ':' {
		cuts[n].glued = true
	}
	return cuts
}

// wholeCut returns a span as one cut, if it fits in a passage.
func wholeCut(s string, start, end int) (cut, bool) {
	if end-start > wholeTokens*16 {
		return cut{}, false
	}
	n := text.Tokens(s[start:end])
	return cut{start: start, end: end, tokens: n}, n <= wholeTokens
}

// appendList adds a list whole, or else its items.
func appendList(cuts []cut, s string, items []Block) []cut {
	if whole, ok := wholeCut(s, items[0].Start, items[len(items)-1].End); ok {
		return append(cuts, whole)
	}
	for _, b := range items {
		from := len(cuts)
		cuts = appendProse(cuts, s, b.Start, b.End)
		if len(cuts) == from+1 {
			cuts[from].prose = false
		}
	}
	return cuts
}

// appendTable adds a table whole, or else its rows, of which the first stays
// with its delimiter and is the header that the others carry.
func appendTable(cuts []cut, s string, b Block) []cut {
	if whole, ok := wholeCut(s, b.Start, b.End); ok {
		return append(cuts, whole)
	}
	table := s[b.Start:b.End]
	first, rest, _ := strings.Cut(table, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	if !delimiterRow(cutAt(second, maxHeading)) || len(first) > maxHeading {
		return appendRows(cuts, s, b.Start, b.End, "")
	}
	end := b.Start + len(first) + 1 + len(second)
	cuts = append(cuts, cut{start: b.Start, end: end, tokens: text.Tokens(s[b.Start:end]), glued: true})
	return appendRows(cuts, s, end, b.End, strings.Trim(first, "| "))
}

// appendRows adds the lines of a span.
func appendRows(cuts []cut, s string, start, end int, header string) []cut {
	for start < end {
		stop := end
		if i := strings.IndexByte(s[start:end], '\n'); i >= 0 {
			stop = start + i + 1
		}
		from := len(cuts)
		cuts = appendProse(cuts, s, start, stop)
		for i := from; i < len(cuts); i++ {
			cuts[i].header, cuts[i].prose = header, false
		}
		start = stop
	}
	return cuts
}

// appendProse adds a span whole if it fits, else sentence by sentence. A very
// long one is looked at a window at a time.
func appendProse(cuts []cut, s string, start, end int) []cut {
	start, end = trim(s, start, end)
	if start == end {
		return cuts
	}
	if end-start <= maxTokens*16 {
		if n := text.Tokens(s[start:end]); n <= maxTokens {
			return append(cuts, cut{start: start, end: end, tokens: n, prose: true})
		}
	}
	for start < end {
		stop := end
		if stop-start > window {
			stop = breakBefore(s, start, start+window)
		}
		cuts = appendSentences(cuts, s, start, stop)
		start = stop
	}
	return cuts
}

// appendSentences adds the sentences of a span. Each reaches to where the next
// begins, so that nothing is between them.
func appendSentences(cuts []cut, s string, start, end int) []cut {
	from := start
	spans := text.Sentences(s[start:end])
	for i := range spans {
		to := end
		if i+1 < len(spans) {
			to = onLetter(s, start+spans[i+1].Start)
		}
		cuts = appendPieces(cuts, s, from, to)
		from = max(from, to)
	}
	return appendPieces(cuts, s, from, end)
}

// appendPieces adds a span as one cut, halved until each fits.
func appendPieces(cuts []cut, s string, start, end int) []cut {
	if start >= end {
		return cuts
	}
	if start, end = trim(s, start, end); start == end {
		return cuts
	}
	n := text.Tokens(s[start:end])
	if n <= maxTokens || end-start <= utf8.UTFMax {
		return append(cuts, cut{start: start, end: end, tokens: n, prose: true})
	}
	middle := breakBefore(s, start, start+(end-start)/2)
	return appendPieces(appendPieces(cuts, s, start, middle), s, middle, end)
}

// breakBefore returns the last place to cut s[start:at]: after white space or
// punctuation if there is some in the last part of it, else between two letters.
func breakBefore(s string, start, at int) int {
	at = onLetter(s, at)
	low := max(start+1, at-(at-start)/2)
	if i := strings.LastIndexAny(s[low:at], " \t\n"); i >= 0 {
		return low + i + 1
	}
	if i := strings.LastIndexAny(s[low:at], ",;.!?、。，；！？"); i >= 0 {
		_, n := utf8.DecodeRuneInString(s[low+i:])
		return low + i + n
	}
	if at <= start {
		_, n := utf8.DecodeRuneInString(s[start:])
		return start + n
	}
	return at
}
