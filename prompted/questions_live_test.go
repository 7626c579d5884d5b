package prompted_test

import (
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/prompted"
)

// What a live model makes of questions is told; that something can be made of its
// reply is tested.
func TestLiveQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("the smallest models keep to no schema for long")
	}
	model := liveModel(t)
	t.Run("condense", func(t *testing.T) {
		for _, c := range []struct{ before, answer, question string }{
			{"How long is parental leave for the primary carer?", "22 weeks at full pay.", "And for the second carer?"},
			{"How do I return a faulty sonde?", "Ask for a return number and send it to Bristol.", "How long is that number valid?"},
			{"Who runs the Finance department?", "Marguerite Dufour.", "How many vacation days do I get?"},
			{"Wie lange muss die pH-Sonde gewässert werden?", "20 Minuten in Leitungswasser.", "Und wie bewahre ich sie auf?"},
		} {
			q := assay.Query{Question: c.question, History: []assay.Turn{{Question: c.before, Answer: c.answer}}}
			alone, err := prompted.NewCondenser(model, nil).Condense(t.Context(), q)
			if err != nil {
				t.Error(err)
			}
			t.Logf("%q after %q: %q", c.question, c.before, alone)
		}
	})
	t.Run("rewrite", func(t *testing.T) {
		for _, question := range []string{"How long may dads stay at home after the birth?", "What do I do when the box on the pole blinks red?", "Darf ich im Urlaub krank werden?"} {
			tried := []assay.SearchRound{{Words: question, Origin: assay.OriginIndex, Found: 8, Best: 0.2, Verdict: assay.Incorrect}}
			words, err := prompted.NewRewriter(model, nil).Rewrite(t.Context(), assay.Query{Question: question}, tried)
			if err != nil {
				t.Error(err)
			}
			t.Logf("%q: %q", question, words)
		}
	})
	t.Run("route", func(t *testing.T) {
		for _, question := range []string{"Good morning!", "What is the hotel limit in London?", "Compare the River and the Delta plan for a customer with a P1 ticket.", "Who are you?"} {
			route, err := prompted.NewRouter(model).Route(t.Context(), assay.Query{Question: question})
			if err != nil {
				t.Error(err)
			}
			t.Logf("%q: %+v", question, route)
		}
	})
	t.Run("decompose", func(t *testing.T) {
		for _, question := range []string{
			"What is the hotel limit in London?", "Is the Heron 2 or the Heron 2 Lite heavier, and which of them is cheaper?",
			"What is the phone number of the head of the department that pays for visas?",
		} {
			parts, err := prompted.NewDecomposer(model).Decompose(t.Context(), question)
			if err != nil {
				t.Logf("%q: %v", question, err) // it is asked whole
			}
			t.Logf("%q: %+v", question, parts)
		}
	})
}
