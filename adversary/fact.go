package adversary

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fact is something that a document says, as a question with a gap.
type fact struct {
	section int
	place   Place
	subject string
	// ask is the question whose answer is the value, why asks for the reason of it;
	// {} is the gap for the subject, {=} that for the value.
	ask, why string
	value    value
	// terms are those of the question.
	terms []string
	table bool
	// attribute is what it says of the subject, where that is a noun.
	attribute string
	// label is the row or column of a table that is the subject, kind the heading
	// that says what kind of thing it is.
	label, kind string
}

func (f fact) question() string { return f.about(f.subject) }

// about is the question of another subject.
func (f fact) about(subject string) string { return capital(strings.Replace(f.ask, "{}", subject, 1)) }

// premise asks why the value is another.
func (f fact) premise(v string) string {
	return capital(strings.Replace(strings.Replace(f.why, "{}", f.subject, 1), "{=}", v, 1))
}

// facts reads all that the corpus says plainly.
func (c *corpus) facts() []fact {
	var out []fact
	for i, s := range c.sections {
		if !c.speaks(s) {
			continue
		}
		for _, u := range s.units {
			if u.shape != row {
				if f, ok := c.stated(i, u); ok {
					out = append(out, f)
				}
			}
		}
		out = append(out, c.cells(i)...)
	}
	return out
}

// stated reads the fact of a sentence.
func (c *corpus) stated(i int, u unit) (fact, bool) {
	s := c.sections[i]
	said := strings.TrimSpace(u.Of(c.docs[s.doc].Text))
	f, ok := c.valued(said, s)
	if !ok && u.shape == sentence {
		f, ok = c.worded(said, s)
	}
	if !ok || !c.standsAlone(f) {
		return fact{}, false
	}
	f.section, f.place = i, c.place(s, u)
	f.terms = stems(f.question())
	return f, true
}

// valued reads a statement whose value is a number, a time or an amount.
func (c *corpus) valued(said string, s section) (fact, bool) {
	cl, ok := readClause(said)
	if !ok {
		return fact{}, false
	}
	if cl.subject, ok = c.subject(cl, s); !ok {
		return fact{}, false
	}
	if cl.helper == "does" && !strings.Contains(cl.subject, " ") && !c.named(cl.subject) {
		return fact{}, false // "Rate limits apply"
	}
	ask := asked(cl)
	if ask == "" {
		return fact{}, false
	}
	f := fact{subject: cl.subject, value: cl.value}
	rest := cl.rest
	if (cl.lead == "within" || cl.lead == "after") && strings.HasPrefix(rest, "of ") {
		rest = "" // "of delivery": the question asks for that too
	}
	if units := cl.value.units(); strings.HasPrefix(ask, "how many ") && strings.HasPrefix(rest, "of ") {
		of, after, _ := strings.Cut(rest, " per ") // "of holiday per year"
		ask, rest = strings.Replace(ask, units, units+" "+of, 1), after
		if after != "" {
			rest = "per " + after
		}
	}
	f.ask = joined(ask, rest) + "?"
	f.why = joined("why", cl.helper, "{}", cl.after, cl.lead, cl.hedge, "{=}", cl.rest) + "?"
	if hasAttribute(cl.subject) && cl.be {
		f.attribute = cl.subject
	}
	f.ask, f.why = asMe(f.ask), asMe(f.why)
	return f, true
}

