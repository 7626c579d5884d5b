package evaluator

import (
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

func TestOtherLanguagesAreLeftToTheWords(t *testing.T) {
	reader := &scripted{helps: map[string]float32{"Urlaub": 3, "leave": 3}}
	e, err := New(nil, &Options{Reader: reader, Embedder: &compass{}, Weights: heedful(t)})
	if err != nil {
		t.Fatal(err)
	}
	german := assay.Passage{Document: "a", Text: "Alle Angestellten bekommen 26 Wochen Urlaub.", Language: "de"}
	english := assay.Passage{Document: "b", Text: "All employees get 26 weeks of leave.", Language: "en"}
	unknown := assay.Passage{Document: "c", Text: "26 weeks of leave"}
	for question, caveats := range map[string][3]string{
		"How long is the leave of all the employees?":        {"because it is", "", ""},
		"Wie lange dauert der Urlaub für alle Angestellten?": {"the question", "the question", "the question"},
	} {
		reader.asked = 0
		a, err := e.Grade(t.Context(), assay.Query{Question: question}, []assay.Passage{german, english, unknown})
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for i, want := range caveats {
			if got := a.Grades[i].Caveat; (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("%s, passage %d: %q, want %q", question, i, got, want)
			}
			if want == "" {
				read++
			}
		}
		if reader.asked != read {
			t.Errorf("%s: %d were read, want %d", question, reader.asked, read)
		}
	}
	claims := []string{"Die Angestellten haben lange Urlaub."}
	reader.asked = 0
	if _, err := e.Check(t.Context(), claims, assay.StripsOf(german)); err != nil {
		t.Fatal(err)
	}
	if reader.asked != 0 {
		t.Errorf("a claim in German was read")
	}
}

func TestWhatIsNotRead(t *testing.T) {
	for _, c := range []struct {
		question, text string
		read           int
	}{
		{"How long is the leave?", "It lasts 26 weeks in all.", 1},
		{"How long is the leave?", "TBD", 0},
		{"How long is the leave?", "", 0},
		{"Tell me how long the leave is.", "It lasts 26 weeks in all.", 1},
		{"Who works at Acme Inc.", "It lasts 26 weeks in all.", 1},
		{"The leave lasts 26 weeks.", "It lasts 26 weeks in all.", 0}, // no question
	} {
		reader := &scripted{}
		e, err := New(nil, &Options{Reader: reader, Embedder: &compass{}, Weights: heedful(t)})
		if err != nil {
			t.Fatal(err)
		}
		p := assay.Passage{Title: "Leave", Text: c.text, End: len(c.text), Language: "en"}
		if _, err := e.Grade(t.Context(), assay.Query{Question: c.question}, []assay.Passage{p}); err != nil {
			t.Fatal(err)
		}
		if reader.asked != c.read {
			t.Errorf("%s on %q: %d passages were read, want %d", c.question, c.text, reader.asked, c.read)
		}
	}
}

func TestPassagesOfOneTextAndTwoTitles(t *testing.T) {
	e, err := New(nil, &Options{Reader: &scripted{helps: map[string]float32{"Berlin": 3, "Paris": -3}}, Embedder: &compass{}, Weights: heedful(t)})
	if err != nil {
		t.Fatal(err)
	}
	const body = "It has thirty rooms in all."
	a, err := e.Grade(t.Context(), assay.Query{Question: "How many rooms are there?"}, []assay.Passage{{Title: "Berlin", Text: body}, {Title: "Paris", Text: body}})
	if err != nil {
		t.Fatal(err)
	}
	if !(a.Grades[0].Score > a.Grades[1].Score) {
		t.Errorf("%v and %v", a.Grades[0].Score, a.Grades[1].Score)
	}
}

func TestStripsOfWhatIsNotReadAreNotEmbedded(t *testing.T) {
	c := &compass{}
	e, err := New(nil, &Options{Reader: &scripted{}, Embedder: c, Weights: heedful(t)})
	if err != nil {
		t.Fatal(err)
	}
	german := "Alle Angestellten bekommen 26 Wochen Urlaub. Er ist voll bezahlt."
	strips := assay.StripsOf(assay.Passage{Text: german, End: len(german), Language: "de"})
	if _, err := e.GradeStrips(t.Context(), assay.Query{Question: "How long is the leave of all the employees?"}, strips); err != nil {
		t.Fatal(err)
	}
	if c.asked != 0 {
		t.Errorf("%d texts were embedded", c.asked)
	}
}
