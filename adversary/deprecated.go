package adversary

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// endings are the ways in which a sentence says that something has had its day.
// The first group is what; the question is about it.
var endings = []struct {
	re    *regexp.Regexp
	ask   string
	marks string // what a right answer says
}{
	{regexp.MustCompile(`^(.{3,60}?) (?:is|are|was|were|has been|have been) (?:now |marked (?:as )?)?deprecated\b`), "can I still use {}?", "deprecated"},
	{regexp.MustCompile(`^(.{3,60}?) (?:(?:is|are) removed(?:[.,]| in )|(?:was|were|has been|have been) removed\b)`), "can I still use {}?", "removed"},
	{regexp.MustCompile(`^(.{3,60}?) (?:is|are) no more\.$`), "can I still use {}?", "no more"},
	{regexp.MustCompile(`^(?:.*: )?(?P<new>[A-Z][\w -]{2,40}?) replaces (?P<old>[A-Z][\w -]{2,40}?\.?)(?:,| for | in | as |\.?$)`), "is {} still in use?", ""},
	{regexp.MustCompile(`^(?P<old>.{3,60}?) (?:is|are|was|were|has been|have been) (?:replaced|superseded) (?:by|with) (?P<new>[\w.-]+(?: [A-Z][\w.-]*)*)`), "should I still use {}?", ""},
	{regexp.MustCompile(`^(.{3,60}?) (?:is|are) no longer (?:supported|maintained|available|needed|required|used|possible|recommended)\b`), "{is} {} still {state}?", "no longer"},
}

var noLonger = regexp.MustCompile(` (is|are) no longer (\w+)`)

// pastHeading heads lists of what is gone, as in changelogs.
var pastHeading = regexp.MustCompile(`^(?:Removed|Deprecated|Deprecations|Removals)$`)

// deprecated asks for what is said to be deprecated, removed or replaced.
func (m *maker) deprecated() []Case {
	var out []Case
	for _, s := range m.sections {
		if !m.english(s.doc) {
			continue
		}
		past := len(s.heading) > 0 && pastHeading.MatchString(s.heading[len(s.heading)-1])
		for n, u := range s.units {
			said := strings.TrimSpace(u.Of(m.docs[s.doc].Text))
			if u.shape == row || u.nested {
				continue
			}
			first := n == 0 || s.units[n-1].End+1 < u.Start // of its line: a mark stands before it
			if c, ok := m.hadItsDay(s, u, said); ok && strings.HasSuffix(said, ".") {
				out = append(out, c)
			} else if past && u.shape == item && first {
				if c, ok := m.listed(s, u, said); ok {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// hadItsDay reads a sentence that says it.
func (m *maker) hadItsDay(s section, u unit, said string) (Case, bool) {
	for _, e := range endings {
		parts := e.re.FindStringSubmatch(said)
		if parts == nil {
			continue
		}
		what, marks := parts[1], e.marks
		if marks == "" { // what has come instead is what a right answer says
			what, marks = parts[e.re.SubexpIndex("old")], strings.TrimRight(parts[e.re.SubexpIndex("new")], ".,")
		}
		if !nounPhrase(what) || strings.ContainsAny(what, unread) || !m.specific(what) || text.IsStop(marks, "en") || anyWord(what, verbal) {
			continue
		}
		ask := e.ask
		if state := noLonger.FindStringSubmatch(said); state != nil {
			ask = strings.NewReplacer("{is}", state[1], "{state}", state[2]).Replace(ask)
		}
		p := m.place(s, u)
		return Case{
			Question: capital(strings.Replace(ask, "{}", m.inside(what), 1)),
			Expect:   assay.Answered, AlsoOK: []assay.Outcome{assay.Partial}, Answer: "No: " + said,
			MustContain: []string{marks}, Places: []Place{p},
			Why: fmt.Sprintf("%s says that it has had its day: “%s”.", p, said),
		}, true
	}
	return Case{}, false
}

// verbal words tell that what should be a name is half of a sentence.
var verbal = wordSet("is are was were can may must will should has have now until after before")

// specific tells whether a phrase names something: "the old behaviour" doesn't.
func (m *maker) specific(phrase string) bool {
	first, _, _ := strings.Cut(phrase, " ")
	if bareVersion.MatchString(phrase) || strings.HasSuffix(first, "ing") || strings.Contains(phrase, " and ") && !hasDigitOrInnerCapital(phrase[1:]) && !strings.Contains(phrase, "-") {
		return false
	}
	return hasDigitOrInnerCapital(headOf(phrase)) || m.proper(phrase) || articles[strings.ToLower(first)] && len(stems(phrase)) >= 2
}

// bareVersion matches a version that doesn't say of what.
var bareVersion = regexp.MustCompile(`^(?:[Tt]he )?(?:[Vv]ersion|[Rr]elease)?s? ?v?[\d.]+$`)

var reference = regexp.MustCompile(`\s*\(?#\d+\)?(?:, ?\(?#\d+\)?)*\)?\.?$`)

// listed reads an item of a list of what is gone.
func (m *maker) listed(s section, u unit, said string) (Case, bool) {
	what := strings.TrimSuffix(reference.ReplaceAllString(said, ""), ".")
	words := strings.Fields(what)
	if len(words) == 0 || len(words) > 10 || strings.ContainsAny(what, ",;:()?") || !m.specific(what) || anyWord(what, verbal) {
		return Case{}, false
	}
	first := strings.ToLower(words[0])
	if first == "remove" || first == "removed" || first == "drop" || first == "dropped" || first == "deprecate" || first == "deprecated" {
		what = strings.Join(words[1:], " ")
	}
	if what == "" || !nounPhrase(what) {
		return Case{}, false
	}
	mark := strings.ToLower(s.heading[len(s.heading)-1])
	p := m.place(s, u)
	return Case{
		Question: "Can I still use " + m.inside(what) + "?",
		Expect:   assay.Answered, AlsoOK: []assay.Outcome{assay.Partial}, Answer: "No: it is " + mark + ".",
		MustContain: []string{mark}, Places: []Place{p},
		Why: fmt.Sprintf("%s lists it: “%s”.", p, said),
	}, true
}
