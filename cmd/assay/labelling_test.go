package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/eval"
)

// labelDocs are three documents, one for each of three questions.
func labelDocs(t *testing.T) (docs, questions string) {
	t.Helper()
	docs = folderOf(t, map[string]string{
		"leave.md":  "# Leave\n\nParents get 26 weeks of paid parental leave after the birth of a child.\n",
		"office.md": "# The office\n\nThe office in Lisbon opens at 8:00 and closes at 19:00.\n",
		"cook.md":   "# The kitchen\n\nThe cook of the kitchen is Anna Brandt.\n",
	})
	questions = filepath.Join(t.TempDir(), "questions.txt")
	text := "When does the office open?\n\n{\"question\": \"Who is the cook?\"}\nHow long is parental leave?\nWhen does the office open?\n"
	if err := os.WriteFile(questions, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return docs, questions
}

// press runs a label command at a terminal on which keys are pressed.
func press(t *testing.T, keys string, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	e := newTester(t)
	e.outTerminal = true
	e.vars["NO_COLOR"] = "1"
	e.stdin = strings.NewReader(keys)
	e.raw = func() (func(), error) { return func() {}, nil }
	return e.run(t, want, args...)
}

// labelsIn are the labels of a file by their question.
func labelsIn(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		var row labelRow
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Score == nil || row.Grader.Name != "assay evaluator" || row.Group != row.Question || row.Passages[0].Text == "" {
			t.Errorf("a row lacks something: %s", line)
		}
		out = append(out, strings.Fields(row.Question)[len(strings.Fields(row.Question))-1]+" "+strconv.FormatBool(bool(*row.Label)))
	}
	return out
}

func TestLabel(t *testing.T) {
	docs, questions := labelDocs(t)
	out := filepath.Join(t.TempDir(), "labels.jsonl")
	args := []string{"label", "--docs", docs, "--out", out, "-k", "1", questions}

	// An unknown key and an arrow mean nothing; back takes back.
	shown, _ := press(t, "xyYbn", exitOK, args...)
	if !strings.Contains(shown, "Does this passage answer the question?") || !strings.Contains(shown, "2 labels in") || regexp.MustCompile(`\b0\.\d`).MatchString(shown) {
		t.Errorf("shown: %s", shown)
	}
	first := labelsIn(t, out)
	if len(first) != 2 || !strings.HasSuffix(first[0], "true") || !strings.HasSuffix(first[1], "false") {
		t.Errorf("labels %v", first)
	}

	// The next session goes on with what is left.
	shown, _ = press(t, "y", exitOK, args...)
	if !strings.Contains(shown, "1 of 1") || !strings.Contains(shown, "There is nothing more to ask.") {
		t.Errorf("shown: %s", shown)
	}
	all := labelsIn(t, out)
	if len(all) != 3 || !slices.Equal(all[:2], first) {
		t.Errorf("labels %v, then %v", first, all)
	}
	shown, _ = press(t, "", exitOK, args...)
	if !strings.Contains(shown, "There is nothing more to ask.") || !strings.Contains(shown, "A calibration needs 30") {
		t.Errorf("shown: %s", shown)
	}

	// What was written can be measured on.
	set, err := eval.Load(out, 1)
	if err != nil || len(set.Gate) != 3 || set.Name != ownRows {
		t.Errorf("%v: %+v", err, set)
	}
}

func TestLabelUnsureAndQuit(t *testing.T) {
	docs, questions := labelDocs(t)
	out := filepath.Join(t.TempDir(), "labels.jsonl")
	args := []string{"label", "--docs", docs, "--out", out, "-k", "1", questions}
	shown, _ := press(t, "bunbbyq", exitOK, args...) // back at the first; back over an unsure one
	if got := labelsIn(t, out); len(got) != 1 || !strings.HasSuffix(got[0], "true") {
		t.Errorf("labels %v\n%s", got, shown)
	}
	if !strings.Contains(shown, "This is the first") || !strings.Contains(shown, "1 label in") {
		t.Errorf("shown: %s", shown)
	}
	press(t, "\x03y", exitOK, args...)
	if got := labelsIn(t, out); len(got) != 1 {
		t.Errorf("after Ctrl-C: %v", got)
	}
}

