package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/assay-rag/assay/llm"
)

// Outcome is what came of a call.
type Outcome struct {
	Ask    llm.Request
	Pieces []string
	Reply  *llm.Reply
	Err    error
	Asked  int // how often the server was asked
}

// Text is all pieces together.
func (o Outcome) Text() string { return strings.Join(o.Pieces, "") }

// Collect makes a call and gathers what comes of it.
func Collect(ctx context.Context, m llm.Model, r llm.Request) Outcome {
	o := Outcome{Ask: r}
	for c, err := range m.Generate(ctx, r) {
		if err != nil {
			o.Err = err
			continue
		}
		if c.Text != "" {
			o.Pieces = append(o.Pieces, c.Text)
		}
		if c.Reply != nil {
			o.Reply = c.Reply
		}
	}
	return o
}

// New returns the model under test, which asks by h with the key [Key].
type New func(t testing.TB, h *http.Client) llm.Model

// Run is the suite that each provider passes. Every file testdata/suite/*.txtar is a
// recording (see [Playback]) with two sections more: the request that is made, as
// JSON of an llm.Request, and what is wanted of it, a golden:
//
//	-- ask --
//	{"Messages": [{"Role": "user", "Text": "Hello"}], "Stream": true}
//	-- want --
//	{"Pieces": […], "Reply": {…}}
//
// The cases that stand in this package must be there, and what they must come to
// isn't left to the goldens. All run in a bubble of synctest: a hang costs no time,
// and a goroutine that outlives its call fails the test.
func Run(t *testing.T, model New) {
	files, err := filepath.Glob("testdata/suite/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		have[name] = true
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { replay(t, model, file, mustBe[name]) })
		})
	}
	for name := range mustBe {
		if !have[name] {
			t.Errorf("there is no recording testdata/suite/%s.txtar", name)
		}
	}
	for name, test := range behaviours {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, model) }) })
	}
	t.Run("no keys", func(t *testing.T) { NoKeys(t, "testdata") })
}

// replay makes the request of a recording, and compares what comes of it.
func replay(t *testing.T, model New, file string, must func(Outcome) error) {
	p := Play(t, file)
	ask, _ := p.section("ask")
	var r llm.Request
	if err := json.Unmarshal(ask, &r); err != nil {
		t.Fatalf("%s: what is asked: %v", file, err)
	}
	o := Collect(t.Context(), model(t, p.HTTP()), r)
	o.Asked = len(p.Asked())
	if err := Sound(o); err != nil {
		t.Errorf("%v: %+v", err, o)
	}
	if must != nil {
		if err := must(o); err != nil {
			t.Errorf("%v: %+v", err, o)
		}
	}
	p.compare("want", golden(o))
}

// golden is an outcome as it stands in a recording.
func golden(o Outcome) string {
	type failure struct{ Kind, Text, Raw string }
	v := struct {
		Pieces []string   `json:",omitempty"`
		Reply  *llm.Reply `json:",omitempty"`
		Error  *failure   `json:",omitempty"`
	}{Pieces: o.Pieces, Reply: o.Reply}
	var e *llm.Error
	if errors.As(o.Err, &e) {
		v.Error = &failure{string(e.Kind), e.Error(), e.Raw}
	}
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(v); err != nil {
		return err.Error()
	}
	return b.String()
}

// compare compares a section of the recording, or writes it.
func (p *Playback) compare(name, got string) {
	for i, f := range p.archive.Files {
		if f.Name != name {
			continue
		}
		if updating() {
			p.archive.Files[i].Data = []byte(got)
		} else if string(f.Data) != got {
			p.t.Errorf("%s: %s: got\n%swant\n%s", p.file, name, got, f.Data)
		}
		return
	}
	p.t.Errorf("%s: has no section %q", p.file, name)
}

// Sound tells what is wrong with an outcome that would be wrong of any call.
func Sound(o Outcome) error {
	switch {
	case (o.Reply == nil) == (o.Err == nil):
		return errors.New("a call ends with a reply or with an error")
	case o.Err != nil:
		return soundError(o.Err)
	case strings.Contains(o.Text()+o.Reply.Text+o.Reply.Reasoning+o.Reply.Model, Key):
		return errors.New("the key is shown in a reply")
	case o.Reply.Finish == "":
		return errors.New("a reply without an ending")
	case o.Ask.Stream && o.Text() != o.Reply.Text:
		return fmt.Errorf("the pieces are %q, the text %q", o.Text(), o.Reply.Text)
	case !o.Ask.Stream && len(o.Pieces) > 0:
		return errors.New("it streams unasked")
	case o.Reply.Tokens.In < o.Reply.Tokens.Cached || o.Reply.Tokens.Out < o.Reply.Tokens.Reasoning:
		return errors.New("a part of the tokens is more than the whole")
	}
	return nil
}

