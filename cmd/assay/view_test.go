package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/ingest"
)

func TestNumbers(t *testing.T) {
	for want, ns := range map[string][]int{
		"[1]": {1}, "[1] [2]": {2, 1}, "[1]–[3]": {1, 2, 3}, "[1] [3]–[11] [13]": {13, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11},
	} {
		var citations []assay.Citation
		for _, n := range ns {
			citations = append(citations, assay.Citation{N: n})
		}
		if got := numbers(citations); got != want {
			t.Errorf("numbers(%v) = %q, want %q", ns, got, want)
		}
	}
}

func TestSummary(t *testing.T) {
	for want, r := range map[string]ingest.Report{
		"docs: nothing to index":                                              {},
		"docs: 1,200 added, 2 unchanged":                                      {Added: 1200, Unchanged: 2},
		"docs: 1 added, 2 skipped: 1 .png, 1 link":                            {Added: 1, Skipped: 2, Skips: map[string]int{".png": 1, ingest.SkippedLink: 1}},
		"docs: 2,257 skipped: 1,759 .gz, 400 without an extension, 60 .md, …": {Skipped: 2257, Skips: map[string]int{".gz": 1759, "": 400, ".png": 38, ".md": 60}},
		"docs: 5 skipped: 3 links, 2 .x y":                                    {Skipped: 5, Skips: map[string]int{".x\ny": 2, ingest.SkippedLink: 3}},
	} {
		if got := summary("docs", r); got != want {
			t.Errorf("summary = %q, want %q", got, want)
		}
	}
}

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
	long := &assay.Answer{Text: "One. [1]\nTwo. [2]\nAnd so on. [12]", Outcome: assay.Answered, Verdict: assay.Correct, Grounded: &yes, Confidence: 0.9, Useful: 5}
	for n := 1; n <= 11; n++ { // the items of one list, cited one by one
		long.Citations = append(long.Citations, assay.Citation{N: n, Document: "docs/list.md", Title: "List", Start: 100 * n, End: 100*n + 50, Origin: assay.OriginIndex})
	}
	for i, start := range []int{9000, 1551, 7000, 5000} { // 401 bytes after the list, and farther off
		long.Citations = append(long.Citations, assay.Citation{N: 12 + i, Document: "docs/list.md", Title: "List", Start: start, End: start + 20, Origin: assay.OriginIndex})
	}
	for name, a := range map[string]*assay.Answer{"partial": partial, "abstained": abstained, "long": long} {
		for _, width := range []int{0, 48} {
			var b bytes.Buffer
			answerView{&screen{w: &b, width: width}, source{Docs: "my docs"}, "public docs", nil}.write(a)
			file := name + ".txt"
			if width > 0 {
				file = name + "-narrow.txt"
			}
			wantGolden(t, filepath.Join("testdata", "golden", file), b.Bytes())
		}
	}
}

// TestDraftEndsItsLine has a draft's line end with its step, whichever that is.
func TestDraftEndsItsLine(t *testing.T) {
	for _, step := range []assay.Step{assay.StepAnswer, assay.StepQuote} {
		e := newTester(t)
		v := streamView{out: e.outScreen(), err: e.errScreen(), manner: assay.StreamDraft}
		v.event(assay.Event{Kind: assay.EventText, Step: step, Text: "The anchor"})
		v.event(assay.Event{Kind: assay.EventDone, Step: step})
		v.event(assay.Event{Kind: assay.EventDone, Step: assay.StepFinish})
		if said := e.err.String(); said != "The anchor\n" {
			t.Errorf("%s: %q", step, said)
		}
	}
}
