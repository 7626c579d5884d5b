package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-rag/assay"
)

// fakeAnswer is what the fake model answers to whoever wants no JSON.
const fakeAnswer = "The anchor weighs at least 40 kg for a buoy of 60 cm [1]. Seagulls like it very much."

// fakeReplies are its replies by the name of the schema that is asked for: the first
// sentence answers, and it carries the first claim and no other.
var fakeReplies = map[string]string{
	"grades":     `{"answer":"40 kg","sentences":[1],"partly":[],"against":[],"score":0.9,"missing":""}`,
	"support":    `{"claims":[{"claim":1,"evidence":1,"also":0,"support":"full"}` + nones(10) + `]}`,
	"usefulness": `{"useful":4}`,
	"question":   `{"question":"How heavy is the anchor of a measuring buoy?"}`,
	"search":     `{"query":"weight of the mooring"}`,
	"even":       `{"number":8,"reason":"it is twice four"}`,
}

// nones are findings that nothing carries the claims from the second on.
func nones(n int) string {
	var b strings.Builder
	for i := 2; i <= n; i++ {
		fmt.Fprintf(&b, `,{"claim":%d,"evidence":0,"also":0,"support":"none"}`, i)
	}
	return b.String()
}

// fakeServer is an OpenAI-compatible server with one model. The first part of the
// path says how it behaves: "ok" as it should, "plain" too, with nothing to say of
// seagulls, "many" too, with a model more, and all others badly, each in its way.
func fakeServer(t *testing.T) (url string, calls *atomic.Int64) {
	calls = &atomic.Int64{}
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		manner, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/v1/")
		if path != "models" {
			calls.Add(1)
		}
		switch manner {
		case "locked":
			if r.Header.Get("Authorization") != "Bearer let-me-in" {
				http.Error(w, `{"error":{"message":"Incorrect API key provided: `+r.Header.Get("Authorization")+`","code":"invalid_api_key"}}`, http.StatusUnauthorized)
				return
			}
		case "html":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>Sign in</title>")
			return
		case "limited":
			w.Header().Set("Retry-After", "3600")
			http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
			return
		case "fails":
			http.Error(w, `{"error":{"message":"out of order"}}`, http.StatusInternalServerError)
			return
		case "deaf":
			select {
			case <-r.Context().Done():
			case <-done:
			}
			return
		case "many":
			if path == "models" {
				fmt.Fprint(w, `{"data":[{"id":"fake"},{"id":"other"}]}`)
				return
			}
		case "hangs":
			if path != "models" {
				select {
				case <-r.Context().Done():
				case <-done:
				}
				return
			}
		}
		if path == "models" {
			fmt.Fprint(w, `{"data":[{"id":"fake"}]}`)
			return
		}
		if path == "embeddings" {
			fakeVectors(w, r)
			return
		}
		fakeChat(w, r, manner)
	}))
	t.Cleanup(func() { close(done); server.Close() })
	return server.URL, calls
}

// fakeVectors replies with a vector for each text: how often it has some letters.
func fakeVectors(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var vectors []string
	for i, text := range asked.Input {
		var v []string
		for _, letter := range "aeioustr" {
			v = append(v, fmt.Sprint(1+strings.Count(text, string(letter))))
		}
		vectors = append(vectors, fmt.Sprintf(`{"index":%d,"embedding":[%s]}`, i, strings.Join(v, ",")))
	}
	fmt.Fprintf(w, `{"data":[%s],"usage":{"prompt_tokens":7}}`, strings.Join(vectors, ","))
}

