package assay_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/assaytest"
	"github.com/assay-rag/assay/llm"
)

// hear streams a question and returns the answer with the pieces of its text that
// were told, by draft.
func hear(t *testing.T, e *assay.Engine, q assay.Query) (*assay.Answer, map[int][]assay.Event) {
	t.Helper()
	var answer *assay.Answer
	told := map[int][]assay.Event{}
	for ev, err := range e.Stream(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == assay.EventText {
			told[ev.Draft] = append(told[ev.Draft], ev)
		}
		answer = ev.Answer
	}
	return answer, told
}

// checkTold holds for whatever was told of an answer before its end: in verified
// streaming it is how the answer begins, and carried.
func checkTold(t *testing.T, a *assay.Answer, q assay.Query, told map[int][]assay.Event) {
	t.Helper()
	if q.Streaming == assay.StreamNothing && len(told) > 0 {
		t.Fatalf("something was told where nothing was wanted: %v", told)
	}
	if q.Streaming != assay.StreamVerified {
		return
	}
	text, claims := joined(told)
	if text != "" && a.Outcome == assay.Abstained || text != "" && !strings.HasPrefix(a.Text, text) {
		t.Fatalf("told %q, answered %q (%s)", text, a.Text, a.Outcome)
	}
	for i, c := range claims {
		if c.Support != assay.Supported && c.Support != assay.PartiallySupported {
			t.Fatalf("told a claim that is %s: %s", c.Support, c.Text)
		}
		if a.Claims[i].Text != c.Text || !slices.Equal(a.Claims[i].Citations, c.Citations) {
			t.Fatalf("told %+v, which became %+v", c, a.Claims[i])
		}
	}
}

// joined is the text told over all drafts, with its claims.
func joined(told map[int][]assay.Event) (text string, claims []assay.Claim) {
	for n := 1; n <= len(told)+1; n++ {
		for _, ev := range told[n] {
			text += ev.Text
			claims = append(claims, ev.Claims...)
		}
	}
	return text, claims
}

func TestDraftsAreToldAsTheyCome(t *testing.T) {
	parts := assaytest.Parts("0.9 Leave lasts 26 weeks.")
	parts.Answerer = &assaytest.Answerer{Drafts: []assay.Draft{
		assaytest.Says("Leave is long.", "It is unsupported that it is paid."), assaytest.Says("Leave lasts 26 weeks."),
	}}
	a, told := hear(t, newEngine(t, parts), assay.Query{Question: "how long is leave?", Streaming: assay.StreamDraft})
	first, _ := joined(map[int][]assay.Event{1: told[1]})
	second, _ := joined(map[int][]assay.Event{1: told[2]})
	if first != "Leave is long. It is unsupported that it is paid. " || second != "Leave lasts 26 weeks. " || len(told[1]) < 5 {
		t.Errorf("told %q, then %q", first, second)
	}
	if a.Text != "Leave lasts 26 weeks. [1]" {
		t.Errorf("answered %q", a.Text)
	}
}

func TestVerifiedClaimsAreToldAndStay(t *testing.T) {
	for _, c := range []struct {
		name   string
		drafts []assay.Draft
		told   string
		answer string
	}{
		{"all is carried", []assay.Draft{assaytest.Says("One.", "Two.")}, "One. [1] Two. [1]", "One. [1] Two. [1]"},
		{
			"what isn't never appears, and a repair goes on after what does",
			[]assay.Draft{assaytest.Says("One.", "This is unsupported.", "Two."), assaytest.Says("Three.")},
			"One. [1] Two. [1] Three. [1]", "One. [1] Two. [1] Three. [1]",
		},
		{
			"a repair without anything to add",
			[]assay.Draft{assaytest.Says("One.", "This is unsupported."), {}},
			"One. [1]", "One. [1]",
		},
		{
			"what could not be checked waits for the end, and all after it",
			[]assay.Draft{assaytest.Says("One.", "This is undetermined.", "Two.")},
			"One. [1]", "One. [1] This is undetermined. [1] Two. [1]",
		},
		{
			"what is carried in part waits for the end, and all after it",
			[]assay.Draft{assaytest.Says("One.", "This is partial.", "Two.")},
			"One. [1]", "One. [1] This is partial. [1] Two. [1]",
		},
	} {
		for _, atOnce := range []bool{false, true} {
			parts := assaytest.Parts("0.9 Evidence.")
			answerer := &assaytest.Answerer{Drafts: c.drafts, AtOnce: atOnce}
			parts.Answerer = answerer
			a, told := hear(t, newEngine(t, parts), assay.Query{Question: "what?", Streaming: assay.StreamVerified})
			if text, _ := joined(told); text != c.told || a.Text != c.answer {
				t.Errorf("%s: told %q, answered %q", c.name, text, a.Text)
			}
			if len(answerer.Asked) > 1 && !slices.Contains(answerer.Asked[1].Said, "One.") {
				t.Errorf("%s: the repair isn't told what the reader knows: %+v", c.name, answerer.Asked[1])
			}
		}
	}
}

