package assay

import (
	"fmt"
	"strings"
)

// Mermaid draws the loop as a Mermaid flowchart, from the same table that runs
// it.
func Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for _, s := range steps {
		open, shut := "[", "]"
		if s.step == StepRoute || s.step == StepFinish {
			open, shut = "([", "])"
		}
		fmt.Fprintf(&b, "    %s%s\"<b>%s</b><br/>%s\"%s\n", s.step, open, s.step, s.does, shut)
	}
	for _, e := range edges {
		if e.from == anyStep {
			fmt.Fprintf(&b, "    any{{any step}} -.->|\"%s\"| %s\n", e.when, e.to)
			continue
		}
		fmt.Fprintf(&b, "    %s -->|\"%s\"| %s\n", e.from, e.when, e.to)
	}
	return b.String()
}
