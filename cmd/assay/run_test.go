package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

func TestEveryCommandTeaches(t *testing.T) {
	e := newTester(t)
	parser := newParser(e.env)
	for _, command := range parser.Model.Leaves(true) {
		path := strings.Fields(strings.TrimPrefix(commandPath(command), "assay "))
		out, _ := e.run(t, exitOK, append(path, "--help")...)
		if command.Help == "" || command.Name != "help" && !strings.Contains(out, "    assay "+path[0]) {
			t.Errorf("assay %v --help has no example:\n%s", path, out)
		}
		for _, flag := range command.Flags {
			if flag.Help == "" {
				t.Errorf("assay %v: --%s has no help", path, flag.Name)
			}
		}
	}
}

// commandPath is the words that name a command.
func commandPath(n *kong.Node) string {
	if n.Parent == nil {
		return n.Name
	}
	return commandPath(n.Parent) + " " + n.Name
}

// TestInterruptedAdd stops an add with a signal as Ctrl-C sends it: it ends
// cleanly, the index can be used, and the next add goes on.
func TestInterruptedAdd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signal for another process")
	}
	const files = 1200
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs")
	if err := os.Mkdir(docs, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range files {
		text := fmt.Sprintf("# Page %d\n\n%s\n", i, strings.Repeat(fmt.Sprintf("The number of this page is %d. ", i), 40))
		if err := os.WriteFile(filepath.Join(docs, fmt.Sprintf("page%04d.md", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x := filepath.Join(dir, "index")
	add := exec.Command("assay", "add", "--index", x, docs)
	var stdout, stderr bytes.Buffer
	add.Stdout, add.Stderr = &stdout, &stderr
	if err := add.Start(); err != nil {
		t.Fatal(err)
	}
	waitForDocuments(t, x)
	if err := add.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = add.Wait() // the exit code is looked at
	if code := add.ProcessState.ExitCode(); code != exitInterrupted {
		t.Fatalf("exit code %d, want %d; stderr: %s", code, exitInterrupted, &stderr)
	}
	if stdout.Len() > 0 || !strings.Contains(stderr.String(), "interrupted") || !strings.Contains(stderr.String(), "the same command goes on") {
		t.Errorf("stdout %q, stderr %q", &stdout, &stderr)
	}
	e := newTester(t)
	e.run(t, exitOK, "ask", "--index", x, "What is the number of this page?")
	before, _ := e.run(t, exitOK, "list", "--index", x)
	_, said := e.run(t, exitOK, "add", "--index", x, docs)
	if n := strings.Count(before, "page"); n == 0 || strings.Contains(said, fmt.Sprintf("%d added", files)) {
		t.Errorf("the second add began anew: %s", said)
	}
	after, _ := e.run(t, exitOK, "list", "--index", x)
	if !strings.Contains(after, fmt.Sprintf("default · %d documents", files)) {
		t.Errorf("not all is indexed: %s", after[:min(200, len(after))])
	}
}

// waitForDocuments waits until an add has put something.
func waitForDocuments(t *testing.T, dir string) {
	t.Helper()
	for range 600 {
		e := newTester(t)
		if run(context.Background(), []string{"list", "--index", dir}, e.env) == exitOK && strings.Contains(e.out.String(), "page") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("nothing was indexed in 12 s")
}

func TestInterruptedAsk(t *testing.T) {
	docs := folderOf(t, map[string]string{"a.md": "# A\n\nSomething about apples.\n"})
	e := newTester(t)
	e.run(t, exitOK, "ask", "--docs", docs, "What about apples?")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e.out.Reset()
	if code := run(ctx, []string{"ask", "--docs", docs, "What about apples?"}, e.env); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	if e.out.Len() > 0 || !strings.Contains(e.err.String(), "assay: interrupted") {
		t.Errorf("stdout %q, stderr %q", &e.out, &e.err)
	}
}

// TestInterruptedStream stops an answer in the middle of a line: what is said of that
// stands on a line of its own.
func TestInterruptedStream(t *testing.T) {
	url, _ := fakeServer(t)
	docs := folderOf(t, map[string]string{"anchor.md": "# Mooring\n\nThe anchor weighs at least 40 kg for a buoy of 60 cm.\n"})
	for _, manner := range []string{"verified", "draft"} {
		e := newTester(t)
		e.run(t, exitOK, "ask", "--docs", docs, "How heavy is the anchor?")
		e.out.Reset()
		e.err.Reset()
		ctx, cancel := context.WithCancel(context.Background())
		stop := writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
		e.stdout, e.stderr = io.MultiWriter(&e.out, stop), io.MultiWriter(&e.err, stop)
		code := run(ctx, []string{"ask", "--docs", docs, "--base-url", url + "/ok/v1", "--stream", manner, "How heavy is the anchor?"}, e.env)
		said, begun := e.err.String(), &e.out
		if manner == "draft" {
			begun = bytes.NewBufferString(strings.TrimSuffix(said, "assay: interrupted\n"))
		}
		if code != exitInterrupted || !strings.HasPrefix(begun.String(), "The") || !strings.HasSuffix(begun.String(), "\n") || !strings.HasSuffix(said, "assay: interrupted\n") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", manner, code, &e.out, said)
		}
	}
}

// writerFunc is a function that takes what is written.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"a/b.md": "a/b.md", "über.md": "über.md", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$(rm)": "'$(rm)'", "-x": "-x",
		"a\u00a0b": "'a\u00a0b'", "a\nb": `$'a\012b'`, "\x1b[31m": `$'\033[31m'`, "it's\\\t": `$'it\'s\\\011'`, "\u202eü": `$'\342\200\256ü'`, "\xff": `$'\377'`,
	} {
		if got := quoted(word); got != want {
			t.Errorf("quoted(%q) = %s, want %s", word, got, want)
		}
	}
}

// Each command that an answer prints below its sources can be copied into a shell,
// whatever the documents and folders are called.
func TestHintsRun(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"plan.md", "-plan.md", "the plan's.md", "$(plan) `x`.md", "plan\t\n\x1b[31m\u202e.md", "plan\\n'\x07.md"} {
		for _, dir := range []string{"docs", "-docs", "docs\x1b of 'ours'"} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, []byte("# Kite\n\nThe free plan of Kite costs 0 euros.\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			e := newTester(t)
			for _, args := range [][]string{{"ask", "--docs=" + dir}, {"ask", "--docs=" + folderOf(t, map[string]string{"a.md": "# Leave\n\nParents get leave.\n"}), "--fallback=" + dir}} {
				out, _ := e.run(t, exitOK, append(args, "What does the free plan of Kite cost?")...)
				hint := regexp.MustCompile("(?m)^      (assay show .*)$").FindString(out)
				show := exec.Command(bash, "-c", hint)
				show.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir())
				shown, err := show.Output()
				if err != nil || !strings.Contains(string(shown), "costs 0 euros") {
					t.Errorf("%q in %q: %s: %v, shown %q", name, dir, hint, err, shown)
				}
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestSurrounding(t *testing.T) {
	const text = "one\ntwo\nthree\nfour\nfive"
	for _, c := range []struct {
		part  string
		lines int
		want  string
	}{
		{"hre", 0, "hre"},
		{"hre", 1, "two\nthree\nfour\n"},
		{"three", 1, "two\nthree\nfour\n"},
		{"three\n", 1, "two\nthree\nfour\n"},
		{"one", 1, "one\ntwo\n"},
		{"five", 1, "four\nfive"},
		{"two\nthree", 9, text},
	} {
		i := strings.Index(text, c.part)
		start, end := surrounding(text, byteRange{i, i + len(c.part)}, c.lines)
		if text[start:end] != c.want {
			t.Errorf("%d lines around %q: %q, want %q", c.lines, c.part, text[start:end], c.want)
		}
	}
}

// The lasting index lies where the system keeps a user's data.
func TestLasting(t *testing.T) {
	vars := map[string]string{"HOME": "/home/ada"}
	e := env{getenv: func(k string) string { return vars[k] }, cacheDir: func() (string, error) { return "/cache", nil }}
	if got, err := e.lasting(""); err != nil || filepath.Base(got) != "index" {
		t.Errorf("by HOME: %q, %v", got, err)
	}
	vars["ASSAY_INDEX"] = "/by/variable"
	if got, _ := e.lasting(""); got != "/by/variable" {
		t.Errorf("by %s: %q", "ASSAY_INDEX", got)
	}
	if got, _ := e.lasting("/by/flag"); got != "/by/flag" {
		t.Errorf("by the flag: %q", got)
	}
}
