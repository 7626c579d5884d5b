package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

// TestGoldenJSON keeps the form of the JSON answer: testdata/golden, written anew
// with -update. Times are zero there and probabilities ½, because the one depends
// on the machine and the other on the weights; neither is part of the form.
func TestGoldenJSON(t *testing.T) {
	docs := folderOf(t, map[string]string{
		"leave.md":  "---\ndate: 2025-03-01\n---\n# Leave policy\n\nParents get 26 weeks of paid parental leave after the birth of a child.\n",
		"office.md": "---\ndate: 2023-06-01\n---\n# The office\n\nThe office in Lisbon opens at 8:00 & closes at 19:00.\n",
	})
	e := newTester(t)
	for name, question := range map[string]string{
		"answered":  "How many weeks of paid parental leave do parents get?",
		"abstained": "Who won the chess championship of 1972?",
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := e.run(t, exitOK, "ask", "--json", "--docs", docs, question)
			wantGolden(t, filepath.Join("testdata", "golden", name+".json"), normalised(t, out))
		})
	}
}

// normalised is JSON with the times and probabilities taken out, in the order of
// its keys, which is part of the form.
func normalised(t *testing.T, text string) []byte {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	var a assay.Answer
	if err := dec.Decode(&a); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var again bytes.Buffer
	if err := writeJSON(&again, &a, true); err != nil || again.String() != text {
		t.Errorf("reading and writing it again changes it (%v):\n%s", err, text)
	}
	a.Confidence = half(a.Confidence)
	a.Usage.Elapsed = 0
	for i := range a.Steps {
		a.Steps[i].Elapsed = 0
	}
	for i := range a.Claims {
		a.Claims[i].Score = half(a.Claims[i].Score)
	}
	for i := range a.Queries {
		a.Queries[i].Best = half(a.Queries[i].Best)
	}
	for i := range a.Passages {
		p := &a.Passages[i]
		if p.Score != nil {
			*p.Score = half(*p.Score)
		}
		for j := range p.Strips {
			if s := p.Strips[j].Score; s != nil {
				*s = half(*s)
			}
		}
	}
	var b bytes.Buffer
	if err := writeJSON(&b, &a, true); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// half stands for a probability other than 0.
func half(x float64) float64 {
	if x == 0 {
		return 0
	}
	return 0.5
}

// wantGolden compares with a golden file, or writes it.
func wantGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run the test with -update if that is meant.\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}
