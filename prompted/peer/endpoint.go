//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// endpoint is a model behind OpenAI's protocol that always says the same, after the
// time that its address names: /200ms/v1 is one that takes 200 ms. It reads no more of
// a request than it must, so that as little as possible of what is measured is its own.
type endpoint struct {
	calls atomic.Int64
}

// replies are what the model says, by the name of the schema in a request.
var replies = map[string]string{
	"grades":     `{"answer":"yes, within 30 days","sentences":[5,17,29,41],"partly":[],"against":[],"score":0.95,"missing":""}`,
	"support":    `{"claims":[{"claim":1,"evidence":[1],"support":"full"}]}`,
	"usefulness": `{"useful":5}`,
}

// answer is what it says where no schema is asked for. It serves the peer, whose
// judges look for a yes, as well.
const answer = "Yes, refunds are accepted within 30 days of delivery [1]."

// ServeHTTP answers a chat completion, and on /calls how many there were since it was
// asked last.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/calls" {
		fmt.Fprint(w, e.calls.Swap(0))
		return
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	latency, err := time.ParseDuration(first)
	if err != nil || rest != "v1/chat/completions" {
		http.NotFound(w, r)
		return
	}
	body := make([]byte, max(0, r.ContentLength))
	if _, err := io.ReadFull(r.Body, body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	e.calls.Add(1)
	time.Sleep(latency)
	if tokens := len(body) / 4; bytes.Contains(body, []byte(`"stream":true`)) {
		stream(w, tokens)
	} else {
		whole(w, replyTo(body), tokens)
	}
}

// replyTo finds the name of the schema without reading the JSON: within the texts of a
// request each quote has a backslash before it.
func replyTo(body []byte) string {
	for name, reply := range replies {
		if bytes.Contains(body, []byte(`"name":"`+name+`"`)) {
			return reply
		}
	}
	return answer
}

// whole sends a reply at once. in are the tokens of the request.
func whole(w http.ResponseWriter, reply string, in int) {
	text, _ := json.Marshal(reply) // of a string, which can't fail
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":"1","object":"chat.completion","created":1,"model":"fake","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}],`+
		`"usage":{"prompt_tokens":%d,"completion_tokens":20,"total_tokens":%d}}`, text, in, in+20)
}

// stream sends the answer word by word.
func stream(w http.ResponseWriter, in int) {
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(choices, more string) {
		fmt.Fprintf(w, `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"fake","choices":[%s]%s}`+"\n\n", choices, more)
		w.(http.Flusher).Flush()
	}
	for word := range strings.SplitAfterSeq(answer, " ") {
		event(fmt.Sprintf(`{"index":0,"delta":{"content":%q}}`, word), "")
	}
	event(`{"index":0,"delta":{},"finish_reason":"stop"}`, "")
	event("", fmt.Sprintf(`,"usage":{"prompt_tokens":%d,"completion_tokens":20,"total_tokens":%d}`, in, in+20))
	fmt.Fprint(w, "data: [DONE]\n\n")
}
