package evaluator

import (
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

func TestSibling(t *testing.T) {
	heron := assay.Passage{Title: "Heron 2", Text: "The weight is 1.9 kg. It dives to 100 m."}
	for _, c := range []struct {
		question string
		passage  assay.Passage
		want     string // "" where the passage may be graded as it is
	}{
		{"What is the weight of the Heron 5?", heron, "speaks of “Heron 2”, not of “Heron 5”"},
		{"What is the weight of the Heron 2?", heron, ""},
		{"What is the weight of the Kite 5?", heron, ""}, // other names are other rules' business
		{"What is the weight of the heron?", heron, ""},
		{"Does it run on Python 3?", assay.Passage{Text: "Python 3.11 is needed."}, ""},
		{"Does it run on Windows 10?", assay.Passage{Text: "Windows 11 is needed."}, "“Windows 11”"},
		{"Does it run on Windows 10?", assay.Passage{Text: "Windows 11 or 10 is needed."}, ""},
		{"What is the weight of the Heron 5?", assay.Passage{Text: "The Heron 2 measures every 5 minutes."}, "“Heron 2”"},
		{"What is the weight of the Heron 5?", assay.Passage{Text: "Unlike the Heron 2, the Heron 5 weighs 3 kg."}, ""},
		{"What happened on May 5?", assay.Passage{Text: "On May 7 the office was closed."}, ""},
		{"What happened in June 2024?", assay.Passage{Text: "In June 2023 it closed."}, ""},
	} {
		got := sibling(c.question, &c.passage)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s on %q: %q, want %q", c.question, c.passage.Text, got, c.want)
		}
	}
}
