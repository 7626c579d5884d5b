package evaluator

import (
	"strings"

	"github.com/assay-rag/assay/text"
)

// polarityCover is the share of what a yes-or-no question says that a sentence
// must repeat, with its headings, before its yes or no is the answer; polarityOwn
// is what it must repeat by itself. Judgements, high because a wrong yes misleads.
const (
	polarityCover = 0.85
	polarityOwn   = 0.6
)

// longestPolar is how many words a sentence may have that a yes or no is read
// from: in a longer one, what is denied is often something else. A
// judgement.
const longestPolar = 40

// The manners of a sentence or a question. English alone: where nothing matches
// there is no short answer.
var (
	permits  = lazily(`(?i)\b(can|could|may|allowed|permitted|possible|able|eligible|entitled)\b`)
	forbids  = lazily(`(?i)\b(cannot|can not|can't|can’t|may not|must not|mustn't|(is|are|be) not (allowed|permitted|possible|eligible|entitled|able|available)|(isn't|aren't) (allowed|permitted|possible|eligible|entitled|able)|prohibited|forbidden|ineligible|unable)\b`)
	obliges  = lazily(`(?i)\b(must|required|mandatory|obligatory|compulsory|necessary|(have|has|need|needs) to)\b`)
	exempts  = lazily(`(?i)\b(not required|need not|needn't|optional|voluntary|not (mandatory|obligatory|compulsory|necessary)|(do|does) not (have|need) to|(don't|doesn't) (have|need) to|no need)\b`)
	denies   = lazily(`(?i)\b(not|no|never|none|neither|nor|nobody|nothing|without|cannot)\b|n['’]t\b`)
	hedges   = lazily(`(?i)\b(if|unless|except|excepting|only|provided|depend|depends|depending|subject to|as long as|until|before|after|once|when|where|whenever|otherwise|but|however|although|though|might|should|would|partly|partially|some|sometimes|mostly|most|usually|normally|generally|typically|often|rarely|previously|formerly|used to|no longer|approval|approved|consent|permission|instead|non-\w+|fail|fails|failed|lack|lacks|lacked|refuse|refuses|refused)\b`)
	manner   = set("can could may allow allowed permit permitted possible able eligible entitled must require required requires mandatory obligatory compulsory necessary need needs needed get")
	eitherOr = lazily(`(?i)\bor\b`)
)

// polarity returns "Yes." or "No." where the sentence says of everything in the
// question that it is so, or that it is not; "" where it is unclear.
func (q *question) polarity(body string, headings []string) string {
	asked := questionSentence(q.text)
	if eitherOr().MatchString(asked) || denies().MatchString(asked) || hedges().MatchString(body) || len(text.Words(body)) > longestPolar {
		return ""
	}
	if !q.repeated(body, headings) {
		return ""
	}
	denied := len(denies().FindAllString(body, -1))
	switch {
	case obliges().MatchString(asked):
		switch {
		case exempts().MatchString(body) && !obliges().MatchString(exempts().ReplaceAllString(body, "")):
			return "No."
		case denied == 0 && obliges().MatchString(body):
			return "Yes."
		}
	case permits().MatchString(asked):
		switch {
		case forbids().MatchString(body) && denied <= 1:
			return "No."
		case denied == 0 && permits().MatchString(body):
			return "Yes."
		}
	case forbids().MatchString(body) || permits().MatchString(body) || obliges().MatchString(body):
		return ""
	case denied == 0:
		return "Yes."
	case denied == 1:
		return "No."
	}
	return ""
}

// repeated tells whether the sentence, with its headings for a small part, says
// what the question says: the terms but for those of manner, and the values.
func (q *question) repeated(body string, headings []string) bool {
	inBody, inHeadings := q.termsIn(body), q.termsIn(strings.Join(headings, "\n"))
	total, own, all := 0.0, 0.0, 0.0
	for i, t := range q.terms {
		if manner[text.Fold(t.surface)] {
			continue
		}
		total += t.share
		if inBody[i] {
			own += t.share
		}
		if inBody[i] || inHeadings[i] {
			all += t.share
		}
	}
	if total == 0 || all < polarityCover*total || own < polarityOwn*total {
		return false
	}
	stated := norms(values(body))
	for _, v := range q.values {
		if !stated[v.Norm] {
			return false
		}
	}
	return true
}
