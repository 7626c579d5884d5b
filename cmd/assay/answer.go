package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assay-rag/assay"
)

// citationMark is a mark in an answer that points to a source.
var citationMark = regexp.MustCompile(`\[\d+\]`)

// answerView writes an answer for a person.
type answerView struct {
	*screen
	source   source  // what the hints to assay show must name again
	fallback string  // the folder that was the fallback; empty: there was none
	models   *models // those that were asked; nil: none
}

func (v answerView) write(a *assay.Answer) { v.rest(a, "") }

// rest writes an answer of whose text the beginning stands there already.
func (v answerView) rest(a *assay.Answer, told string) {
	if a.Standalone != "" {
		v.line(dimf("taken to mean: %s", cleanLine(a.Standalone)))
	}
	if a.Outcome == assay.Abstained {
		v.abstention(a)
	} else {
		if left, ok := strings.CutPrefix(a.Text, told); ok {
			v.line(v.marked(left)...)
		} else {
			v.line(v.marked(a.Text)...)
		}
		v.sources(a.Citations)
		v.reasons(a)
	}
	v.line()
	if name := v.models.stoodIn(a); name != "" {
		v.line(dimf("answered by the second model %s", cleanLine(name)))
	}
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

// sources lists what the answer cites: a place once, and how to read what is
// cited there.
func (v answerView) sources(citations []assay.Citation) {
	for i, group := range byPlace(citations) {
		if i == 0 {
			v.line()
			v.line(bold("Sources"))
		}
		first := group[0]
		spans := append([]span{cyan("  " + numbers(group)), plain(" ")}, place(first.Title, first.Heading, first.Document, first.Date)...)
		if first.Origin != assay.OriginIndex {
			spans = append(spans, dimf(" (%s)", originName(first.Origin)))
		}
		v.indented("      ", spans...)
		cited := spread(group)
		for _, s := range cited[:min(len(cited), hintsShown)] {
			v.hint(first.Origin, first.Document, s.Start, s.End)
		}
		if len(cited) > hintsShown && first.Origin != assay.OriginPasted {
			v.line(dim("      …"))
		}
	}
}

// hintsShown is how many texts of one place are pointed to.
const hintsShown = 3

// numbers writes the numbers of citations, three or more in a row as a range.
func numbers(citations []assay.Citation) string {
	var ns []int
	for _, c := range citations {
		ns = append(ns, c.N)
	}
	slices.Sort(ns)
	var parts []string
	for len(ns) > 0 {
		n := 1
		for n < len(ns) && ns[n] == ns[0]+n {
			n++
		}
		if n < 3 {
			parts = append(parts, fmt.Sprintf("[%d]", ns[0]))
			ns = ns[1:]
			continue
		}
		parts = append(parts, fmt.Sprintf("[%d]–[%d]", ns[0], ns[n-1]))
		ns = ns[n:]
	}
	return strings.Join(parts, " ")
}

// neighbours is how far apart two cited texts may be, in bytes, to be shown as
// one.
const neighbours = 400

// spread joins the citations of a document that lie near to each other, and
// returns the texts that they then make, that of the lowest number first.
func spread(citations []assay.Citation) []assay.Citation {
	byStart := slices.SortedFunc(slices.Values(citations), func(a, b assay.Citation) int { return a.Start - b.Start })
	var out []assay.Citation
	for _, c := range byStart {
		if last := len(out) - 1; last >= 0 && c.Start-out[last].End <= neighbours {
			out[last].N, out[last].End = min(out[last].N, c.N), max(out[last].End, c.End)
		} else {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b assay.Citation) int { return a.N - b.N })
	return out
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

// hint writes the command that prints a cited text, unwrapped, to be copied. There
// is none for what is in no index, as the user's own text.
func (v answerView) hint(origin assay.Origin, document string, start, end int) {
	from := v.source
	switch {
	case origin == assay.OriginFallback && v.fallback != "":
		from = source{Docs: v.fallback}
	case origin != assay.OriginIndex:
		return
	}
	name := quoted(document)
	if strings.HasPrefix(document, "-") {
		name = "-- " + name // else it is taken for a flag
	}
	whole := screen{v.w, 0, v.colour}
	whole.line(dimf("      assay show %s--at %d:%d %s", from.flags(), start, end, name))
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
		v.hint(p.Origin, p.Document, p.Start, p.End)
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
	if a.Usage.Calls > 0 {
		rest = append(rest, fmt.Sprintf("%s, %s", count(a.Usage.Calls, "call"), money(a.Usage.Cost)))
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
