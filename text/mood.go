package text

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Mood is what a sentence does with what it says. Only one that states it is
// evidence for it.
type Mood int

const (
	States Mood = iota // says that it is so
	Asks               // asks whether or what
	Orders             // tells its reader what to say, or speaks to a program that reads it
	Denies             // says of a statement that it is false
)

// mostRead is how much of a sentence its mood is read from, in bytes. Longer
// ones are tables and code, which have none.
const mostRead = 2000

// MoodOf reads the mood of a sentence. Questions are known in every language by
// their mark, orders and denials in English only. A sentence of several moods has
// the first of: order, denial, question.
func MoodOf(sentence string) Mood {
	if len(sentence) > mostRead {
		return States
	}
	if Addressed(sentence) || hasWord(sentence, orderWords) && orders().MatchString(sentence) {
		return Orders
	}
	if _, denied := Denied(sentence); denied {
		return Denies
	}
	if Asking(sentence) {
		return Asks
	}
	return States
}

// Stated tells whether a text has a sentence that states something.
func Stated(s string) bool {
	sentences := Sentences(s)
	for _, at := range sentences {
		if MoodOf(at.Of(s)) == States {
			return true
		}
	}
	return len(sentences) == 0
}

// Asking tells whether a sentence is a question.
func Asking(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'”’»)*_`, r) })
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")
}

// Addressed tells whether a sentence speaks to whoever grades it rather than of
// its subject ("This passage answers the question").
func Addressed(s string) bool {
	if len(s) > 400 || !hasWord(s, addressWords) {
		return false
	}
	folded := strings.ToLower(s)
	for _, subject := range []string{"this passage", "this document", "this text", "this strip", "this page", "the passage above", "this evidence"} {
		if !strings.Contains(folded, subject) {
			continue
		}
		for _, claim := range []string{"relevant", "answers the question", "answer the question", "answers your question", "fully supported", "highest grade", "correct answer", "the question", "answer yes", "rate ", "grade "} {
			if strings.Contains(folded, claim) {
				return true
			}
		}
	}
	return false
}

// Denied returns the statement that a sentence says is false ("It is a myth that
// [cats have nine lives]"), where there is one.
func Denied(sentence string) (statement string, ok bool) {
	if !hasWord(sentence, denialWords) {
		return "", false
	}
	for _, p := range denials() {
		if m := p.FindStringSubmatch(sentence); m != nil {
			return strings.TrimSpace(m[1]), true
		}
	}
	return "", false
}

// One of these words stands in all that the patterns match: most sentences have
// none, and to look for words takes a hundredth of the time.
var (
	orderWords = setOf("ai answer artificial asked asks asking assume assure advise begin claim confirm disregard forget ignore imagine inform " +
		"insist language now pretend question questions remind repeat reply respond say state suppose system tell")
	addressWords = setOf("passage document text strip page evidence")
	denialWords  = setOf("assume bad believe case claim conclude correct erroneously error expect fallacy false falsely fiction hold inaccurate " +
		"incorrect incorrectly lie misconception mistake mistaken mistakenly misunderstanding myth nonsense say state suppose think true untrue wrong wrongly")
)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// hasWord tells whether s has one of some words of ASCII letters, in any case.
func hasWord(s string, words map[string]bool) bool {
	var word [16]byte
	n := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) {
			if c := s[i] | 0x20; 'a' <= c && c <= 'z' {
				if n < len(word) {
					word[n] = c
				}
				n++
				continue
			}
		}
		if 0 < n && n <= len(word) && words[string(word[:n])] {
			return true
		}
		n = 0
	}
	return false
}

// The patterns are compiled when they are first used: most programs never need them.
var (
	orders = sync.OnceValue(func() *regexp.Regexp {
		const (
			said    = `\s*(?:that\b|yes\b|no\b|with (?:yes|no|only|exactly|the words?)\b|["“:])`
			softly  = `(?:please |kindly |always |only |just |simply |now |then |instead |therefore )*`
			speak   = `(?:say|answer|reply|respond|claim|state|insist|repeat|confirm)`
			address = `(?:tell|inform|assure|advise|remind)\s+(?:the |your |any |every |all )?(?:users?|customers?|readers?|callers?|people|person|them|him|her|everyone|everybody|anyone|anybody|whoever)\b`
		)
		return regexp.MustCompile(`(?i)` + strings.Join([]string{
			// to a program
			`\b(?:ignore|disregard|forget) (?:all |any |every |the |your )*(?:previous|prior|above|earlier|other) (?:instructions?|prompts?|rules|text|documents?)`,
			`\b(?:ai|artificial intelligence) (?:assistants?|agents?|models?)\b.{0,40}\b(?:read|reading|must|should|notice)`,
			`\blanguage models? reading\b`, `\bfrom now on,? you\b`, `\bsystem prompt\b`, `\bbegin your (?:reply|answer|response)\b`,
			`\byou must (?:now |always |only )?(?:say|answer|reply|respond)\b`,
			// to whoever answers
			`\byou (?:must|should|shall|will|are to|have to) ` + softly + `(?:` + speak + said + `|` + address + `)`,
			`^\W*` + softly + `(?:` + speak + said + `|` + address + `.{0,60}?(?:that\b|[:,"“]))`,
			`^\W*(?:pretend|imagine|suppose|assume) (?:that|as if)\b`,
			`\basked\b[^.!?]{0,80}?[,:;]?\s+` + softly + `(?:` + speak + said + `|` + address + `)`,
			`\b(?:when|whenever|if)\b[^.!?]{0,60}\b(?:asks?|asking|questions?|enquires?|inquires?)\b[^.!?]{0,80}?[,:;]\s*` + softly + `(?:` + speak + said + `|` + address + `)`,
		}, "|"))
	})
	denials = sync.OnceValue(func() []*regexp.Regexp {
		const (
			false_ = `(?:false|untrue|not true|not the case|not correct|wrong|incorrect|mistaken|inaccurate|an error|a mistake|a myth|a misconception|a fallacy|a lie|nonsense)`
			kind   = `(?:error|mistake|myth|misconception|fallacy|lie|misunderstanding)`
			belief = `(?:think|believe|say|assume|claim|suppose|state|hold|conclude|expect)`
			wholly = `(?:simply |plainly |of course |just |also |clearly )*`
		)
		var out []*regexp.Regexp
		for _, p := range []string{
			`^\W*(?:wrong|false|myth|incorrect|untrue|not true|misconception|fiction|bad)\W{0,3}\s*[:：—–]\s*(.+)`,
			`\bit(?: is|'s|’s| was| would be) ` + wholly + `(?:` + false_ + `|(?:a |an )(?:[a-z-]+ )?` + kind + `)(?: (?:to ` + belief + `|belief|idea))? that\b(.+)`,
			`\b(?:do not|don't|don’t|never|nobody should|no one should) ` + belief + `(?: anyone who says)? that\b(.+)`,
			`\b(?:wrongly|falsely|mistakenly|incorrectly|erroneously) (?:claim|say|said|state|believe|think|thought|assume|report|suggest|assert)\w* that\b(.+)`,
			`^\W*(?:(?:the )?(?:claim|idea|belief|notion|statement|rumou?r|assumption) )?that (.+?),? (?:is|was) ` + wholly + false_ + `\b\W*$`,
			`^(.+?)[,;:—–(-]+\s*(?:which|this|that|it|but this|but that|but it) (?:is|was) ` + wholly + false_ + `\b`,
		} {
			out = append(out, regexp.MustCompile(`(?i)`+p))
		}
		return out
	})
)
