package adversary

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay"
)

// elsewhere are questions about what hardly any documents are about, with a gap
// for a product's name, and the word that mustn't occur.
var elsewhere = []struct{ ask, word string }{
	{"How do I connect {} to Salesforce?", "Salesforce"},
	{"Is there a plugin for {} in WordPress?", "WordPress"},
	{"Can I pay for {} with bitcoin?", "bitcoin"},
	{"How do I use {} with Kerberos?", "Kerberos"},
	{"Is {} certified for HIPAA?", "HIPAA"},
	{"Can I control {} with Alexa?", "Alexa"},
	{"When does {} get a port to Fortran?", "Fortran"},
	{"How do I import data from Lotus into {}?", "Lotus"},
	{"Which benchmarks compare {} on a Raspberry Pi?", "Raspberry"},
	{"Where can I book a webinar about {}?", "webinar"},
	{"Who sponsors {}?", "sponsors"},
	{"Does {} have an escrow agreement?", "escrow"},
}

// atWork are questions of people who work somewhere, with the word that mustn't
// occur.
var atWork = []struct{ ask, word string }{
	{"Can I bring my dog to the office?", "dog"},
	{"How much does the company pay into my pension?", "pension"},
	{"How long a sabbatical may I take?", "sabbatical"},
	{"Are dental costs paid back?", "dental"},
	{"Is there a nursery for the children of employees?", "nursery"},
	{"When is the bonus paid?", "bonus"},
	{"Which gym is free for staff?", "gym"},
	{"How many shares do employees get?", "shares"},
	{"Which canteen is open on Sundays?", "canteen"},
	{"Do I get a company car?", "car"},
}

// notCovered asks about what the documents are about, for what occurs nowhere in
// them.
func (m *maker) notCovered() []Case {
	var out []Case
	templates := m.rnd.Perm(len(elsewhere))
	for n, p := range m.products() {
		template := elsewhere[templates[n%len(templates)]]
		if m.occurs(template.word) {
			continue
		}
		out = append(out, Case{
			Question: strings.Replace(template.ask, "{}", p.name, 1), Expect: assay.Abstained,
			Places: []Place{p.place},
			Why:    fmt.Sprintf("%s is about %s, but %q occurs in no document.", p.place, p.name, template.word),
		})
	}
	if !m.occurs("employee") || !m.occurs("manager") || !m.occurs("salary holiday leave") {
		return out
	}
	for _, template := range atWork {
		if !m.occurs(template.word) {
			out = append(out, Case{
				Question: template.ask, Expect: assay.Abstained,
				Why: fmt.Sprintf("The documents are about working somewhere, but %q occurs in none.", template.word),
			})
		}
	}
	return out
}

// fileName matches what is no product.
var fileName = regexp.MustCompile(`\.(?:md|json|go|ya?ml|toml|txt)$`)

// product is something that has a name, and where it is named.
type product struct {
	name  string
	place Place
}

// products are what titles name, and what the documents say plain facts of.
func (m *maker) products() []product {
	var out []product
	seen := map[string]bool{}
	add := func(name string, p Place) {
		if !seen[name] && m.productName(name) && !fileName.MatchString(name) && !strings.HasPrefix(name, "the ") && !strings.HasPrefix(name, "a ") {
			seen[name] = true
			out = append(out, product{name, p})
		}
	}
	defined := map[string]bool{}
	for _, f := range m.facts {
		if f.ask == "what is {}?" && anyWord(f.value.text, products) {
			defined[f.subject] = true
			add(f.subject, f.place)
		}
	}
	for _, s := range m.sections {
		title := strings.TrimSpace(m.docs[s.doc].Title)
		if r, _ := utf8.DecodeRuneInString(title); unicode.IsLower(r) && !defined[title] {
			continue // it may be any word
		}
		if m.english(s.doc) && !m.past[s.doc] && len(s.units) > 0 {
			add(title, m.place(s, s.units[0]))
		}
	}
	return out
}
