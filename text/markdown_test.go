package text_test

import (
	"testing"

	"github.com/assay-rag/assay/text"
)

func TestMarkdownLines(t *testing.T) {
	for _, c := range []struct {
		line    string
		heading bool
		fence   string
	}{
		{"", false, ""},
		{"# Mooring", true, ""},
		{"###### Chains", true, ""},
		{"####### Chains", false, ""},
		{"# ", true, ""},
		{"#", false, ""},
		{"#chain is a tag", false, ""},
		{" # indented", false, ""},
		{"---", false, ""},
		{"```go", false, "```"},
		{"````", false, "```"},
		{"~~~", false, "~~~"},
		{"``code``", false, ""},
		{"a ``` in a line", false, ""},
	} {
		if got := text.IsHeading(c.line); got != c.heading {
			t.Errorf("IsHeading(%q) = %t", c.line, got)
		}
		if got := text.Fence(c.line); got != c.fence {
			t.Errorf("Fence(%q) = %q, want %q", c.line, got, c.fence)
		}
	}
}