// fakeChat replies to a chat, whole or in pieces.
func fakeChat(w http.ResponseWriter, r *http.Request, manner string) {
	var asked struct {
		Stream   bool
		Messages []struct{ Content string }
		Format   struct {
			Schema struct{ Name string } `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	text := fakeAnswer
	if name := asked.Format.Schema.Name; name != "" {
		text = fakeReplies[name]
		if manner == "prose" {
			text = "I would say it is rather good."
		}
	}
	if strings.Contains(asked.Messages[len(asked.Messages)-1].Content, "marigold") {
		text = "marigold"
	}
	if manner == "plain" && asked.Format.Schema.Name == "" {
		text, _, _ = strings.Cut(text, " Seagulls")
	}
	if manner == "refuses" {
		text = "I'm sorry, but I can't help with that."
	}
	quoted, _ := json.Marshal(text)
	usage := `"usage":{"prompt_tokens":5000,"completion_tokens":20}`
	if !asked.Stream {
		fmt.Fprintf(w, `{"model":"fake","choices":[{"finish_reason":"stop","message":{"content":%s}}],%s}`, quoted, usage)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for i, word := range strings.SplitAfter(text, " ") {
		quoted, _ := json.Marshal(word)
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%s}}]}\n\n", quoted)
		w.(http.Flusher).Flush()
		if manner == "cuts" && i == 14 {
			return // in the middle of the second sentence
		}
	}
	fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],%s}\n\ndata: [DONE]\n\n", usage)
}

// TestSecondIdenticalQuestionCallsNothing asks the same twice, and once more anew.
func TestSecondIdenticalQuestionCallsNothing(t *testing.T) {
	url, calls := fakeServer(t)
	docs := folderOf(t, map[string]string{"anchor.md": "# Mooring\n\nThe anchor weighs at least 40 kg for a buoy of 60 cm.\n"})
	e := newTester(t)
	for i, want := range []int64{4, 4, 8} {
		args := []string{"ask", "--docs", docs, "--base-url", url + "/plain/v1", "--judge", "always", "--json", "How heavy is the anchor?"}
		if i == 2 {
			args = append(args, "--no-cache")
		}
		if code := run(t.Context(), args, e.env); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &e.err)
		}
		if got := calls.Load(); got != want {
			t.Errorf("after question %d: %d calls, want %d", i+1, got, want)
		}
	}
}

// TestHangingModelIsGivenUp has a model that never answers, and a time for it.
func TestHangingModelIsGivenUp(t *testing.T) {
	url, _ := fakeServer(t)
	docs := folderOf(t, map[string]string{"anchor.md": "# Mooring\n\nThe anchor weighs at least 40 kg for a buoy of 60 cm.\n"})
	for _, c := range []struct{ variable, limit, manner, judge, second string }{
		{"ASSAY_CALL_TIMEOUT", "20ms", "hangs", judgeOff, ""},
		{"ASSAY_TIMEOUT", "1500ms", "hangs", judgeOff, ""}, // of which a call gets a share
		{"ASSAY_TIMEOUT", "1500ms", "hangs", judgeAlways, ""},
		{"ASSAY_TIMEOUT", "1500ms", "deaf", judgeAlways, ""},
		{"ASSAY_TIMEOUT", "1500ms", "hangs", judgeAlways, "second"},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			e := newTester(t)
			e.vars[c.variable] = c.limit
			e.vars["ASSAY_SECOND_MODEL"], e.vars["ASSAY_SECOND_BASE_URL"] = c.second, strings.Replace(url, "127.0.0.1", "localhost", 1)+"/hangs/v1"
			began := time.Now()
			said, _ := e.run(t, exitOK, "ask", "--docs", docs, "--base-url", url+"/"+c.manner+"/v1", "--judge", c.judge, "How heavy is the anchor?")
			if !strings.Contains(said, "The anchor weighs at least 40 kg") || !strings.Contains(said, "no reply in time") || strings.Contains(said, "budget spent") || time.Since(began) > time.Minute {
				t.Errorf("it says %s", said)
			}
		})
	}
}

// TestShares wants each endpoint that may hang counted once.
func TestShares(t *testing.T) {
	const own = "http://elsewhere/v1"
	for _, c := range []struct {
		given map[string]string
		want  time.Duration
	}{
		{map[string]string{}, 20 * time.Second},
		{map[string]string{"model": "m", "base_url": "http://here/v1"}, 20 * time.Second},
		{map[string]string{"model": "m", "base_url": "http://here/v1", "judge": judgeAlways}, 20 * time.Second},
		{map[string]string{"model": "m", "second_model": "n", "second_base_url": own}, 12 * time.Second},
		{map[string]string{"model": "m", "second_model": "n", "second_base_url": own, "judge": judgeAlways, "judge_model": "j", "judge_base_url": own}, 12 * time.Second},
		{map[string]string{"model": "m", "second_model": "n", "second_base_url": own, "embed_model": "e"}, 60 * time.Second / 7},
	} {
		c.given["timeout"] = "60s"
		config, err := newTester(t).configure(c.given)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := config.within(time.Hour); err != nil || got != c.want.Round(time.Millisecond) {
			t.Errorf("%v: %s, %v; want %s", c.given, got, err, c.want)
		}
	}
}

// TestNobodySaysWhichModel has an API that can't be asked which model it has: it takes
// no more than its share of the time, and the answer is labelled.
func TestNobodySaysWhichModel(t *testing.T) {
	url, calls := fakeServer(t)
	docs := folderOf(t, map[string]string{"anchor.md": "# Mooring\n\nThe anchor weighs at least 40 kg for a buoy of 60 cm.\n"})
	for base, why := range map[string]string{
		"http://127.0.0.1:1/v1": "unreachable",
		url + "/deaf/v1":        "no reply in time",
		url + "/many/v1":        "choose one with --model: fake, other",
	} {
		e := newTester(t)
		began := time.Now()
		args := []string{"ask", "--docs", docs, "--timeout", "1500ms", "--base-url", base}
		out, _ := e.run(t, exitOK, append(args, "--json", "How heavy is the anchor?")...)
		var a assay.Answer
		if err := json.Unmarshal([]byte(out), &a); err != nil {
			t.Fatal(err)
		}
		down := slices.ContainsFunc(a.Reasons, func(n assay.Note) bool {
			return n.Code == assay.ReasonModelDown && strings.Contains(n.Text, why)
		})
		if !down || !strings.Contains(a.Text, "The anchor weighs at least 40 kg") || time.Since(began) > mostListing {
			t.Errorf("%s: %q after %s, because of %v", base, a.Text, time.Since(began), a.Reasons)
		}
		if calls := a.Usage.ModelCalls; len(calls) == 0 || calls[0].Model != anyModel || calls[0].Error == "" || a.Usage.Tokens != 0 {
			t.Errorf("%s: the bill tells of %+v, and %d tokens", base, calls, a.Usage.Tokens)
		}
		e.vars["ASSAY_CALL_TIMEOUT"] = "500ms"
		e.vars["ASSAY_SECOND_MODEL"], e.vars["ASSAY_SECOND_BASE_URL"] = "backup", url+"/plain/v1"
		if out, _ := e.run(t, exitOK, append(args, "--timeout", "20s", "How heavy is the anchor?")...); !strings.Contains(out, "answered by the second model backup") {
			t.Errorf("%s, with a second model: %s", base, out)
		}
		if _, said := e.run(t, exitOK, append(args, "--estimate", "How heavy is the anchor?")...); said != "" {
			t.Errorf("%s: the estimate says %s", base, said)
		}
	}
	if calls.Load() == 0 {
		t.Error("the second model was never asked")
	}
}

// TestStoodIn wants the second model named where the last call for a draft was its own.
func TestStoodIn(t *testing.T) {
	draft := func(model, failed string) assay.CallReport {
		return assay.CallReport{Step: string(assay.StepAnswer), Model: model, Error: failed}
	}
	rewrite := assay.CallReport{Step: string(assay.StepRewrite), Model: "first"}
	for _, c := range []struct {
		calls  []assay.CallReport
		second string
		code   assay.ReasonCode
		want   string
	}{
		{[]assay.CallReport{draft("first", "down"), draft("second", ""), rewrite}, "second", assay.ReasonModelDown, "second"},
		{[]assay.CallReport{draft("first", "down"), draft("second", "")}, "second", assay.ReasonQuoted, ""},
		{[]assay.CallReport{draft("first", "down"), draft("second", "down")}, "second", assay.ReasonModelDown, ""},
		{[]assay.CallReport{draft("first", "")}, "second", "", ""},
		{[]assay.CallReport{draft("first", "down"), draft("first", "")}, "first", "", ""},
		{nil, "second", "", ""},
	} {
		m := &models{answerName: "first", secondName: c.second}
		a := &assay.Answer{Outcome: assay.Partial, Reasons: []assay.Note{{Code: c.code}}, Usage: assay.UsageReport{ModelCalls: c.calls}}
		if got := m.stoodIn(a); got != c.want {
			t.Errorf("%+v with %v: %q, want %q", c.calls, c.code, got, c.want)
		}
	}
}
