package evaluator_test

import (
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/evaluator"
)

func TestCondense(t *testing.T) {
	e, err := evaluator.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	leave, hub, urlaub := "How long is parental leave?", "How do I reset the Brackwater hub?", "Wie lange dauert die Elternzeit?"
	for _, c := range []struct{ before, question, want string }{
		// Parts of a question.
		{leave, "And for fathers?", "How long is parental leave, and for fathers?"},
		{leave, "What about part-time staff?", "How long is parental leave, what about part-time staff?"},
		{urlaub, "Und für Väter?", "Wie lange dauert die Elternzeit, und für Väter?"},
		{urlaub, "Was ist mit Teilzeitkräften?", "Wie lange dauert die Elternzeit, was ist mit Teilzeitkräften?"},
		// Whole questions about something that they don't name.
		{leave, "And who pays for it?", "And who pays for it? (parental leave)"},
		{leave, "Is it paid in full?", "Is it paid in full? (parental leave)"},
		{leave, "Who has to approve this?", "Who has to approve this? (parental leave)"},
		{hub, "Where can I buy one?", "Where can I buy one? (reset Brackwater hub)"},
		{hub, "Why?", "Why? (reset Brackwater hub)"},
		{hub, "How much does that cost?", "How much does that cost? (reset Brackwater hub)"},
		{urlaub, "Wird sie bezahlt?", "Wird sie bezahlt? (Elternzeit)"},
		{urlaub, "Wann endet die?", "Wann endet die? (Elternzeit)"},
		{urlaub, "Wer bekommt dafür Geld?", "Wer bekommt dafür Geld? (Elternzeit)"},
		// Questions that stand alone.
		{leave, "How many vacation days do interns get?", "How many vacation days do interns get?"},
		{leave, "What is a gateway?", "What is a gateway?"},
		{leave, "Is it possible to carry over vacation days?", "Is it possible to carry over vacation days?"},
		{leave, "Are there any public holidays in June?", "Are there any public holidays in June?"},
		{leave, "Can the hub be mounted outdoors when it rains?", "Can the hub be mounted outdoors when it rains?"},
		{leave, "Which budget is planned this year for travel?", "Which budget is planned this year for travel?"},
		{leave, "I heard that interns get a laptop.", "I heard that interns get a laptop."},
		{urlaub, "Gibt es in Hamburg ein Büro?", "Gibt es in Hamburg ein Büro?"},
		{urlaub, "Wie melde ich mich bei Ihnen krank?", "Wie melde ich mich bei Ihnen krank?"},
		{leave, "Thanks!", "Thanks!"},
		{"Thanks a lot!", "And who pays for it?", "And who pays for it?"},
		{"", "And who pays for it?", "And who pays for it?"},
	} {
		q := assay.Query{Question: c.question}
		if c.before != "" {
			q.History = []assay.Turn{{Question: c.before, Answer: "26 weeks."}}
		}
		got, err := e.Condense(t.Context(), q)
		if got != c.want || err != nil {
			t.Errorf("after %q, %q is %q, %v; want %q", c.before, c.question, got, err, c.want)
		}
	}
}

// A question leans on one that leans on another, across what was only courtesy.
func TestCondenseChain(t *testing.T) {
	e, err := evaluator.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := assay.Query{Question: "And in Spain?", History: []assay.Turn{
		{Question: "How long is parental leave?"}, {Question: "Is it paid?"}, {Question: "Thank you!"},
	}}
	want := "Is it paid? (parental leave), and in Spain?"
	if got, err := e.Condense(t.Context(), q); got != want || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
