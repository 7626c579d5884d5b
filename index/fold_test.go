package index

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay"
)

func TestCopies(t *testing.T) {
	long := strings.Repeat("The desk on the ground floor lends umbrellas to all guests of the house. ", 8) // 104 words
	for _, test := range []struct {
		name, a, b string
		language   string
		want       bool
	}{
		{"the same", "Leave lasts 20 days.", "Leave lasts 20 days.", "en", true},
		{"case, space and marks", "Leave lasts 20 days.", "- **LEAVE** lasts\n20 days!", "en", true},
		{"a table", "| Leave | 20 |\n| Sick | 5 |", "Leave: 20\nSick: 5", "en", true},
		{"another number", "Leave lasts 20 days.", "Leave lasts 26 days.", "en", false},
		{"another word", "Leave lasts 20 days.", "Leave lasts 20 weeks.", "en", false},
		{"another order", "Ann pays Bob.", "Bob pays Ann.", "en", false},
		{"another sign", "It costs $20.", "It costs €20.", "en", false},
		{"no sign", "It costs 20.", "It costs €20.", "en", false},
		{"per cent", "It rose by 5.", "It rose by 5 %.", "en", false},
		{"minus", "It was -5 degrees.", "It was 5 degrees.", "en", false},
		{"more and less", "A load > 5 is refused.", "A load < 5 is refused.", "en", false},
		{"short, with a word more", "Leave lasts 20 days.", "Paid leave lasts 20 days.", "en", false},
		{"long, with words more", long, "Reviewed. " + long + "See website.", "en", true},
		{"long, with too many more", long, long + "See our friendly helpful nice website today.", "en", false},
		{"long, with another word", long, strings.Replace(long, "desk", "bar", 1), "en", false},
		{"long, not", long, strings.Replace(long, "lends", "does not lends", 1), "en", false},
		{"long, must", long, strings.Replace(long, "lends", "must lends", 1), "en", false},
		{"long, don't", long, strings.Replace(long, "lends", "doesn’t lends", 1), "en", false},
		{"long, a number", long, long + "Room 5.", "en", false},
		{"long, a number word", long, strings.Replace(long, "guests", "twelve guests", 1), "en", false},
		{"long, a limit", long, strings.Replace(long, "guests", "guests only", 1), "en", false},
		{"long, a sign", long, long + "€", "en", false},
		{"long, a ticked box", "[ ] " + long, "[x] " + long, "en", false},
		{"long, an article", long, strings.Replace(long, "lends umbrellas", "lends the umbrellas", 1), "en", true},
		{"long, unknown language", long, strings.Replace(long, "lends", "not lends", 1), "", false},
		{"German, nicht", long, strings.Replace(long, "lends", "nicht lends", 1), "de", false},
		{"German, a noun", long, strings.Replace(long, "lends", "Haus lends", 1), "de", true},
		{"Chinese", strings.Repeat("员工每年享有带薪年假", 5), strings.Repeat("员工每年享有带薪年假", 4) + "员工每年不享有带薪年假", "zh", false},
		{"letters with marks", "La loi passe.", "La loi passé.", "fr", false},
		{"empty", "", "—", "en", true},
	} {
		for _, swap := range []bool{false, true} {
			a, b := test.a, test.b
			if swap {
				a, b = b, a
			}
			f := newFolder("")
			f.add(assay.Passage{Document: "a", Text: a, Language: test.language})
			f.add(assay.Passage{Document: "b", Text: b, Language: test.language})
			if got := len(f.folded) == 1; got != test.want {
				t.Errorf("%s: %q and %q fold: %v", test.name, a, b, got)
			}
		}
	}
}

// TestFold looks at which of several copies is kept, and where.
func TestFold(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	passage := func(document string, score float64, date int, from assay.DateFrom, title string) assay.Passage {
		p := assay.Passage{Document: document, Text: "Leave lasts 20 days.", Score: score, Title: title, DateFrom: from}
		if date > 0 {
			p.Date = year(date)
		}
		return p
	}
	other := assay.Passage{Document: "other", Text: "Leave lasts 26 days.", Score: 8}
	for _, test := range []struct {
		name, question string
		passages       []assay.Passage
		want           string // documents, their scores and copies
	}{
		{"no dates", "", []assay.Passage{passage("a", 9, 0, "", ""), other, passage("b", 7, 0, "", "")}, "a 9 [b]; other 8 []"},
		{"the newest", "", []assay.Passage{passage("a", 9, 2019, "document", ""), other, passage("b", 7, 2024, "name", ""), passage("c", 6, 2022, "document", "")},
			"b 9 [a c]; other 8 []"},
		{"a time of a file is none", "", []assay.Passage{passage("a", 9, 2019, "document", ""), other, passage("b", 7, 2024, "mtime", "")}, "a 9 [b]; other 8 []"},
		{"the same document", "", []assay.Passage{passage("a", 9, 0, "", ""), passage("a", 8, 0, "", ""), passage("b", 7, 0, "", "")}, "a 9 [b]"},
		{"under other titles", "leave days", []assay.Passage{passage("a", 9, 0, "", "Germany"), passage("b", 8, 0, "", "France")}, "a 9 [b]"},
		{"a title that was asked for", "leave in France", []assay.Passage{passage("a", 9, 2024, "", "Germany"), passage("b", 8, 0, "", "France"), passage("c", 7, 0, "", "Handbook, France")},
			"a 9 []; b 8 [c]"},
	} {
		f := newFolder(test.question)
		for _, p := range test.passages {
			f.add(p)
		}
		var got []string
		for _, p := range f.passages() {
			got = append(got, fmt.Sprint(p.Document, " ", p.Score, " ", p.Copies))
		}
		if s := strings.Join(got, "; "); s != test.want {
			t.Errorf("%s: %s, want %s", test.name, s, test.want)
		}
	}
}

// TestFoldFillsUp looks for more than the first page of passages holds, as most of
// them are copies.
func TestFoldFillsUp(t *testing.T) {
	x := open(t, t.TempDir())
	texts := map[string]string{}
	for i := range 300 {
		texts[fmt.Sprintf("handbook/copy%03d.md", i)] = "Umbrellas, umbrellas."
	}
	for i := range 10 {
		texts[fmt.Sprintf("handbook/own%d.md", i)] = fmt.Sprintf("Among much else that is said of room %d there are umbrellas.", i)
	}
	put(t, x, texts)
	found, err := x.Retrieve(context.Background(), assay.Search{Words: "umbrellas", K: 8})
	if err != nil || len(found.Passages) != 8 {
		t.Fatalf("%d passages, %v", len(found.Passages), err)
	}
	if first := found.Passages[0]; len(first.Copies) != 299 || slices.Contains(first.Copies, first.Document) {
		t.Errorf("the first is %s with %d copies", first.Document, len(first.Copies))
	}
}

// FuzzCopies holds that copies are so both ways, that every text is one of itself,
// and that a number more is never folded away.
func FuzzCopies(f *testing.F) {
	f.Add("Leave lasts 20 days.", "- **Leave** lasts 20 days", "en")
	f.Add("不 5 % €", "\xff’n't", "zh")
	f.Fuzz(func(t *testing.T, a, b, language string) {
		x, y := wordsAndSigns(a), wordsAndSigns(b)
		if copies(x, y, language) != copies(y, x, language) {
			t.Errorf("%q and %q are copies one way", a, b)
		}
		if !copies(x, x, language) {
			t.Errorf("%q is no copy of itself", a)
		}
		if len(x) > 0 && copies(x, append(slices.Clone(x), "7"), language) {
			t.Errorf("%q is a copy of itself with a number more", a)
		}
	})
}
