package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assay-rag/assay/encoder"
)

var update = flag.Bool("update", false, "write the golden files anew")

// quickExit keeps the race detector from waiting a second at the end of a process.
const quickExit = "atexit_sleep_ms=0"

// TestMain lets scripts and tests run this program as a process named assay.
func TestMain(m *testing.M) {
	os.Setenv("GORACE", quickExit) // for the processes that tests start
	testscript.Main(m, map[string]func(){"assay": main})
}

// tinyModel is a model of random weights, which takes no time.
const tinyModel = "../../encoder/testdata/tiny"

// TestScripts runs the program as a person would. See testdata/script.
func TestScripts(t *testing.T) {
	tiny, err := filepath.Abs(tinyModel)
	if err != nil {
		t.Fatal(err)
	}
	models, _ := fakeServer(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(ts *testscript.Env) error {
			ts.Setenv("MODELS", models)
			ts.Setenv("XDG_CONFIG_HOME", filepath.Join(ts.WorkDir, ".config"))
			ts.Setenv("HOME", ts.WorkDir)
			ts.Setenv("XDG_CACHE_HOME", filepath.Join(ts.WorkDir, ".cache"))
			ts.Setenv("XDG_DATA_HOME", filepath.Join(ts.WorkDir, ".data"))
			ts.Setenv("ASSAY_ENCODER", encoderOff) // networks cost time, above all with the race detector
			ts.Setenv("ASSAY_EVALUATOR", evaluatorWords)
			ts.Setenv("TINY", tiny)
			ts.Setenv("GORACE", quickExit)
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "root":
				return os.Geteuid() == 0, nil
			case "fast":
				return encoder.Fast(), nil
			}
			return false, fmt.Errorf("no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": jsonPath, "poke": poke, "repeat": repeat, "grows": grows, "many": many,
		},
	})
}

// exits runs a command and wants an exit code: exits CODE COMMAND ARGS…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command args…")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// jsonPath wants a value in JSON: json FILE[:LINE] PATH [PATTERN]. The path goes
// by dots through objects and arrays; len is a length. Without a pattern the value
// must only be there. The pattern must match the whole value.
func jsonPath(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json file[:line] path [pattern]")
	}
	name, line, one := strings.Cut(args[0], ":")
	text := ts.ReadFile(name)
	if one {
		n, err := strconv.Atoi(line)
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		if err != nil || n < 1 || n > len(lines) {
			ts.Fatalf("there is no line %s among %d", line, len(lines))
		}
		text = lines[n-1]
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		ts.Fatalf("not JSON: %v\n%s", err, text)
	}
	value, ok := walkJSON(value, strings.Split(args[1], "."))
	if ok && len(args) == 3 {
		shown, err := json.Marshal(value)
		ts.Check(err)
		if s, isString := value.(string); isString {
			shown = []byte(s)
		}
		ok = regexp.MustCompile(`(?s)^(?:` + args[2] + `)$`).Match(shown)
		if ok == neg {
			ts.Fatalf("%s is %s; want match of %s: %v", args[1], shown, args[2], !neg)
		}
		return
	}
	if ok == neg {
		ts.Fatalf("%s is there: %v", args[1], ok)
	}
}

func walkJSON(v any, path []string) (any, bool) {
	for _, key := range path {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[key]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			if key == "len" {
				v = len(at)
				continue
			}
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// poke damages an index: poke version N FILE makes it one of version N, poke
// pages FROM TO FILE overwrites pages (from 0; a negative one counts from the
// end), poke header FILE its beginning.
func poke(ts *testscript.TestScript, _ bool, args []string) {
	file := ts.MkAbs(args[len(args)-1])
	data, err := os.ReadFile(file)
	ts.Check(err)
	var n []int
	for _, arg := range args[1 : len(args)-1] {
		i, err := strconv.Atoi(arg)
		ts.Check(err)
		n = append(n, i)
	}
	switch args[0] {
	case "version": // SQLite's user_version
		binary.BigEndian.PutUint32(data[60:], uint32(n[0]))
	case "first": // what assay 1 wrote had no vectors
		db, err := sql.Open("sqlite", file)
		ts.Check(err)
		defer db.Close()
		_, err = db.Exec("DROP TABLE vectors; DROP TABLE embedding; DROP INDEX documents_passages; ALTER TABLE documents DROP COLUMN sum; PRAGMA user_version = 1")
		ts.Check(err)
		return
	case "pages":
		size := int(binary.BigEndian.Uint16(data[16:]))
		for i, at := range n {
			if at < 0 {
				n[i] = len(data)/size + at
			}
		}
		for i := n[0] * size; i < (n[1]+1)*size; i++ {
			data[i] = 0xA5
		}
	case "header":
		copy(data, bytes.Repeat([]byte("x"), 100))
	default:
		ts.Fatalf("poke %s is unknown", args[0])
	}
	ts.Check(os.WriteFile(file, data, 0o600))
}

// repeat writes a text N times into a file: repeat N TEXT FILE.
func repeat(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Repeat(args[1], n)), 0o600))
}

// many writes a document of N sections with a passage each: many N FILE.
func many(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(sections(n)), 0o600))
}

// sections is a text of n sections, each of them long enough to be a passage.
func sections(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "# Room %d\n\n%s\n\n", i, strings.Repeat(fmt.Sprintf("The key of room %d hangs in the cellar. ", i), 30))
	}
	return b.String()
}

// grows asks a question whose length is given: grows N exits with the exit code
// of "assay ask" on a question of N bytes.
func grows(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	exits(ts, false, []string{args[0], "assay", "ask", "--docs", "docs", strings.Repeat("why ", n/4)})
}

// tester is an env whose output can be read.
type tester struct {
	env
	vars     map[string]string
	out, err bytes.Buffer
}

// newTester makes surroundings with folders of their own, and without networks.
func newTester(t *testing.T) *tester {
	t.Helper()
	dir := t.TempDir()
	e := &tester{vars: map[string]string{"HOME": dir, "XDG_DATA_HOME": filepath.Join(dir, "data"), "ASSAY_ENCODER": encoderOff, "ASSAY_EVALUATOR": evaluatorWords}}
	e.env = env{
		stdin: strings.NewReader(""), stdout: &e.out, stderr: &e.err,
		getenv:   func(k string) string { return e.vars[k] },
		cacheDir: func() (string, error) { return filepath.Join(dir, "cache"), nil },
	}
	return e
}

// run runs a command line, wants its exit code, and returns what it wrote.
func (e *tester) run(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	e.out.Reset()
	e.err.Reset()
	if got := run(context.Background(), args, e.env); got != want {
		t.Fatalf("assay %s: exit code %d, want %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), got, want, &e.out, &e.err)
	}
	return e.out.String(), e.err.String()
}

// folderOf writes files into a new folder.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "docs")
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
