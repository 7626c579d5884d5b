package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/assay-rag/assay/llm"
)

func TestWait(t *testing.T) {
	const date = "Wed, 21 Oct 2026 07:28:00 GMT"
	for _, c := range []struct {
		headers string // name: value, one a line
		want    time.Duration
	}{
		{"", 0},
		{"Retry-After: 7", 7 * time.Second},
		{"Retry-After: 0.5", 500 * time.Millisecond},
		{"Retry-After: 0", 0},
		{"Retry-After: -3", 0},
		{"Retry-After: soon", 0},
		{"Retry-After: NaN", 0},
		{"Retry-After: 1e300", longestWait},
		{"Retry-After: Wed, 21 Oct 2026 07:28:30 GMT\nDate: " + date, 30 * time.Second},
		{"Retry-After: Wed, 21 Oct 2026 07:27:00 GMT\nDate: " + date, 0},
		{"Retry-After-Ms: 1500\nRetry-After: 2", 1500 * time.Millisecond},
		{"X-Ratelimit-Reset-Requests: 1m3.5s", 63500 * time.Millisecond},
		{"X-Ratelimit-Remaining-Requests: 0\nX-Ratelimit-Reset-Requests: 20ms\nX-Ratelimit-Remaining-Tokens: 12\nX-Ratelimit-Reset-Tokens: 6m0s", 20 * time.Millisecond},
		{"Retry-After: 1\nX-Ratelimit-Reset-Requests: 9s", time.Second},
		{"X-Ratelimit-Reset: 1792567690\nDate: " + date, 10 * time.Second},
		{"X-Ratelimit-Reset: 1792567690000\nDate: " + date, 10 * time.Second},
		{"Anthropic-Ratelimit-Tokens-Remaining: 0\nAnthropic-Ratelimit-Tokens-Reset: 2026-10-21T07:28:20Z\nDate: " + date, 20 * time.Second},
	} {
		h := http.Header{}
		for line := range strings.Lines(c.headers) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			h.Set(name, value)
		}
		if got := Wait(h); got != c.want {
			t.Errorf("%q: %s, want %s", c.headers, got, c.want)
		}
	}
}

