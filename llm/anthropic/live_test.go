package anthropic_test

import (
	"os"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/anthropic"
	"github.com/assay-rag/assay/llm/llmtest"
)

// TestLive runs the suite against a live server, where that at ASSAY_LIVE_URL
// speaks this protocol too, as llama.cpp's does. See the test in package openai.
func TestLive(t *testing.T) {
	at, model := os.Getenv("ASSAY_LIVE_URL"), os.Getenv("ASSAY_LIVE_MODEL")
	if at == "" {
		t.Skip("ASSAY_LIVE_URL names no server to test")
	}
	c, err := anthropic.New(model, &anthropic.Options{BaseURL: at, Key: os.Getenv("ASSAY_LIVE_KEY")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := llm.Ask(t.Context(), c, llm.Request{Messages: hello, MaxTokens: 1}); llm.KindOf(err) == llm.Malformed {
		t.Skip("the server at ASSAY_LIVE_URL doesn't speak this protocol: ", err)
	}
	llmtest.RunLive(t, c)
}
