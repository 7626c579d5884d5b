package evaluator

import (
	"strings"

	"github.com/assay-rag/assay"
)

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

// fragment tells whether an item is no sentence, and so means nothing without
// what introduces it.
func fragment(item string) bool {
	item = strings.TrimRight(item, " \t\n*_`\"”’)")
	return item == "" || !strings.ContainsAny(item[len(item)-1:], ".!")
}
