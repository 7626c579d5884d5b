package prompted

import (
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// shares tells whether what a judge says, or judges, has a word in common with the
// strips that it names for it, or with the titles of their passages. Where it has
// none, the judge has made it up, or was told to: a model of 1.5B finds "4 weeks" in a
// sentence on coffee. It is true where words can't tell: for a bare yes or no, and
// between languages.
func shares(said string, strips []*assay.Strip) bool {
	if len(strips) == 0 || yesOrNo(said) {
		return true
	}
	var named strings.Builder
	for _, s := range strips {
		named.WriteString(s.Passage.Title + "\n" + strings.Join(s.Passage.Heading, "\n") + "\n" + s.Text + "\n")
	}
	ours, theirs := text.Detect(said), text.Detect(named.String())
	if ours != "" && theirs != "" && ours != theirs {
		return true
	}
	terms := map[string]bool{}
	for _, t := range text.Analyze(named.String(), theirs) {
		terms[t.Term] = true
	}
	wanted := text.Analyze(said, theirs)
	for _, t := range wanted {
		if terms[t.Term] {
			return true
		}
	}
	return len(wanted) == 0
}

// yesOrNo tells whether a text begins with a yes or a no, in one of a few languages.
func yesOrNo(s string) bool {
	first, _, _ := strings.Cut(text.Fold(strings.TrimSpace(s)), " ")
	switch strings.Trim(first, ".,;:!，。、") {
	case "yes", "no", "ja", "nein", "nee", "oui", "non", "si", "sim", "nao", "да", "нет", "はい", "いいえ", "是", "是的", "不", "不是", "否", "네", "아니요":
		return true
	}
	return false
}
