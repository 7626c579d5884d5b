package assay_test

import (
	"context"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/assaytest"
)

func TestRefineKeepsListsWhole(t *testing.T) {
	const doc = "Above.\n\nYou may not:\n\n- smoke\n- 0.90 drink\n\nBelow."
	parts := assaytest.Parts()
	parts.Retriever = assay.RetrieverFunc(func(context.Context, assay.Search) ([]assay.Passage, error) {
		return []assay.Passage{{Document: "d", Text: doc, End: len(doc)}}, nil
	})
	parts.Grader = gradeByMark{}
	e, err := assay.New(parts, &assay.Options{Strips: 1})
	if err != nil {
		t.Fatal(err)
	}
	a, err := e.Ask(t.Context(), assay.Query{Question: "how long is leave?"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "You may not: [1] - smoke [1] - 0.90 drink [1]"; a.Text != want {
		t.Errorf("got %q, want %q", a.Text, want)
	}
}

// gradeByMark grades texts high that hold "0.90".
type gradeByMark struct{}

func (gradeByMark) Grade(_ context.Context, _ assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	a := assay.Assessment{}
	for range passages {
		a.Grades = append(a.Grades, assay.Grade{Score: 0.9})
	}
	return a, nil
}

func (gradeByMark) GradeStrips(_ context.Context, _ assay.Query, strips []assay.Strip) ([]assay.Grade, error) {
	out := make([]assay.Grade, len(strips))
	for i, s := range strips {
		if strings.Contains(s.Text, "0.90") {
			out[i].Score = 0.9
		}
	}
	return out, nil
}
