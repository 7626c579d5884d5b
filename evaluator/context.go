package evaluator

import (
	"regexp"
	"strings"

	"github.com/assay-rag/assay"
)

// directive marks text that is addressed to a program which reads documents, and
// not to people. It is never obeyed, and hardly ever an answer.
var directive = regexp.MustCompile(`(?i)\b(?:ignore|disregard|forget) (?:all |any |every |the |your )*(?:previous|prior|above|earlier|other) (?:instructions?|prompts?|rules|text|documents?)|` +
	`\b(?:ai|artificial intelligence) (?:assistants?|agents?|models?)\b.{0,40}\b(?:read|reading|must|should|notice)|\blanguage models? reading\b|` +
	`\bfrom now on,? you\b|\byou must (?:now |always |only )?(?:say|answer|reply|respond|claim|state|tell)\b|\bsystem prompt\b|\bbegin your (?:reply|answer|response)\b`)

// introduction is the sentence in the passage that introduces the list in which
// the strip is an item ("The warranty does not cover:"), or "". An item may mean
// the opposite without it.
func introduction(s assay.Strip) string {
	from := s.Start - s.Passage.Start
	if from <= 0 || from > len(s.Passage.Text) {
		return ""
	}
	lines := strings.Split(s.Passage.Text[:from], "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		indented := strings.HasPrefix(lines[i], "  ") || strings.HasPrefix(lines[i], "\t")
		if line == "" || listed(line) || (indented && !strings.HasSuffix(line, ":")) {
			continue
		}
		if strings.HasSuffix(line, ":") || strings.HasSuffix(line, ":**") {
			return line
		}
		return ""
	}
	return ""
}

// fragment tells whether an item is neither a sentence nor of the form "Name:
// value", and so means nothing without what introduces it.
func fragment(item string) bool {
	if strings.Contains(item, ": ") {
		return false
	}
	item = strings.TrimRight(item, " \t\n*_`\"”’)")
	return item == "" || !strings.ContainsAny(item[len(item)-1:], ".!")
}
