package adversary

import (
	"fmt"
	"strings"

	"github.com/assay-rag/assay"
)

// plainly tells whether the documents say a fact without a doubt: once, or always
// the same, and in no document that another has replaced.
func (m *maker) plainly(i int) bool {
	return !m.past[m.sections[m.facts[i].section].doc] && !m.disputed(i) && !m.saidOtherwise(i)
}

// saidShare is the share of a question's terms from which a sentence or a row is
// taken to be about the same. A judgement, on the safe side.
const saidShare = 0.6

// saidOtherwise tells whether there may be another answer that no fact was made
// of: a sentence or a row elsewhere on the same, with another value of the kind.
func (m *maker) saidOtherwise(i int) bool {
	f := m.facts[i]
	wanted := stems(f.question())
	for _, n := range m.sectionsOf(wanted) {
		s := m.sections[n]
		around := stems(m.docs[s.doc].Title + " " + strings.Join(s.heading, " "))
		for _, u := range s.units {
			p := m.place(s, u)
			if p.Document == f.place.Document && p.Start == f.place.Start {
				continue
			}
			if share(wanted, append(stems(p.Text), around...)) < saidShare || share(wanted, stems(p.Text)) == 0 {
				continue
			}
			for _, v := range values(p.Text) {
				if comparable(v.measure, f.value.measure) && v.text != f.value.text && v.brief() != f.value.brief() {
					return true
				}
			}
		}
	}
	return false
}

func comparable(a, b measure) bool {
	return a == b || a == number && b == count || a == count && b == number
}

// sectionsOf are the sections with at least half of the terms, headings above them
// and titles left out of account, or with one of two or three.
func (m *maker) sectionsOf(terms []string) []int {
	hits := map[int]int{}
	for _, t := range terms {
		for _, i := range m.where[t] {
			hits[i]++
		}
	}
	var out []int
	for i, n := range hits {
		if 3*n >= len(terms) {
			out = append(out, i)
		}
	}
	return out
}

// control asks plainly for what a document says and no other contradicts.
func (m *maker) control() []Case {
	var out []Case
	for i, f := range m.facts {
		if !m.plain[i] {
			continue
		}
		out = append(out, Case{
			Question: f.question(), Expect: assay.Answered,
			Answer: f.value.text, MustContain: []string{f.value.brief()}, Places: []Place{f.place},
			Why: fmt.Sprintf("%s says so: %s.", f.place, f.value.text),
		})
	}
	return out
}

// disputed tells whether a fact is said otherwise elsewhere, or of several things
// in the same words.
func (m *maker) disputed(i int) bool {
	for _, r := range m.rivals {
		if r.a == i || r.b == i {
			return true
		}
	}
	return m.unclear[m.facts[i].section] && m.facts[i].table || len(m.namesakes(i)) > 0
}

// namesakes are the facts that answer the same question differently.
func (m *maker) namesakes(i int) []int {
	var out []int
	for _, j := range m.asking[m.facts[i].question()] {
		if m.facts[j].value.text != m.facts[i].value.text {
			out = append(out, j)
		}
	}
	return out
}
