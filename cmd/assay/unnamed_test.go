package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay/llm"
)

// TestReplyMayTakeLongerThanListing has an API that says at once which model it has, and
// replies after more time than it may take for that.
func TestReplyMayTakeLongerThanListing(t *testing.T) {
	const listing = 400 * time.Millisecond
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"data":[{"id":"slow"}]}`)
			return
		}
		select {
		case <-time.After(listing + 100*time.Millisecond):
			fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"content":"at last"}}]}`)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	c, p := remoteOf(t, map[string]string{"base_url": server.URL + "/v1"}, "")
	u, err := newUnnamed(p, c, &models{endpoints: map[string]*llm.Endpoint{}})
	if err != nil {
		t.Fatal(err)
	}
	if u.listing != mostListing {
		t.Errorf("the API may take %s to say which model it has, want %s", u.listing, mostListing)
	}
	u.listing = listing
	reply, err := llm.Ask(t.Context(), u, llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Well?"}}})
	if err != nil || reply.Text != "at last" || u.name() != "slow" {
		t.Errorf("model %q replies %q, %v", u.name(), reply.Text, err)
	}
}

// remoteOf is what settings say of the model with this prefix, with nothing else set.
func remoteOf(t *testing.T, flags map[string]string, prefix string) (*config, remote) {
	t.Helper()
	e := newTester(t)
	e.vars["OPENAI_API_KEY"] = "sk-test"
	c, err := e.env.configure(flags)
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.env.remote(c, prefix)
	if err != nil {
		t.Fatal(err)
	}
	return c, p
}

// TestProviderOfItsOwn has a judge with a provider or an address of its own, or neither.
// Only in the last case base_url is the judge's; else it is there for a model that writes.
func TestProviderOfItsOwn(t *testing.T) {
	const base, other = "http://localhost:1/v1", "http://localhost:2/v1"
	for _, c := range []struct {
		name, value string
		base        string
		writes      bool
	}{
		{"judge", judgeAlways, base, false},
		{"judge_provider", providerOpenAI, usualBase[providerOpenAI], true},
		{"judge_base_url", other, other, true},
	} {
		config, p := remoteOf(t, map[string]string{"base_url": base, "judge": judgeAlways, "judge_model": "j", c.name: c.value}, judges.prefix)
		if p.base != c.base {
			t.Errorf("with %s, the judge is at %s, want %s", c.name, p.base, c.base)
		}
		if got := config.has(writes); got != c.writes {
			t.Errorf("with %s, a model writes: %t, want %t", c.name, got, c.writes)
		}
	}
}
