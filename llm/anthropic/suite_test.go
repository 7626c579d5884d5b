package anthropic_test

import (
	"flag"
	"net/http"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/anthropic"
	"github.com/assay-rag/assay/llm/llmtest"
)

var _ = flag.Bool("update", false, "write what is asked and what comes of it into the recordings")

func TestSuite(t *testing.T) {
	llmtest.Run(t, func(t testing.TB, h *http.Client) llm.Model {
		return client(t, &anthropic.Options{Key: llmtest.Key, HTTP: h})
	})
}

func client(t testing.TB, o *anthropic.Options) *anthropic.Client {
	t.Helper()
	c, err := anthropic.New("claude-haiku-4-5", o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
