package prompted

import (
	"slices"
	"strings"
)

// noAnswer is what a model is told to say where the evidence holds no answer.
const noAnswer = "NO_ANSWER"

// saysNoAnswer tells whether a unit is NO_ANSWER or begins with it; one that speaks
// of it in other words says so with a citation.
func saysNoAnswer(u unit) bool {
	if b := bare(u.text); strings.HasPrefix(b, "no_answer") || b == "no answer" {
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
