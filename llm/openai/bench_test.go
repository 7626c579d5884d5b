package openai_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/openai"
)

// BenchmarkCall is what a call costs besides the model: over a connection to this
// machine, a whole reply and one of 200 events.
func BenchmarkCall(b *testing.B) {
	var events strings.Builder
	for range 200 {
		events.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"}}]}\n\n")
	}
	events.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	for name, body := range map[string]string{"whole": hello, "streamed": events.String()} {
		b.Run(name, func(b *testing.B) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, body) }))
			defer s.Close()
			m := client(b, "m", &openai.Options{BaseURL: s.URL})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := llm.Ask(b.Context(), m, llm.Request{Messages: everything.Messages, Stream: name == "streamed"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
