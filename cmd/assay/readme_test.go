package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-rag/assay/encoder"
)

// console is a block of the README with a command and what it prints.
var console = regexp.MustCompile("(?s)```console\n\\$ (?:go run \\./cmd/)?assay ([^\n]*)\n(.*?)```")

// varying is what may differ from run to run and from one fit of the weights to
// the next.
var varying = regexp.MustCompile(`confidence [0-9.]+|[0-9.]+(?:ms|µs|s)\b|(?m)^  [01]\.[0-9]{2} `)

// TestREADME runs each command that the README shows with its output, and the
// drawing of the loop; -update writes what they print now.
func TestREADME(t *testing.T) {
	if !encoder.Fast() {
		t.Skip("the README is of a machine with vector instructions")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root, "README.md")
	readme, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	e := newTester(t)
	e.vars["ASSAY_ENCODER"], e.vars["ASSAY_EVALUATOR"] = encoderBuiltin, evaluatorBuiltin
	ran := 0
	shown := console.ReplaceAllFunc(readme, func(block []byte) []byte {
		ran++
		m := console.FindSubmatch(block)
		out, _ := e.run(t, exitOK, shellWords(string(m[1]))...)
		return bytes.Replace(block, m[2], []byte(out), 1)
	})
	if ran < 3 {
		t.Errorf("only %d commands were found in the README", ran)
	}
	drawing := regexp.MustCompile("(?s)```mermaid\n.*?```")
	graph, _ := e.run(t, exitOK, "graph")
	shown = drawing.ReplaceAllLiteral(shown, []byte("```mermaid\n"+graph+"```"))
	if *update {
		if err := os.WriteFile(name, shown, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	mask := func(b []byte) []string { return strings.Split(varying.ReplaceAllString(string(b), "…"), "\n") }
	if diff := cmp.Diff(mask(readme), mask(shown)); diff != "" {
		t.Errorf("the README shows what is no longer so; run with -update:\n%s", diff)
	}
}

// shellWords splits a command line with double quotes as a shell does.
func shellWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}
