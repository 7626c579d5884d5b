package evaluator

import (
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// introduction is the sentence in the passage that introduces the list in which
// the strip is an item ("The warranty does not cover:"), or "". An item may mean
// the opposite without it.
func introduction(s assay.Strip) string {
	from := s.Start - s.Passage.Start
	if from <= 0 || from > len(s.Passage.Text) {
		return ""
	}
	lines := strings.Split(s.Passage.Text[:from], "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		indented := strings.HasPrefix(lines[i], "  ") || strings.HasPrefix(lines[i], "\t")
		if line == "" || listed(line) || (indented && !strings.HasSuffix(line, ":")) {
			continue
		}
		if strings.HasSuffix(line, ":") || strings.HasSuffix(line, ":**") {
			return line
		}
		return ""
	}
	return ""
}

// fragment tells whether an item is neither a sentence nor of the form "Name:
// value", and so means nothing without what introduces it.
func fragment(item string) bool {
	if strings.Contains(item, ": ") {
		return false
	}
	item = strings.TrimRight(item, " \t\n*_`\"”’)")
	return item == "" || !strings.ContainsAny(item[len(item)-1:], ".!")
}

// orphan is the part of its grade that a fragment keeps whose introduction is not
// among the evidence: a judgement.
const orphan = 0.7

// withoutIntroduction lowers the items that can't be read alone: those whose
// introduction is missing, and, but for lists asked for, those that have none
// but a heading, which may say the opposite ("What isn't covered").
func withoutIntroduction(q *question, candidates []candidate) {
	present := map[string]bool{}
	for i := range candidates {
		if c := &candidates[i]; c.form == leadInForm {
			present[c.Passage.Document+"\n"+strings.TrimSpace(c.Text)] = true
		}
	}
	several := q.kind == kindHowTo || q.kind == kindList
	for i := range candidates {
		c := &candidates[i]
		if c.form != itemForm || !fragment(c.Text) {
			continue
		}
		if missing := c.intro != "" && !present[c.Passage.Document+"\n"+c.intro]; missing || (c.intro == "" && !several) {
			c.score *= orphan
		}
	}
}

// follows tells whether b stands directly after a in the same document.
func follows(a, b *candidate) bool {
	const gap = 6 // white space, and the mark of a list item
	return a.Passage.Document == b.Passage.Document && a.Passage.Origin == b.Passage.Origin &&
		b.Start >= a.End && b.Start-a.End <= gap
}

// complete adds what the chosen strips can't be read without, where the evidence
// has it: the sentence that introduces a list, the other items of steps or
// lists asked for, the code that an instruction ends in, and the sentence that
// "it" refers to.
func (s *selection) complete() {
	several := s.q.kind == kindHowTo || s.q.kind == kindList
	for i := range s.candidates {
		if c := &s.candidates[i]; !c.chosen || c.support {
			continue
		}
		s.completeBefore(i, several)
		if several || s.candidates[i].form == leadInForm {
			s.completeAfter(i)
		}
	}
	for i := range s.candidates { // a lead-in without what it introduces says nothing
		if c := &s.candidates[i]; c.form == leadInForm && c.chosen && bare(c.Text) && !s.leadsTo(i) {
			c.chosen = false
		}
	}
}

// bare tells whether a lead-in says nothing but that something follows: "The
// levels are:", unlike "The default is notice, but there are other levels:".
func bare(leadIn string) bool {
	const enoughWords = 9 // a judgement
	return len(text.Words(leadIn)) < enoughWords
}

// completeBefore goes back from a chosen strip: over the items of its list where
// all are wanted, to the sentence that introduces it.
func (s *selection) completeBefore(i int, several bool) {
	c := &s.candidates[i]
	first := i
	if c.form == itemForm {
		for first > 0 && s.candidates[first-1].form == itemForm && follows(&s.candidates[first-1], &s.candidates[first]) {
			first--
		}
	}
	if first > 0 {
		before := &s.candidates[first-1]
		near := follows(before, &s.candidates[first])
		introduces := before.form == leadInForm
		refers := before.form == sentenceForm && c.form == sentenceForm && refersBack(c.Text)
		if near && !before.chosen && (introduces || refers) {
			before.chosen, before.support = true, true
		}
	}
	if several {
		for ; first < i; first++ {
			s.addSupport(first)
		}
	}
}

// leadsTo tells whether something that the lead-in at i introduces is chosen: what
// follows it, or any item of the list that follows.
func (s *selection) leadsTo(i int) bool {
	for next := i + 1; next < len(s.candidates) && follows(&s.candidates[next-1], &s.candidates[next]); next++ {
		if s.candidates[next].chosen {
			return true
		}
		if s.candidates[next].form != itemForm {
			return false
		}
	}
	return false
}

// longestList is how many items of a list are shown after the one chosen, at
// most: as many as the engine keeps of one.
const longestList = 12

// completeAfter goes on from a chosen item or lead-in, over the items of the
// list or the table or code that follows.
func (s *selection) completeAfter(i int) {
	if f := s.candidates[i].form; f != itemForm && f != leadInForm {
		return
	}
	for next := i + 1; next < len(s.candidates) && next-i < longestList; next++ {
		f := s.candidates[next].form
		if !follows(&s.candidates[next-1], &s.candidates[next]) {
			return
		}
		if f == tableForm || f == codeForm || (f == sentenceForm && next == i+1) {
			s.addSupport(next)
			return
		}
		if f != itemForm {
			return
		}
		s.addSupport(next)
	}
}

func (s *selection) addSupport(i int) {
	if c := &s.candidates[i]; !c.chosen {
		c.chosen, c.support = true, true
	}
}

// refersBack tells whether a sentence begins with a word that needs the sentence
// before it.
func refersBack(s string) bool {
	words := text.Words(s)
	return len(words) > 0 && backward[text.Fold(words[0].Of(s))]
}

var backward = set("it its they their them this these that those he she his her such however therefore otherwise both neither " +
	"also then instead similarly additionally er sie es dies diese dieser il elle ils elles cela ceci")
