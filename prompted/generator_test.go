package prompted_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
	"github.com/assay-rag/assay/prompted"
)

var _ interface {
	assay.Answerer
	assay.Estimator
} = (*prompted.Generator)(nil)

// leave is a request with two strips of evidence.
func leave() assay.DraftRequest {
	p := assay.Passage{Document: "handbook/leave.md", Title: "Leave", Text: "Parental leave is 26 weeks. It is paid in full."}
	return assay.DraftRequest{
		Query:    assay.Query{Question: "How long is parental leave?", Asked: "How long is parental leave?"},
		Evidence: assay.StripsOf(p),
	}
}

// quoting is an Answerer that quotes the first strip.
type quoting struct{ err error }

func (q quoting) Draft(_ context.Context, r assay.DraftRequest) (assay.Draft, error) {
	if q.err != nil {
		return assay.Draft{}, q.err
	}
	return assay.Draft{Verbatim: true, Segments: []assay.Segment{{Text: r.Evidence[0].Text, Cites: []int{0}}}}, nil
}

// lay is a draft on one line: its segments with what they cite, and the codes of its
// notes.
func lay(d assay.Draft) string {
	var parts []string
	for _, s := range d.Segments {
		parts = append(parts, fmt.Sprint(s.Text, s.Cites))
	}
	for _, n := range d.Notes {
		parts = append(parts, "("+string(n.Code)+")")
	}
	return strings.Join(parts, " ")
}

func TestGenerator(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply any
		want  string
	}{
		{"an answer", "Parental leave is 26 weeks [1]. It is paid [2].", "Parental leave is 26 weeks.[0] It is paid.[1]"},
		{"a citation of nothing", "It is 26 weeks [7].", "It is 26 weeks.[6]"},
		{"no answer", "NO_ANSWER", ""},
		{"no answer in other words", "The evidence does not mention that.", ""},
		{"empty", "", "(model_down)"},
		{"only space", " \n\n", "(model_down)"},
		{"an empty object", `{"answer": ""}`, "(model_down)"},
		{"an object without anything", "{}", "(model_down)"},
		{"a list without anything", "```json\n[]\n```", "(model_down)"},
		{"a citation alone", "[1]", "(model_down)"},
		{"cut before it said anything", llm.Reply{Finish: llm.FinishLength}, "(truncated)"},
		{"thoughts that are only billed", llm.Reply{Tokens: llm.Tokens{Out: 90, Reasoning: 90}}, "(truncated)"},
		{"thoughts that end", "<think>It is 26 weeks [1].</think>\n", "(truncated)"},
		{"refused", llm.Reply{Text: "No.", Finish: llm.FinishRefused}, "(refused)"},
		{"refused in prose", "I'm sorry, but I can't help with that.", "(refused)"},
		{"cut by a filter", llm.Reply{Text: "It is 26 weeks", Finish: llm.FinishFiltered}, "(refused)"},
		{"refused as an error", &llm.Error{Kind: llm.Refused, Message: "content filter"}, "(refused)"},
		{"cut", llm.Reply{Text: "It is 26 weeks [1]. It is pa", Finish: llm.FinishLength}, "It is 26 weeks.[0] (truncated)"},
		{"cut at once", llm.Reply{Text: "It is 26", Finish: llm.FinishLength}, "It is 26[] (truncated)"},
		{"cut in no answer", llm.Reply{Text: "NO_ANSWER. The evidence", Finish: llm.FinishLength}, "(truncated)"},
		{"only thoughts", llm.Reply{Reasoning: "It is 26 weeks [1]."}, "(truncated)"},
		{"only thoughts in the text", "<think>It is 26 weeks [1].", "(truncated)"},
		{"cut in thoughts", llm.Reply{Text: "<think>It is", Finish: llm.FinishLength}, "(truncated)"},
		{"thoughts and an answer", llm.Reply{Text: "It is 26 weeks [1].", Reasoning: "Well."}, "It is 26 weeks.[0]"},
		{"thoughts within an answer", "It is 26 weeks [1]. <think>Paid?</think> It is paid [2].", "It is 26 weeks.[0] It is paid.[1]"},
		{"cut in thoughts after an answer", llm.Reply{Text: "It is 26 weeks [1]. <think>Is it", Finish: llm.FinishLength}, "It is 26 weeks.[0] (truncated)"},
		{"thoughts and no answer", "<think>Well.</think>NO_ANSWER", ""},
	} {
		for _, streamed := range []bool{false, true} {
			r := leave()
			var told []assay.Segment
			if streamed {
				r.OnSegment = func(s assay.Segment) { told = append(told, s) }
			}
			model := llmtest.InTurn(c.reply)
			d, err := prompted.NewGenerator(model, nil).Draft(t.Context(), r)
			if err != nil || lay(d) != c.want {
				t.Errorf("%s (streamed: %v): %q, %v; want %q", c.name, streamed, lay(d), err, c.want)
			}
			if streamed && lay(assay.Draft{Segments: told}) != lay(assay.Draft{Segments: d.Segments}) {
				t.Errorf("%s: told %q, but the draft is %q", c.name, lay(assay.Draft{Segments: told}), lay(d))
			}
			if asked := model.Asked(); len(asked) != 1 || asked[0].Stream != streamed || asked[0].Temperature != 0 {
				t.Errorf("%s: asked %+v", c.name, asked)
			}
		}
	}
}

