package prompted

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/assay-rag/assay/text"
)

// What is no part of an answer: for the sieve, which sees sentences, and for the telling,
// which sees how lines begin.

// labels are what a model may put before its answer, and trailers before a list of
// sources, folded.
var (
	labels   = []string{"answer", "final answer", "the answer", "response", "antwort", "réponse", "respuesta", "risposta", "resposta", "antwoord", "回答", "答案", "답변"}
	trailers = []string{"sources", "source", "references", "reference", "citations", "evidence", "evidence used", "sources used", "footnotes",
		"quellen", "quelle", "quellenangaben", "belege", "références", "fuentes", "fonti", "fontes", "bronnen", "参考资料", "来源", "出典"}
)

// withoutLabel takes "Answer:" off the beginning of a draft.
func withoutLabel(s string) string {
	before, after, ok := cutColon(s)
	if ok && slices.Contains(labels, bare(before)) {
		return strings.TrimSpace(strings.TrimLeft(after, "*_ "))
	}
	if slices.Contains(labels, bare(s)) && text.IsHeading(s) {
		return ""
	}
	return s
}

func cutColon(s string) (before, after string, ok bool) {
	if before, after, ok = strings.Cut(s, ":"); ok {
		return before, after, ok
	}
	return strings.Cut(s, "：")
}

// isLabel tells whether a line is "Answer:" so far.
func isLabel(line string) bool {
	_, rest, colon := cutColon(line)
	return colon && !strings.ContainsFunc(rest, isWordRune) && withoutLabel(line) == ""
}

// trailer tells whether a text is the heading of a list of sources, or that with the
// list, whose marks have been taken out, in the same line.
func trailer(s string) bool {
	if before, after, ok := cutColon(s); ok && !strings.ContainsFunc(after, isWordRune) {
		return slices.Contains(trailers, bare(before))
	}
	return (text.IsHeading(s) || strings.HasPrefix(s, "**")) && slices.Contains(trailers, bare(s))
}

// echo is a line of the prompt that a model repeats.
var echo = lazily(`^((BEGIN|END) [0-9a-f]{24}\b|PASSAGE( \d+)? \|)`)

// mayBeLeftOut tells whether a line that begins so, bare, may become one that is left
// out: at the beginning of a draft, or once it has begun.
func mayBeLeftOut(begins string, begun bool) bool {
	candidates := labels
	if begun {
		candidates = trailers
	}
	return strings.HasPrefix(strings.ToLower(noAnswer), begins) ||
		slices.ContainsFunc(candidates, func(c string) bool { return strings.HasPrefix(c, begins) })
}

// noAnswer is what a model is told to say where the evidence holds no answer.
const noAnswer = "NO_ANSWER"

// beginsNoAnswer tells whether a bare text begins with NO_ANSWER.
func beginsNoAnswer(bare string) bool { return strings.HasPrefix(bare, strings.ToLower(noAnswer)) }

// saysNoAnswer tells whether a unit is NO_ANSWER or begins with it; one that speaks
// of it in other words says so with a citation.
func saysNoAnswer(u unit) bool {
	if b := bare(u.text); beginsNoAnswer(b) || b == "no answer" {
		return true
	}
	return strings.Contains(u.text, noAnswer) && len(u.cites) == 0
}

// evades tells whether a draft that begins with the unit may say nothing. One with a
// citation does only where it speaks of what it was given: that a document does not
// cover water damage may well be the answer.
func evades(u unit) bool {
	if len(u.cites) > 0 {
		return findsNothing(u.text) && ofThePrompt().MatchString(u.text)
	}
	return refuses(u.text) || findsNothing(u.text)
}

// refuses tells whether a sentence is how a model begins that won't answer.
func refuses(s string) bool {
	s = bare(s)
	return slices.ContainsFunc(refusals, func(r string) bool { return strings.HasPrefix(s, r) })
}

var refusals = []string{
	"i'm sorry", "i am sorry", "sorry, ", "sorry but", "i can't", "i cannot", "i can not", "i'm unable", "i am unable", "i'm not able", "i am not able",
	"i won't", "i will not", "i must decline", "i apologize", "i apologise", "my apologies", "as an ai", "unfortunately, i c", "unfortunately, i am",
	"es tut mir leid", "tut mir leid", "entschuldigung", "leider kann ich", "ich kann dir", "ich kann ihnen", "ich kann diese", "als ki",
	"je suis désolé", "désolé", "je ne peux pas", "lo siento", "no puedo", "mi dispiace", "non posso", "sinto muito", "desculpe", "het spijt me",
	"抱歉", "对不起", "很抱歉", "申し訳", "すみません", "죄송",
}

// findsNothing tells whether a sentence says that the evidence holds no answer.
func findsNothing(s string) bool {
	return nothingFound().MatchString(strings.ReplaceAll(s, "’", "'"))
}

var (
	// ofThePrompt are the prompt's words for what it holds.
	ofThePrompt = lazily(`(?i)\b(the|this|given|provided) (evidence|passages?)\b`)

	nothingFound = lazily(`(?i)` + strings.Join([]string{
		// "The provided evidence does not mention …"
		`\b(evidence|context|documents?|passages?|sources?|excerpts?|information|text)( (provided|given|above|available))?,? (` +
			`(does|do|did)(n't| not) (\w+ )?(mention|contain|provide|say|state|specify|include|give|answer|hold|address|indicate|explain|discuss|cover|have|offer|list|tell|show|describe|define|reveal|support)|` +
			`(contains?|has|have|holds?|gives?|provides?|includes?|offers?) (no|nothing)\b|(is|are) (silent|insufficient|not sufficient|not enough))`,
		`\b(there is|there's|i (found|find|have|see)|i do(n't| not) have) (no|not enough|insufficient|any|enough) (\w+ )?(information|mention|evidence|answer)\b`,
		`\b(not|n't|nothing|cannot be) (\w+ )?(mentioned|provided|specified|stated|found|given|available|answered|determined|said|described|included|covered|in) (in|from|by|with|on)? ?(the )?(\w+ )?(evidence|context|documents?|passages?|sources?|excerpts?)\b`,
		`^no\b.{0,80}\b(mentioned|provided|specified|stated|found|given|described|included) (in|by) (the )?(\w+ )?(evidence|context|documents?|passages?|sources?|excerpts?)\b`,
		`\b(belege?n?|dokumenten?|quellen?|textstellen|nachweise|unterlagen|kontext|auszüge) (enth[aä]lt|enthalten|nennt|nennen|sagt|sagen|gibt|geben|macht|machen|liefert|liefern|erwähn\pL+) .*\b(nicht|keine?n?|nichts)\b`,
		`\b(keine|nicht genügend) (informationen|angaben|hinweise|belege)\b`,
	}, "|"))
)

// bare is a text without emphasis, quotes, marks of headings and the stop at its end,
// in small letters.
func bare(s string) string {
	s = strings.Trim(strings.TrimSpace(s), "*_#>`\"'“”„‘’«»()[]{}:.!。 ")
	return strings.ReplaceAll(strings.ToLower(s), "’", "'")
}

// fingerprint is a text as far as it says the same as another.
func fingerprint(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".*_", r) }), " ")
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// lazily returns a pattern that is compiled when it is first used.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
