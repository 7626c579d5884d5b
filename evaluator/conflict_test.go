package evaluator

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay"
)

func TestConflicts(t *testing.T) {
	day := func(s string) time.Time {
		if s == "" {
			return time.Time{}
		}
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	type side struct{ text, date, version, status string }
	const (
		twenty    = "Employees get 20 days of annual leave a year."
		twentySix = "Employees get 26 days of annual leave a year."
		days      = "How many days of annual leave do employees get?"
	)
	for _, c := range []struct {
		name, question string
		a, b           side
		want           string // "", "stale A", "stale B", "against"
	}{
		{"undated", days, side{text: twenty}, side{text: twentySix}, "against"},
		{"older first", days, side{text: twenty, date: "2022-03-01"}, side{text: twentySix, date: "2025-06-15"}, "stale A"},
		{"older second", days, side{text: twentySix, date: "2025-06-15"}, side{text: twenty, date: "2022-03-01"}, "stale B"},
		{"same week", days, side{text: twenty, date: "2025-06-10"}, side{text: twentySix, date: "2025-06-15"}, "against"},
		{"versions", days, side{text: twenty, version: "1.9"}, side{text: twentySix, version: "1.10"}, "stale A"},
		{"a phrase is no status", days, side{text: twenty, date: "2020-01-01"}, side{text: twentySix + " Forms are replaced by Almanac.", date: "2026-01-01"}, "stale A"},
		{"status", days, side{text: twenty, status: "superseded", date: "2026-01-01"}, side{text: twentySix, date: "2020-01-01"}, "stale A"},
		{"another thing of a longer name", "How much does the Kite weigh?", side{text: "The Kite weighs 3 kg.", date: "2024-01-01"}, side{text: "The Kite Mini weighs 1 kg.", date: "2025-01-01"}, ""},
		{"another fact", "How many days may I work from Portugal?", side{text: "You may work from another country for up to 40 days in a calendar year.", date: "2025-06-02"}, side{text: "Full-time staff receive 28 days of PTO per calendar year.", date: "2026-01-01"}, ""},
		{"a date to come is not trusted", days, side{text: twenty, date: "2022-03-01"}, side{text: twentySix, date: "2222-06-15"}, "against"},
		{"asked of the past", "How many days of annual leave did employees get in 2022?", side{text: twenty, date: "2022-03-01"}, side{text: twentySix, date: "2025-06-15"}, ""},
		{"the same", days, side{text: twenty}, side{text: "Staff get twenty days of annual leave each year."}, ""},
		{"other unit", days, side{text: twenty}, side{text: "Employees get 4 weeks of annual leave a year."}, ""},
		{"other case", days, side{text: "Part-time employees get 20 days of annual leave."}, side{text: "Full-time employees get 26 days of annual leave."}, ""},
		{"other names", days, side{text: "In Germany employees get 28 days of annual leave."}, side{text: "In Brazil employees get 22 days of annual leave."}, ""},
		{"other years", "How many robots did the company sell?", side{text: "In 2019 the company sold 120 robots."}, side{text: "In 2020 the company sold 180 robots."}, ""},
		{"denied", "Are dogs allowed in the office?", side{text: "Dogs are allowed in the office."}, side{text: "Dogs are not allowed in the office."}, "against"},
		{"another place", "Where are backups stored?", side{text: "All backups are stored in a vault in Frankfurt."}, side{text: "All backups are stored in a vault in Dublin."}, "against"},
		{"one is off topic", days, side{text: twenty}, side{text: "The canteen has 26 seats."}, ""},
		{"dates", "When was Northwind Robotics founded?", side{text: "Northwind Robotics was founded in 2011."}, side{text: "Northwind Robotics was founded in 2013."}, "against"},
		{"a date in its year", "When was Northwind Robotics founded?", side{text: "Northwind Robotics was founded in 2011."}, side{text: "Northwind Robotics was founded on 4 May 2011."}, ""},
	} {
		make := func(document string, s side) assay.Passage {
			p := assay.Passage{Document: document, Text: s.text, Language: "en", Date: day(s.date), Version: s.version}
			if s.version != "" {
				p.Title = "Leave policy"
			}
			if s.status != "" {
				p.Meta = map[string]string{"status": s.status}
			}
			return p
		}
		a := assess(t, c.question, make("a.md", c.a), make("b.md", c.b))
		got := ""
		for _, k := range a.Conflicts {
			switch {
			case !k.Stale:
				got = "against"
			case k.A == 0:
				got = "stale A"
			default:
				got = "stale B"
			}
			if k.Note == "" {
				t.Errorf("%s: the conflict has no note", c.name)
			}
			if stale := a.Grades[k.A]; k.Stale && (stale.Reason != assay.Stale || stale.Score >= assay.DefaultThresholds.Upper) {
				t.Errorf("%s: what is stale is graded %+v", c.name, stale)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q; grades %+v", c.name, got, c.want, a.Grades)
		}
	}
}

func TestConflictNoteNamesBothSides(t *testing.T) {
	a := assess(t, "How many days of annual leave do employees get?",
		assay.Passage{Document: "a", Text: "Employees get 20 days of annual leave a year.", Language: "en", Date: time.Date(2022, 3, 1, 0, 0, 0, 0, time.UTC)},
		assay.Passage{Document: "b", Text: "Employees get 26 days of annual leave a year.", Language: "en", Date: time.Date(2025, 6, 15, 0, 0, 0, 0, time.UTC)})
	if len(a.Conflicts) != 1 || a.Conflicts[0].Note != "20 days (2022-03-01) against 26 days (2025-06-15)" {
		t.Errorf("%+v", a.Conflicts)
	}
}

func TestRetiredDocuments(t *testing.T) {
	old := assay.Passage{Document: "old", Text: "Employees get 20 days of annual leave a year.", Language: "en", Meta: map[string]string{"status": "deprecated"}}
	current := assay.Passage{Document: "new", Text: "Employees get 20 days of annual leave a year, after six months.", Language: "en"}
	const question = "How many days of annual leave do employees get?"
	a := assess(t, question, old, current)
	if g := a.Grades[0]; g.Reason != assay.Stale || g.Score >= assay.DefaultThresholds.Upper {
		t.Errorf("beside a current document: %+v", g)
	}
	a = assess(t, question, old)
	if g := a.Grades[0]; g.Reason != assay.Stale || g.Score < assay.DefaultThresholds.Upper || !strings.Contains(g.Note, "deprecated") {
		t.Errorf("alone: %+v", g)
	}
}

func TestCompareVersions(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"1.9", "1.10", -1}, {"v2", "1.99", 1}, {"2", "2.0", -1}, {"1.0", "1.0", 0}, {"draft", "1.0", 0}} {
		if got := compareVersions(c.a, c.b); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