// Who is told that a model said nothing is told what to do.
func TestGeneratorSaysWhyNothingCame(t *testing.T) {
	for _, c := range []struct {
		reply any
		want  string
	}{
		{"", "the model returned nothing"},
		{llm.Reply{Text: "<think>Well, it", Finish: llm.FinishLength}, "raise the limit"},
		{llm.Reply{Reasoning: "Well."}, "turn its thinking off"},
		{llm.Reply{Text: "It is 26 weeks [1]. It is", Finish: llm.FinishLength}, "ended in the middle"},
		{llm.Reply{Text: "It is 26 weeks", Finish: llm.FinishFiltered}, "the server's filter stopped the model's answer"},
	} {
		d, err := prompted.NewGenerator(llmtest.InTurn(c.reply), nil).Draft(t.Context(), leave())
		if err != nil || len(d.Notes) != 1 || !strings.Contains(d.Notes[0].Text, c.want) {
			t.Errorf("%v: %v, %v; want %q", c.reply, d.Notes, err, c.want)
		}
	}
}

func TestGeneratorStandsIn(t *testing.T) {
	spent := fmt.Errorf("%w: calls: at most 0", llm.ErrSpent)
	broken := &llmtest.Fake{Reply: func(llm.Request) (llm.Reply, error) {
		return llm.Reply{Text: "It is 26 weeks [1]. It is pa"}, &llm.Error{Kind: llm.Unreachable}
	}}
	brokenAtOnce := &llmtest.Fake{Reply: func(llm.Request) (llm.Reply, error) {
		return llm.Reply{Text: "It is 26"}, &llm.Error{Kind: llm.Truncated}
	}}
	for _, c := range []struct {
		name  string
		model llm.Model
		want  string
	}{
		{"out of budget", llmtest.InTurn(spent), "Parental leave is 26 weeks.[0] (budget)"},
		{"broken off", broken, "It is 26 weeks.[0] (truncated)"},
		{"broken off at once", brokenAtOnce, "Parental leave is 26 weeks.[0] (model_down)"},
	} {
		r := leave()
		r.OnText = func(string) {}
		d, err := prompted.NewGenerator(c.model, &prompted.GeneratorOptions{Else: quoting{}}).Draft(t.Context(), r)
		if err != nil || lay(d) != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, lay(d), err, c.want)
		}
	}
	for _, kind := range []llm.Kind{
		llm.Unreachable, llm.Overloaded, llm.RateLimited, llm.TimedOut, llm.Resting, llm.NoModel, llm.Unauthorised, llm.OutOfCredit, llm.BadRequest,
		llm.TooLong, llm.Malformed,
	} {
		down := fmt.Errorf("asking: %w", &llm.Error{Kind: kind})
		d, err := prompted.NewGenerator(llmtest.InTurn(down), &prompted.GeneratorOptions{Else: quoting{}}).Draft(t.Context(), leave())
		if err != nil || lay(d) != "Parental leave is 26 weeks.[0] (model_down)" || !d.Verbatim || !strings.Contains(d.Notes[0].Text, string(kind)) {
			t.Errorf("%s: %q, %v", kind, lay(d), err)
		}
		if _, err := prompted.NewGenerator(llmtest.InTurn(down), nil).Draft(t.Context(), leave()); llm.KindOf(err) != kind {
			t.Errorf("%s without another: %v", kind, err)
		}
		if _, err := prompted.NewGenerator(llmtest.InTurn(down), &prompted.GeneratorOptions{Else: quoting{errors.New("no ink")}}).Draft(t.Context(), leave()); llm.KindOf(err) != kind || !strings.Contains(err.Error(), "no ink") {
			t.Errorf("%s and the other fails: %v", kind, err)
		}
	}
}

