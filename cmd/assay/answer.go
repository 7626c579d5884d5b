package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/assay-rag/assay"
)

// citationMark is a mark in an answer that points to a source.
var citationMark = regexp.MustCompile(`\[\d+\]`)

// answerView writes an answer for a person.
type answerView struct {
	*screen
	source source // what the hints to assay show must name again
}

func (v answerView) write(a *assay.Answer) {
	if a.Outcome == assay.Abstained {
		v.abstention(a)
	} else {
		v.line(v.marked(a.Text)...)
		v.sources(a.Citations)
		v.reasons(a)
	}
	v.line()
	v.status(a)
}

// marked lets the [n] in a text stand out.
func (v answerView) marked(text string) []span {
	var spans []span
	at := 0
	for _, m := range citationMark.FindAllStringIndex(text, -1) {
		spans = append(spans, plain(text[at:m[0]]), cyan(text[m[0]:m[1]]))
		at = m[1]
	}
	return append(spans, plain(text[at:]))
}

// sources lists what the answer cites, a place once.
func (v answerView) sources(citations []assay.Citation) {
	for i, group := range byPlace(citations) {
		if i == 0 {
			v.line()
			v.line(bold("Sources"))
		}
		first, start, end := group[0], group[0].Start, group[0].End
		var numbers strings.Builder
		for _, c := range group {
			fmt.Fprintf(&numbers, " [%d]", c.N)
			start, end = min(start, c.Start), max(end, c.End)
		}
		spans := append([]span{cyan(" " + numbers.String()), plain(" ")}, place(first.Title, first.Heading, first.Document, first.Date)...)
		if first.Origin != assay.OriginIndex {
			spans = append(spans, dimf(" (%s)", originName(first.Origin)))
		}
		v.indented("      ", spans...)
		if first.Origin == assay.OriginIndex {
			v.hint(first.Document, start, end)
		}
	}
}

// byPlace gathers the citations that stand under the same heading of the same
// document, in the order of the first of each.
func byPlace(citations []assay.Citation) (groups [][]assay.Citation) {
	type where struct {
		document, heading string
		origin            assay.Origin
	}
	at := map[where]int{}
	for _, c := range citations {
		key := where{c.Document, c.Heading, c.Origin}
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

func originName(o assay.Origin) string {
	if o == assay.OriginPasted {
		return "from your own text"
	}
	return "from the " + string(o)
}

// place is where a text stands: title › heading — document, date.
func place(title, heading, document, date string) []span {
	title, heading = cleanLine(title), cleanLine(heading)
	switch {
	case heading == title || strings.HasPrefix(heading, title+" › "):
		title, heading = heading, ""
	case heading != "":
		heading = " › " + heading
	}
	tail := " — " + cleanLine(document)
	if date != "" {
		tail += ", " + date
	}
	return []span{plain(title + heading), dim(tail)}
}

// hint writes the command that prints a cited text, unwrapped, to be copied.
func (v answerView) hint(document string, start, end int) {
	whole := screen{v.w, 0, v.colour}
	whole.line(dimf("      assay show %s--at %d:%d %s", v.source.flags(), start, end, quoted(document)))
}

// reasons say what keeps an answer from being complete.
func (v answerView) reasons(a *assay.Answer) {
	if len(a.Reasons) == 0 {
		return
	}
	v.line()
	for _, r := range a.Reasons {
		v.indented("      ", span{"Note: ", styleYellow}, plain(cleanLine(r.Text)))
	}
}

// nearestShown is how many passages an abstention points to.
const nearestShown = 3

// abstention says that there is no answer, why, and where to look.
func (v answerView) abstention(a *assay.Answer) {
	v.line(bold(a.Text))
	if len(a.Reasons) > 0 {
		v.line()
	}
	for _, r := range a.Reasons {
		v.indented("     ", span{"Why: ", styleYellow}, plain(cleanLine(r.Text)))
	}
	if len(a.Passages) == 0 {
		return
	}
	v.line()
	v.line(bold("Nearest passages"))
	for _, p := range a.Passages[:min(nearestShown, len(a.Passages))] {
		v.indented("        ", append([]span{plainf("  %s  ", grade(p.Score))}, place(p.Title, p.Heading, p.Document, p.Date)...)...)
		if p.Origin == assay.OriginIndex {
			v.hint(p.Document, p.Start, p.End)
		}
	}
}

// grade is a passage's score in four columns.
func grade(score *float64) string {
	if score == nil {
		return "   –"
	}
	return fmt.Sprintf("%.2f", *score)
}

// status is the one line that labels the answer.
func (v answerView) status(a *assay.Answer) {
	look := map[assay.Outcome]style{assay.Answered: styleGreen, assay.Partial: styleYellow, assay.Abstained: styleRed}
	rest := []string{"", "verdict " + string(a.Verdict)}
	if a.Grounded != nil {
		word := "not grounded"
		if *a.Grounded {
			word = "grounded"
		}
		rest = append(rest, word)
	}
	if a.Outcome != assay.Abstained {
		rest = append(rest, fmt.Sprintf("confidence %.2f", a.Confidence))
		if a.Useful > 0 {
			rest = append(rest, fmt.Sprintf("useful %d/5", a.Useful))
		}
	}
	rest = append(rest, took(a.Usage.Elapsed))
	v.line(span{string(a.Outcome), look[a.Outcome]}, dim(strings.Join(rest, " · ")))
}

// took is a time in milliseconds for a person.
func took(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d < 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