func TestLabelRefuses(t *testing.T) {
	docs, questions := labelDocs(t)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name, out, questions, says string
	}{
		{"another grader", file("other.jsonl", `{"question": "q", "passages": [{"text": "t"}], "label": true, "score": 0.5, "grader": {"name": "mine"}}`), questions, "holds grades of mine"},
		{"a broken line", file("broken.jsonl", "{\"question\": \"q\", \"la"), questions, "broken.jsonl:1:"},
		{"no question", file("new.jsonl", ""), file("none.txt", "\n \n"), "has no question"},
		{"no file", file("new.jsonl", ""), filepath.Join(dir, "nowhere.txt"), "name a file with questions"},
		{"a broken question", file("new.jsonl", ""), file("half.txt", "What?\n{\"question\": 7}\n"), "half.txt:2:"},
		{"a folder", dir, questions, "choose another place"},
	} {
		if _, errs := press(t, "y", exitError, "label", "--docs", docs, "--out", c.out, c.questions); !strings.Contains(errs, c.says) {
			t.Errorf("%s: %s", c.name, errs)
		}
	}
}

// A file whose last line has no newline is gone on with on a line of its own.
func TestLabelBookMendsTheEnd(t *testing.T) {
	docs, questions := labelDocs(t)
	out := filepath.Join(t.TempDir(), "labels.jsonl")
	args := []string{"label", "--docs", docs, "--out", out, "-k", "1", questions}
	press(t, "yq", exitOK, args...)
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out, data[:len(data)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	press(t, "nq", exitOK, args...)
	if got := labelsIn(t, out); len(got) != 2 {
		t.Errorf("labels %v", got)
	}
}

func TestInOrder(t *testing.T) {
	var all []proposal
	add := func(question string, scores ...float64) {
		for rank, s := range scores {
			all = append(all, proposal{question, assay.PassageReport{Score: &s}, rank})
		}
	}
	for i := range 8 {
		add(strconv.Itoa(i), 0.9-float64(i)/10, 0.74-0.07*float64(i))
	}
	got := inOrder(all)
	var first []float64
	for _, p := range got[:8] {
		if p.rank != 0 {
			t.Errorf("a further passage among the first: %+v", p)
		}
		first = append(first, *p.passage.Score)
	}
	// The beginning of four is every second of eight.
	beginning := slices.Sorted(slices.Values(first[:4]))
	for i, want := range []float64{0.3, 0.5, 0.7, 0.9} {
		if d := beginning[i] - want; d > 1e-9 || d < -1e-9 {
			t.Errorf("the beginning is %v", beginning)
			break
		}
	}
	if next := *got[8].passage.Score; next != 0.74 { // 0.01 from the upper threshold
		t.Errorf("the first further passage has %v", next)
	}
}

func TestEvenly(t *testing.T) {
	for n := range 20 {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		got := evenly(list)
		if !slices.Equal(slices.Sorted(slices.Values(got)), list) {
			t.Errorf("evenly of %d: %v", n, got)
		}
	}
}

// The terminal is raw only while a key is waited for.
func TestKeyboard(t *testing.T) {
	in, typed := io.Pipe()
	raw := 0
	k := &keyboard{in: in, raw: func() (func(), error) { raw++; return func() { raw-- }, nil }}
	go func() {
		for _, keys := range []string{"\x1b[B", "Yn", "\x04"} {
			typed.Write([]byte(keys))
		}
		typed.Close()
	}()
	var got []rune
	for {
		key, err := k.next()
		if raw != 0 {
			t.Error("the terminal is left raw")
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Error(err)
			}
			break
		}
		got = append(got, key)
	}
	if string(got) != "ynq" {
		t.Errorf("keys %q", string(got))
	}
	broken := errors.New("broken")
	k = &keyboard{in: strings.NewReader("y"), raw: func() (func(), error) { return nil, broken }}
	if _, err := k.next(); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// FuzzLabelRows: what is read has a label and a score that is one.
func FuzzLabelRows(f *testing.F) {
	f.Add("{\"score\": 0.5, \"label\": true}\n\n{\"score\": 1, \"label\": 0, \"question\": \"q\", \"passages\": [{\"text\": \"t\"}]}")
	f.Add("\ufeff{\"score\": -1, \"label\": 1}")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := readLabelRows(t.Context(), "rows", strings.NewReader(text))
		for _, r := range rows {
			if err != nil || r.Label == nil || !(0 <= *r.Score && *r.Score <= 1) {
				t.Errorf("%q: %+v, %v", text, r, err)
			}
		}
	})
}

func TestLabelStops(t *testing.T) {
	docs, questions := labelDocs(t)
	e := newTester(t)
	e.outTerminal = true
	ctx, cancel := context.WithCancel(context.Background())
	e.raw = func() (func(), error) { cancel(); return func() {}, nil }
	waiting, typed := io.Pipe()
	defer typed.Close()
	e.stdin = waiting
	if code := run(ctx, []string{"label", "--docs", docs, "--out", filepath.Join(t.TempDir(), "l.jsonl"), questions}, e.env); code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, &e.err)
	}
}
