package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
	"github.com/assay-rag/assay/llm/openai"
)

// embedding is a server whose vector of a text counts its letters a, b, c and d, or one
// of each where there is none. A word is a token.
type embedding struct {
	limit  int  // tokens of a text
	cuts   bool // what is longer is cut without a word, and not refused
	most   int  // texts a request
	counts bool // it reports tokens
}

func (e embedding) answer(asked map[string]any) (int, string) {
	var vectors []string
	tokens := 0
	texts, _ := asked["input"].([]any)
	if e.most > 0 && len(texts) > e.most {
		return 400, fmt.Sprintf(`{"error":"batch size is invalid, it should not be larger than %d"}`, e.most)
	}
	for i, t := range texts {
		words := strings.Fields(t.(string))
		if e.limit > 0 && len(words) > e.limit {
			if !e.cuts {
				return 500, fmt.Sprintf(`{"error":{"code":500,"message":"input (%d tokens) is too large to process. increase the physical batch size (current batch size: %d)","type":"server_error"}}`, len(words), e.limit)
			}
			words = words[:e.limit]
		}
		tokens += len(words)
		text := strings.Join(words, " ")
		n := func(letter string) int { return strings.Count(text, letter) }
		if !strings.ContainsAny(text, "abcd") {
			n = func(string) int { return 1 }
		}
		vectors = append(vectors, fmt.Sprintf(`{"index":%d,"embedding":[%d,%d,%d,%d]}`, i, n("a"), n("b"), n("c"), n("d")))
	}
	usage := ""
	if e.counts {
		usage = fmt.Sprintf(`,"usage":{"prompt_tokens":%d,"total_tokens":%d}`, tokens, tokens)
	}
	return 200, `{"data":[` + strings.Join(vectors, ",") + `]` + usage + `}`
}

