package adversary

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay/text"
)

// clause is a plain statement taken apart: "The link" "is" "valid" "for" "14 days".
type clause struct {
	subject string
	// helper is the word that a question puts before the subject: an auxiliary, do
	// or does. after is what follows it, up to the lead: a participle, or the bare
	// verb, with what belongs to it.
	helper, after string
	// be tells that the helper is a form of "be".
	be bool
	// lead is the preposition before the value; hedge what stands between them ("up
	// to"). rest is what follows the value.
	lead, hedge string
	value       value
	rest        string
}

// maxClause is the longest statement that is taken apart, in bytes.
const maxClause = 220

// unread are signs of a sentence that says more than a plain statement does.
const unread = "()[]{}<>;“”\"?!|=*_\\`→…"

// aside matches what can be left out of a sentence, and where a second one begins.
var aside = regexp.MustCompile(` \([^()]*\)|; .*[^.]`)

// readClause takes a sentence apart. It refuses all that isn't plain: a subject, a
// verb that it knows, and after it one value.
func readClause(s string) (clause, bool) {
	s = aside.ReplaceAllString(s, "")
	if strings.Contains(s, ": ") || len(s) > maxClause || !strings.HasSuffix(s, ".") || strings.ContainsAny(s, unread) || text.MoodOf(s, "") != text.States {
		return clause{}, false
	}
	s = strings.TrimSuffix(s, ".")
	c, from, ok := readVerb(s)
	if !ok {
		return clause{}, false
	}
	v, ok := onlyValue(s, from)
	if !ok {
		return clause{}, false
	}
	c.value = v
	if c.rest, ok = restOf(s[v.end:]); !ok {
		return clause{}, false
	}
	before := strings.TrimSpace(s[from:v.start])
	if strings.ContainsAny(before, ",–—") || anyWord(before, clauseWords) || anyWord(before, vague) {
		return clause{}, false
	}
	before, c.hedge = cutLast(before, hedges)
	before, c.lead = cutLast(before, leads)
	c.after = strings.TrimSpace(c.after + " " + before)
	if perfect(c) || c.helper == "" {
		return clause{}, false
	}
	return c, true
}

// clauseWords join clauses or turn one around.
var clauseWords = wordSet("and or but not never n't no that which who if when while because than as once twice most least")

var hedges = []string{"no more than", "no less than", "no later than", "not more than", "a maximum of", "a minimum of", "a total of", "more than", "less than", "fewer than", "at least", "at most", "up to", "about", "around", "approximately", "roughly", "exactly", "only", "over", "under", "almost", "nearly"}
var leads = []string{"for", "within", "every", "after", "on", "until", "by", "in", "from", "of", "at", "to", "per", "with", "before", "since", "between", "above", "below", "into"}

// cutLast cuts the first of the endings that a text has.
func cutLast(s string, endings []string) (rest, ending string) {
	for _, e := range endings {
		if s == e {
			return "", e
		}
		if r, ok := strings.CutSuffix(s, " "+e); ok {
			return r, e
		}
	}
	return s, ""
}

// readVerb finds the first verb, and what comes before it as the subject. from is
// where what follows the verb begins.
func readVerb(s string) (c clause, from int, ok bool) {
	const farthest = 10 // words of the longest subject
	at := 0
	for i := 0; i <= farthest; i++ {
		end := strings.IndexByte(s[at:], ' ')
		if end < 0 {
			return c, 0, false
		}
		word := s[at : at+end]
		if i > 0 {
			c.subject = strings.TrimSpace(s[:at])
			if auxiliaries[word] {
				c.helper, c.be = word, word == "is" || word == "are" || word == "was" || word == "were"
				return c, at + end + 1, true
			}
			if bare, third, verb := bareVerb(word); verb && agrees(c.subject, third) {
				c.helper, c.after = "do", bare
				if third {
					c.helper = "does"
				}
				return c, at + end + 1, true
			}
		}
		at += end + 1
	}
	return c, 0, false
}

