package openai_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
	"github.com/assay-rag/assay/llm/openai"
)

func TestKeysGoIntoTheRightHeader(t *testing.T) {
	for _, c := range []struct{ base, azure, header, want string }{
		{"http://gpu", "", "Authorization", "Bearer " + llmtest.Key},
		{"https://acme.openai.azure.com", "", "Api-Key", llmtest.Key},
		{"http://gateway/azure", "2024-10-21", "Api-Key", llmtest.Key},
	} {
		p := llmtest.Play(t, "testdata/suite/plain.txtar")
		m := client(t, "smollm2-135m", &openai.Options{BaseURL: c.base, AzureVersion: c.azure, Key: llmtest.Key + "\n", HTTP: p.HTTP(), Header: http.Header{"x-title": {"Assay"}}})
		p.Borrow()
		if _, err := llm.Ask(t.Context(), m, llm.Request{Messages: everything.Messages}); err != nil {
			t.Fatal(err)
		}
		h := p.Asked()[0].Header
		if h.Get(c.header) != c.want || h.Get("X-Title") != "Assay" || h.Get("Authorization") != "" && h.Get("Api-Key") != "" {
			t.Errorf("%s: sent %v", c.base, h)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for _, o := range []openai.Options{{BaseURL: "ftp://x"}, {Key: "sk-two\nlines"}, {Key: "sk-ünïcode"}} {
		if _, err := openai.New("m", &o); err == nil || o.Key != "" && strings.Contains(err.Error(), o.Key) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// kept is a store whose values can be looked at.
type kept map[string]string

func (k kept) Get(context.Context, string) ([]byte, bool)      { return nil, false }
func (k kept) Put(_ context.Context, key string, value []byte) { k[key] = string(value) }

// TestAKeyThatIsRepeatedIsKeptNowhere: not in the cache, nor in the record of a call,
// nor in the error of a reply that can't be used.
func TestAKeyThatIsRepeatedIsKeptNowhere(t *testing.T) {
	s := &server{t: t, answer: func(map[string]any) (int, string) {
		return 200, strings.ReplaceAll(hello, "Hello.", "Hello, "+llmtest.Key)
	}}
	replies := kept{}
	c := client(t, "m", &openai.Options{BaseURL: "localhost", Key: llmtest.Key, HTTP: s.client()})
	m := llm.Repaired(llm.Cached(llm.Metered(c, llm.MeterOptions{Name: "m"}), replies, "m"))
	meter := llm.NewMeter(llm.Budget{})
	for _, accept := range []func(llm.Reply) error{nil, func(llm.Reply) error { return errors.New("no") }} {
		reply, err := llm.Ask(llm.WithMeter(t.Context(), meter), m, llm.Request{Messages: everything.Messages, Accept: accept})
		if all := fmt.Sprintf("%+v %+v %+v %+v %v", reply, err, meter.Calls(), meter.Failures(), replies); strings.Contains(all, llmtest.Key) || !strings.Contains(all, "Hello, [key]") {
			t.Error(all)
		}
	}
	if len(replies) != 1 || len(meter.Calls()) != 3 || meter.Calls()[1].Raw != "Hello, [key]" {
		t.Errorf("kept %v, recorded %+v", replies, meter.Calls())
	}
}

// TestWhatIsNoJSON: what can't be sent is told without Go's words for it.
func TestWhatIsNoJSON(t *testing.T) {
	for _, c := range []struct {
		extra  map[string]any
		schema string
		want   string
	}{
		{map[string]any{"top_p": math.NaN()}, "{}", "can't be put as JSON: JSON has no way to put NaN"},
		{nil, "{no", "can't be put as JSON: a part of it is no JSON"},
	} {
		s := &server{t: t}
		m := client(t, "m", &openai.Options{BaseURL: "localhost", Extra: c.extra, HTTP: s.client()})
		_, err := llm.Ask(t.Context(), m, llm.Request{Messages: everything.Messages, Schema: &llm.Schema{JSON: json.RawMessage(c.schema)}})
		if llm.KindOf(err) != llm.BadRequest || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "json: ") || len(s.since()) > 0 {
			t.Errorf("%v, not %q", err, c.want)
		}
	}
}

// TestSecretsInAddresses: neither a password nor a key in the query of an address
// is shown, nor by what goes wrong underneath.
func TestSecretsInAddresses(t *testing.T) {
	down := httptest.NewServer(http.NotFoundHandler())
	at := down.Listener.Addr().String()
	down.Close()
	m := client(t, "m", &openai.Options{BaseURL: "http://ann:opensesame@" + at + "/v1?key=opensesame"})
	_, err := llm.Ask(t.Context(), m, llm.Request{Messages: everything.Messages})
	if llm.KindOf(err) != llm.Unreachable || !strings.Contains(err.Error(), at) || strings.Contains(err.Error(), "opensesame") {
		t.Error(err)
	}
	if strings.Contains(m.Endpoint(), "opensesame") {
		t.Error(m.Endpoint())
	}
}

// TestThoughtsAreASignOfLife: while a model thinks, chunks without text come.
func TestThoughtsAreASignOfLife(t *testing.T) {
	p := llmtest.Play(t, "testdata/suite/reasoning-streamed.txtar")
	p.Borrow()
	m := client(t, "m", &openai.Options{BaseURL: "gpu", HTTP: p.HTTP()})
	silent := 0
	for c, err := range m.Generate(t.Context(), llm.Request{Messages: everything.Messages, Stream: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Text != "" {
			break
		}
		silent++
	}
	if silent != 2 {
		t.Errorf("%d chunks came before the text, for two thoughts", silent)
	}
}

// TestStreamsAreReadToTheirEnd, though their last mark comes before it: else the
// connection couldn't be used again.
func TestStreamsAreReadToTheirEnd(t *testing.T) {
	b := &ending{content: strings.NewReader("data: " + hello + "\n\ndata: [DONE]\n\n")}
	h := &http.Client{Transport: answer(func(r *http.Request) *http.Response {
		return &http.Response{StatusCode: 200, Body: b, Request: r}
	})}
	if _, err := llm.Ask(t.Context(), client(t, "m", &openai.Options{BaseURL: "gpu", HTTP: h}), everything); err != nil || !b.ended || !b.closed {
		t.Errorf("%v; read to the end: %v, closed: %v", err, b.ended, b.closed)
	}
}

type answer func(*http.Request) *http.Response

func (a answer) RoundTrip(r *http.Request) (*http.Response, error) { return a(r), nil }

// ending is a body that tells its end apart from its last bytes.
type ending struct {
	content       *strings.Reader
	ended, closed bool
}

func (b *ending) Read(p []byte) (int, error) {
	n, err := b.content.Read(p)
	b.ended = b.ended || err == io.EOF
	return n, err
}

func (b *ending) Close() error {
	b.closed = true
	return nil
}

// TestAConnectionClosedMeanwhile: a server may close a connection just when it is
// used again, as llama.cpp's does after five seconds.
func TestAConnectionClosedMeanwhile(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	header := make(chan http.Header, 3)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			in := bufio.NewReader(c)
			for answers := range 2 {
				r, err := http.ReadRequest(in)
				if err != nil || answers == 1 { // it has read the second request, and doesn't answer
					break
				}
				_, _ = io.Copy(io.Discard, r.Body)
				header <- r.Header
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(hello), hello)
			}
			c.Close()
		}
	}()
	m := client(t, "m", &openai.Options{BaseURL: l.Addr().String()})
	for call := range 3 {
		if _, err := llm.Ask(t.Context(), m, llm.Request{Messages: everything.Messages}); err != nil {
			t.Fatalf("call %d: %v", call, err)
		}
		if h := <-header; h["Idempotency-Key"] != nil {
			t.Errorf("it sends %v", h)
		}
	}
}

func TestRepliesAreBounded(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"`))
		for _, err := w.Write(nil); err == nil; {
			_, err = w.Write([]byte(strings.Repeat("x", 1<<20)))
		}
	}))
	defer s.Close()
	_, err := llm.Ask(t.Context(), client(t, "m", &openai.Options{BaseURL: s.URL}), llm.Request{Messages: everything.Messages})
	if llm.KindOf(err) != llm.Malformed || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("an endless reply: %.300s", err)
	}
}

func TestModels(t *testing.T) {
	for body, want := range map[string][]string{
		`{"object":"list","data":[{"id":"b"},{"id":"a"},{"id":"b"}]}`:                         {"a", "b"},
		`{"models":[{"name":"smollm2-135m"}],"object":"list","data":[{"id":"smollm2-135m"}]}`: {"smollm2-135m"},
		`[{"id":"x","type":"chat"}]`: {"x"},
		`{"data":[]}`:                {},
		`{"choices":[]}`:             nil,
		`<html>Sign in</html>`:       nil,
	} {
		s := &server{t: t, answer: func(map[string]any) (int, string) { return 200, body }}
		got, err := client(t, "", &openai.Options{BaseURL: "gpu", HTTP: s.client()}).Models(t.Context())
		if (err != nil) != (want == nil) || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", body, got, err)
		}
		if err != nil && llm.KindOf(err) != llm.Malformed {
			t.Errorf("%s: %v", body, err)
		}
	}
}