func TestScrub(t *testing.T) {
	s := newSecrets([]string{"sesame-open-42", "ann:pass/word", "none"}, http.Header{"X-Api-Token": {"tok_abcdef"}, "X-Title": {"Assay"}})
	for in, want := range map[string]string{
		"the key sesame-open-42 is wrong":        "the key [key] is wrong",
		"Authorization: Bearer sesame-open-42!":  "Authorization: Bearer [key]!",
		"Basic YW5uOnBhc3Mvd29yZA==":             "Basic [key]",
		`{"user":"ann:pass\/word"}`:              `{"user":"[key]"}`,
		"tok_abcdef of Assay, none":              "[key] of Assay, none",
		"another's sk-proj-aB3dE6gH9 shows":      "another's [key] shows",
		"masked sk-te*********cc3H":              "masked [key]",
		"a task-oriented model, ask sk- no more": "a task-oriented model, ask sk- no more",
		"Bearer tokens are wanted":               "Bearer tokens are wanted",
	} {
		if got := s.scrub(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	if err := errors.New("no key here"); s.scrubError(err) != err {
		t.Error("an error without a secret is replaced")
	}
	if err := s.scrubError(errors.New("malformed: sesame-open-42")); err.Error() != "malformed: [key]" {
		t.Error(err)
	}
}

// TestWhatNoReplyHolds: the keys, but not the words that people give as one, and no
// example that a document has.
func TestWhatNoReplyHolds(t *testing.T) {
	for key, hides := range map[string]bool{
		"sk-proj-aB3dE6gH9": true, "sesame-open-42": true, "0123456789abcdef": true, "correcthorsebattery": true,
		"ollama": false, "lm-studio": false, "password": false, "12345678": false, "none": false,
	} {
		s := newSecrets([]string{key}, nil).unsaid()
		if got := s.hide("They use " + key + " and sk-example-1234567890."); strings.Contains(got, key) == hides || !strings.Contains(got, "sk-example-1234567890") {
			t.Errorf("%s: %q", key, got)
		}
	}
}

func TestFirstWords(t *testing.T) {
	for in, want := range map[string]string{
		"":                "",
		"  a\n\n b ":      "a b",
		"1 < 2 and 3 > 2": "1 < 2 and 3 > 2",
		"<html><head><style>p{}</style><title>A &amp; B</title></head><p>c": "A & B c",
		"<script>alert(1)</script >x":                                       "x",
		"\xff\xfebinary":                                                    "�binary",
	} {
		if got := FirstWords(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := FirstWords(strings.Repeat("é", 1000)); len(got) > maxMessage+len("…") || !strings.HasSuffix(got, "é…") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// TestKinds are failures that no recording of a suite has.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   llm.Kind
	}{
		{400, `{"error":{"message":"API key not valid. Please pass a valid API key.","code":400,"status":"INVALID_ARGUMENT"}}`, llm.Unauthorised},
		{403, `{"error":{"message":"Your input was flagged","code":403,"metadata":{"reasons":["violence"]}}}`, llm.Refused},
		{403, ``, llm.Unauthorised},
		{402, ``, llm.OutOfCredit},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}}`, llm.OutOfCredit},
		{429, `{"error":{"code":"billing_hard_limit_reached"}}`, llm.OutOfCredit},
		{429, `{"error":"context length"}`, llm.RateLimited},
		{408, ``, llm.TimedOut},
		{413, `too large`, llm.TooLong},
		{422, `{"error":"Input validation error: ` + "`inputs` tokens + `max_new_tokens` must be <= 4096" + `"}`, llm.TooLong},
		{413, `{"error":"Input validation error: ` + "`inputs` must have less than 512 tokens. Given: 900" + `"}`, llm.TooLong},
		{400, `{"error":{"message":"Requested tokens (2285) exceed context window of 2048"}}`, llm.TooLong},
		{404, `{"error":{"message":"no route for POST /v1/models/x"}}`, llm.Malformed},
		{404, `{"error":"Not found: /v1/models"}`, llm.Malformed},
		{405, ``, llm.Malformed},
		{501, `{"error":{"code":501,"message":"This server does not support embeddings","type":"not_supported_error"}}`, llm.BadRequest},
		{400, `{"error":{"message":"'temperature' is not supported with this model"}}`, llm.BadRequest},
		{400, `{"error":{"message":"the model does not support tools"}}`, llm.BadRequest},
		{500, `oops`, llm.Overloaded},
		{529, ``, llm.Overloaded},
		{200, `{"error":{"message":"x","code":401}}`, llm.Unauthorised},
		{200, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.Overloaded},
		{200, `{"error":{"type":"rate_limit_error","message":"slow down"}}`, llm.RateLimited},
		{200, `{"error":{"type":"invalid_request_error","message":"no"}}`, llm.BadRequest},
		{200, `{"error":"hm"}`, llm.Overloaded},
	} {
		if got := kindOf(c.status, hear([]byte(c.body))); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.status, c.body, got, c.want)
		}
	}
}

func TestHear(t *testing.T) {
	for body, want := range map[string]string{
		`"just words"`:                                          "just words",
		`{"error":{"message":"a","param":"b"}}`:                 "a: b",
		`{"error":{"message":"'b' is wrong","param":"b"}}`:      "'b' is wrong",
		`{"message":"{\"error\":\"inner\"}"}`:                   "inner",
		`[{"error":{"message":"x"}},{"error":{"message":"y"}}]`: "x: y",
		`{"a":{"b":1}}`:                                         "",
		`nonsense`:                                              "",
		`null`:                                                  "",
		strings.Repeat(`{"error":`, 2000) + `"deep"` + strings.Repeat(`}`, 2000): "",
	} {
		if got := hear([]byte(body)).message; got != want {
			t.Errorf("%.60s: %q, want %q", body, got, want)
		}
	}
}

func events(t *testing.T, stream string) (all []Event, err error) {
	for e, failed := range Events(strings.NewReader(stream)) {
		if failed != nil {
			return all, failed
		}
		all = append(all, e)
	}
	return all, nil
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		stream string
		want   []Event
	}{
		{"", nil},
		{": only a comment\n\n", nil},
		{"data: a\n\ndata:b\n\n", []Event{{"", "a"}, {"", "b"}}},
		{"data: a\r\n\r\ndata:  b\r\n\r\n", []Event{{"", "a"}, {"", " b"}}},
		{"\ufeffdata: a\n\n", []Event{{"", "a"}}},
		{"event: x\nid: 7\nretry: 9\ndata: a\ndata: b\n\n\n\n", []Event{{"x", "a\nb"}}},
		{"event: x\n\ndata: a\n\n", []Event{{"", "a"}}},
		{"data\n\n", []Event{{"", ""}}},
		{"data: a", []Event{{"", "a"}}},
		{"error: b\n\n", []Event{{"error", "b"}}},
		{"<html>\n\n", nil},
	} {
		if got, err := events(t, c.stream); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v", c.stream, got, err)
		}
	}
	broken := io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(io.ErrUnexpectedEOF))
	var got []Event
	var last error
	for e, err := range Events(broken) {
		if last = err; err == nil {
			got = append(got, e)
		}
	}
	if len(got) != 1 || last != io.ErrUnexpectedEOF {
		t.Errorf("a stream that breaks off: %q, %v", got, last)
	}
}

// FuzzEvents: whatever comes, in whatever pieces, the same events are read, and no
// more than there was.
func FuzzEvents(f *testing.F) {
	f.Add("event: x\r\ndata: a\ndata: b\n\n: c\n\ndata: [DONE]")
	f.Add("\ufeffdata\n\n\r\nerror: x")
	f.Fuzz(func(t *testing.T, stream string) {
		whole, err := events(t, stream)
		if err != nil {
			t.Fatal(err)
		}
		size, i := 0, 0
		for e, err := range Events(iotest.OneByteReader(strings.NewReader(stream))) {
			if err != nil || i >= len(whole) || e != whole[i] {
				t.Fatalf("byte by byte: %q, %v, want %q", e, err, whole)
			}
			size += len(e.Data)
			i++
		}
		if i != len(whole) || size > len(stream) {
			t.Errorf("%d events of %d, %d bytes of %d", i, len(whole), size, len(stream))
		}
	})
}

func TestSniff(t *testing.T) {
	for in, want := range map[string]Form{
		"": Other, "  \n": Other, "<html>": Other, "upstream": Other, "dat": Stream, "database down": Other,
		"{}": JSON, "\n\n [1]": JSON, "\ufeff{}": JSON,
		"data: x": Stream, ": hi": Stream, "\n\nevent: x": Stream, "\ufeffdata:x": Stream, "error: x": Stream, "errors": Other,
	} {
		if got, err := Sniff(bufio.NewReader(strings.NewReader(in))); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", in, got, err, want)
		}
	}
	if _, err := Sniff(bufio.NewReader(iotest.ErrReader(io.ErrClosedPipe))); err != io.ErrClosedPipe {
		t.Error(err)
	}
}

func TestDecode(t *testing.T) {
	type it struct {
		A Count
		B string
	}
	for in, want := range map[string]it{
		`{"A":3,"B":"x"}`: {3, "x"}, `{"A":"12"}`: {A: 12}, `{"A":3.9}`: {A: 3}, `{"A":null}`: {}, `{"A":-1}`: {},
		`{"A":1e99}`: {}, `{"A":{}}`: {}, `{"B":7,"A":2}`: {A: 2},
	} {
		var got it
		if whole, err := Decode([]byte(in), &got); !whole || err != nil || got != want {
			t.Errorf("%s: %+v, %v, %v", in, got, whole, err)
		}
	}
	var got it
	if whole, err := Decode([]byte(`{"A":1`), &got); whole || err != nil {
		t.Errorf("cut: %v, %v", whole, err)
	}
	var syntax *json.SyntaxError
	if _, err := Decode([]byte(`{"A":x}`), &got); !errors.As(err, &syntax) {
		t.Errorf("no JSON: %v", err)
	}
}
