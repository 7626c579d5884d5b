package adversary

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// rivalry is a pair of facts, by number, that say the same with different values.
// Where one is older it is b.
type rivalry struct {
	a, b int
	// older says why b is; empty where neither is.
	older string
}

// sameStatement is the similarity from which two statements with different values
// are about the same. A judgement.
const sameStatement = 0.6

// rivals finds the pairs in different documents.
func (c *corpus) rivals(facts []fact) []rivalry {
	var out []rivalry
	with := map[string][]int{} // the facts before, by term
	for j, g := range facts {
		shared := map[int]int{}
		for _, t := range g.terms {
			for _, i := range with[t] {
				shared[i]++
			}
			with[t] = append(with[t], j)
		}
		for _, i := range slices.Sorted(maps.Keys(shared)) {
			f := facts[i]
			if f.place.Document == g.place.Document || f.value.measure != g.value.measure || f.value.measure == words || f.value.text == g.value.text || f.table != g.table || !c.same(f, g) {
				continue
			}
			r := rivalry{a: i, b: j}
			if r.older = c.older(f.section, g.section); r.older == "" {
				if r.older = c.older(g.section, f.section); r.older != "" {
					r.a, r.b = j, i
				}
			}
			out = append(out, r)
		}
	}
	return out
}

// same tells whether two facts are about the same: their questions are alike and
// so are their documents, or the questions are the same, or long and alike.
func (c *corpus) same(f, g fact) bool {
	similar := alike(f.terms, g.terms)
	if similar < sameStatement || f.value.measure == count && lastWord(f.value.unit) != lastWord(g.value.unit) {
		return false
	}
	if !sameNumbers(f.question(), g.question()) || c.otherNames(f.question(), g.question()) || c.otherNames(g.question(), f.question()) {
		return false
	}
	return !f.table && (similar == 1 && len(f.terms) >= 3 || len(f.terms) >= 6 && len(g.terms) >= 6) || c.sameSubject(f.section, g.section)
}

var digits = regexp.MustCompile(`\d+`)

// sameNumbers tells whether two texts have the same numbers: those of names, as
// "API v1" and "API v2".
func sameNumbers(a, b string) bool {
	return strings.Join(digits.FindAllString(a, -1), " ") == strings.Join(digits.FindAllString(b, -1), " ")
}

var yearIn = regexp.MustCompile(`\b(?:19|20)\d\d\b`)

// sameSubject tells whether two documents are versions of one: their titles are
// alike, and differ in no name.
func (c *corpus) sameSubject(a, b int) bool {
	one, two := c.docs[c.sections[a].doc].Title, c.docs[c.sections[b].doc].Title
	one, two = yearIn.ReplaceAllString(one, ""), yearIn.ReplaceAllString(two, "")
	if alike(stems(one), stems(two)) < 0.5 || !sameNumbers(one, two) {
		return false
	}
	return !c.otherNames(one, two) && !c.otherNames(two, one)
}

// otherNames tells whether the first text names what the second doesn't.
func (c *corpus) otherNames(one, two string) bool {
	for i, w := range text.Words(one) {
		if i > 0 && c.proper(w.Of(one)) && !strings.Contains(strings.ToLower(two), strings.ToLower(w.Of(one))) {
			return true
		}
	}
	return false
}

// older says why the second section's document is older than the first's; empty
// where it isn't.
func (c *corpus) older(a, b int) string {
	one, two := c.docs[c.sections[a].doc], c.docs[c.sections[b].doc]
	if mark := marked(two); mark != "" && marked(one) == "" {
		return "is marked " + mark
	}
	if from, to := stated(one), stated(two); !from.IsZero() && !to.IsZero() && to.Before(from) {
		return "is of " + to.Format(time.DateOnly) + ", the other of " + from.Format(time.DateOnly)
	}
	if from, to := versionOf(one), versionOf(two); from != "" && to != "" && earlier(to, from) && c.sameSubject(a, b) {
		return "is of version " + to + ", the other of " + from
	}
	return ""
}

var versionInPath = regexp.MustCompile(`(?:^|/)v?(\d+(?:\.\d+)+|\d)(?:\.x)?/`)

// versionOf is the version that a document, or the folder it is in, is of.
func versionOf(d assay.Document) string {
	if d.Version != "" {
		return d.Version
	}
	if m := versionInPath.FindStringSubmatch(d.ID); m != nil {
		return m[1]
	}
	return ""
}

// earlier compares versions number by number.
func earlier(a, b string) bool {
	one, two := digits.FindAllString(a, -1), digits.FindAllString(b, -1)
	for i := 0; i < len(one) && i < len(two); i++ {
		x, _ := strconv.Atoi(one[i])
		y, _ := strconv.Atoi(two[i])
		if x != y {
			return x < y
		}
	}
	return len(one) < len(two)
}

// marked is how a document's front matter says that it no longer holds, or empty.
func marked(d assay.Document) string {
	status := strings.ToLower(d.Meta["status"])
	if wordSet("superseded deprecated obsolete archived withdrawn")[status] {
		return status
	}
	return ""
}

// past are the documents that no longer hold.
func (c *corpus) past(facts []fact, rivals []rivalry) map[int]bool {
	out := map[int]bool{}
	for i, d := range c.docs {
		out[i] = marked(d) != ""
	}
	for _, r := range rivals {
		if r.older != "" && c.sameSubject(facts[r.a].section, facts[r.b].section) {
			out[c.sections[facts[r.b].section].doc] = true
		}
	}
	return out
}

// stated is the date that a document states; a modification time is none.
func stated(d assay.Document) time.Time {
	if d.DateFrom == assay.DateFromFile {
		return time.Time{}
	}
	return d.Date
}

// stale asks for what an older document says otherwise.
func (m *maker) stale() []Case {
	var out []Case
	for _, r := range m.rivals {
		if r.older == "" {
			continue
		}
		now, then := m.facts[r.a], m.facts[r.b]
		out = append(out, Case{
			Question: now.question(), Expect: assay.Answered, AlsoOK: []assay.Outcome{assay.Partial},
			Answer: now.value.text, MustContain: []string{now.value.brief()}, MustNotContain: []string{then.value.text},
			Places: []Place{now.place, then.place},
			Why:    fmt.Sprintf("%s says %s, and %s, which %s, says %s.", now.place, now.value.text, then.place, r.older, then.value.text),
		})
	}
	return out
}

// contradictory asks for what two documents say differently, neither the older.
func (m *maker) contradictory() []Case {
	var out []Case
	for _, r := range m.rivals {
		if r.older != "" {
			continue
		}
		one, two := m.facts[r.a], m.facts[r.b]
		out = append(out, Case{
			Question: one.question(), Expect: assay.Partial,
			Answer:      one.value.text + " by " + one.place.Document + ", " + two.value.text + " by " + two.place.Document,
			MustContain: []string{one.value.brief(), two.value.brief()}, Places: []Place{one.place, two.place},
			Why: fmt.Sprintf("%s says %s and %s says %s, and neither is dated later.", one.place, one.value.text, two.place, two.value.text),
		})
	}
	return out
}
