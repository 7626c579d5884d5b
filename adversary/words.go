package adversary

import (
	"regexp"
	"strings"

	"github.com/assay-rag/assay/text"
)

// phrases are statements whose value is words: what something is, what it is made
// or licensed by. The groups are the subject, the helper, and what the question
// keeps and asks for.
var phrases = []struct {
	re *regexp.Regexp
	// ask is the question; {} is the gap for the subject, $2 and so on are groups.
	ask string
	// value is the group that holds the value.
	value int
	// named wants a name for a subject: what is said of others holds where it stands.
	named bool
}{
	{regexp.MustCompile(`^(.+?) (is|are) (?:distributed|licensed|released|available) under (?:the )?(?:terms of the )?([A-Z][\w.-]*(?: [A-Z0-9][\w.-]*)*(?: [Ll]icen[sc]e)?)\b`), "what licence $2 {} released under?", 3, true},
	{regexp.MustCompile(`^(.+?) (is) (?:a|an|the) (\pL+(?:-\pL+)*(?: \pL+(?:-\pL+)*){1,3})(?:[ .,]|$)`), defining, 3, true},
	{regexp.MustCompile(`^(.+?) (are) (\pL+(?:ed|en|wn|lt|pt|ten)) by ((?:the |a |an )?[\pL.-]+(?: [\pL.-]+){0,2})(?:,.*)?\.$`), "what $2 {} $3 by?", 4, false},
	{regexp.MustCompile(`^(.+?) (requires?) (?:at least )?(Go|Python|Node|Node\.js|Java|Rust|Ruby|PHP|Android|iOS|Windows|macOS) (v?\d[\w.]*)`), "what version of $3 does {} require?", 4, true},
}

// defining asks what something is.
const defining = "what $2 {}?"

// isAbout tells whether a section, or its document, is about a subject by its
// heading, title or name: what others say in passing of it is no definition.
func (c *corpus) isAbout(s section, subject string) bool {
	d := c.docs[s.doc]
	about := strings.ToLower(strings.Join([]string{strings.Join(s.heading, "\n"), d.Title, d.ID}, "\n"))
	return holds(about, strings.ToLower(subject))
}

// worded reads a statement whose value is words.
func (c *corpus) worded(said string, s section) (fact, bool) {
	if len(said) > maxClause || !strings.HasSuffix(said, ".") || strings.ContainsAny(said, unread) || text.MoodOf(said, "") != text.States {
		return fact{}, false
	}
	for _, p := range phrases {
		at := p.re.FindStringSubmatchIndex(said)
		if at == nil {
			continue
		}
		subject, ok := c.subject(clause{subject: said[at[2]:at[3]]}, s)
		if !ok || subject == "I" || subject == "we" || p.named && !c.named(subject) {
			continue
		}
		v := value{measure: words, start: at[2*p.value], text: said[at[2*p.value]:at[2*p.value+1]]}
		v.text = headPhrase(v.text)
		if v.text == "" || p.named && p.value == 3 && !strings.Contains(v.text, " ") || defaultOnly[v.text] || anyWord(v.text, vague) || anyWord(v.text, clauseWords) {
			continue
		}
		v.end = v.start + len(v.text)
		if p.ask == defining && !c.isAbout(s, subject) {
			continue
		}
		ask := string(p.re.ExpandString(nil, p.ask, said, at))
		return fact{subject: subject, ask: asMe(ask), value: v}, true
	}
	return fact{}, false
}

// defaultOnly are no agents: "blocked by default".
var defaultOnly = wordSet("default hand design law convention accident name")

// named tells whether a subject is a name, with or without an article.
func (c *corpus) named(subject string) bool {
	words := strings.Fields(subject)
	if len(words) > 1 && articles[strings.ToLower(words[0])] {
		words = words[1:]
	}
	if len(words) > 3 {
		return false
	}
	return c.proper(words[0]) || hasDigitOrInnerCapital(words[0]) || len(words) == 1 && c.titles[words[0]]
}

// participles begin what is said of a noun, and don't end in -ed.
var participles = wordSet("written made built found known used meant seen")

// headPhrase cuts a noun phrase where something else begins; empty where what is
// left is too little to tell a right answer by.
func headPhrase(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		low := strings.ToLower(w)
		if i > 0 && (text.IsStop(low, "en") || strings.HasSuffix(low, "ed") || strings.HasSuffix(low, "ly") || strings.HasSuffix(low, "ing") || participles[low]) {
			words = words[:i]
			break
		}
	}
	s = strings.Trim(strings.Join(words, " "), ".,")
	if len(words) == 1 && strings.ToLower(s) == s && len(s) < 4 {
		return ""
	}
	return s
}