// terms are those of Go, which say nothing to others.
var terms = regexp.MustCompile(`unexpected EOF|: EOF|json: |invalid character|context deadline exceeded|context canceled|net/http|dial tcp`)

func soundError(err error) error {
	var e *llm.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("the error is a %T", err)
	}
	if e.Kind == "" || e.Endpoint == "" || e.Message == "" || len(e.Message) > 400 {
		return errors.New("an error says of what kind it is, where it happened and what, in few words")
	}
	if terms.MatchString(err.Error()) {
		return errors.New("an error speaks to people, not to those who write Go")
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if strings.Contains(cause.Error()+e.Raw, Key) {
			return errors.New("the key is shown")
		}
	}
	return nil
}

// behaviours are what a call does while it is under way.
var behaviours = map[string]func(*testing.T, New){
	"cancelled in the middle": func(t *testing.T, model New) {
		m := model(t, borrow(t, "hang-stream.txtar").HTTP())
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		enough := errors.New("enough")
		var last error
		for c, err := range m.Generate(ctx, llm.Request{Messages: said("Hello"), Stream: true}) {
			if last = err; c.Text != "" {
				cancel(enough)
			}
		}
		if last != enough {
			t.Errorf("it ended with %v", last)
		}
	},
	"left early": func(t *testing.T, model New) {
		m := model(t, borrow(t, "hang-stream.txtar").HTTP())
		for c := range m.Generate(t.Context(), llm.Request{Messages: said("Hello"), Stream: true}) {
			if c.Text != "" {
				return // if the call went on, the recording would wait for ever
			}
		}
		t.Error("nothing came")
	},
	"over before it began": func(t *testing.T, model New) {
		p := borrow(t, "plain.txtar")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := llm.Ask(ctx, model(t, p.HTTP()), llm.Request{Messages: said("Hello")}); err != context.Canceled || len(p.Asked()) > 0 {
			t.Errorf("got %v, and the server was asked %d times", err, len(p.Asked()))
		}
	},
	"nothing to say": func(t *testing.T, model New) {
		p := borrow(t, "plain.txtar")
		for _, r := range []llm.Request{{}, {Messages: said(" ")}, {Messages: said("Hello"), Prompt: "and"}} {
			if _, err := llm.Ask(t.Context(), model(t, p.HTTP()), r); llm.KindOf(err) != llm.BadRequest || len(p.Asked()) > 0 {
				t.Errorf("%+v: got %v, and the server was asked %d times", r, err, len(p.Asked()))
			}
		}
	},
	"at the same time": func(t *testing.T, model New) {
		p := borrow(t, "streamed.txtar")
		var r llm.Request
		ask, _ := p.section("ask")
		if err := json.Unmarshal(ask, &r); err != nil {
			t.Fatal(err)
		}
		m := model(t, p.HTTP())
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if o := Collect(t.Context(), m, r); o.Err != nil || o.Text() != o.Reply.Text {
					t.Errorf("got %+v", o)
				}
			})
		}
		wg.Wait()
	},
	"unreachable": func(t *testing.T, model New) {
		refuse := func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
		}
		h := &http.Client{Transport: &http.Transport{DialContext: refuse, DialTLSContext: refuse}}
		_, err := llm.Ask(t.Context(), model(t, h), llm.Request{Messages: said("Hello")})
		if llm.KindOf(err) != llm.Unreachable || !strings.Contains(err.Error(), "connection refused") || soundError(err) != nil {
			t.Errorf("got %v", err)
		}
	},
}

// borrow plays a recording of the suite to other requests than its own.
func borrow(t *testing.T, name string) *Playback {
	p := Play(t, "testdata/suite/"+name)
	p.Borrow()
	return p
}

func said(text string) []llm.Message { return []llm.Message{{Role: llm.User, Text: text}} }
