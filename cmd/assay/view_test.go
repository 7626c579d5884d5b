package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/assay-rag/assay"
)

// TestViews keeps how answers look to a person: testdata/golden/*.txt.
func TestViews(t *testing.T) {
	yes, score := true, 0.31
	partial := &assay.Answer{
		Text:    "26 weeks [1]\nParents get 26 weeks after the birth of a child, and 28 where there are twins. [1][2] The plan costs 0 euros. [3]",
		Outcome: assay.Partial, Verdict: assay.Ambiguous, Confidence: 0.625, Grounded: &yes, Useful: 4,
		Citations: []assay.Citation{
			{N: 1, Document: "docs/leave.md", Title: "Leave policy", Heading: "Leave policy › Parental leave", Start: 10, End: 20, Origin: assay.OriginIndex, Date: "2025-03-01"},
			{N: 2, Document: "docs/leave.md", Title: "Leave policy", Heading: "Leave policy › Parental leave", Start: 40, End: 60, Origin: assay.OriginIndex, Date: "2025-03-01"},
			{N: 3, Document: "public/plans of kite.md", Title: "Plans", Heading: "Prices", Start: 0, End: 5, Origin: assay.OriginFallback},
		},
		Reasons: []assay.Note{{Code: assay.ReasonAmbiguous, Text: "the passages are relevant, but none surely answers"}},
		Usage:   assay.UsageReport{Elapsed: 12.3456},
	}
	abstained := &assay.Answer{
		Text: assay.Abstention, Outcome: assay.Abstained, Verdict: assay.Incorrect,
		Reasons: []assay.Note{{Code: assay.ReasonIrrelevant, Text: "no passage mentions “submarine”"}},
		Passages: []assay.PassageReport{
			{Document: "docs/it's.md", Title: "It's", Start: 0, End: 9, Origin: assay.OriginIndex, Score: &score},
			{Document: "docs/b.md", Title: "B", Heading: "Boats", Start: 5, End: 9, Origin: assay.OriginIndex},
			{Document: "docs/c.md", Title: "C", Origin: assay.OriginFallback, Score: &score},
			{Document: "docs/d.md", Title: "The fourth is not shown", Origin: assay.OriginIndex, Score: &score},
		},
		Usage: assay.UsageReport{Elapsed: 1234},
	}
	for name, a := range map[string]*assay.Answer{"partial": partial, "abstained": abstained} {
		for _, width := range []int{0, 48} {
			var b bytes.Buffer
			answerView{&screen{w: &b, width: width}, source{Docs: "my docs"}}.write(a)
			file := name + ".txt"
			if width > 0 {
				file = name + "-narrow.txt"
			}
			wantGolden(t, filepath.Join("testdata", "golden", file), b.Bytes())
		}
	}
}
