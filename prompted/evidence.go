package prompted

import (
	"strconv"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// block is a passage as a prompt shows it: a line of what is known of it, and below
// it those of its strips that matter.
type block struct {
	passage *assay.Passage
	strips  []assay.Strip
}

// blocksOf cuts passages into their strips.
func blocksOf(passages []assay.Passage) []block {
	out := make([]block, len(passages))
	for i := range passages {
		out[i] = block{&passages[i], assay.StripsOf(passages[i])}
	}
	return out
}

// grouped puts strips that follow each other in the same passage together. Their
// order stays.
func grouped(strips []assay.Strip) []block {
	var out []block
	for i := range strips {
		p := &strips[i].Passage
		if n := len(out); n > 0 && samePassage(out[n-1].passage, p) {
			first := i - len(out[n-1].strips)
			out[n-1].strips = strips[first : i+1]
			continue
		}
		out = append(out, block{p, strips[i : i+1]})
	}
	return out
}

func samePassage(a, b *assay.Passage) bool {
	return a.Document == b.Document && a.Start == b.Start && a.End == b.End && a.Origin == b.Origin
}

// evidence lists blocks for a prompt, their strips numbered from 1 over the whole
// list, and nothing else: a small model takes one kind of number for another.
//
//	PASSAGE | Handbook › Leave › Parental leave | 2025-06-15
//	[1] Parental leave is 26 weeks.
//	# Part-time staff
//	[2] | weeks | days |
//	    | 26 | 130 |
//
// Each line begins with something of ours, whatever the passages hold: no document
// can begin another passage or a sentence of another number, nor end the list.
func evidence(blocks []block) string {
	var b strings.Builder
	size := 0
	for _, bl := range blocks {
		size += 100 + len(bl.passage.Text) + 8*len(bl.strips)
	}
	b.Grow(size)
	n := 0
	for _, bl := range blocks {
		b.WriteString("PASSAGE")
		for _, part := range known(bl.passage) {
			b.WriteString(" | ")
			b.WriteString(part)
		}
		b.WriteByte('\n')
		above := bl.passage.Start
		for _, s := range bl.strips {
			n++
			if heading := headingBetween(bl.passage, above, s.Start); heading != "" {
				b.WriteString("# ")
				b.WriteString(heading)
				b.WriteByte('\n')
			}
			above = s.End
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(n))
			b.WriteString("] ")
			b.WriteString(shown(s.Text))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// known is what is known of a passage: where it stands, its date and its version.
func known(p *assay.Passage) []string {
	var out []string
	place := append([]string{p.Title}, p.Heading...)
	if len(p.Heading) > 0 && p.Heading[0] == p.Title {
		place = place[1:]
	}
	if s := oneLine(inert(strings.Join(place, " › ")), 300); s != "" {
		out = append(out, s)
	}
	if d := p.StatedDate(); !d.IsZero() {
		out = append(out, d.Format("2006-01-02"))
	}
	if p.Version != "" {
		out = append(out, "version "+oneLine(inert(p.Version), 40))
	}
	return out
}

// headingBetween is the heading within a passage that stands right above the strip
// that begins at start, where the text from above to there ends with one.
func headingBetween(p *assay.Passage, above, start int) string {
	above, start = above-p.Start, start-p.Start
	if !(0 <= above && above < start && start <= len(p.Text)) {
		return ""
	}
	gap := strings.TrimSpace(p.Text[above:start])
	line := gap[strings.LastIndexByte(gap, '\n')+1:]
	if !strings.HasPrefix(line, "#") {
		return ""
	}
	return oneLine(inert(strings.TrimLeft(line, "# ")), 200)
}

// shown is a text with its lines after the first indented; all on one line, unless it
// is a table or code, whose lines mean something.
func shown(s string) string {
	s = inert(s)
	if !strings.Contains(s, "\n") {
		return s
	}
	if strings.HasPrefix(s, "|") || text.Fence(s) != "" {
		return indented(s)
	}
	return strings.Join(strings.Fields(s), " ")
}

// indented is a text with its lines after the first indented, so that none begins as
// ours do.
func indented(s string) string {
	return strings.ReplaceAll(inert(s), "\n", "\n    ")
}

// oneLine is a text on one line, of at most so many bytes.
func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(withoutUnseen(s)), " ")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
