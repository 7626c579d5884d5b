package evaluator

import (
	"context"
	"testing"

	"github.com/assay-rag/assay"
)

func TestBounds(t *testing.T) {
	const evidence = "The anchor weighs at least 40 kg for a buoy of 60 cm, and the rope holds up to 3 tonnes."
	for _, c := range []struct {
		claim string
		want  bool
	}{
		{"The anchor weighs at least 40 kg for a buoy of 60 cm.", false},
		{"The anchor weighs at most 40 kg for a buoy of 60 cm.", true},
		{"The anchor weighs no more than 40 kg.", true},
		{"The anchor weighs no less than 40 kg.", false},
		{"The anchor weighs 40 kg.", false},
		{"The rope holds more than 3 tonnes.", true},
		{"The rope holds at most 3 tonnes.", false},
	} {
		if got := boundsClash(c.claim, evidence); got != c.want {
			t.Errorf("%q: %v", c.claim, got)
		}
	}
	strip := assay.Strip{Passage: assay.Passage{Document: "d", Text: evidence, Language: "en", End: len(evidence)}, Text: evidence, End: len(evidence)}
	findings, err := newEvaluator(t, nil).Check(context.Background(), []string{"The anchor weighs at most 40 kg for a buoy of 60 cm."}, []assay.Strip{strip})
	if err != nil || findings[0].Support != assay.Contradicted {
		t.Errorf("%+v, %v", findings, err)
	}
}

func TestMustIsNotMay(t *testing.T) {
	const evidence = "Employees may work remotely up to three days a week."
	strip := assay.Strip{Passage: assay.Passage{Document: "d", Text: evidence, Language: "en", End: len(evidence)}, Text: evidence, End: len(evidence)}
	for claim, want := range map[string]assay.Support{
		"Employees may work remotely up to three days a week.":  assay.Supported,
		"Employees must work remotely up to three days a week.": assay.PartiallySupported,
	} {
		findings, err := newEvaluator(t, nil).Check(context.Background(), []string{claim}, []assay.Strip{strip})
		if err != nil || findings[0].Support != want {
			t.Errorf("%q: %+v, %v; want %s", claim, findings, err, want)
		}
	}
}
