package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/openai"
)

const hello = `{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]}`

var everything = llm.Request{
	Messages: []llm.Message{{Role: llm.System, Text: "Be brief."}, {Role: llm.User, Text: "Hello"}},
	Schema:   &llm.Schema{Name: "greeting", JSON: json.RawMessage(`{"type":"object"}`)},
	Stop:     []string{"END"},
	LogProbs: 3,
	Stream:   true,
}

// TestWhatIsRefusedIsPutDifferently has servers refuse, in their own words, what
// they are known to refuse.
func TestWhatIsRefusedIsPutDifferently(t *testing.T) {
	has := func(field string) func(map[string]any) bool {
		return func(asked map[string]any) bool { return asked[field] != nil }
	}
	format := func(of string) func(map[string]any) bool {
		return func(asked map[string]any) bool {
			f, _ := asked["response_format"].(map[string]any)
			return f["type"] == of || of == "" && f != nil
		}
	}
	system := func(asked map[string]any) bool { return strings.Contains(fmt.Sprint(asked["messages"]), "role:system") }
	for _, c := range []struct {
		name    string
		refuses func(map[string]any) bool
		status  int
		words   string
		asked   int    // how often, in the first call
		without string // what is missing in the end
	}{
		{"reasoning model", has("max_tokens"), 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, 2, "max_tokens"},
		{"temperature", has("temperature"), 400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","param":"temperature","code":"unsupported_value"}}`, 2, "temperature"},
		{"temperature, by its parameter alone", has("temperature"), 400, `{"error":{"message":"Unsupported value","param":"temperature"}}`, 2, "temperature"},
		{"stream options", has("stream_options"), 422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted","input":{"include_usage":true}}]}`, 2, "stream_options"},
		{"log-probabilities", has("logprobs"), 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","logprobs"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error"}`, 2, "logprobs top_logprobs"},
		{"stop", has("stop"), 400, `{"error":{"message":"Unsupported parameter: 'stop' is not supported with this model.","param":"stop"}}`, 2, "stop"},
		{"whole schema", format("json_schema"), 400, `{"error":"response_format of type json_schema is not supported"}`, 2, ""},
		{"any schema", format(""), 400, `{"error":{"message":"'response_format.type' must be 'text'"}}`, 3, "response_format"},
		{"grammar", format(""), 400, `{"error":{"code":400,"message":"failed to parse grammar","type":"invalid_request_error"}}`, 3, "response_format"},
		{"grammar, and breaks down", format(""), 500, `{"error":{"code":500,"message":"Failed to initialize samplers: failed to parse grammar","type":"server_error"}}`, 3, "response_format"},
		{"system messages", system, 400, `{"error":{"message":"System role not supported"}}`, 2, ""},
		{"system messages, by a template", system, 500, `{"error":{"code":500,"message":"Conversation roles must alternate user/assistant/user/assistant/...","type":"server_error"}}`, 2, ""},
		{"all of it", func(a map[string]any) bool { return has("temperature")(a) || format("")(a) || has("logprobs")(a) }, 400,
			`{"error":"these can't be: temperature, response_format, logprobs"}`, 5, "temperature response_format logprobs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &server{t: t, answer: func(asked map[string]any) (int, string) {
				if c.refuses(asked) {
					return c.status, c.words
				}
				return 200, hello
			}}
			m := client(t, "m", &openai.Options{BaseURL: "localhost", HTTP: s.client()})
			for call, want := range []int{c.asked, 1} {
				reply, err := llm.Ask(t.Context(), m, everything)
				asked := s.since()
				if err != nil || reply.Text != "Hello." || len(asked) != want {
					t.Fatalf("call %d: %+v, %v; asked %d times, want %d", call, reply, err, len(asked), want)
				}
				last := asked[len(asked)-1]
				for _, field := range strings.Fields(c.without) {
					if last[field] != nil {
						t.Errorf("call %d: %s was sent: %v", call, field, last)
					}
				}
				if said := fmt.Sprint(last["messages"]); !strings.Contains(said, "Be brief.") || !strings.Contains(said, "Hello") {
					t.Errorf("call %d: something got lost: %s", call, said)
				}
			}
		})
	}
}

// TestWhatIsPutDifferentlyIsCounted: each request is one of the budget, before it is
// sent, and a line of the bill.
func TestWhatIsPutDifferentlyIsCounted(t *testing.T) {
	for _, budget := range []int{1, 2, 4, 5, 6} {
		s := &server{t: t, answer: func(a map[string]any) (int, string) {
			if a["temperature"] != nil || a["response_format"] != nil || a["logprobs"] != nil {
				return 400, `{"error":"these can't be: temperature, response_format, logprobs"}`
			}
			return 200, hello
		}}
		m := llm.Resilient(llm.Metered(client(t, "m", &openai.Options{BaseURL: "localhost", HTTP: s.client()}), llm.MeterOptions{Name: "m"}), nil)
		meter := llm.NewMeter(llm.Budget{Calls: budget})
		ctx := llm.WithStep(llm.WithMeter(t.Context(), meter), "grade")
		reply, err := llm.Ask(ctx, m, everything)
		asked, calls := len(s.since()), meter.Calls()
		if want := min(budget, 5); asked != want || len(calls) != want || meter.Used().Calls != want {
			t.Errorf("within %d calls: asked %d times, used %+v in %+v", budget, asked, meter.Used(), calls)
		}
		if budget < 5 && (!errors.Is(err, llm.ErrSpent) || !strings.Contains(err.Error(), "these can't be: temperature") || meter.Denied() == nil) {
			t.Errorf("within %d calls: %v", budget, err)
		}
		if budget >= 5 && (err != nil || reply.Text != "Hello." || calls[4].Error != "" || !strings.Contains(calls[0].Error, "these can't be") || calls[0].Step != "grade") {
			t.Errorf("within %d calls: %+v, %v in %+v", budget, reply, err, calls)
		}
		if failed := meter.Failures(); len(failed) > 0 {
			t.Errorf("within %d calls: the model failed: %+v", budget, failed)
		}
		// The next run goes on from there.
		if _, err := llm.Ask(t.Context(), m, everything); err != nil || len(s.since()) != max(1, 5-asked) {
			t.Errorf("after %d calls: %v", budget, err)
		}
	}
}

// TestWhatIsNotNamedIsNotLeftOut: each request is made once, and the next one is
// the same.
func TestWhatIsNotNamedIsNotLeftOut(t *testing.T) {
	for _, c := range []struct {
		status int
		words  string
	}{
		{400, `{"error":{"message":"the user field is required"}}`},
		{400, `{"error":{"message":"This model's maximum context length is 4096 tokens; lower max_tokens","code":"context_length_exceeded"}}`},
		{401, `{"error":{"message":"no key for temperature"}}`},
		{429, `{"error":{"message":"too many max_tokens a minute"}}`},
		{503, `{"error":{"message":"no schema today"}}`},
	} {
		s := &server{t: t, answer: func(map[string]any) (int, string) { return c.status, c.words }}
		m := client(t, "m", &openai.Options{BaseURL: "localhost", HTTP: s.client()})
		for range 2 {
			_, err := llm.Ask(t.Context(), m, everything)
			if asked := s.since(); err == nil || len(asked) != 1 || asked[0]["temperature"] == nil || asked[0]["response_format"] == nil {
				t.Errorf("%d %s: %v, asked %v", c.status, c.words, err, asked)
			}
		}
	}
}

// TestABreakdownOverASchemaIsNotRemembered: a 500 that names nothing may have had
// other reasons.
func TestABreakdownOverASchemaIsNotRemembered(t *testing.T) {
	s := &server{t: t, answer: func(asked map[string]any) (int, string) {
		if asked["response_format"] != nil {
			return 500, `{"error":"internal server error"}`
		}
		return 200, hello
	}}
	m := client(t, "m", &openai.Options{BaseURL: "localhost", HTTP: s.client()})
	for range 2 {
		if _, err := llm.Ask(t.Context(), m, everything); err != nil || len(s.since()) != 2 {
			t.Errorf("%v", err)
		}
	}
}

// TestRefusalsComeToAnEnd has a server refuse everything by every name.
func TestRefusalsComeToAnEnd(t *testing.T) {
	s := &server{t: t, answer: func(map[string]any) (int, string) {
		return 400, `{"error":"no max_tokens, max_completion_tokens, temperature, stop, system role, logprobs, stream_options, response_format"}`
	}}
	m := client(t, "m", &openai.Options{BaseURL: "localhost", HTTP: s.client()})
	_, err := llm.Ask(t.Context(), m, everything)
	if asked := s.since(); llm.KindOf(err) != llm.BadRequest || len(asked) != 9 {
		t.Errorf("%v after %d requests", err, len(asked))
	}
}

func TestWhatIsSent(t *testing.T) {
	s := &server{t: t, answer: func(map[string]any) (int, string) { return 200, hello }}
	o := &openai.Options{HTTP: s.client(), Extra: map[string]any{"reasoning_effort": "low"}}
	if _, err := llm.Ask(t.Context(), client(t, "gpt-5", o), llm.Request{Messages: everything.Messages, Stop: []string{"1", "2", "3", "4", "5"}, LogProbs: 50}); err != nil {
		t.Fatal(err)
	}
	asked := s.since()[0]
	for field, want := range map[string]any{
		"url": "https://api.openai.com/v1/chat/completions", "max_completion_tokens": 1024.0, "max_tokens": nil,
		"temperature": 0.0, "reasoning_effort": "low", "top_logprobs": 20.0, "stream": nil, "stream_options": nil,
	} {
		if asked[field] != want {
			t.Errorf("%s is %v, not %v", field, asked[field], want)
		}
	}
	if stop, _ := asked["stop"].([]any); !slices.Equal(stop, []any{"1", "2", "3", "4"}) {
		t.Errorf("stop is %v", stop)
	}
}
