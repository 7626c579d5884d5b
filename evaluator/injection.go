package evaluator

import (
	"strings"
)

// directive marks text that is addressed to a program which reads documents, and
// not to people. It is never obeyed, and hardly ever an answer.
var directive = lazily(`(?i)\b(?:ignore|disregard|forget) (?:all |any |every |the |your )*(?:previous|prior|above|earlier|other) (?:instructions?|prompts?|rules|text|documents?)|` +
	`\b(?:ai|artificial intelligence) (?:assistants?|agents?|models?)\b.{0,40}\b(?:read|reading|must|should|notice)|\blanguage models? reading\b|` +
	`\bfrom now on,? you\b|\byou must (?:now |always |only )?(?:say|answer|reply|respond|claim|state|tell)\b|\bsystem prompt\b|\bbegin your (?:reply|answer|response)\b`)

// addressed tells whether a sentence speaks to whoever grades it rather than of
// its subject. Such a sentence says nothing, like a question.
func addressed(s string) bool {
	if len(s) > 400 {
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
