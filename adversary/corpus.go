package adversary

import (
	"regexp"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// corpus is what there is to ask about.
type corpus struct {
	docs     []assay.Document
	sections []section
	// where has for each term the sections in which it occurs, ascending.
	where map[string][]int
	names register
	// titles are those of one word.
	titles map[string]bool
}

// section is what stands below a heading.
type section struct {
	doc     int
	heading []string // the path of headings, outermost first
	text    string   // with its heading
	folded  string   // the text, see folded
	units   []unit
}

// unit is a piece of a section that says something by itself.
type unit struct {
	text.Span // in the document's text
	shape     shape
	// nested tells that an item stands below another, which it may lean on.
	nested bool
}

type shape uint8

const (
	sentence shape = iota
	item           // a sentence of a list, or all of an item without an end
	row            // a line of a table; the first of a table has its header
)

// newCorpus reads documents in the form that package ingest gives them. Those in
// other languages than English are searched, but give no cases.
func newCorpus(docs []assay.Document) *corpus {
	c := &corpus{docs: docs, where: map[string][]int{}, titles: map[string]bool{}}
	for i := range docs {
		c.cut(i)
		if t := docs[i].Title; !strings.Contains(t, " ") && !generic[strings.ToLower(t)] {
			c.titles[t] = true
		}
	}
	for i, s := range c.sections {
		c.sections[i].folded = folded(s.text)
		for _, t := range text.Analyze(s.text, docs[s.doc].Language) {
			if at := c.where[t.Term]; len(at) == 0 || at[len(at)-1] != i {
				c.where[t.Term] = append(at, i)
			}
		}
	}
	c.names = c.register()
	return c
}

// cut cuts a document at its headings.
func (c *corpus) cut(doc int) {
	d := c.docs[doc]
	path := make([]string, 7)
	current := section{doc: doc}
	start, fence := 0, ""
	finish := func(end int) {
		current.text = d.Text[start:end]
		if strings.TrimSpace(current.text) != "" {
			c.sections = append(c.sections, current)
		}
		start = end
	}
	at := 0
	for line := range strings.Lines(d.Text) {
		body := strings.TrimRight(line, "\n")
		switch mark := text.Fence(strings.TrimSpace(body)); {
		case fence != "":
			if mark == fence {
				fence = ""
			}
		case mark != "":
			fence = mark
		case text.IsHeading(body):
			finish(at)
			level := len(body) - len(strings.TrimLeft(body, "#"))
			path[level] = strings.TrimSpace(body[level:])
			clear(path[level+1:])
			current = section{doc: doc, heading: slices.DeleteFunc(slices.Clone(path[1:]), func(h string) bool { return h == "" })}
		default:
			current.units = append(current.units, units(body, at)...)
		}
		at += len(line)
	}
	finish(at)
}

var itemMark = regexp.MustCompile(`^\s*(?:[-*] |\d{1,3}\. )`)

// units cuts a line that begins at byte at of its document.
func units(line string, at int) []unit {
	if strings.HasPrefix(line, "|") {
		return []unit{{Span: text.Span{Start: at, End: at + len(line)}, shape: row}}
	}
	mark, how := len(itemMark.FindString(line)), sentence
	if mark > 0 {
		how = item
	}
	var out []unit
	for _, s := range text.Sentences(line[mark:]) {
		span := text.Span{Start: at + mark + s.Start, End: at + mark + s.End}
		out = append(out, unit{span, how, strings.HasPrefix(line, " ")})
	}
	return out
}

// changes heads lists of what has changed: it was so once, and need not be now.
var changes = regexp.MustCompile(`^(?:Added|Changed|Fixed|Removed|Deprecated|Security|Bug [Ff]ixes|Features)$`)

// speaks tells whether what a section says holds: it is in English, and no list of
// changes.
func (c *corpus) speaks(s section) bool {
	for _, h := range s.heading {
		if changes.MatchString(h) {
			return false
		}
	}
	return c.english(s.doc)
}

// english tells whether questions may be made from a document.
func (c *corpus) english(doc int) bool {
	l := c.docs[doc].Language
	return l == "" || l == "en"
}

// place says where a unit of a section stands.
func (c *corpus) place(s section, u unit) Place {
	d := c.docs[s.doc]
	return Place{Document: d.ID, Heading: strings.Join(s.heading, " › "), Text: u.Of(d.Text), Start: u.Start, End: u.End}
}

// occurs tells whether a term of the words occurs anywhere.
func (c *corpus) occurs(words string) bool {
	return slices.ContainsFunc(stems(words), func(t string) bool { return len(c.where[t]) > 0 })
}

// naming returns the sections in which a name stands as it is written, and not
// as part of a longer name: "Heron 2" isn't named by "Heron 2 Lite".
func (c *corpus) naming(name string) []int {
	terms := stems(name)
	if len(terms) == 0 {
		return nil
	}
	rarest := c.where[terms[0]]
	for _, t := range terms[1:] {
		if len(c.where[t]) < len(rarest) {
			rarest = c.where[t]
		}
	}
	var out []int
	for _, i := range rarest {
		if names(c.sections[i].text, name) || names(strings.Join(c.sections[i].heading, ". "), name) || names(c.docs[c.sections[i].doc].Title, name) {
			out = append(out, i)
		}
	}
	return out
}

// names tells whether a text has the name as whole words, followed by no word
// that would make it longer.
func names(s, name string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], name)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(name)
		if boundary(s, start, end) && !longer.MatchString(s[end:]) {
			return true
		}
		at = end
	}
}

// longer matches what makes a name longer: another word with a capital, or a
// number.
var longer = regexp.MustCompile(`^ (?:[A-Z][a-z]+\b|\d)`)

// stems are the terms of the words without repetition, in order.
func stems(s string) []string {
	var out []string
	for _, t := range text.Analyze(s, "en") {
		if !slices.Contains(out, t.Term) {
			out = append(out, t.Term)
		}
	}
	return out
}

// share is how many of the terms there are among the others, in [0, 1].
func share(terms, others []string) float64 {
	if len(terms) == 0 {
		return 0
	}
	n := 0
	for _, t := range terms {
		if slices.Contains(others, t) {
			n++
		}
	}
	return float64(n) / float64(len(terms))
}

// alike is the Jaccard similarity of two sets of terms, in [0, 1].
func alike(a, b []string) float64 {
	common := share(a, b) * float64(len(a))
	if union := float64(len(a)+len(b)) - common; union > 0 {
		return common / union
	}
	return 0
}
