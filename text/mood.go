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
	States  Mood = iota // says that it is so
	Asks                // asks whether or what
	Orders              // tells its reader what to answer, or speaks to a program that reads it
	Reports             // says that people say or believe it
	Denies              // says of a statement that it is false
)

// mostRead is how much of a sentence its mood is read from, in bytes. Longer
// ones are tables and code, which have none.
const mostRead = 2000

// MoodOf reads the mood of a sentence, and of what follows it, which may deny it
// ("X. This is false."); after may be empty. Questions are known in every language
// that marks them with "?" or "？", the other moods in English only. A sentence that
// both denies and states ("It is wrong that X; it is Y") states: see Denied.
func MoodOf(sentence, after string) Mood {
	if len(sentence) > mostRead {
		return States
	}
	if Addressed(sentence) || hasWord(sentence, orderWords) && orders().MatchString(sentence) {
		return Orders
	}
	if after != "" && len(after) < mostRead && deniedBefore().MatchString(firstSentence(after)) {
		return Denies
	}
	if statement, rest := Denied(sentence); statement != "" {
		if rest != "" {
			return States
		}
		return Denies
	}
	if hasWord(sentence, reportWords) && reports().MatchString(sentence) {
		return Reports
	}
	if Asking(sentence) || hasWord(sentence, openWords) && open().MatchString(sentence) {
		return Asks
	}
	return States
}

// Stated tells whether a text, before the text after it, has a sentence that states
// something; true also where it has no sentence.
func Stated(s, after string) bool {
	sentences := Sentences(s)
	for i, at := range sentences {
		next := after
		if i+1 < len(sentences) {
			next = s[sentences[i+1].Start:]
		}
		if MoodOf(at.Of(s), next) == States {
			return true
		}
	}
	return len(sentences) == 0
}

func firstSentence(s string) string {
	const enough = 200 // bytes: what denies the sentence before is short
	s = s[:min(len(s), enough)]
	if all := Sentences(s); len(all) > 0 {
		return all[0].Of(s)
	}
	return s
}

// Asking tells whether a sentence is a question, by its mark.
func Asking(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'”’»)*_`, r) })
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")
}

// Addressed tells whether a sentence speaks to whoever grades it rather than of
// its subject ("This passage answers the question"). Such sentences are short.
func Addressed(s string) bool {
	const longest = 400 // bytes
	return len(s) <= longest && hasWord(s, addressWords) && addressed().MatchString(s)
}

// Denied returns the statement that a sentence says is false ("It is a myth that
// [cats have nine lives]"), and what it states after that ("…; [they have one]").
// Both are empty where it denies nothing so.
func Denied(sentence string) (statement, rest string) {
	if len(sentence) > mostRead {
		return "", ""
	}
	marked := strings.ContainsAny(sentence, "❌✗✘🚫~")
	if !marked && !hasWord(sentence, denialWords) {
		return "", ""
	}
	for _, p := range denialsAfter() {
		if m := p.FindStringSubmatch(sentence); m != nil {
			return strings.TrimSpace(m[1]), ""
		}
	}
	for _, p := range denialsBefore() {
		m := p.FindStringSubmatch(sentence)
		if m == nil {
			continue
		}
		statement = m[1]
		if at := joint().FindStringIndex(statement); at != nil {
			statement, rest = statement[:at[0]], statement[at[1]:]
		}
		return strings.TrimSpace(statement), strings.TrimSpace(rest)
	}
	return "", ""
}

