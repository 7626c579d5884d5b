package adversary

import (
	"fmt"
	"maps"
	"slices"

	"github.com/assay-rag/assay"
)

// ambiguous asks for what several things have, in different documents, each its
// own, without saying which is meant.
func (m *maker) ambiguous() []Case {
	groups := map[string][]fact{}
	for _, f := range m.facts {
		if f.attribute != "" && !m.past[m.sections[f.section].doc] {
			key := f.attribute + " " + string(f.value.measure)
			groups[key] = append(groups[key], f)
		}
	}
	var out []Case
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		if one, two, ok := m.differing(groups[key]); ok {
			out = append(out, unclear("What is "+one.attribute+"?", one, two,
				fmt.Sprintf("It doesn't say of what: %s has %s for %s, and %s has %s for %s.", one.place, one.value.text, one.subject, two.place, two.value.text, two.subject)))
		}
	}
	for i, one := range m.facts {
		for _, j := range m.namesakes(i) {
			two := m.facts[j]
			if one.table && two.table && i < j && one.place.Document != two.place.Document && !m.same(one, two) {
				out = append(out, unclear(one.question(), one, two,
					fmt.Sprintf("Documents on different things both answer it: %s with %s, %s with %s.", one.place, one.value.text, two.place, two.value.text)))
			}
		}
	}
	return out
}

// unclear is a case with two readings: the answer should say so, or ask back.
func unclear(question string, one, two fact, why string) Case {
	return Case{
		Question: question, Expect: assay.Partial, AlsoOK: []assay.Outcome{assay.Abstained},
		Answer: fmt.Sprintf("It depends: %s by %s, %s by %s.", one.value.text, one.place, two.value.text, two.place),
		Places: []Place{one.place, two.place}, Why: why,
	}
}

// differing finds two facts of different documents, subjects and values.
func (m *maker) differing(facts []fact) (one, two fact, ok bool) {
	for i, f := range facts {
		for _, g := range facts[i+1:] {
			if f.place.Document != g.place.Document && f.subject != g.subject && f.value.text != g.value.text {
				return f, g, true
			}
		}
	}
	return one, two, false
}
