package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

func TestKeys(t *testing.T) {
	for _, k := range []string{
		"sk-" + "proj-aB3dE6gH9jK2", "Authorization: " + "Bearer abcdef123", "authorization: " + "Basic abc", "x-api-key: " + "abc",
		`{"api_key": ` + `"abc"}`, "Set-Cookie: " + "a=b", "hf_" + "abcdefghijklmnop", "gsk_" + "abcdefghijklmnop", "AIza" + strings.Repeat("x", 30),
		"http://x/?key=" + "abcdefgh", "org-" + "abcdefghijklmnopqrst",
	} {
		if len(llmtest.Keys("a line\n"+k+"\nanother")) == 0 {
			t.Errorf("%q isn't seen", k)
		}
	}
	for _, k := range []string{"sk-{{key}}", "Authorization: {{key}}", "ask-me-anything-else", "a Bearer of news", "organisation-wide", "set x-api-key to your key", "org-1"} {
		if found := llmtest.Keys(k); len(found) > 0 {
			t.Errorf("%q is taken for a key: %q", k, found)
		}
	}
}

func TestNoKeysFails(t *testing.T) {
	dir := t.TempDir()
	key := "sk-" + "proj-aB3dE6gH9jK2"
	if err := os.WriteFile(filepath.Join(dir, "a.txtar"), []byte("key "+key), 0o600); err != nil {
		t.Fatal(err)
	}
	f := failures(t, func(tb testing.TB) { llmtest.NoKeys(tb, dir) })
	if len(f) != 1 || !strings.Contains(f[0], "a.txtar") || strings.Contains(f[0], key) {
		t.Errorf("it says %q", f)
	}
}

const recording = `Written here.
-- request --
POST /v1/x
{
  "a": 1
}
-- response --
HTTP/1.1 200 OK

one {{key}}
-- response --
HTTP/1.1 200 OK

two
`

// ask posts a body to a recording.
func ask(p *llmtest.Playback, body string) (string, error) {
	resp, err := p.HTTP().Post("https://anywhere.example/v1/x", "application/json", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	content := make([]byte, 100)
	n, _ := resp.Body.Read(content)
	return string(content[:n]), nil
}

func TestPlayback(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.txtar")
	if err := os.WriteFile(file, []byte(recording), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bodies []string
		fails  string
	}{
		{[]string{`{"a":1}`, `{"b":2}`, `{"c":3}`}, ""},
		{[]string{`{"a":2}`}, "request 1"},
		{nil, "fewer"},
	} {
		f := failures(t, func(tb testing.TB) {
			p := llmtest.Play(tb, file)
			for i, b := range c.bodies {
				want := []string{"one " + llmtest.Key, "two"}[min(i, 1)]
				if got, err := ask(p, b); err != nil || strings.TrimSpace(got) != want {
					t.Errorf("request %d: %q, %v", i+1, got, err)
				}
			}
			if asked := p.Asked(); len(asked) != len(c.bodies) || len(asked) > 0 && (asked[0].URL != "/v1/x" || asked[0].Host != "anywhere.example") {
				t.Errorf("it remembers %+v", asked)
			}
		})
		if (len(f) > 0) != (c.fails != "") || len(f) > 0 && !strings.Contains(f[0], c.fails) {
			t.Errorf("%q: it says %q, want %q", c.bodies, f, c.fails)
		}
	}
}

// recorder is a testing.TB that only keeps what it is told.
type recorder struct {
	testing.TB
	failed   []string
	cleanups []func()
}

func (r *recorder) Helper()           {}
func (r *recorder) Cleanup(f func())  { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Error(args ...any) { r.failed = append(r.failed, fmt.Sprint(args...)) }
func (r *recorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

// failures is what a test says that goes wrong.
func failures(t *testing.T, test func(testing.TB)) []string {
	r := &recorder{TB: t}
	test(r)
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
	return r.failed
}

// TestTheSuiteIsHard: models that do something wrong don't get through.
func TestTheSuiteIsHard(t *testing.T) {
	r := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Hello"}}, Stream: true}
	good := llm.Reply{Text: "ab", Finish: llm.FinishStop, Tokens: llm.Tokens{In: 1, Out: 1}}
	shown := &llm.Error{Kind: llm.Unauthorised, Endpoint: "http://x", Message: "wrong key " + llmtest.Key}
	for _, c := range []struct {
		name   string
		chunks []llm.Chunk
		err    error
		wrong  string
	}{
		{"good", []llm.Chunk{{Text: "a"}, {}, {Text: "b"}, {Reply: &good}}, nil, ""},
		{"nothing at all", nil, nil, "a reply or with an error"},
		{"both", []llm.Chunk{{Text: "ab"}, {Reply: &good}}, shown, "a reply or with an error"},
		{"pieces that don't add up", []llm.Chunk{{Text: "a"}, {Reply: &good}}, nil, "the pieces are"},
		{"no ending", []llm.Chunk{{Text: "ab"}, {Reply: &llm.Reply{Text: "ab"}}}, nil, "without an ending"},
		{"more cached than there is", []llm.Chunk{{Reply: &llm.Reply{Finish: llm.FinishStop, Tokens: llm.Tokens{Cached: 1}}}}, nil, "more than the whole"},
		{"an error of no kind", nil, errors.New("oops"), "the error is a"},
		{"an error that doesn't say where", nil, &llm.Error{Kind: llm.Overloaded, Message: "x"}, "where it happened"},
		{"a key", nil, shown, "the key is shown"},
		{"a key in a reply", []llm.Chunk{{Reply: &llm.Reply{Finish: llm.FinishStop, Reasoning: llmtest.Key}}}, nil, "the key is shown"},
		{"words of Go", nil, &llm.Error{Kind: llm.Unreachable, Endpoint: "http://x", Message: "unexpected EOF"}, "speaks to people"},
		{"a key underneath", nil, &llm.Error{Kind: llm.Unreachable, Endpoint: "http://x", Message: "x", Err: errors.New(llmtest.Key)}, "the key is shown"},
	} {
		err := llmtest.Sound(llmtest.Collect(t.Context(), chunks{c.chunks, c.err}, r))
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, want %q", c.name, err, c.wrong)
		}
	}
}

// chunks is a model that says these, whatever it is asked.
type chunks struct {
	all []llm.Chunk
	err error
}

func (m chunks) Generate(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for _, c := range m.all {
			if !yield(c, nil) {
				return
			}
		}
		if m.err != nil {
			yield(llm.Chunk{}, m.err)
		}
	}
}

// TestTheSuiteRunsOnTheFake: a fake is no provider, but does what any live one does.
func TestTheSuiteRunsOnTheFake(t *testing.T) {
	var _ llmtest.New = func(testing.TB, *http.Client) llm.Model { return nil }
	f := &llmtest.Fake{Reply: func(r llm.Request) (llm.Reply, error) {
		switch {
		case len(r.Messages[0].Text) > 100_000:
			return llm.Reply{}, &llm.Error{Kind: llm.TooLong, Endpoint: "http://fake", Message: "too long"}
		case r.MaxTokens == 8 && !r.Stream && r.LogProbs == 0:
			return llm.Reply{Text: "Once upon a time", Finish: llm.FinishLength}, nil
		case r.Schema != nil:
			return llm.Reply{Text: `{"answer": "yes"}`}, nil
		case len(r.Stop) > 0:
			return llm.Reply{Text: "1, 2, "}, nil
		}
		return llm.Reply{Text: "one two three"}, nil
	}}
	llmtest.RunLive(t, f)
}