// A repair may rest on other evidence than what was told; its citations stay.
func TestToldCitationsOutliveNewEvidence(t *testing.T) {
	parts := assaytest.Parts("0.9 First.")
	parts.Fallback = &assaytest.Retriever{Default: []string{"0.95 Second."}}
	parts.Usefulness = &assaytest.Usefulness{Ratings: []int{2, 5}}
	parts.Answerer = &assaytest.Answerer{Drafts: []assay.Draft{assaytest.Says("One."), assaytest.Says("Two.")}}
	q := assay.Query{Question: "what?", Streaming: assay.StreamVerified}
	a, told := hear(t, newEngine(t, parts), q)
	checkTold(t, a, q, told)
	if a.Text != "One. [1] Two. [2]" || a.Citations[0].Quote != "0.9 First." || a.Citations[1].Quote != "0.95 Second." {
		t.Errorf("answered %q with %+v", a.Text, a.Citations)
	}
}

// The reader hears a sentence while the model still writes the next.
func TestTellsWhileTheDraftGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := make(chan struct{})
		parts := assaytest.Parts("0.9 Evidence.")
		parts.Answerer = answererFunc(func(ctx context.Context, r assay.DraftRequest) (assay.Draft, error) {
			d := assaytest.Says("One.", "Two.")
			r.OnSegment(d.Segments[0])
			select {
			case <-heard: // else this waits for ever, and the test fails
			case <-ctx.Done():
				return assay.Draft{}, ctx.Err()
			}
			r.OnSegment(d.Segments[1])
			return d, nil
		})
		for ev, err := range newEngine(t, parts).Stream(t.Context(), assay.Query{Question: "what?", Streaming: assay.StreamVerified}) {
			if err != nil {
				t.Fatal(err)
			}
			if ev.Kind == assay.EventText && strings.HasPrefix(ev.Text, "One.") {
				close(heard)
			}
		}
	})
}

// A listener that leaves ends the draft, and no goroutine outlives the range.
func TestLeavingEndsTheDraft(t *testing.T) {
	for _, manner := range []assay.Streaming{assay.StreamDraft, assay.StreamVerified} {
		synctest.Test(t, func(t *testing.T) {
			ended := false
			parts := assaytest.Parts("0.9 Evidence.")
			parts.Answerer = answererFunc(func(ctx context.Context, r assay.DraftRequest) (assay.Draft, error) {
				if r.OnText != nil {
					r.OnText("One. ")
				} else {
					r.OnSegment(assay.Segment{Text: "One."})
				}
				<-ctx.Done()
				ended = true
				return assay.Draft{}, ctx.Err()
			})
			for ev := range newEngine(t, parts).Stream(t.Context(), assay.Query{Question: "what?", Streaming: manner}) {
				if ev.Kind == assay.EventText {
					break
				}
			}
			if !ended {
				t.Errorf("%s: the draft goes on", manner)
			}
		})
	}
}

type answererFunc func(context.Context, assay.DraftRequest) (assay.Draft, error)

func (f answererFunc) Draft(ctx context.Context, r assay.DraftRequest) (assay.Draft, error) {
	return f(ctx, r)
}

func TestWhatADraftFallsShortInIsSaid(t *testing.T) {
	for _, c := range []struct {
		draft   assay.Draft
		outcome assay.Outcome
		reason  assay.ReasonCode
	}{
		{assay.Draft{Segments: []assay.Segment{{Text: "One."}}, Notes: []assay.Note{{Code: assay.ReasonTruncated, Text: "cut"}}}, assay.Partial, assay.ReasonTruncated},
		{assay.Draft{Notes: []assay.Note{{Code: assay.ReasonRefused, Text: "no"}}}, assay.Abstained, assay.ReasonRefused},
		{assay.Draft{Segments: []assay.Segment{{Text: "One."}}, Notes: []assay.Note{{Code: assay.ReasonModelDown, Text: "down"}}}, assay.Partial, assay.ReasonModelDown},
	} {
		parts := assaytest.Parts("0.9 Evidence.")
		parts.Answerer = &assaytest.Answerer{Drafts: []assay.Draft{c.draft}}
		a, err := newEngine(t, parts).Ask(t.Context(), assay.Query{Question: "what?"})
		if err != nil {
			t.Fatal(err)
		}
		if a.Outcome != c.outcome || len(a.Reasons) != 1 || !slices.ContainsFunc(a.Reasons, func(n assay.Note) bool { return n.Code == c.reason }) {
			t.Errorf("%s: %s, %v", c.reason, a.Outcome, a.Reasons)
		}
	}
}

