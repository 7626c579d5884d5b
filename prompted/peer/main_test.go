//go:build linux

package main

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/llmtest"
	"github.com/assay-rag/assay/llm/openai"
)

// TestMain is the program itself where a test has started it for one row.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "-serve" || os.Args[1] == "-ask") {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestCallsInSequence asks a model that takes 200 ms by a clock that only waiting
// moves: what a question takes is the calls that wait for each other, and nothing else.
func TestCallsInSequence(t *testing.T) {
	for _, tt := range []struct {
		judge           string
		calls, sequence int
	}{{"off", 1, 1}, {"unsure", 2, 2}, {"always", 4, 3}} {
		t.Run(tt.judge, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model := fake()
				model.Before = func(context.Context, llm.Request) error { time.Sleep(200 * time.Millisecond); return nil }
				a := asking{judge: tt.judge}
				engine, err := a.engine(model)
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				if err := a.ask(t.Context(), engine, 1); err != nil {
					t.Fatal(err)
				}
				if took, want := time.Since(began), time.Duration(tt.sequence)*200*time.Millisecond; took != want {
					t.Errorf("it took %s, where %s were to do", took, want)
				}
				if n := len(model.Asked()); n != tt.calls {
					t.Errorf("the model was asked %d times, where %d were to do", n, tt.calls)
				}
			})
		})
	}
}

// TestBesidePeer runs the comparison with few questions.
func TestBesidePeer(t *testing.T) {
	modules := os.Getenv("ASSAY_PEER")
	if modules == "" {
		t.Skip("ASSAY_PEER is to name a folder with the node_modules of this folder's package.json (npm ci)")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("it needs node on the PATH")
	}
	loops, err := measure(node, modules, 400, true)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	table(&out, loops)
	t.Logf("\n%s", &out)
	for i, want := range []float64{7, 7, 4, 2, 1, 1, 1} {
		if l := loops[i]; l.calls != want {
			t.Errorf("%s: %.2f calls a question, where %.0f were to do", l.label, l.calls, want)
		}
	}
}

// fake is a model within the process that says what the endpoint says.
func fake() *llmtest.Fake {
	return &llmtest.Fake{Reply: func(r llm.Request) (llm.Reply, error) {
		if r.Schema != nil {
			return llm.Reply{Text: replies[r.Schema.Name]}, nil
		}
		return llm.Reply{Text: answer}, nil
	}}
}

// BenchmarkLoop measures a question with each loop: on a model within the process,
// which is all ours, and on the endpoint over HTTP.
func BenchmarkLoop(b *testing.B) {
	server := httptest.NewServer(&endpoint{})
	defer server.Close()
	remote, err := openai.New("fake", &openai.Options{BaseURL: server.URL + "/0ms/v1"})
	if err != nil {
		b.Fatal(err)
	}
	for _, bb := range []struct {
		name  string
		model llm.Model
	}{{"fake", fake()}, {"http", remote}} {
		for _, judge := range []string{"off", "unsure", "always"} {
			b.Run(bb.name+"/"+judge, func(b *testing.B) {
				a := asking{judge: judge}
				engine, err := a.engine(bb.model)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for n := 0; b.Loop(); n++ {
					if err := a.ask(b.Context(), engine, n); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "questions/s")
			})
		}
	}
}
