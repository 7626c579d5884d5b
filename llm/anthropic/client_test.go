package anthropic_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/anthropic"
	"github.com/assay-rag/assay/llm/llmtest"
)

var hello = []llm.Message{{Role: llm.User, Text: "Hello"}}

// answering is a server that answers always the same, and keeps what it was asked.
type answering struct {
	body  string
	asked []*http.Request
}

// RoundTrip implements http.RoundTripper.
func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	a.asked = append(a.asked, r)
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a.body)), Request: r}, nil
}

func TestAddressesAndHeaders(t *testing.T) {
	for written, want := range map[string]string{
		"":                                "https://api.anthropic.com/v1/messages",
		"api.anthropic.com":               "https://api.anthropic.com/v1/messages",
		" https://api.anthropic.com/v1/ ": "https://api.anthropic.com/v1/messages",
		"https://api.anthropic.com/v1/messages?x=1": "https://api.anthropic.com/v1/messages",
		"https://api.deepseek.com/anthropic":        "https://api.deepseek.com/anthropic/v1/messages",
		"localhost:4000":                            "http://localhost:4000/v1/messages",
	} {
		a := &answering{body: `{"content":[],"stop_reason":"end_turn"}`}
		c := client(t, &anthropic.Options{BaseURL: written, Key: llmtest.Key + "\n", HTTP: &http.Client{Transport: a}, Header: http.Header{"anthropic-beta": {"x"}}})
		if _, err := llm.Ask(t.Context(), c, llm.Request{Messages: hello}); err != nil {
			t.Fatal(err)
		}
		r := a.asked[0]
		if r.URL.String() != want || r.Header.Get("X-Api-Key") != llmtest.Key || r.Header.Get("Anthropic-Version") != "2023-06-01" || r.Header.Get("Anthropic-Beta") != "x" {
			t.Errorf("%q: asked at %s with %v", written, r.URL, r.Header)
		}
	}
	for _, o := range []anthropic.Options{{BaseURL: "ftp://x"}, {Key: "two\nlines"}} {
		if _, err := anthropic.New("m", &o); err == nil {
			t.Errorf("%+v", o)
		}
	}
}

func TestWhatIsNotOffered(t *testing.T) {
	for words, r := range map[string]llm.Request{
		"plain prompt":      {Prompt: "One, two,"},
		"log-probabilities": {Messages: hello, LogProbs: 2},
	} {
		a := &answering{}
		_, err := llm.Ask(t.Context(), client(t, &anthropic.Options{HTTP: &http.Client{Transport: a}}), r)
		if llm.KindOf(err) != llm.BadRequest || !strings.Contains(err.Error(), words) || len(a.asked) > 0 {
			t.Errorf("%v, asked %d times", err, len(a.asked))
		}
	}
}

func TestModels(t *testing.T) {
	a := &answering{body: `{"data":[{"type":"model","id":"claude-b","display_name":"B"},{"type":"model","id":"claude-a","display_name":"A"}],"has_more":false}`}
	got, err := client(t, &anthropic.Options{HTTP: &http.Client{Transport: a}}).Models(t.Context())
	if err != nil || !slices.Equal(got, []string{"claude-a", "claude-b"}) || a.asked[0].URL.Path != "/v1/models" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestWhatIsRefusedIsRemembered: the second call is made in the form that the first
// one found.
func TestWhatIsRefusedIsRemembered(t *testing.T) {
	p := llmtest.Play(t, "testdata/suite/schema-by-tool.txtar")
	p.Borrow()
	c := client(t, &anthropic.Options{HTTP: p.HTTP()})
	r := llm.Request{Messages: hello, Schema: &llm.Schema{Name: "verdict", JSON: json.RawMessage(`{"type":"object"}`)}}
	for range 2 {
		if _, err := llm.Ask(t.Context(), c, r); err != nil {
			t.Fatal(err)
		}
	}
	if asked := p.Asked(); len(asked) != 3 || strings.Contains(asked[2].Body, "output_config") {
		t.Errorf("asked %d times", len(asked))
	}
}

// TestWhatIsRefusedIsCounted: the request that puts it differently is a second call.
func TestWhatIsRefusedIsCounted(t *testing.T) {
	for budget, want := range map[int]error{1: llm.ErrSpent, 2: nil} {
		p := llmtest.Play(t, "testdata/suite/schema-by-tool.txtar")
		p.Borrow()
		m := llm.Metered(client(t, &anthropic.Options{HTTP: p.HTTP()}), llm.MeterOptions{Name: "m"})
		meter := llm.NewMeter(llm.Budget{Calls: budget})
		r := llm.Request{Messages: hello, Schema: &llm.Schema{Name: "verdict", JSON: json.RawMessage(`{"type":"object"}`)}}
		_, err := llm.Ask(llm.WithMeter(t.Context(), meter), m, r)
		if !errors.Is(err, want) || len(p.Asked()) != budget || meter.Used().Calls != budget {
			t.Errorf("within %d calls: %v, asked %d times, used %+v", budget, err, len(p.Asked()), meter.Used())
		}
	}
}

// FuzzReply has a server answer anything. Whatever it is, the call ends, with a
// reply that has an ending or with an error of some kind.
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
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		c := client(t, &anthropic.Options{HTTP: &http.Client{Transport: &answering{body: body}}})
		var text strings.Builder
		var reply *llm.Reply
		var failed error
		for c, err := range c.Generate(t.Context(), llm.Request{Messages: hello, Stream: true, Stop: []string{"END"}}) {
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