func TestFollowUpsAreCondensed(t *testing.T) {
	history := []assay.Turn{{Question: "How long is leave?", Answer: "26 weeks."}}
	for _, c := range []struct {
		name       string
		condenser  assay.Condenser
		standalone string
		note       bool
	}{
		{"condensed", &assaytest.Condenser{}, "How long is leave? And pay?", false},
		{"nothing reads a history", nil, "", true},
		{"the condenser fails", &assaytest.Condenser{Err: errors.New("down")}, "", true},
	} {
		parts := assaytest.Parts("0.9 Evidence.")
		parts.Condenser = c.condenser
		retriever := parts.Retriever.(*assaytest.Retriever)
		a, err := newEngine(t, parts).Ask(t.Context(), assay.Query{Question: "And pay?", History: history})
		if err != nil {
			t.Fatal(err)
		}
		noted := slices.ContainsFunc(a.Reasons, func(n assay.Note) bool { return n.Code == assay.ReasonHistory })
		if a.Question != "And pay?" || a.Standalone != c.standalone || noted != c.note {
			t.Errorf("%s: %q stands for %q, %v", c.name, a.Standalone, a.Question, a.Reasons)
		}
		if want := c.standalone; want != "" && retriever.Asked[0].Words != want {
			t.Errorf("%s: looked for %q", c.name, retriever.Asked[0].Words)
		}
	}
}

// Where the evidence carries nothing of what was written, it is quoted: once, beside
// the budget of drafts, and the answer says so.
func TestQuotesWhereNothingIsCarried(t *testing.T) {
	for _, manner := range []assay.Streaming{assay.StreamNothing, assay.StreamDraft, assay.StreamVerified} {
		for _, c := range []struct {
			drafts []assay.Draft
			quoted bool
		}{
			{[]assay.Draft{assaytest.Says("It is unsupported."), assaytest.Says("It is unsupported too.")}, true},
			{[]assay.Draft{assaytest.Says("It is unsupported."), assaytest.Says("Two.")}, false},
			{[]assay.Draft{{}}, false}, // no answer is no claim
			{[]assay.Draft{{Notes: []assay.Note{{Code: assay.ReasonRefused, Text: "no"}}}}, true},
		} {
			parts := assaytest.Parts("0.9 Evidence.")
			quoter := &assaytest.Answerer{}
			parts.Answerer, parts.Quoter = &assaytest.Answerer{Drafts: c.drafts}, quoter
			a, told := hear(t, newEngine(t, parts), assay.Query{Question: "how long is leave?", Streaming: manner})
			checkPromises(t, a)
			checkTold(t, a, assay.Query{Streaming: manner}, told)
			checkSteps(t, told, len(c.drafts))
			if c.quoted && manner != assay.StreamNothing && len(told[len(c.drafts)+1]) == 0 {
				t.Errorf("%v: the quotation is not told", c.drafts)
			}
			said := slices.ContainsFunc(a.Reasons, func(n assay.Note) bool { return n.Code == assay.ReasonQuoted })
			if len(quoter.Asked) > 1 || (len(quoter.Asked) == 1) != c.quoted || said != c.quoted || c.quoted && a.Text != "0.9 Evidence. [1]" || a.Usage.Drafts > 2 {
				t.Errorf("%v: quoted %d times, answered %q (%v)", c.drafts, len(quoter.Asked), a.Text, a.Reasons)
			}
		}
	}
}

// checkSteps holds for text: it comes from the step that runs, which after so many
// drafts is quote.
func checkSteps(t *testing.T, told map[int][]assay.Event, drafts int) {
	t.Helper()
	for draft, events := range told {
		want := assay.StepAnswer
		if draft > drafts {
			want = assay.StepQuote
		}
		for _, ev := range events {
			if ev.Step != want {
				t.Errorf("draft %d of %d is told by the step %s", draft, drafts, ev.Step)
			}
		}
	}
}

// An Answerer that fails after it has told something: what was told stays, and the
// answer says that it broke off.
func TestToldOutlivesAFailure(t *testing.T) {
	for _, failure := range []error{fmt.Errorf("calls: %w", llm.ErrSpent), errors.New("down")} {
		for _, second := range []bool{false, true} { // the first draft fails, or the second
			drafted := 0
			parts := assaytest.Parts("0.9 Evidence.")
			parts.Answerer = answererFunc(func(_ context.Context, r assay.DraftRequest) (assay.Draft, error) {
				drafted++
				r.OnSegment(assay.Segment{Text: fmt.Sprintf("Part %d.", drafted)})
				if second && drafted == 1 {
					r.OnSegment(assay.Segment{Text: "This is unsupported."})
					return assaytest.Says("Part 1.", "This is unsupported."), nil
				}
				return assay.Draft{}, failure
			})
			q := assay.Query{Question: "how long is leave?", Streaming: assay.StreamVerified}
			a, told := hear(t, newEngine(t, parts), q)
			checkPromises(t, a)
			checkTold(t, a, q, told)
			want := "Part 1. [1]"
			if second {
				want += " Part 2. [1]"
			}
			if a.Text != want || a.Outcome != assay.Partial {
				t.Errorf("%v, second: %v: %s %q (%v)", failure, second, a.Outcome, a.Text, a.Reasons)
			}
		}
	}
}
