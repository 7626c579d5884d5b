package openai_test

import (
	"flag"
	"net/http"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
	"github.com/assay-rag/assay/llm/openai"
)

var _ = flag.Bool("update", false, "write what is asked and what comes of it into the recordings")

func TestSuite(t *testing.T) {
	llmtest.Run(t, func(t testing.TB, h *http.Client) llm.Model {
		return client(t, "smollm2-135m", &openai.Options{BaseURL: "localhost:8080", Key: llmtest.Key, HTTP: h})
	})
}

func client(t testing.TB, model string, o *openai.Options) *openai.Client {
	t.Helper()
	c, err := openai.New(model, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
