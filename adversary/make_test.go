package adversary

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/ingest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sample reads the sample corpus.
func sample(tb testing.TB) []assay.Document {
	tb.Helper()
	root := filepath.Join("..", "examples", "brackwater")
	var docs []assay.Document
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		docs = append(docs, parsed(tb, filepath.ToSlash(rel), string(data)))
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return docs
}

// parsed reads one file.
func parsed(tb testing.TB, id, content string) assay.Document {
	tb.Helper()
	d, _, err := ingest.Parse(filepath.Base(id), []byte(content))
	if err != nil {
		tb.Fatal(err)
	}
	d.ID = id
	return d
}

// TestSample makes cases of the sample corpus, whose cases were read and found
// right; a change shows in a diff, and wants to be read again.
func TestSample(t *testing.T) {
	docs := sample(t)
	cases, err := Make(docs, &Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var golden bytes.Buffer
	for _, c := range cases {
		fmt.Fprintf(&golden, "%s: %s\n  %s %q, not %q\n  %s\n", c.ID, c.Question, c.Expect, c.MustContain, c.MustNotContain, c.Why)
	}
	path := filepath.Join("testdata", "sample.golden")
	if *update {
		if err := os.WriteFile(path, golden.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(golden.String(), "\n")); diff != "" {
		t.Errorf("the cases have changed; read them, and if they are right run with -update:\n%s", diff)
	}
	again, err := Make(docs, &Options{Seed: 1})
	if err != nil || !cmp.Equal(cases, again, cmp.AllowUnexported(Case{})) {
		t.Error("the same documents and seed gave other cases")
	}
}

// TestPlanted wants the conflicts that were planted in the sample corpus.
func TestPlanted(t *testing.T) {
	cases, err := Make(sample(t), &Options{PerKind: 20})
	if err != nil {
		t.Fatal(err)
	}
	planted := []struct {
		kind      Kind
		documents []string
		contains  []string
	}{
		{Stale, []string{"handbook/leave.md", "handbook/leave-2023.md"}, []string{"28 days"}},
		{Stale, []string{"product/calibration-heron-2.md", "product/calibration-heron-2-2023.md"}, []string{"60 days"}},
		{Contradictory, []string{"legal/warranty.md", "support/returns-faq.html"}, []string{"24 months", "36 months"}},
		{Contradictory, []string{"engineering/backup.md", "legal/dpa.md"}, []string{"35 days", "30 days"}},
	}
	for _, p := range planted {
		if !slices.ContainsFunc(cases, func(c Case) bool {
			return c.Kind == p.kind && cmp.Equal(c.Documents, p.documents) && cmp.Equal(c.MustContain, p.contains)
		}) {
			t.Errorf("no %s case of %v with %v", p.kind, p.documents, p.contains)
		}
	}
	for _, c := range cases {
		for _, d := range c.Documents {
			if old := strings.Contains(d, "2023") || d == "product/api-v1.md"; old && c.Kind != Stale && c.Kind != Deprecated {
				t.Errorf("%s rests on %s, which no longer holds", c.ID, d)
			}
		}
	}
}

// TestPlaces wants every place to be where it says, and what a right answer says to
// stand there.
func TestPlaces(t *testing.T) {
	docs := sample(t)
	byID := map[string]assay.Document{}
	for _, d := range docs {
		byID[d.ID] = d
	}
	cases, err := Make(docs, &Options{PerKind: 30})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var said string
		for _, p := range c.Places {
			if got := byID[p.Document].Text[p.Start:p.End]; got != p.Text {
				t.Errorf("%s: the place has %q, the document %q", c.ID, p.Text, got)
			}
			said += p.Text + "\n" + p.Heading + "\n"
		}
		for _, s := range c.MustContain {
			if !contains(said, s) {
				t.Errorf("%s: %q is wanted, and its places don't have it: %q", c.ID, s, said)
			}
		}
		if c.Why == "" || strings.Contains(c.Question, "{") || !strings.HasSuffix(c.Question, "?") {
			t.Errorf("%s: %q because %q", c.ID, c.Question, c.Why)
		}
	}
}

// TestKinds makes one case of a few lines, or none.
func TestKinds(t *testing.T) {
	const (
		old   = "---\nupdated: 2021-05-01\n---\n# Pump manual\n\nThe filter of the pump lasts 3 months.\n"
		newer = "---\nupdated: 2024-05-01\n---\n# Pump manual\n\nThe filter of the pump lasts 6 months.\n"
	)
	tests := []struct {
		name  string
		kind  Kind
		files []string
		want  string // the question; empty where none may be made
	}{
		{"control", Control, []string{"The oil filter lasts 6 months in fresh water."}, "How long does the oil filter last in fresh water?"},
		{"no control of what is disputed", Control, []string{old, newer}, ""},
		{"stale by date", Stale, []string{old, newer}, "How long does the filter of the pump last?"},
		{"no age without dates", Stale, []string{strings.Replace(old, "updated", "other", 1), newer}, ""},
		{"contradictory", Contradictory, []string{strings.Replace(old, "2021", "2024", 1), newer}, "How long does the filter of the pump last?"},
		{"another product", Contradictory, []string{strings.ReplaceAll(old, "pump", "A1 pump"), strings.ReplaceAll(newer, "pump", "B1 pump")}, ""},
		{"deprecated", Deprecated, []string{"The Frobnicate function is deprecated."}, "Can I still use the Frobnicate function?"},
		{"removed", Deprecated, []string{"# Log\n\n## Removed\n\n- The legacy report builder.\n"}, "Can I still use the legacy report builder?"},
		{"replaced", Deprecated, []string{"Sales: Letterbird Oy replaces Quillpost Inc. for e-mail."}, "Is Quillpost Inc. still in use?"},
		{"removal is what it does", Deprecated, []string{"The listener is called after the item is removed from the list."}, ""},
		{"near miss by number", NearMiss, []string{"The Heron 2 weighs 3 kg in air."}, "How much does the Heron 5 weigh in air?"},
		{"sibling covered", NearMiss, []string{"The Heron weighs 3 kg in air. Only the Heron and Stork are sold. As a rule the Stork weighs more in air."}, ""},
		{"near miss by kind", NearMiss, []string{"The Heron weighs 3 kg in air.", "Ask for the Heron or Stork by name."}, "How much does the Stork weigh in air?"},
		{"false value", FalsePremise, []string{"Every badge is valid for 14 days in Bristol."}, "Why is every badge valid for 28 days in Bristol?"},
		{"denied", FalsePremise, []string{"Calibration solutions can't be returned to the shop."}, "How can calibration solutions be returned to the shop?"},
		{"ambiguous", Ambiguous, []string{"# A\n\n| Property | Heron 2 |\n|---|---|\n| List price | €10 |\n", "# B\n\n| Property | Kite 7 |\n|---|---|\n| List price | €20 |\n"}, "What is the list price?"},
		{"other language", Control, []string{"---\nlang: de\n---\nDie Pumpe hält 3 Monate.\n"}, ""},
		{"a list of changes", Control, []string{"# Log\n\n### Changed\n\n- The oil filter lasts 6 months in fresh water.\n"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var docs []assay.Document
			for i, f := range test.files {
				docs = append(docs, parsed(t, fmt.Sprintf("%d.md", i), f))
			}
			cases, err := Make(docs, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range cases {
				if c.Kind == test.kind {
					got = append(got, c.Question)
				}
			}
			if test.want == "" && len(got) > 0 || test.want != "" && !slices.Contains(got, test.want) {
				t.Errorf("%q, not %q", got, test.want)
			}
		})
	}
}

// TestStaleOrder wants the newer value whichever document comes first, and by the
// version where there is no date.
func TestStaleOrder(t *testing.T) {
	doc := func(id, value string, date time.Time) assay.Document {
		return assay.Document{ID: id, Title: "Pump manual", Text: "# Pump manual\n\nThe filter of the pump lasts " + value + ".\n", Date: date, DateFrom: assay.DateFromDocument}
	}
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	tests := map[string][]assay.Document{
		"newer first": {doc("a", "6 months", day), doc("b", "3 months", day.AddDate(-1, 0, 0))},
		"older first": {doc("a", "3 months", day.AddDate(-1, 0, 0)), doc("b", "6 months", day)},
		"by version":  {doc("docs/1.9/pump.md", "3 months", time.Time{}), doc("docs/1.10/pump.md", "6 months", time.Time{})},
	}
	for name, docs := range tests {
		cases, err := Make(docs, nil)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(cases, func(c Case) bool { return c.Kind == Stale })
		if i < 0 || cases[i].Answer != "6 months" || !cmp.Equal(cases[i].MustNotContain, []string{"3 months"}) {
			t.Errorf("%s: %+v", name, cases)
		}
	}
}

func TestOptions(t *testing.T) {
	if _, err := Make(nil, &Options{PerKind: -1}); err == nil {
		t.Error("a negative number of cases was taken")
	}
	if cases, err := Make(nil, nil); err != nil || len(cases) != 0 {
		t.Errorf("of nothing: %v, %v", cases, err)
	}
	one, err := Make(sample(t), &Options{PerKind: 1})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Kind]int{}
	for _, c := range one {
		if seen[c.Kind]++; seen[c.Kind] > 1 {
			t.Errorf("%d cases of %s, not one", seen[c.Kind], c.Kind)
		}
	}
}

// FuzzMake holds that no text breaks it, and that places are where they say.
func FuzzMake(f *testing.F) {
	f.Add("# Heron 2\n\nThe Heron 2 weighs 3 kg.\n\n| Property | Heron 2 |\n|---|---|\n| List price | €10 |\n")
	f.Add("- A loan lasts one day; 1. is 5 of € 3%\n\n```\nx\n")
	f.Add("| |\n||\n|€|1|\n\xff is a b.")
	f.Fuzz(func(t *testing.T, s string) {
		d := assay.Document{ID: "a", Title: s[:len(s)/2], Text: s}
		e := assay.Document{ID: "b", Title: s, Text: strings.ReplaceAll(s, "3", "4")}
		cases, err := Make([]assay.Document{d, e}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			for _, p := range c.Places {
				text := d.Text
				if p.Document == "b" {
					text = e.Text
				}
				if text[p.Start:p.End] != p.Text {
					t.Errorf("%q stands at %d, not %q", text[p.Start:p.End], p.Start, p.Text)
				}
			}
		}
	})
}

func BenchmarkMake(b *testing.B) {
	docs := sample(b)
	for b.Loop() {
		if _, err := Make(docs, nil); err != nil {
			b.Fatal(err)
		}
	}
}
