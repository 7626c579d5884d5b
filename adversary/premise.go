package adversary

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// premises ask why something is so that isn't: with another value, or although the
// documents deny it. To put it right is as good as to abstain.
func (m *maker) premises() []Case {
	var out []Case
	for i, f := range m.facts {
		if f.value.measure == words || !m.plain[i] {
			continue
		}
		wrong := m.wrongValue(f)
		if wrong == "" {
			continue
		}
		out = append(out, Case{
			Question: f.premise(wrong), Expect: assay.Abstained, AlsoOK: []assay.Outcome{assay.Partial, assay.Answered},
			MustContain: []string{f.value.brief()}, Places: []Place{f.place},
			Why: fmt.Sprintf("It isn't so: %s says %s, not %s.", f.place, f.value.text, wrong),
		})
	}
	return append(out, m.denials()...)
}

// notSo matches a sentence that says what something isn't, or mustn't do.
var notSo = regexp.MustCompile(`^(.+?) (is|are|must|should|will)(?: not|n't) (\pL[^,;:()]+)\.$`)

// wrongValue is a value that occurs nowhere.
func (m *maker) wrongValue(f fact) string {
	for n := range 4 {
		if wrong := f.value.altered(n); wrong != "" && !m.occursAsValue(wrong) {
			return wrong
		}
	}
	return ""
}

// occursAsValue tells whether a value stands anywhere, however it is written.
func (m *maker) occursAsValue(v string) bool {
	v = folded(v)
	for _, s := range m.sections {
		if holds(s.folded, v) {
			return true
		}
	}
	return false
}

// denial matches a sentence that says what can't be, or isn't done.
var denial = regexp.MustCompile(`^(.+?) (can't|cannot|may not|doesn't|does not|don't|do not) ([^,;:()]+)\.$`)

// openings are how what is denied is asked for.
var openings = map[string]string{
	"can't": "how can", "cannot": "how can", "may not": "when may", "doesn't": "how does", "does not": "how does",
	"don't": "how do", "do not": "how do",
}

// nuanced are words in a denial that make it something else.
var nuanced = wordSet("need have yet any anymore only unless already just want really necessarily always all every")

// denials ask how something is done that a sentence denies.
func (m *maker) denials() []Case {
	var out []Case
	for _, s := range m.sections {
		if !m.speaks(s) {
			continue
		}
		for _, u := range s.units {
			said := strings.TrimSpace(u.Of(m.docs[s.doc].Text))
			parts := denial.FindStringSubmatch(said)
			why := notSo.FindStringSubmatch(said)
			if why != nil {
				parts = why
			}
			if u.shape == row || parts == nil || text.MoodOf(said, "") != text.States || len(said) > 110 {
				continue
			}
			subject, after := parts[1], parts[3]
			if !nounPhrase(subject) || anyWord(after, vague) || anyWord(after, clauseWords) || anyWord(after, nuanced) || len(stems(subject+" "+after)) < 4 || strings.ContainsAny(said, unread) {
				continue
			}
			if first, _, _ := strings.Cut(after, " "); why == nil && strings.HasSuffix(first, "ed") || why != nil && text.IsStop(first, "en") {
				continue
			}
			opening := "why " + parts[2]
			if why == nil {
				opening = openings[parts[2]]
			}
			p := m.place(s, u)
			out = append(out, Case{
				Question: capital(asMe(joined(opening, m.inside(subject), after) + "?")), Expect: assay.Abstained,
				AlsoOK: []assay.Outcome{assay.Partial, assay.Answered}, MustContain: []string{"not"}, Places: []Place{p},
				Why: fmt.Sprintf("It isn't so: %s denies it (“%s”).", p, said),
			})
		}
	}
	return out
}
