package prompted

import (
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

func TestQuestionPrompts(t *testing.T) {
	tried := []assay.SearchRound{
		{Words: "How long is paternity leave?", Origin: assay.OriginIndex, Found: 12, Verdict: assay.Incorrect, Best: 0.21, Missing: "nothing says how long\nit is"},
		{Words: "paternity leave weeks", Origin: assay.OriginIndex},
		{Words: "paternity leave", Origin: assay.OriginFallback, Failed: "no route"},
	}
	goldenPrompt(t, "rewrite", rewritePrompt("How long is paternity leave?", tried))
	goldenPrompt(t, "route", routePrompt("How long is paternity leave?"))
	goldenPrompt(t, "decompose", decomposePrompt("Is paternity leave longer here or in Berlin?"))
	var history []assay.Turn
	for _, q := range []string{"one", "two", "three", "four", "five"} {
		history = append(history, assay.Turn{Question: "Question " + q + "?", Answer: "Answer\n" + q + strings.Repeat(" and so on", 60)})
	}
	history[4].Answer = ""
	goldenPrompt(t, "condense", condensePrompt(assay.Query{Question: "Und wie lange dauert die für Väter?", History: history}))
}

// What came before a question and what was searched stays between the marks.
func TestQuestionPromptsHoldIn(t *testing.T) {
	for _, attack := range allAttacks(t) {
		for name, p := range map[string]prompt{
			"condense": condensePrompt(assay.Query{Question: "And how long is it?", History: []assay.Turn{{Question: attack, Answer: attack}}}),
			"rewrite":  rewritePrompt("And how long is it?", []assay.SearchRound{{Words: attack, Missing: attack, Found: 1}}),
		} {
			checkMarks(t, p.user)
			mark := strings.TrimPrefix(strings.SplitN(p.user, "\n", 2)[0], "BEGIN ")
			inside, after, ok := strings.Cut(strings.TrimPrefix(p.user, "BEGIN "+mark+"\n"), "END "+mark+"\n")
			if !ok || strings.Contains(inside+after, mark) {
				t.Errorf("%s, %q: the marks don't close:\n%s", name, attack, p.user)
			}
			for line := range strings.Lines(inside) {
				if !strings.HasPrefix(line, "USER | ") && !strings.HasPrefix(line, "ANSWER | ") && !strings.HasPrefix(line, "SEARCH 1 | ") {
					t.Errorf("%s, %q: the line %q is not ours", name, attack, line)
				}
			}
		}
	}
}

func TestLanguageOf(t *testing.T) {
	for _, c := range []struct{ question, asked, want string }{
		{"How long is the parental leave in this company?", "", "English"},
		{"How long is the parental leave in this company?", "Wie lange dauert die Elternzeit in dieser Firma?", "German"},
		{"年假有多少天？", "", "Chinese"},
		{"x", "", "the language of the question"},
	} {
		if got := languageOf(assay.Query{Question: c.question, Asked: c.asked}); got != c.want {
			t.Errorf("%q, asked as %q: %s", c.question, c.asked, got)
		}
	}
}
