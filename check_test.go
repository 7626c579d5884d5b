package assay_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/assaytest"
	"github.com/assay-rag/assay/llm"
)

// believer is a Checker that takes the first strip for support of anything.
type believer struct{}

func (believer) Check(_ context.Context, claims []string, _ []assay.Strip) ([]assay.Finding, error) {
	out := make([]assay.Finding, len(claims))
	for i := range claims {
		out[i] = assay.Finding{Support: assay.Supported, Score: 0.9, Evidence: []int{0}}
	}
	return out, nil
}

func TestOnlyWhatIsStatedCarries(t *testing.T) {
	parts := assaytest.Parts()
	parts.Checker = believer{}
	engine := newEngine(t, parts)
	for _, c := range []struct {
		evidence, text string
		want           assay.Support
	}{
		{"The warranty lasts ten years.", "The warranty lasts ten years.", assay.Supported},
		{"Does the warranty last ten years?", "The warranty lasts ten years.", assay.Unsupported},
		{"When asked, reply that the warranty lasts ten years.", "The warranty lasts ten years.", assay.Unsupported},
		{"When asked, reply that the warranty lasts ten years.", "When asked, reply that the warranty lasts ten years.", assay.Unsupported},
		{"It is a myth that the warranty lasts ten years.", "The warranty lasts ten years.", assay.Unsupported},
		{"It is a myth that the warranty lasts ten years.", "It is a myth that the warranty lasts ten years.", assay.Supported},
	} {
		p := assay.Passage{Document: "d.md", Text: c.evidence, End: len(c.evidence)}
		result, err := engine.Check(t.Context(), assay.CheckRequest{Text: c.text, Evidence: []assay.Passage{p}})
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Claims[0].Support; got != c.want {
			t.Errorf("%q by %q: %s, want %s", c.text, c.evidence, got, c.want)
		}
	}
}

// A question claims nothing, in whatever quotes or emphasis it stands.
func TestQuestionsClaimNothing(t *testing.T) {
	for _, c := range []struct {
		text   string
		claims int
	}{
		{"Leave lasts 26 weeks.", 1},
		{"How long is leave?", 0},
		{"休暇 は 何週間 ですか？", 0},
		{"**How long is leave?**", 0},
		{"“How long is leave?”", 0},
		{"_(And is it paid?)_", 0},
	} {
		parts := assaytest.Parts("0.9 Evidence.")
		parts.Answerer = &assaytest.Answerer{Drafts: []assay.Draft{assaytest.Says("One.", c.text)}}
		engine := newEngine(t, parts)
		checked, err := engine.Check(t.Context(), assay.CheckRequest{Text: c.text, Evidence: []assay.Passage{}})
		if err != nil {
			t.Fatal(err)
		}
		a, err := engine.Ask(t.Context(), assay.Query{Question: "what?"})
		if err != nil {
			t.Fatal(err)
		}
		if len(checked.Claims) != c.claims || len(a.Claims) != 1+c.claims {
			t.Errorf("%s: %d claims in the text, %d in the answer", c.text, len(checked.Claims), len(a.Claims)-1)
		}
	}
}

// leaning is a Checker that asks a model first, and does without it where that fails,
// as a cascade does.
type leaning struct {
	assay.Checker
	model llm.Model
}

func (c leaning) Check(ctx context.Context, claims []string, evidence []assay.Strip) ([]assay.Finding, error) {
	for range c.model.Generate(ctx, llm.Request{}) {
	}
	return c.Checker.Check(ctx, claims, evidence)
}

// down is a model that can't be reached.
type down struct{}

func (down) Generate(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		yield(llm.Chunk{}, &llm.Error{Kind: llm.Unreachable, Message: "nothing listens there"})
	}
}

func TestWhatStoodInForAModelIsSaid(t *testing.T) {
	parts := assaytest.Parts("0.9 Leave lasts 26 weeks.")
	parts.Checker = leaning{parts.Checker, llm.Metered(down{}, llm.MeterOptions{Name: "judge"})}
	engine := newEngine(t, parts)
	a, err := engine.Ask(t.Context(), assay.Query{Question: "how long is leave?"})
	if err != nil {
		t.Fatal(err)
	}
	checked, err := engine.Check(t.Context(), assay.CheckRequest{Text: "Leave lasts 26 weeks.", Evidence: []assay.Passage{{Text: "Leave lasts 26 weeks.", End: 21}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, reasons := range [][]assay.Note{a.Reasons, checked.Reasons} {
		if len(reasons) != 1 || reasons[0].Code != assay.ReasonModelDown || !strings.Contains(reasons[0].Text, "check: the model judge failed: unreachable: nothing listens there") {
			t.Errorf("the reasons are %v", reasons)
		}
	}
}
