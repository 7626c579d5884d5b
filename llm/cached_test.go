package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
)

// memory is a store in memory.
type memory struct {
	mu     sync.Mutex
	values map[string][]byte
	forget bool // whatever is put
}

func (m *memory) Get(_ context.Context, key string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	return slices.Clone(v), ok
}

func (m *memory) Put(_ context.Context, key string, value []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = map[string][]byte{}
	}
	if !m.forget {
		m.values[key] = slices.Clone(value)
	}
}

// spoil changes every value.
func (m *memory) spoil(change func([]byte) []byte) {
	for key, value := range m.values {
		m.values[key] = change(value)
	}
}

func user(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}}
}

func TestCached(t *testing.T) {
	want := llm.Reply{Text: "it rains, I think", Reasoning: "hm", Finish: llm.FinishStop, Model: "m-1", LogProbs: []llm.TokenLogProb{
		{Token: "it", LogProb: -0.25, Top: []llm.TokenLogProb{{Token: "it", LogProb: -0.25}}}}}
	paid := want
	paid.Tokens = llm.Tokens{In: 5, Out: 7}
	fake := llmtest.InTurn(paid)
	m := llm.Cached(fake, &memory{}, "here/m")
	first, err := llm.Ask(t.Context(), m, user("weather?"))
	if err != nil || !reflect.DeepEqual(first, paid) {
		t.Fatalf("got %+v, %v", first, err)
	}
	want.Cached = true
	for _, stream := range []bool{false, true} {
		r := user("weather?")
		r.Stream = stream
		var text string
		var pieces int
		for c, err := range m.Generate(t.Context(), r) {
			if err != nil {
				t.Fatal(err)
			}
			text += c.Text
			pieces++
			if c.Reply != nil && !reflect.DeepEqual(*c.Reply, want) {
				t.Errorf("got %+v", *c.Reply)
			}
		}
		if text != want.Text || stream != (pieces == 5) {
			t.Errorf("stream %v: got %q in %d pieces", stream, text, pieces)
		}
	}
	if n := len(fake.Asked()); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// TestCachedStream keeps what was streamed, also where the reader leaves with the
// last piece.
func TestCachedStream(t *testing.T) {
	fake := llmtest.InTurn("a few words")
	m := llm.Cached(fake, &memory{}, "m")
	r := user("?")
	r.Stream = true
	for range 2 {
		var pieces []string
		for c, err := range m.Generate(t.Context(), r) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Reply != nil {
				break
			}
			pieces = append(pieces, c.Text)
		}
		if got := strings.Join(pieces, "|"); got != "a |few |words" {
			t.Errorf("got %s", got)
		}
	}
}

// TestCachedLeavingAReplay leaves early.
func TestCachedLeavingAReplay(t *testing.T) {
	m := llm.Cached(llmtest.InTurn("a few words"), &memory{}, "m")
	r := user("?")
	llm.Ask(t.Context(), m, r)
	r.Stream = true
	for c := range m.Generate(t.Context(), r) {
		if c.Text != "a " {
			t.Errorf("got %q", c.Text)
		}
		break
	}
}

// TestCachedKey compares requests that must not share a reply, and such that must.
func TestCachedKey(t *testing.T) {
	schema := func(name, json string) *llm.Schema { return &llm.Schema{Name: name, JSON: []byte(json)} }
	message := func(parts ...string) (r llm.Request) {
		for i := 0; i < len(parts); i += 2 {
			r.Messages = append(r.Messages, llm.Message{Role: llm.Role(parts[i]), Text: parts[i+1]})
		}
		return r
	}
	type named struct {
		name string
		r    llm.Request
	}
	differ := []named{
		{"m", llm.Request{}},
		{"m2", llm.Request{}},
		{"m", llm.Request{Prompt: "a"}},
		{"m", message("user", "a")},
		{"m", message("user", "a\x00")},
		{"m", message("user", "\xff")},
		{"m", message("user", "\xfe")},
		{"m", message("system", "a")},
		{"m", message("user", "a", "user", "b")},
		{"m", message("user", "b", "user", "a")},
		{"m", message("user", "auserb")},
		{"m", message("user", "a", "user", "")},
		{"m", llm.Request{Schema: schema("", "")}},
		{"m", llm.Request{Schema: schema("s", "{}")}},
		{"m", llm.Request{Schema: schema("s{", "}")}},
		{"m", llm.Request{MaxTokens: 10}},
		{"m", llm.Request{LogProbs: 10}},
		{"m", llm.Request{Stop: []string{""}}},
		{"m", llm.Request{Stop: []string{"a", "b"}}},
		{"m", llm.Request{Stop: []string{"ab"}}},
		{"m", llm.Request{Stop: []string{"free"}}},
	}
	store := &memory{}
	for i, d := range differ {
		if reply, err := llm.Ask(t.Context(), llm.Cached(llmtest.InTurn(fmt.Sprint(i)), store, d.name), d.r); err != nil || reply.Text != fmt.Sprint(i) {
			t.Errorf("request %d has the reply to request %q, %v", i, reply.Text, err)
		}
	}
	same := llm.Request{MaxTokens: llm.DefaultMaxTokens, Stream: true, Stop: []string{}, Accept: func(llm.Reply) error { return nil }}
	if reply, err := llm.Ask(t.Context(), llm.Cached(llmtest.InTurn(), store, "m"), same); err != nil || reply.Text != "0" {
		t.Errorf("got %q, %v", reply.Text, err)
	}
}