// asked is the question for the value, without what follows it; empty where there
// is no natural one.
func asked(cl clause) string {
	whole := func(word string) string { return joined(word, cl.helper, "{}", cl.after) }
	attribute := cl.be && cl.after == "" && cl.lead == "" && hasAttribute(cl.subject)
	switch cl.value.measure {
	case duration:
		switch {
		case cl.lead == "for":
			return whole("how long")
		case cl.lead == "within":
			return whole("within what time")
		case cl.lead == "every":
			return whole("how often")
		case cl.lead == "after":
			return whole("after how long")
		case cl.lead == "" && receiving[cl.after] && strings.HasPrefix(cl.rest, "of "):
			return whole("how many " + cl.value.units())
		case cl.lead == "" && (cl.be && cl.after == "" || cl.after == "take" || cl.after == "last" || cl.after == "wait"):
			return whole("how long")
		}
	case date:
		switch cl.lead {
		case "on", "in", "at":
			return whole("when")
		case "until", "by", "from":
			return whole(cl.lead + " when")
		}
	case count:
		switch {
		case cl.lead == "" && !cl.be && cl.after != "":
			return whole("how many " + cl.value.unit)
		case cl.lead == "in" || cl.lead == "at" || cl.lead == "with" || cl.lead == "from":
			return whole(cl.lead + " how many " + cl.value.unit)
		}
	case money:
		if cl.lead == "" && !cl.be && cl.after != "" {
			return whole("how much")
		}
	case size:
		if cl.lead == "" && (cl.after == "be" || cl.be && cl.after == "" && !attribute) {
			return whole("how large")
		}
	}
	if attribute {
		return whole("what")
	}
	if had := having.FindStringSubmatch(cl.after); had != nil && cl.lead == "of" && hasAttribute(had[1]) {
		return joined("what", had[1], cl.helper, "{} have")
	}
	if cl.after == "default" && cl.lead == "to" || cl.after == "weigh" && cl.lead == "" {
		return joined(map[string]string{"default": "what", "weigh": "how much"}[cl.after], cl.helper, "{}", cl.after, cl.lead)
	}
	return ""
}

// receiving are verbs whose object is an amount of something.
var receiving = wordSet("have receive get earn")

// having matches "have a warranty", which "of 24 months" follows.
var having = regexp.MustCompile(`^have an? (.+)$`)

// subject is the subject of a clause as it stands within a question; "this library"
// is called by the document's title.
func (c *corpus) subject(cl clause, s section) (string, bool) {
	words := strings.Fields(cl.subject)
	first := strings.ToLower(words[0])
	if (first == "you" || first == "we") && len(words) == 1 {
		return asMe(first), len(stems(cl.after+" "+cl.rest)) >= 3
	}
	if first == "this" && len(words) == 2 && products[words[1]] {
		title := c.docs[s.doc].Title
		return title, c.productName(title)
	}
	if !nounPhrase(cl.subject) {
		return "", false
	}
	return c.inside(cl.subject), true
}

// products are what a document may be about as a whole.
var products = wordSet("package library module tool project program driver plugin framework service product parser manager database server client engine application app platform implementation toolkit compiler store")

// inside writes a phrase as it stands within a sentence.
func (c *corpus) inside(phrase string) string {
	first, _, _ := strings.Cut(phrase, " ")
	second, _, _ := strings.Cut(strings.TrimPrefix(phrase, first+" "), " ")
	if next, _ := utf8.DecodeRuneInString(second); unicode.IsUpper(next) && !articles[strings.ToLower(first)] && second != phrase {
		return phrase // "Internet Explorer mode"
	}
	if articles[strings.ToLower(first)] || !c.proper(first) {
		r, n := utf8.DecodeRuneInString(phrase)
		return string(unicode.ToLower(r)) + phrase[n:]
	}
	return phrase
}

// standsAlone tells whether a question can be understood without its document: it
// names something, or says enough.
func (c *corpus) standsAlone(f fact) bool {
	question := f.question()
	said := stems(question)
	first, _, _ := strings.Cut(strings.ToLower(f.subject), " ")
	enough := 3
	switch {
	case hasDigitOrInnerCapital(strings.TrimPrefix(f.subject, "I ")) || c.named(f.subject):
		enough = 2
		if f.value.measure == words {
			enough = 1 // "What is bbolt?"
		}
	case first == "the" && len(stems(f.subject)) < 2:
		enough = 4
	}
	return len(said) >= enough && len(question) <= 120
}

// asMe lets the question come from whom the documents speak to.
func asMe(q string) string {
	words := strings.Fields(q)
	for i, w := range words {
		bare := strings.TrimRight(w, "?")
		if with, ok := map[string]string{"you": "I", "your": "my", "yourself": "myself"}[bare]; ok {
			words[i] = with + w[len(bare):]
		}
	}
	return strings.ReplaceAll(strings.Join(words, " "), "are I ", "am I ")
}

// joined joins what isn't empty with spaces.
func joined(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, " ")
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