// dumb is an Answerer that finds nothing to quote.
type dumb struct{}

func (dumb) Draft(context.Context, assay.DraftRequest) (assay.Draft, error) {
	return assay.Draft{}, nil
}

// TestGeneratorSaysWhatStandsIn tells apart whether the model was asked, and whether
// anything is quoted in its place.
func TestGeneratorSaysWhatStandsIn(t *testing.T) {
	down, failed := &llm.Error{Kind: llm.Unreachable}, &llm.Error{Kind: llm.Overloaded, Status: 500}
	for _, c := range []struct {
		why  error
		by   assay.Answerer
		want string
	}{
		{down, quoting{}, "the model could not be asked (%v); the answer is quoted from the documents"},
		{down, dumb{}, "the model could not be asked (%v)"},
		{failed, quoting{}, "the model was asked in vain (%v); the answer is quoted from the documents"},
	} {
		d, err := prompted.NewGenerator(llmtest.InTurn(c.why), &prompted.GeneratorOptions{Else: c.by}).Draft(t.Context(), leave())
		if want := fmt.Sprintf(c.want, c.why); err != nil || len(d.Notes) != 1 || d.Notes[0].Text != want {
			t.Errorf("%v, %v; want %q", d.Notes, err, want)
		}
	}
}

func TestGeneratorIsCalledOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	model := &llmtest.Fake{Before: func(context.Context, llm.Request) error { cancel(); return context.Canceled }}
	d, err := prompted.NewGenerator(model, &prompted.GeneratorOptions{Else: quoting{}}).Draft(ctx, leave())
	if !errors.Is(err, context.Canceled) || len(d.Segments) > 0 {
		t.Errorf("%q, %v", lay(d), err)
	}
}

func TestGeneratorAsksNothingWithoutEvidence(t *testing.T) {
	model := llmtest.InTurn()
	r := leave()
	r.Evidence = nil
	if d, err := prompted.NewGenerator(model, nil).Draft(t.Context(), r); err != nil || lay(d) != "" || len(model.Asked()) > 0 {
		t.Errorf("%q, %v, asked %d times", lay(d), err, len(model.Asked()))
	}
}

// What is told before the end is how the draft begins, also where a model thinks
// without saying where it began.
func TestGeneratorKeepsItsWord(t *testing.T) {
	r := leave()
	var told []assay.Segment
	r.OnSegment = func(s assay.Segment) { told = append(told, s) }
	model := llmtest.InTurn("Let me see. It may be so. </think>\nIt is 26 weeks [1].")
	d, err := prompted.NewGenerator(model, nil).Draft(t.Context(), r)
	if err != nil || lay(d) != "Let me see.[] It is 26 weeks.[0]" || lay(assay.Draft{Segments: told}) != lay(d) {
		t.Errorf("%q, told %q, %v", lay(d), lay(assay.Draft{Segments: told}), err)
	}
	r.OnSegment = nil
	model = llmtest.InTurn("Let me see. It may be so. </think>\nIt is 26 weeks [1].")
	if d, err := prompted.NewGenerator(model, nil).Draft(t.Context(), r); err != nil || lay(d) != "It is 26 weeks.[0]" {
		t.Errorf("unheard: %q, %v", lay(d), err)
	}
}