// TestCachedOnlyWhatIsWorthIt has replies that must not be kept.
func TestCachedOnlyWhatIsWorthIt(t *testing.T) {
	no := func(llm.Reply) error { return errors.New("no") }
	for name, c := range map[string]struct {
		r     llm.Request
		reply any
	}{
		"cut":            {user("?"), llm.Reply{Text: "half", Finish: llm.FinishLength}},
		"refused":        {user("?"), llm.Reply{Text: "I can't", Finish: llm.FinishRefused}},
		"failed":         {user("?"), &llm.Error{Kind: llm.Overloaded}},
		"empty":          {user("?"), llm.Reply{}},
		"not accepted":   {llm.Request{Accept: no}, "prose"},
		"at a dice":      {llm.Request{Temperature: 0.7}, "heads"},
		"not UTF-8":      {user("?"), "\xff"},
		"minus infinity": {user("?"), llm.Reply{Text: "a", LogProbs: []llm.TokenLogProb{{Token: "a", LogProb: math.Inf(-1)}}}},
	} {
		for _, stream := range []bool{false, true} {
			fake, store := llmtest.InTurn(c.reply, c.reply), &memory{}
			m := llm.Cached(fake, store, "m")
			c.r.Stream = stream
			for range 2 {
				if reply, _ := llm.Ask(t.Context(), m, c.r); reply.Cached {
					t.Errorf("%s: it comes from the cache", name)
				}
			}
			if len(fake.Asked()) != 2 || len(store.values) != 0 {
				t.Errorf("%s: %d calls, %d kept", name, len(fake.Asked()), len(store.values))
			}
		}
	}
}

// TestCachedMisses has values that can't be used: the reply is asked for anew.
func TestCachedMisses(t *testing.T) {
	accepts := func(want string) func(llm.Reply) error {
		return func(r llm.Reply) error {
			if r.Text != want {
				return errors.New("not that")
			}
			return nil
		}
	}
	for name, spoil := range map[string]func([]byte) []byte{
		"garbage":     func([]byte) []byte { return []byte("\x00garbage") },
		"half":        func(b []byte) []byte { return b[:len(b)/2] },
		"nothing":     func([]byte) []byte { return nil },
		"another":     func([]byte) []byte { return []byte("{}") },
		"other text":  func(b []byte) []byte { return []byte(strings.Replace(string(b), "good", "evil", 1)) },
		"other JSON":  func([]byte) []byte { return []byte("[1]") },
		"wrong types": func([]byte) []byte { return []byte(`{"Text":1}`) },
	} {
		store := &memory{}
		fake := llmtest.InTurn("good", "good")
		m := llm.Cached(fake, store, "m")
		r := user("?")
		r.Accept = accepts("good")
		for range 3 {
			if reply, err := llm.Ask(t.Context(), m, r); err != nil || reply.Text != "good" {
				t.Errorf("%s: got %q, %v", name, reply.Text, err)
			}
			if len(fake.Asked()) == 1 {
				store.spoil(spoil)
			}
		}
		if n := len(fake.Asked()); n != 2 {
			t.Errorf("%s: %d calls", name, n)
		}
	}
}

// TestCachedKeepsWhatWasPaid cancels when the reply has come.
func TestCachedKeepsWhatWasPaid(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	store := &contextStore{memory: &memory{}}
	m := llm.Cached(&llmtest.Fake{Reply: func(llm.Request) (llm.Reply, error) { cancel(); return llm.Reply{Text: "paid"}, nil }}, store, "m")
	llm.Ask(ctx, m, user("?"))
	if reply, err := llm.Ask(t.Context(), m, user("?")); err != nil || !reply.Cached {
		t.Errorf("got %+v, %v", reply, err)
	}
}