// One of these words stands in all that the patterns match: most sentences have
// none, and to look for words takes a hundredth of the time.
var (
	orderWords = setOf("ai answer artificial asked asks asking begin claim disregard forget ignore imagine insist language mention now pretend " +
		"question questions repeat reply respond response say state suppose system tell write")
	addressWords = setOf("passage document text strip page evidence")
	denialWords  = setOf("believe case claim conclude correct debunked disproved erroneous erroneously error expect fallacy hardly false falsely " +
		"fiction hold inaccurate incorrect incorrectly lie misconception mistake mistaken mistakenly misunderstanding myth nonsense refuted right say " +
		"so state suppose think assume true unfounded untrue wrong wrongly bad")
	reportWords = setOf("believe believes believed think thinks thought claim claims claimed assume assumes assumed say says said rumour rumor rumours rumors " +
		"allegedly supposedly reportedly purportedly")
	openWords = setOf("whether todo tbd")
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

// What the patterns are made of.
const (
	isFalse = `(?:(?:simply |plainly |of course |just |also |clearly |completely |entirely |totally |utterly |quite |all )*` +
		`(?:false|untrue|wrong|incorrect|mistaken|inaccurate|unfounded|nonsense|an error|a mistake|a myth|a misconception|a fallacy|a lie|not (?:true|the case|correct|right|so)))`
	are      = `(?: is| was| are| were|'s|’s)`
	areFalse = `(?:` + are + ` ` + isFalse + `|(?: isn't| isn’t| wasn't| wasn’t) (?:true|the case|correct|right|so))`
	belief   = `(?:think|believe|say|assume|claim|suppose|state|hold|conclude|expect)`
	notion   = `(?:claim|idea|belief|notion|statement|rumou?r|assumption|impression|assertion)`
	softly   = `(?:please |kindly |always |only |just |simply |now |then |instead |therefore )*`
	speak    = `(?:say|answer|reply|respond|claim|state|insist|write|mention)`
	spoken   = `\s*(?:that\b|yes\b|no\b|with (?:yes|no|only|exactly|the words?)\b|with ["“]|["“:])`
)

func compiled(patterns ...string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)` + strings.Join(patterns, "|")) })
}

func each(patterns ...string) func() []*regexp.Regexp {
	return sync.OnceValue(func() (out []*regexp.Regexp) {
		for _, p := range patterns {
			out = append(out, regexp.MustCompile(`(?i)`+p))
		}
		return out
	})
}

// The patterns are compiled when they are first used: most programs never need them.
var (
	// A handbook's "tell customers that X" states X; "say that X" to whoever answers
	// does not.
	orders = compiled(
		// to a program
		`\b(?:ignore|disregard|forget) (?:all |any |every |the |your )*(?:previous|prior|above|earlier|other) (?:instructions?|prompts?|rules|text|documents?)`,
		`\b(?:ai|artificial intelligence) (?:assistants?|agents?|models?)\b.{0,40}\b(?:read|reading|must|should|notice)`,
		`\blanguage models? reading\b`, `\bfrom now on,? you\b`, `\bsystem prompt\b`, `\bbegin your (?:reply|answer|response)\b`,
		`\byou must (?:now |always |only )?(?:say|answer|reply|respond)\b`,
		// to whoever answers
		`\byou (?:must|should|shall|will|are to|have to) `+softly+speak+spoken,
		`^\W*`+softly+`(?:say|pretend|imagine|suppose)\b`,
		`^\W*`+softly+`(?:reply|respond|claim|state|insist|write|mention)`+spoken,
		`^\W*`+softly+`answer\s*(?:that\b|yes\b|no\b|with\b|["“])`, // but not "Answer: ", as in a list of questions
		`^\W*`+softly+`(?:answer|reply to|respond to) (?:all|any|every|each)\b.{0,60}\bwith\b`,
		`^\W*`+softly+`repeat (?:that|after)\b`,
		`^\W*`+softly+`tell (?:the |your |any |every |all )?(?:users?|customers?|readers?|callers?|people|person|them|him|her|everyone|anyone)\s*[:"“]`,
		`\b(?:the|your) (?:correct |right |only |final )*(?:answer|reply|response) (?:is always|should be|must be|has to be|shall be)\b`,
		`\b(?:when|if|whenever|once)(?: you are|you're| you’re| you get)? asked\b[^.!?]{0,80}?[,:;]?\s+`+softly+`(?:`+speak+`|tell)\b`,
		`\b(?:when|whenever|if) (?:anyone|anybody|someone|somebody|the user|a user|users|they|people) asks?\b[^.!?]{0,80}?[,:;]\s*`+softly+`(?:`+speak+`|tell)\b`,
	)
	addressed = compiled(
		`\b(?:this (?:passage|document|text|strip|page|evidence)|the passage above)\b.*(?:\banswers? (?:the|your) question|\bfully supported\b|\bhighest grade\b|\bcorrect answer\b|\banswer yes\b|\b(?:highly|fully|most|completely|perfectly) relevant\b|\brelevant to (?:the|your|this) (?:question|query)|\bis relevant\W*$)`,
		`\b(?:rate|grade|score) (?:this (?:passage|document|text|strip|page|evidence)|the passage above)\b`,
		`\bthe question\b.*\bthis (?:passage|document|text|strip|page|evidence)\b|\bthis (?:passage|document|text|strip|page|evidence)\b.*\bthe question\b`,
	)
	deniedBefore = compiled(
		`^\W*(?:this|that|it|they|which)`+areFalse+`\W*$`,
		`^\W*(?:this|that|it|they|he|she) (?:is|was|are|were|does|do|did|has|have|will|can) not\W*$`,
		`^\W*(?:(?:wrong|false|untrue|incorrect|not true|nonsense)\W*)+$`,
	)
	reports = compiled(
		`\b(?:people|persons|users|customers|employees|visitors|guests|patients|clients|owners|somebody|someone|some|many|others|critics) (?:still |often |sometimes |also |wrongly |commonly )*(?:believed?|thinks?|thought|claim|claimed|claims|assumed?|assumes)\b`,
		`\b(?:according to|there (?:is|was) a|there are) (?:an? |the |some )?(?:old |persistent )?rumou?rs?\b`, `\b(?:allegedly|supposedly|reportedly|purportedly)\b`, `\bis rumou?red\b`,
	)
	open = compiled(`^\W*(?:todo|tbd)\b`, `\b(?:decide|unclear|unknown|undecided|not (?:yet )?(?:known|decided|clear)|open|wonder|question)\b.{0,20}\bwhether\b`)

	// What is denied by what stands after it: to the end of the sentence.
	denialsAfter = each(
		`^\W*(?:the )?`+notion+`\b[:,]? (?:that )?(.+?),?`+areFalse+`\W*$`,
		`^\W*(?:the )?`+notion+` that (.+?),? (?:is|was|has been|had been|were) (?:long |since |often )*(?:debunked|refuted|disproved|rejected)\b.*$`,
		`^\W*that (.+?),?`+areFalse+`\W*$`,
		`^(.+?)[,;:—–(-]+\s*(?:which|and this|and that|but this|but that|but it|this|that|it)`+areFalse+`\W*$`,
		`^(.+?)\s*\((?:`+isFalse+`)\)\W*$`,
		`^\W*~~(.+)~~\W*$`,
	)
	// What is denied by what stands before it.
	denialsBefore = each(
		`^[^\pL\pN]*[❌✗✘🚫][^\pL\pN]*(.+)`,
		`^\W*(?:wrong|false|myth|incorrect|untrue|not true|misconception|fiction|bad)(?:\W{0,3}\d+)?\W{0,3}(?:[:：—–.)]\W*| - )(.+)`,
		`\bit`+are+` (?:`+isFalse+`|(?:a |an )(?:[a-z-]+ )?(?:error|mistake|myth|misconception|fallacy|lie|misunderstanding))(?: to `+belief+`(?: that)?| belief that| idea that| that)\b(.+)`,
		`\b(?:do not|don't|don’t|never|nobody should|no one should) `+belief+`(?: anyone who says)? that\b(.+)`,
		`\b(?:hardly anyone|hardly anybody|nobody|no one|few(?: people)?) (?:still |now )?(?:thinks?|believes?|claims?|says?|assumes?)(?: that)?\b(.+)`,
		`\b(?:wrong|false|mistaken|erroneous|incorrect)(?:ly held)? `+notion+` that\b(.+)`,
		`\b(?:wrongly|falsely|mistakenly|incorrectly|erroneously) (?:(?:claim|say|said|state|believe|think|thought|assume|report|suggest|assert)\w* that|claimed|claims|said|says|reported|stated)\b(.+)`,
	)
	// joint is where a sentence that denies goes on to state.
	joint = compiled(`[;:—–]\s+|\s[-–—]\s|,? but (?:that |it )?|, (?:in fact|instead|actually|rather),? `)
)
