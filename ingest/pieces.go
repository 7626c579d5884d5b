package ingest

import (
	"strings"
	"unicode/utf8"
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

// tile hands out the blocks of a text so that they are in order, don't overlap,
// begin and end between letters, and leave nothing out: what none covers becomes
// paragraphs.
func tile(s string, blocks []Block, take func(Block)) {
	at := 0
	for _, b := range blocks {
		b.Start, b.End = onLetter(s, max(b.Start, at)), onLetter(s, min(b.End, len(s)))
		if b.Start >= b.End || b.Kind > Code {
			continue
		}
		if b.Start, b.End = trim(s, b.Start, b.End); b.Start == b.End {
			continue
		}
		tileGap(s, at, b.Start, take)
		take(b)
		at = b.End
	}
	tileGap(s, at, len(s), take)
}

func onLetter(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// tileGap hands out the paragraphs of s[start:end].
func tileGap(s string, start, end int, take func(Block)) {
	for start < end {
		stop := end
		if i := strings.Index(s[start:end], "\n\n"); i >= 0 {
			stop = start + i + 2
		}
		if from, to := trim(s, start, stop); from < to {
			take(Block{Kind: Paragraph, Start: from, End: to})
		}
		start = stop
	}
}

// trim narrows a span to what is in it without white space around.
func trim(s string, start, end int) (int, int) {
	part := strings.TrimRight(s[start:end], " \t\n\r\v\f\u0085\u00a0\u2028\u2029\u3000")
	end = start + len(part)
	return end - len(strings.TrimLeft(part, " \t\n\r\v\f\u0085\u00a0\u2028\u2029\u3000")), end
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