// contextStore puts nothing once the context has ended.
type contextStore struct{ *memory }

func (s *contextStore) Put(ctx context.Context, key string, value []byte) {
	if ctx.Err() == nil {
		s.memory.Put(ctx, key, value)
	}
}

// TestCachedUnderWay makes the same request several times at once.
func TestCachedUnderWay(t *testing.T) {
	for _, forget := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			fake := &llmtest.Fake{Before: func(context.Context, llm.Request) error { time.Sleep(time.Second); return nil }}
			m := llm.Cached(fake, &memory{forget: forget}, "m")
			var calls sync.WaitGroup
			for range 5 {
				calls.Go(func() {
					if reply, err := llm.Ask(t.Context(), m, user("?")); err != nil || reply.Text != "?" || reply.Cached != (reply.Tokens == llm.Tokens{}) {
						t.Errorf("got %+v, %v", reply, err)
					}
				})
			}
			calls.Wait()
			if n := len(fake.Asked()); n != 1 {
				t.Errorf("%d calls", n)
			}
			llm.Ask(t.Context(), m, user("?"))
			if n := len(fake.Asked()); forget != (n == 2) {
				t.Errorf("%d calls later", n)
			}
		})
	}
}

// TestCachedUnderWayAlone has one caller cancel, fail or refuse: the others get
// their reply all the same, and one that can't wait leaves.
func TestCachedUnderWayAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		fake := &llmtest.Fake{Before: func(ctx context.Context, r llm.Request) error {
			n++
			if n == 1 {
				return hangs(ctx, r)
			}
			return nil
		}}
		m := llm.Cached(fake, &memory{}, "m")
		ctx, cancel := context.WithCancel(t.Context())
		hurried, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		var calls sync.WaitGroup
		calls.Go(func() {
			if _, err := llm.Ask(ctx, m, user("?")); !errors.Is(err, context.Canceled) {
				t.Errorf("who left: %v", err)
			}
		})
		synctest.Wait()
		calls.Go(func() {
			if reply, err := llm.Ask(t.Context(), m, user("?")); err != nil || reply.Text != "?" {
				t.Errorf("who stayed: %+v, %v", reply, err)
			}
		})
		calls.Go(func() {
			if _, err := llm.Ask(hurried, m, user("?")); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("who can't wait: %v", err)
			}
		})
		time.Sleep(2 * time.Second)
		cancel()
		calls.Wait()
		if len(fake.Asked()) != 2 {
			t.Errorf("%d calls", len(fake.Asked()))
		}
	})
}

// TestCachedUnderWayStreams doesn't wait for one whose reader is slow.
func TestCachedUnderWayStreams(t *testing.T) {
	fake := &llmtest.Fake{}
	m := llm.Cached(fake, &memory{}, "m")
	r := user("a few words")
	r.Stream = true
	for range m.Generate(t.Context(), r) {
		if reply, err := llm.Ask(t.Context(), m, r); err != nil || reply.Text != "a few words" {
			t.Errorf("got %+v, %v", reply, err)
		}
		break
	}
}

func FuzzCachedValue(f *testing.F) {
	value, _ := json.Marshal(llm.Reply{Text: "a", Finish: llm.FinishStop, LogProbs: []llm.TokenLogProb{{Token: "a"}}})
	f.Add(value)
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"Finish":"stop","LogProbs":[{"Top":[{}]}]}`))
	f.Fuzz(func(t *testing.T, value []byte) {
		store := &memory{}
		m := llm.Cached(llmtest.InTurn("asked", "asked anew"), store, "m")
		llm.Ask(t.Context(), m, user("?"))
		store.spoil(func([]byte) []byte { return value })
		reply, err := llm.Ask(t.Context(), m, user("?"))
		if err != nil || reply.Finish != llm.FinishStop || reply.Cached == (reply.Text == "asked anew" && reply.Tokens != llm.Tokens{}) {
			t.Errorf("got %+v, %v", reply, err)
		}
	})
}

func BenchmarkCachedHit(b *testing.B) {
	text := strings.Repeat("a few words of a reply ", 80)
	m := llm.Cached(llmtest.InTurn(text), &memory{}, "m")
	r := user(strings.Repeat("what the prompt says ", 500))
	llm.Ask(b.Context(), m, r)
	b.ReportAllocs()
	for b.Loop() {
		if reply, err := llm.Ask(b.Context(), m, r); err != nil || !reply.Cached {
			b.Fatal(err)
		}
	}
}
