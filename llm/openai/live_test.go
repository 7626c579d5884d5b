package openai_test

import (
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
	"github.com/assay-rag/assay/llm/openai"
)

// TestLive runs the suite against a live server: that at ASSAY_LIVE_URL, by its
// model ASSAY_LIVE_MODEL, with the key ASSAY_LIVE_KEY where it wants one.
func TestLive(t *testing.T) {
	at, model := os.Getenv("ASSAY_LIVE_URL"), os.Getenv("ASSAY_LIVE_MODEL")
	if at == "" {
		t.Skip("ASSAY_LIVE_URL names no server to test")
	}
	o := openai.Options{BaseURL: at, Key: os.Getenv("ASSAY_LIVE_KEY")}
	m := client(t, model, &o)
	llmtest.RunLive(t, m)

	t.Run("models", func(t *testing.T) {
		names, err := m.Models(t.Context())
		if err != nil || model != "" && !slices.Contains(names, model) {
			t.Errorf("it has %q, %v; %q isn't among them", names, err, model)
		}
	})
	t.Run("prompt", func(t *testing.T) {
		reply, err := llm.Ask(t.Context(), m, llm.Request{Prompt: "One, two, three,", MaxTokens: 6, LogProbs: 2})
		if k := llm.KindOf(err); k == llm.BadRequest || k == llm.Malformed {
			t.Skip("it continues no prompts: ", err)
		}
		if err != nil || reply.Text == "" || reply.Finish == "" {
			t.Errorf("%+v, %v", reply, err)
		}
	})
	t.Run("embeddings", func(t *testing.T) {
		e, err := openai.NewEmbedder(t.Context(), model, 0, &openai.EmbedderOptions{Options: o})
		if k := llm.KindOf(err); k == llm.BadRequest || k == llm.Malformed {
			t.Skip("it makes no vectors: ", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		long := strings.Repeat("The cat sleeps on the mat all day. ", 300)
		made, err := e.EmbedPassages(t.Context(), []string{"The cat sleeps on the mat.", " ", long})
		if err != nil || len(made) != 3 {
			t.Fatalf("%d vectors, %v", len(made), err)
		}
		dot := 0.0
		for i, x := range made[0] {
			dot += float64(x) * float64(made[2][i])
		}
		t.Logf("%d dimensions; a sentence and 300 like it: %.2f", e.Dim(), dot)
		if dot < 0.5 {
			t.Error("they should lie near together")
		}
	})
	t.Run("wrong address", func(t *testing.T) {
		u, err := url.Parse(m.Endpoint())
		if err != nil {
			t.Fatal(err)
		}
		o := o
		o.BaseURL = u.JoinPath("nowhere/v1").String()
		if _, err := llm.Ask(t.Context(), client(t, model, &o), llm.Request{Messages: everything.Messages}); llm.KindOf(err) != llm.Malformed {
			t.Errorf("got %v", err)
		}
	})
}
