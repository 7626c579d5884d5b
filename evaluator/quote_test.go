package evaluator

import (
	"context"
	"testing"

	"github.com/assay-rag/assay"
)

// TestWhatIsQuotedWholeIsSupported checks what an extractive answer shows: its
// tables and items are claims as they stand.
func TestWhatIsQuotedWholeIsSupported(t *testing.T) {
	e := newEvaluator(t, nil)
	const table = "| Code | Meaning |\n|---|---|\n| F10 | leak at the battery lid |\n| F21 | broken pH bulb |\n| F44 | radio |"
	evidence := []assay.Strip{{Text: "The weather is fine."}, {Text: table}, {Text: "- Alcohol is not paid back."}}
	for _, c := range []struct {
		claim string
		at    int // -1: not supported
	}{
		{table, 1},
		{"| Code | Meaning |\n|---|---|\n| F10 | leak at the battery lid |", 1},
		{"Alcohol is not paid back.", 2},
		{"Alcohol is paid back.", -1},
		{"| Code | Meaning |\n|---|---|\n| F10 | broken pH bulb |", -1},
	} {
		findings, err := e.Check(context.Background(), []string{c.claim}, evidence)
		if err != nil {
			t.Fatal(err)
		}
		f := findings[0]
		if c.at >= 0 && (f.Support != assay.Supported || len(f.Evidence) != 1 || f.Evidence[0] != c.at) {
			t.Errorf("%q: %+v, want support by strip %d", c.claim, f, c.at)
		}
		if c.at < 0 && f.Support == assay.Supported && f.Score >= verbatim {
			t.Errorf("%q: %+v, as if it stood there", c.claim, f)
		}
	}
}