// agrees tells whether a subject can have a verb in this form: what looks like one
// may be a noun ("rate limits").
func agrees(subject string, third bool) bool {
	words := strings.Fields(subject)
	first, last := strings.ToLower(words[0]), lastWord(headOf(subject))
	plural := collective[last] || strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && !strings.HasSuffix(last, "us")
	if first == "you" || first == "we" {
		return !third && len(words) == 1
	}
	if !third {
		return plural && first != "a" && first != "an"
	}
	return articles[first] || first == "this" || len(words) == 1 && !plural || hasDigitOrInnerCapital(subject)
}

func hasDigitOrInnerCapital(s string) bool {
	for i, r := range s {
		if unicode.IsDigit(r) || i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

// perfect tells "has been" and "has sent", which a question can't be made of so.
func perfect(c clause) bool {
	second, _, _ := strings.Cut(strings.TrimPrefix(c.after, "have "), " ")
	return strings.HasPrefix(c.after, "have ") && (second == "been" || strings.HasSuffix(second, "ed") || strings.HasSuffix(second, "en"))
}

// onlyValue is the value after the verb, where the clause has no other.
func onlyValue(s string, from int) (value, bool) {
	all := values(s)
	var found []value
	for _, v := range all {
		if v.start < from {
			return value{}, false // the subject has one of its own
		}
		found = append(found, v)
	}
	if len(found) == 0 {
		return value{}, false
	}
	first := found[0]
	if len(found) > 1 && !clauseEnd.MatchString(s[first.end:found[1].start]) {
		return value{}, false
	}
	return first, true
}

// clauseEnd matches where a statement ends and another begins: after a comma, or
// after "and" with more than a number before the next value.
var clauseEnd = regexp.MustCompile(`, \pL+ \pL+|^ (?:and|but) \pL+ \pL+|^ .*, `)

// restOf is what follows the value and belongs to it: "of delivery".
func restOf(s string) (string, bool) {
	for _, cut := range []string{", ", " and ", " but ", " – ", " — ", " if ", " unless ", " so ", " because ", " when ", " while "} {
		s, _, _ = strings.Cut(s, cut)
	}
	if strings.HasPrefix(s, " or ") || strings.HasPrefix(s, "-") || strings.HasPrefix(s, "–") {
		return "", false
	}
	s = strings.TrimSpace(s)
	if s == "" {
		return "", true
	}
	words := strings.Fields(s)
	if len(words) > 8 || !prepositions[words[0]] || anyWord(s, vague) || strings.Contains(s, " or ") {
		return "", false
	}
	return s, true
}

// anyWord tells whether a word of s is in the set.
func anyWord(s string, set map[string]bool) bool {
	for _, w := range strings.Fields(strings.ToLower(s)) {
		if set[strings.Trim(w, ".,'")] || strings.HasSuffix(w, "n't") && set["n't"] {
			return true
		}
	}
	return false
}

// nounPhrase tells whether a subject can stand in a question by itself.
func nounPhrase(s string) bool {
	words := strings.Fields(s)
	first := strings.ToLower(words[0])
	switch {
	case len(words) > 10, strings.ContainsAny(s, ",–—/:"), strings.Contains(s, " - "), strings.HasSuffix(first, "ly"), notNouns[first]:
		return false
	case anyWord(s, vague), anyWord(strings.Replace(s, " and ", " ", 1), clauseWords):
		return false
	case !articles[first] && text.IsStop(text.Fold(first), "en"):
		return false
	}
	if r, _ := utf8.DecodeRuneInString(words[0]); !unicode.IsLetter(r) {
		return false
	}
	for _, w := range words {
		if w == words[len(words)-1] && (strings.HasSuffix(w, "ing") || strings.HasSuffix(w, "ly")) {
			return false // "The team responding": a participle
		}
	}
	return len(stems(s)) > 0
}
