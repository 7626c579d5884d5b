package evaluator

import (
	"context"
	"slices"
	"testing"

	"github.com/assay-rag/assay"
)

var facts = []string{
	"Employees get 26 weeks of paid parental leave for each child.",
	"The leave can be taken in up to three blocks until the child is two years old.",
	"Backups are kept for 90 days and are stored in Frankfurt.",
	"Northwind Robotics was founded in 2011 by Mara Lindqvist and Tom Adeyemi in Gothenburg.",
	"Dogs are allowed in the Malmö office on Fridays if everyone in the room agrees.",
	"Meals are reimbursed up to 45 EUR a day; alcohol is not reimbursed.",
	"Sales increased by 2 , 500 units in 2020 , and the company did n't hire anybody .",
	"Passwords must have at least 14 characters.",
}

func factStrips() []assay.Strip {
	var out []assay.Strip
	for _, s := range facts {
		out = append(out, assay.Strip{Text: s, End: len(s), Passage: assay.Passage{Document: "facts.md", Text: s, Language: "en"}})
	}
	return out
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		claim string
		want  assay.Support
		strip int // the first of the evidence; -1 for none
	}{
		{facts[0], assay.Supported, 0},
		{"Employees get 26 weeks of parental leave.", assay.Supported, 0},
		{"EMPLOYEES GET TWENTY-SIX WEEKS OF PAID PARENTAL LEAVE", assay.Supported, 0},
		{"Backups are stored in Frankfurt.", assay.Supported, 2},
		{"Northwind Robotics was founded in Gothenburg in 2011.", assay.Supported, 3},
		{"Alcohol is not reimbursed.", assay.Supported, 5},
		{"Sales increased by 2,500 units in 2020.", assay.Supported, 6},
		{"The parental leave of 26 weeks can be taken in three blocks until the child is two.", assay.Supported, 1},

		{"Employees get 20 weeks of paid parental leave for each child.", assay.Contradicted, 0},
		{"Backups are kept for 30 days.", assay.Contradicted, 2},
		{"Northwind Robotics was founded in 2013 by Mara Lindqvist and Tom Adeyemi in Gothenburg.", assay.Contradicted, 3},
		{"Alcohol is reimbursed.", assay.Contradicted, 5},
		{"Dogs are not allowed in the Malmö office on Fridays.", assay.Contradicted, 4},
		{"Sales decreased by 2,500 units in 2020.", assay.Contradicted, 6},
		{"Passwords must have at least 8 characters.", assay.Contradicted, 7},

		{"The cafeteria serves pizza on Mondays.", assay.Unsupported, -1},
		{"The Moon is made of cheese.", assay.Unsupported, -1},
		{"Backups are stored in Dublin.", assay.Unsupported, -1},
		{"", assay.Unsupported, -1},

		{"Question: How many weeks of parental leave do I get? Answer: 26 weeks", assay.Supported, 0},
		{"Question: Where are backups stored? Answer: Frankfurt", assay.Supported, 2},
		{"Question: Is alcohol reimbursed? Answer: No", assay.Supported, 5},
		{"Question: When was Northwind Robotics founded? Answer: 2011", assay.Supported, 3},
		{"Question: How many weeks of parental leave do I get? Answer: 20 weeks", assay.Contradicted, 0},
		{"Question: Is alcohol reimbursed? Answer: Yes", assay.Contradicted, 5},
		{"Question: Where are backups stored? Answer: Dublin", assay.Unsupported, -1},
	} {
		findings, err := newEvaluator(t, nil).Check(context.Background(), []string{c.claim}, factStrips())
		if err != nil {
			t.Fatal(err)
		}
		f := findings[0]
		if f.Support != c.want {
			t.Errorf("%q: %s (%.2f), want %s", c.claim, f.Support, f.Score, c.want)
		}
		if c.strip >= 0 && (len(f.Evidence) == 0 || f.Evidence[0] != c.strip) {
			t.Errorf("%q: evidence %v, want %d first", c.claim, f.Evidence, c.strip)
		}
		if c.strip < 0 && len(f.Evidence) > 0 {
			t.Errorf("%q: evidence %v for nothing", c.claim, f.Evidence)
		}
	}
}

func TestCheckVerbatimIsNearlySure(t *testing.T) {
	findings, err := newEvaluator(t, nil).Check(context.Background(), facts[:5], factStrips())
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range findings {
		if f.Support != assay.Supported || f.Score != verbatim || !slices.Equal(f.Evidence, []int{i}) {
			t.Errorf("%q: %+v", facts[i], f)
		}
	}
}

func TestCheckNamesAllStripsThatCarry(t *testing.T) {
	findings, err := newEvaluator(t, nil).Check(context.Background(),
		[]string{"The parental leave of 26 weeks can be taken in three blocks until the child is two."}, factStrips())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(findings[0].Evidence, 0) || !slices.Contains(findings[0].Evidence, 1) {
		t.Errorf("%+v, want strips 0 and 1", findings[0])
	}
}

// TestCheckWithoutEvidence holds that an invented answer on no evidence is
// unsupported, not vacuously true.
func TestCheckWithoutEvidence(t *testing.T) {
	for _, evidence := range [][]assay.Strip{nil, {{}}, {{Text: " "}}} {
		findings, err := newEvaluator(t, nil).Check(context.Background(), []string{"The Moon is made of cheese.", "yes"}, evidence)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if f.Support != assay.Unsupported || f.Score != 0 || len(f.Evidence) != 0 {
				t.Errorf("%v: %+v", evidence, f)
			}
		}
	}
}

func TestNegated(t *testing.T) {
	for s, want := range map[string]bool{
		"Dogs are allowed.": false, "Dogs are not allowed.": true, "He doesn't go.": true, "He does n't go.": true,
		"He doesn’t go.": true, "It is not impossible that he never came.": false, "No dogs.": true, "nothing": true,
	} {
		if got := negated(joined(s)); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestJoined(t *testing.T) {
	for s, want := range map[string]string{
		"2 , 500 units": "2,500 units", "1 , 250 , 000 people": "1,250,000 people", "in 2020 , 500 people": "in 2020,500 people",
		"cats , dogs": "cats , dogs", "they do n't": "they don't", "a , ": "a , ", "3 , 14": "3 , 14",
	} {
		if got := joined(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
