package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

// TestLiveModel asks over a real server, whatever its model is worth: the answer is
// labelled for what it is, and nothing unsupported is shown.
func TestLiveModel(t *testing.T) {
	url := os.Getenv("ASSAY_LIVE_URL")
	if url == "" {
		t.Skip("ASSAY_LIVE_URL is not set: scripts/live-model sets up a server and a model")
	}
	for _, args := range [][]string{
		{"--judge", "off"},
		{"--judge", "always"},
		{"--judge", "unsure", "--mode", "standard"},
	} {
		e := newTester(t)
		args = append([]string{"ask", "--docs", "../../examples/brackwater", "--base-url", url, "--json", "--timeout", "1m"}, args...)
		if code := run(t.Context(), append(args, "How heavy should the anchor for a measuring buoy be?"), e.env); code != exitOK {
			t.Fatalf("%q: exit code %d: %s", args, code, &e.err)
		}
		var a assay.Answer
		if err := json.Unmarshal(e.out.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		if a.Usage.Calls == 0 || a.Usage.Tokens == 0 || a.Usage.Cost != nil || len(a.Usage.Bill) == 0 {
			t.Errorf("%q: the bill is %+v", args, a.Usage)
		}
		for _, c := range a.Claims {
			if c.Support == assay.Unsupported || c.Support == assay.Contradicted {
				t.Errorf("%q: a claim is shown that is %s: %s", args, c.Support, c.Text)
			}
		}
		t.Logf("%q: %s (%s), %d calls: %s", args[7:], a.Outcome, a.Verdict, a.Usage.Calls, a.Text)
	}
	for _, manner := range []string{"verified", "draft"} {
		e := newTester(t)
		args := []string{"ask", "--docs", "../../examples/brackwater", "--base-url", url, "--timeout", "1m", "--stream", manner}
		if code := run(t.Context(), append(args, "How heavy should the anchor for a measuring buoy be?"), e.env); code != exitOK || !strings.Contains(e.out.String(), "verdict") {
			t.Errorf("%s: exit code %d: %s %s", manner, code, &e.out, &e.err)
		}
	}
	e := newTester(t)
	run(t.Context(), []string{"doctor", "--base-url", url}, e.env)
	if said := e.out.String(); !strings.Contains(said, "✓ reachable") || !strings.Contains(said, "✓ streaming") || !strings.Contains(said, "pairs right") {
		t.Errorf("the doctor says %s", said)
	} else {
		t.Log(said)
	}
}
