package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay/ingest"
)

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// Output that doesn't arrive is an error, whichever command wrote it and however.
func TestLostOutput(t *testing.T) {
	docs := folderOf(t, map[string]string{
		"a.md": "# A\n\nThe plan costs 40 euros a month.\n", "a.txt": "The company owns a submarine.\n",
		"rows.jsonl": `{"question": "What does the plan cost?", "passages": [{"text": "The plan costs 40 euros.", "label": true}]}`,
	})
	e := newTester(t)
	text := filepath.Join(docs, "a.txt")
	for _, args := range [][]string{
		{"ask", "--docs", docs, "What does the plan cost?"},
		{"ask", "--docs", docs, "Who won the chess championship of 1972?"},
		{"ask", "--docs", docs, "--json", "What does the plan cost?"},
		{"ask", "--docs", docs, "-"},
		{"search", "--docs", docs, "plan"},
		{"check", "--docs", docs, text},
		{"check", "--docs", docs, "--fail-ungrounded", text},
		{"list", "--docs", docs},
		{"show", "--docs", docs, "a.md"},
		{"eval", "gate", filepath.Join(docs, "rows.jsonl")},
		{"graph"},
		{"completion", "bash"},
		{"help", "ask"},
		{"--version"},
		{"--help"},
	} {
		e.stdin, e.stdout = strings.NewReader("What does the plan cost?\n"), full{}
		_, said := e.run(t, exitError, args...)
		if strings.Count(said, "the output is lost: no space left") != 1 || strings.Count(said, "assay: ") != 1 {
			t.Errorf("assay %v says %q", args, said)
		}
	}
}

// waiting is standard input to which nobody writes: it interrupts the program
// once it is read from.
type waiting struct {
	first     io.Reader
	interrupt context.CancelFunc
	end       chan struct{}
}

func (w waiting) Read(p []byte) (int, error) {
	if n, err := w.first.Read(p); err == nil {
		return n, nil
	}
	w.interrupt()
	<-w.end
	return 0, io.EOF
}

func TestInterruptedInput(t *testing.T) {
	docs := folderOf(t, map[string]string{"a.md": "# A\n\nThe plan costs 40 euros a month.\n"})
	for _, c := range []struct {
		command, first string
		results        int
	}{{"ask", "", 0}, {"ask", "What does the plan cost?\nHow", 1}, {"check", "The plan costs", 0}} {
		e := newTester(t)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		w := waiting{strings.NewReader(c.first), cancel, make(chan struct{})}
		t.Cleanup(func() { close(w.end) })
		e.stdin = w
		if code := run(ctx, []string{c.command, "--docs", docs, "-"}, e.env); code != exitInterrupted {
			t.Errorf("%s - after %q: exit code %d, want %d", c.command, c.first, code, exitInterrupted)
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("%s - after %q: it read nothing", c.command, c.first)
		}
		if n := strings.Count(e.out.String(), "\n"); n != c.results || !strings.HasSuffix(e.err.String(), "assay: interrupted\n") {
			t.Errorf("%s - after %q: stdout %q, stderr %q", c.command, c.first, &e.out, &e.err)
		}
	}
}

// What can't be read is told of each time: an answer may be missing because of it.
func TestUnread(t *testing.T) {
	docs := folderOf(t, map[string]string{"a.md": "# A\n\nThe plan costs 40 euros a month.\n", "d.txt": strings.Repeat("words ", 2000), "c.txt": strings.Repeat("words ", 2000)})
	for _, name := range []string{"c.txt", "d.txt"} {
		if err := os.Truncate(filepath.Join(docs, name), ingest.DefaultMaxFile+1); err != nil {
			t.Fatal(err)
		}
	}
	e := newTester(t)
	ask := []string{"ask", "--docs", docs, "What does the plan cost?"}
	if _, said := e.run(t, exitOK, ask...); strings.Count(said, "problem: ") != 2 {
		t.Errorf("first: %q", said)
	}
	_, said := e.run(t, exitOK, ask...)
	if strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "docs: 2 files could not be read, the first: ") || !strings.Contains(said, "c.txt: ") {
		t.Errorf("again: %q", said)
	}
	if err := os.Remove(filepath.Join(docs, "c.txt")); err != nil {
		t.Fatal(err)
	}
	if _, said = e.run(t, exitOK, ask...); strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "docs: 1 file could not be read: ") || !strings.Contains(said, "d.txt: ") {
		t.Errorf("one: %q", said)
	}
}

// Limits are named as the command line names them.
func TestProblemsNameFlags(t *testing.T) {
	docs := folderOf(t, map[string]string{"a.md": strings.Repeat("The plan costs 40 euros a month. ", 99), "b.md": "# B"})
	e := newTester(t)
	_, said := e.run(t, exitOK, "add", "--max-file", "1kB", docs)
	if !strings.Contains(said, "are not read: assay add --max-file SIZE reads it\n") {
		t.Errorf("too large: %q", said)
	}
	x, err := e.openForAdding(t.Context(), source{}, sense{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	report, err := ingest.Add(t.Context(), x, "few", docs, &ingest.Options{MaxFiles: 1})
	if err != nil || len(report.Problems) != 1 {
		t.Fatalf("%v, %v", report.Problems, err)
	}
	if got := problem(report.Problems[0]); strings.Contains(got, "MaxFile") || !strings.Contains(got, "not looked at; exclude folders in .assayignore") {
		t.Errorf("too many: %q", got)
	}
}