func TestGeneratorDoesNotRepeat(t *testing.T) {
	r := leave()
	r.Said = []string{"Parental leave is 26 weeks."}
	model := llmtest.InTurn("Parental leave is 26 weeks [1]. It is paid [2].")
	if d, err := prompted.NewGenerator(model, nil).Draft(t.Context(), r); err != nil || lay(d) != "It is paid.[1]" {
		t.Errorf("%q, %v", lay(d), err)
	}
}

// What is out of date is shown last, and a citation of it is that of the evidence as
// it was given.
func TestGeneratorShowsStaleEvidenceLast(t *testing.T) {
	r := leave()
	current := assay.StripsOf(assay.Passage{Document: "handbook/new.md", Text: "Parental leave is 30 weeks."})
	r.Evidence = append(r.Evidence, current...)
	r.Conflicts = []assay.Conflict{{A: 0, B: 2, Stale: true}}
	model := llmtest.InTurn("It is 30 weeks [1]. It was 26 weeks [2]. It is paid [3]. It is long [4].")
	d, err := prompted.NewGenerator(model, nil).Draft(t.Context(), r)
	if err != nil || lay(d) != "It is 30 weeks.[2] It was 26 weeks.[0] It is paid.[1] It is long.[3]" {
		t.Errorf("%q, %v", lay(d), err)
	}
}

func TestGeneratorText(t *testing.T) {
	r := leave()
	var text strings.Builder
	r.OnText = func(piece string) { text.WriteString(piece) }
	model := llmtest.InTurn("<think>Well</think>\n\nIt is 26 weeks [1]. It is paid ([2]).\n\nSources: [1]")
	d, err := prompted.NewGenerator(model, nil).Draft(t.Context(), r)
	if err != nil || text.String() != "It is 26 weeks. It is paid." || lay(d) != "It is 26 weeks.[0] It is paid.[1]" {
		t.Errorf("%q as %q, %v", text.String(), lay(d), err)
	}
}

func TestGeneratorCost(t *testing.T) {
	r := leave()
	for range 20 {
		r.Evidence = append(r.Evidence, r.Evidence[0])
	}
	g := prompted.NewGenerator(llmtest.InTurn("x"), &prompted.GeneratorOptions{MaxTokens: 50})
	cost := g.WorstCase("answer", assay.Load{Question: 10, Strips: len(r.Evidence)})
	model := llmtest.InTurn("x")
	if _, err := prompted.NewGenerator(model, nil).Draft(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if sent := model.Asked()[0].EstimateTokens(); cost.Calls != 1 || cost.In < sent || cost.Out != 50 {
		t.Errorf("%+v for a request of %d tokens", cost, sent)
	}
}

// A server that goes on without end is left, and what it said so far labelled.
func TestGeneratorLeavesAnEndlessReply(t *testing.T) {
	pieces := 0
	endless := modelFunc(func(yield func(llm.Chunk, error) bool) {
		for yield(llm.Chunk{Text: "Leave lasts 26 weeks [1]. And so on "}, nil) {
			pieces++
		}
	})
	r := assay.DraftRequest{Query: assay.Query{Question: "How long is leave?"}, Evidence: make([]assay.Strip, 1), OnText: func(string) {}}
	d, err := prompted.NewGenerator(endless, nil).Draft(t.Context(), r)
	if err != nil || len(d.Segments) == 0 || len(d.Notes) != 1 || d.Notes[0].Code != assay.ReasonTruncated || pieces > 1000 {
		t.Errorf("%v, %v after %d pieces", d, err, pieces)
	}
}

// modelFunc is a model that says the same to everything.
type modelFunc func(yield func(llm.Chunk, error) bool)

func (f modelFunc) Generate(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { f(yield) }
}
