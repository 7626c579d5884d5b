package evaluator

import (
	"strings"

	"github.com/assay-rag/assay/text"
)

// reach is how many words after a negation it turns around: a judgement, for adverbs and an
// article ("does not usually split").
const reach = 3

// deniedAt returns where the words begin that a negation stands before: of each
// negation the next word that isn't grammar ("does not [split]").
func deniedAt(s string) map[int]bool {
	out := map[int]bool{}
	words := text.Words(s)
	for i, w := range words {
		if !negatesNext(s, words, i) {
			continue
		}
		for k := i + 1; k < len(words) && k <= i+reach; k++ {
			next := strings.ToLower(words[k].Of(s))
			if exceptions[next] || strings.ContainsAny(s[w.End:words[k].Start], ",;:.") {
				break
			}
			if !functionWords[next] && !text.IsStop(next, "en") {
				out[words[k].Start] = true
				break
			}
		}
	}
	return out
}

// exceptions after a negation take it back: "not only", "no later than".
var exceptions = set("only just merely necessarily more less fewer later earlier longer least sooner doubt matter")

func negatesNext(s string, words []text.Span, i int) bool {
	switch w := strings.ToLower(words[i].Of(s)); w {
	case "not", "no", "never", "cannot", "neither", "nor":
		return true
	default:
		return strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t")
	}
}

// deniedBy tells whether a sentence denies a term that the claim affirms, or
// affirms one that the claim denies.
func (s *statement) deniedBy(c *clue) bool {
	body := c.sentence.Of(c.a.text)
	if switchedOtherwise(s.text, body) {
		return true
	}
	denied := deniedAt(body)
	if len(denied) == 0 && len(s.denied) == 0 {
		return false
	}
	affirmed, negatedTerms := map[int]bool{}, map[int]bool{}
	for _, h := range c.hits {
		if h.strength < 1 {
			continue
		}
		if denied[c.a.tokens[h.token].Start-c.sentence.Start] {
			negatedTerms[int(h.term)] = true
		} else {
			affirmed[int(h.term)] = true
		}
	}
	for j := range negatedTerms {
		if !affirmed[j] && !s.denied[j] && len(s.denied) == 0 && !s.negated {
			return true
		}
	}
	clauses, _ := s.clauses(c)
	for j := range s.denied {
		if affirmed[j] && !negatedTerms[j] && !negated(clauses) {
			return true
		}
	}
	return false
}

// settings reads what a setting is: "is on", "defaults to false", "default: off".
var settings = lazily(`(?i)\b(?:is|are|set to|defaults?|defaults? to|value of|=)[ :=]+["'“\x60*]*(on|off|true|false|enabled|disabled)\b`)

// switchedOtherwise tells whether a claim says that something is on, and the
// sentence only that it is off, or the other way round.
func switchedOtherwise(claim, body string) bool {
	said := settings().FindStringSubmatch(claim)
	if said == nil {
		return false
	}
	on, other := isOn(said[1]), false
	for _, m := range settings().FindAllStringSubmatch(body, -1) {
		if isOn(m[1]) == on {
			return false
		}
		other = true
	}
	return other
}

func isOn(state string) bool {
	return oneOf(strings.ToLower(state), []string{"on", "true", "enabled"})
}