func embedder(t *testing.T, s *server, o openai.EmbedderOptions) *openai.Embedder {
	t.Helper()
	o.HTTP = s.client()
	e, err := openai.NewEmbedder(t.Context(), "m", 4, &o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// near tells whether a vector points where it should.
func near(v []float32, want ...float64) bool {
	length, dot, norm := 0.0, 0.0, 0.0
	for i, x := range v {
		length += float64(x) * float64(x)
		norm += want[i] * want[i]
		dot += float64(x) * want[i]
	}
	return len(v) == len(want) && math.Abs(length-1) < 1e-5 && dot > 0.999*math.Sqrt(norm)
}

func TestEmbedderBatches(t *testing.T) {
	s := &server{t: t, answer: embedding{counts: true}.answer}
	e := embedder(t, s, openai.EmbedderOptions{Batch: 3})
	made, err := e.EmbedPassages(t.Context(), []string{"aa", "b", "c", "d", "ab", " ", "da"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {1, 1, 0, 0}, {1, 1, 1, 1}, {1, 0, 0, 1}} {
		if !near(made[i], want...) {
			t.Errorf("%d: %v, want %v", i, made[i], want)
		}
	}
	if asked := s.since(); len(asked) != 3 || fmt.Sprint(asked[1]["input"]) != "[d ab .]" {
		t.Errorf("7 texts by 3, one of them empty: %v", asked)
	}
	if made, err := e.EmbedPassages(t.Context(), nil); err != nil || len(made) != 0 || len(s.since()) != 0 {
		t.Errorf("no texts: %v, %v", made, err)
	}
}

func TestEmbedderPrefixes(t *testing.T) {
	s := &server{t: t, answer: embedding{}.answer}
	e := embedder(t, s, openai.EmbedderOptions{QueryPrefix: "query: ", PassagePrefix: "passage: ", Shorten: true})
	if _, err := e.EmbedQuery(t.Context(), "ab"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.EmbedPassages(t.Context(), []string{"cd"}); err != nil {
		t.Fatal(err)
	}
	asked := s.since()
	if fmt.Sprint(asked[0]["input"], asked[1]["input"], asked[0]["dimensions"]) != "[query: ab] [passage: cd] 4" {
		t.Errorf("asked %v", asked)
	}
	if m := e.Model(); m != `m;query="query: ";passage="passage: "` {
		t.Errorf("it is called %s: vectors of other prefixes are others", m)
	}
}

// TestEmbedderDealsWithLongTexts: a text of which the server takes only a part has
// a vector of the whole all the same.
func TestEmbedderDealsWithLongTexts(t *testing.T) {
	long := strings.Repeat("aaaa ", 150) + strings.Repeat("bbbb ", 150) + strings.Repeat("cccc ", 150)
	for _, c := range []struct {
		name   string
		server embedding
		o      openai.EmbedderOptions
		fails  bool
	}{
		{"refused", embedding{limit: 100}, openai.EmbedderOptions{}, false},
		{"cut without a word", embedding{limit: 100, cuts: true, counts: true}, openai.EmbedderOptions{}, false},
		{"announced", embedding{limit: 100, cuts: true}, openai.EmbedderOptions{MaxTokens: 100}, false},
		{"taken whole", embedding{counts: true}, openai.EmbedderOptions{}, false},
		{"taken whole, uncounted", embedding{}, openai.EmbedderOptions{}, false},
		{"everything refused", embedding{limit: 1}, openai.EmbedderOptions{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &server{t: t, answer: c.server.answer}
			e := embedder(t, s, c.o)
			for again := range 2 {
				made, err := e.EmbedPassages(t.Context(), []string{"a", long, "b"})
				if c.fails {
					if llm.KindOf(err) != llm.TooLong {
						t.Errorf("got %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if !near(made[0], 1, 0, 0, 0) || !near(made[1], 1, 1, 1, 0) || !near(made[2], 0, 1, 0, 0) {
					t.Errorf("got %v", made)
				}
				if n := len(s.since()); again == 1 && n != 1 {
					t.Errorf("it found out nothing for the second time, in %d requests", n)
				}
			}
		})
	}
}

func TestEmbedderLearnsHowManyAtATime(t *testing.T) {
	s := &server{t: t, answer: embedding{most: 10}.answer}
	e := embedder(t, s, openai.EmbedderOptions{})
	texts := strings.Fields(strings.Repeat("a b c d ", 16))
	for call, want := range []int{11, 8} {
		made, err := e.EmbedPassages(t.Context(), texts)
		if err != nil || len(made) != 64 || !near(made[63], 0, 0, 0, 1) {
			t.Fatalf("%v, %d vectors", err, len(made))
		}
		if n := len(s.since()); n != want {
			t.Errorf("call %d took %d requests, want %d", call, n, want)
		}
	}
}

// TestEmbedderCountsItsRequests: each batch and each half is a call of the budget.
func TestEmbedderCountsItsRequests(t *testing.T) {
	for _, c := range []struct {
		server         embedding
		texts          int
		budget, wanted int // requests
	}{
		{embedding{}, 200, 20, 4},
		{embedding{}, 200, 3, 4},
		{embedding{most: 10}, 64, 20, 11}, // see TestEmbedderLearnsHowManyAtATime
		{embedding{most: 10}, 64, 6, 11},
		{embedding{most: 10}, 64, 1, 11},
	} {
		s := &server{t: t, answer: c.server.answer}
		e := llm.MeteredEmbedder(embedder(t, s, openai.EmbedderOptions{}), llm.MeterOptions{Name: "m"})
		meter := llm.NewMeter(llm.Budget{Calls: c.budget})
		_, err := e.EmbedPassages(llm.WithMeter(t.Context(), meter), strings.Fields(strings.Repeat("a ", c.texts)))
		asked, want := len(s.since()), min(c.budget, c.wanted)
		if asked != want || len(meter.Calls()) != want || meter.Used().Calls != want {
			t.Errorf("%+v: asked %d times, used %+v in %d calls", c, asked, meter.Used(), len(meter.Calls()))
		}
		if errors.Is(err, llm.ErrSpent) != (c.budget < c.wanted) || c.budget >= c.wanted && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestEmbedderLooksAtWhatComes(t *testing.T) {
	for _, c := range []struct{ body, words string }{
		{`{"data":[{"index":0,"embedding":[1,0,0,0]}]}`, "1 vectors came for 2 texts"},
		{`{"data":[{"index":0,"embedding":[1,0,0,0]},{"index":1,"embedding":[1,0,0]}]}`, "3 dimensions, and not 4"},
		{`{"data":[{"index":1,"embedding":[1,0,0,0]},{"index":1,"embedding":[1,0,0,0]}]}`, "numbered wrong"},
		{`{"data":[{"index":0,"embedding":[1,0,0,0]},{"index":7,"embedding":[1,0,0,0]}]}`, "numbered wrong"},
		{`{"data":[{"index":0,"embedding":[1,0,0,0]},{"index":1,"embedding":[0,0,0,0]}]}`, "no direction"},
		{`{"data":[{"index":0,"embedding":[1,0,0,0]},{"index":1,"embedding":[null,1e39,0,0]}]}`, "can't be read"},
		{`{"data":[{"index":0,"embedding":[1,0,0,0]},{"index":1,"embedding":[[1,0,0,0],[1,0,0,0]]}]}`, "not for each token"},
		{`{"data":[]}`, "0 vectors"},
		{`{"data":[{"ind`, "broke off"},
		{`<html>Sign in</html>`, "no JSON: Sign in"},
		{`{"error":{"message":"This server does not support embeddings"}}`, "does not support embeddings"},
	} {
		s := &server{t: t, answer: func(map[string]any) (int, string) { return 200, c.body }}
		made, err := embedder(t, s, openai.EmbedderOptions{}).EmbedPassages(t.Context(), []string{"a", "b"})
		if err == nil || made != nil || llm.KindOf(err) == "" || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", c.body, err, c.words)
		}
	}
}

func TestEmbedderReadsVectorsInAnyForm(t *testing.T) {
	for _, body := range []string{
		`{"data":[{"index":1,"embedding":[0,3,0,0]},{"index":0,"embedding":[2,0,0,0]}]}`,
		`{"data":[{"embedding":[2,0,0,0]},{"embedding":[0,3,0,0]}]}`,
		`{"data":[{"index":0,"embedding":[[2,0,0,0]]},{"index":1,"embedding":[[0,3,0,0]]}]}`,
		`{"data":[{"index":0,"embedding":"AAAAQAAAAAAAAAAAAAAAAA=="},{"index":1,"embedding":"AAAAAAAAQEAAAAAAAAAAAA=="}]}`,
	} {
		s := &server{t: t, answer: func(map[string]any) (int, string) { return 200, body }}
		made, err := embedder(t, s, openai.EmbedderOptions{}).EmbedPassages(t.Context(), []string{"a", "b"})
		if err != nil || !near(made[0], 1, 0, 0, 0) || !near(made[1], 0, 1, 0, 0) {
			t.Errorf("%s: %v, %v", body, made, err)
		}
	}
}

// TestEmbedderOfAServer has the dimensions told by what llama.cpp's server says.
func TestEmbedderOfAServer(t *testing.T) {
	p := llmtest.Play(t, "testdata/embeddings.txtar")
	e, err := openai.NewEmbedder(t.Context(), "smollm2-135m", 0, &openai.EmbedderOptions{Options: openai.Options{BaseURL: "gpu", Key: llmtest.Key, HTTP: p.HTTP()}})
	if err != nil || e.Dim() != 576 || e.Model() != "smollm2-135m" {
		t.Fatalf("%v, %v", e, err)
	}
}

func TestEmbedderWithoutEmbeddings(t *testing.T) {
	p := llmtest.Play(t, "testdata/embeddings-off.txtar")
	_, err := openai.NewEmbedder(t.Context(), "smollm2-135m", 0, &openai.EmbedderOptions{Options: openai.Options{BaseURL: "gpu", HTTP: p.HTTP()}})
	if llm.KindOf(err) != llm.BadRequest || !strings.Contains(err.Error(), "--embeddings") {
		t.Error(err)
	}
}

func TestBadEmbedderOptions(t *testing.T) {
	for _, o := range []openai.EmbedderOptions{{Batch: -1}, {MaxTokens: -1}, {Shorten: true}, {Options: openai.Options{BaseURL: "ftp://x"}}} {
		if e, err := openai.NewEmbedder(t.Context(), "m", 0, &o); err == nil {
			t.Errorf("%+v: %v", o, e)
		}
	}
	if e, err := openai.NewEmbedder(t.Context(), "m", -1, nil); err == nil {
		t.Error(e)
	}
}

func FuzzVectors(f *testing.F) {
	f.Add(`{"data":[{"index":0,"embedding":[1,0,0,0]}]}`)
	f.Add(`{"data":[{"index":0,"embedding":"AAAAQAAAAAAAAAAAAAAAAA=="}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		s := &server{t: t, answer: func(map[string]any) (int, string) { return 200, body }}
		e, err := openai.NewEmbedder(t.Context(), "m", 4, &openai.EmbedderOptions{Options: openai.Options{BaseURL: "gpu", HTTP: s.client()}})
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.EmbedQuery(t.Context(), "a")
		if (err == nil) != (len(v) == 4) {
			t.Errorf("%v, %v", v, err)
		}
		if _, err := json.Marshal(v); err != nil {
			t.Error(err) // no infinity, nothing that is no number
		}
	})
}
