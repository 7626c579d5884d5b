package assay

import (
	"strings"

	"github.com/assay-rag/assay/text"
)

// maxWholeBlock is the longest table or block of code, in bytes, that stays one
// strip.
const maxWholeBlock = 1500

// StripsOf cuts a passage into strips: a sentence, a list item, a table or a
// block of code each (CRAG §4.4, by structure instead of by word count). A line
// that is only a heading is none: it stands in the passage's Heading.
func StripsOf(p Passage) []Strip {
	spans := stripSpans(p.Text)
	if len(spans) == 0 {
		return nil
	}
	out := make([]Strip, len(spans)) // at once: each holds a whole Passage
	for i, s := range spans {
		out[i] = p.strip(s)
	}
	return out
}

// strip is the strip at a place within the passage's text.
func (p Passage) strip(s text.Span) Strip {
	return Strip{Passage: p, Text: s.Of(p.Text), Start: p.Start + s.Start, End: p.Start + s.End}
}

// stripSpans are the places of the strips within a passage's text.
func stripSpans(s string) []text.Span {
	var out []text.Span
	cut := func(start, end int) {
		if raw := s[start:end]; strings.TrimSpace(raw) != "" {
			start += len(raw) - len(strings.TrimLeft(raw, " \t\r\n"))
			out = append(out, text.Span{Start: start, End: start + len(strings.TrimSpace(raw))})
		}
	}
	for _, b := range blocksOf(s) {
		block := b.Of(s)
		switch first := strings.TrimLeft(block, " \t"); {
		case text.IsHeading(first):
		case (text.Fence(first) != "" || strings.HasPrefix(first, "|")) && len(block) <= maxWholeBlock:
			cut(b.Start, b.End)
		default:
			for _, s := range text.Sentences(block) {
				cut(b.Start+s.Start, b.Start+s.End)
			}
		}
	}
	return out
}

// blocksOf cuts text at blank lines, but not within a fenced block of code, and
// sets a heading line apart.
func blocksOf(s string) []text.Span {
	var out []text.Span
	start, open := 0, "" // the fence that is open
	flush := func(end int) {
		if strings.TrimSpace(s[start:end]) != "" {
			out = append(out, text.Span{Start: start, End: end})
		}
		start = end
	}
	for at := 0; at < len(s); {
		end := len(s)
		if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := strings.TrimSpace(s[at:end])
		fence := text.Fence(line)
		switch {
		case fence != "" && open == "":
			flush(at)
			open = fence
		case fence != "" && fence == open:
			flush(end)
			open = ""
		case open != "":
		case line == "":
			flush(end)
		case text.IsHeading(line):
			flush(at)
			flush(end)
		}
		at = end
	}
	flush(len(s))
	return out
}
