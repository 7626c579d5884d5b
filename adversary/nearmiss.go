package adversary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
)

// coveredShare is the share of a question's terms from which a section that names
// the sibling may answer it. A judgement, on the safe side.
const coveredShare = 0.5

// nearMisses ask what a document says of one thing of another of its kind, of
// which no document says it.
func (m *maker) nearMisses() []Case {
	members := map[string][]string{} // of tables, by their kind
	for _, f := range m.facts {
		if f.kind != "" && !slices.Contains(members[f.kind], f.label) {
			members[f.kind] = append(members[f.kind], f.label)
		}
	}
	var out []Case
	for _, f := range m.facts {
		question := f.question()
		if f.value.measure == words {
			out = append(out, m.unlicensed(f)...)
			continue
		}
		if strings.Contains(question, " and ") || m.past[m.sections[f.section].doc] {
			continue
		}
		if name, other, ok := m.unknown(question); ok {
			out = append(out, m.nearMiss(f, name, other, "occurs nowhere"))
		}
		for _, name := range nameForm.FindAllString(question[1:], -1) {
			for _, other := range m.names.with[name] {
				if m.saysNothing(f, name, other) {
					out = append(out, m.nearMiss(f, name, other, "is only said other things of"))
					break
				}
			}
		}
		for _, other := range members[f.kind] {
			name := m.inside(f.label)
			if other := m.inside(other); other != name && strings.Contains(question, name) && m.saysNothing(f, name, other) {
				out = append(out, m.nearMiss(f, name, other, "is only said other things of"))
			}
		}
	}
	return out
}

// unlicensed ask for the licence of another product, of which no document says any.
func (m *maker) unlicensed(f fact) []Case {
	var out []Case
	for _, p := range m.products() {
		if strings.Contains(f.ask, "licence") && m.saysNothing(f, f.subject, p.name) {
			out = append(out, m.nearMiss(f, f.subject, p.name, "is only said other things of"))
		}
	}
	return out
}

func (m *maker) nearMiss(f fact, name, other, why string) Case {
	return Case{
		about:    other,
		Question: strings.Replace(f.question(), name, other, 1), Expect: assay.Abstained,
		MustNotContain: []string{f.value.text}, Places: []Place{f.place},
		Why: fmt.Sprintf("%s says it of %s (%s); %s %s.", f.place, name, f.value.text, other, why),
	}
}

// saysNothing tells whether no section that names the other could answer the
// question.
func (m *maker) saysNothing(f fact, name, other string) bool {
	question := f.question()
	if strings.Contains(question, other) || strings.Contains(name, other) || strings.Contains(other, name) {
		return false
	}
	var wanted []string
	ofName := stems(name)
	for _, t := range stems(question) {
		if share([]string{t}, ofName) == 0 {
			wanted = append(wanted, t)
		}
	}
	if len(wanted) < 2 {
		return false
	}
	at := m.naming(other)
	for _, i := range at {
		if share(wanted, stems(m.sections[i].text+" "+strings.Join(m.sections[i].heading, " "))) >= coveredShare {
			return false
		}
	}
	return len(at) > 0
}
