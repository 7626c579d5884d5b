package openai_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/openai"
)

// FuzzReply has a server answer anything, to chat and to a prompt. Whatever it is,
// the call ends, with a reply that has an ending or with an error of some kind.
func FuzzReply(f *testing.F) {
	files, err := filepath.Glob("testdata/suite/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal(err, "no recordings")
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		_, response, _ := strings.Cut(string(content), "-- response")
		_, body, _ := strings.Cut(response, "\n\n")
		body, _, _ = strings.Cut(body, "\n-- want --")
		f.Add(body, true)
		f.Add(body, false)
	}
	f.Fuzz(func(t *testing.T, body string, chat bool) {
		s := &server{t: t, answer: func(map[string]any) (int, string) { return 200, body }}
		r := everything
		if !chat {
			r.Messages, r.Prompt = nil, "Say hello:"
		}
		var text strings.Builder
		var reply *llm.Reply
		var failed error
		for c, err := range client(t, "m", &openai.Options{BaseURL: "gpu", HTTP: s.client()}).Generate(t.Context(), r) {
			if reply != nil || failed != nil {
				t.Fatal("it goes on after its end")
			}
			text.WriteString(c.Text)
			reply, failed = c.Reply, err
		}
		switch {
		case failed != nil && llm.KindOf(failed) == "":
			t.Errorf("an error of no kind: %v", failed)
		case failed == nil && (reply == nil || reply.Finish == "" || reply.Text != text.String()):
			t.Errorf("no error and no reply with an ending: %+v, %q", reply, text.String())
		case reply != nil && (strings.Contains(reply.Text, "END") || reply.Tokens.Cached > reply.Tokens.In || reply.Tokens.Reasoning > reply.Tokens.Out):
			t.Errorf("%+v", reply)
		}
	})
}
