package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/index"
	"github.com/assay-rag/assay/index/indextest"
	"github.com/assay-rag/assay/ingest"
)

// TestInterruptedEmbedding interrupts the making of vectors: what was made is kept,
// the error says how to go on, and the next time the rest is made.
func TestInterruptedEmbedding(t *testing.T) {
	const passages = 150
	docs := folderOf(t, map[string]string{"rooms.md": sections(passages)})
	e := newTester(t)
	ctx, cancel := context.WithCancel(t.Context())
	fake := &indextest.Embedder{}
	fake.Before = func(context.Context, []string) error {
		if len(fake.Embedded()) > 0 {
			cancel() // in the second batch
		}
		return ctx.Err()
	}
	how := sense{embedder: fake, flags: "--encoder 'my model'"}
	dir := t.TempDir()
	x := openIndex(t, dir, &index.Options{Embedder: fake})
	if _, err := ingest.Add(ctx, x, "", docs, nil); err != nil {
		t.Fatal(err)
	}
	first, err := e.embedAll(ctx, x, source{Index: dir}, how)
	if first == 0 || first >= passages {
		t.Fatalf("%d of %d passages were embedded", first, passages)
	}
	if code := e.report(ctx, err); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if said := e.err.String(); !strings.Contains(said, "assay: interrupted\n") || !strings.Contains(said, "to go on from there: assay index embed --index "+dir+" --encoder 'my model'\n") {
		t.Errorf("it says %q", said)
	}
	if missing, err := x.Pending(t.Context()); err != nil || missing != passages-first {
		t.Errorf("%d passages are missing, %v; %d were made", missing, err, first)
	}
	fake.Before = nil
	e.err.Reset()
	if rest, err := e.embedAll(t.Context(), x, source{}, how); err != nil || rest != passages-first {
		t.Errorf("then %d passages were embedded, %v", rest, err)
	}
	if said := e.err.String(); !strings.HasPrefix(said, fmt.Sprintf("embedded %d passages in ", passages-first)) {
		t.Errorf("it says %q", said)
	}
}

// TestCatchUpOnSlow makes fewer vectors by the way where the processor is slow.
func TestCatchUpOnSlow(t *testing.T) {
	docs := folderOf(t, map[string]string{"rooms.md": sections(fewOnSlow + 1)})
	e := newTester(t)
	e.vars["ASSAY_ENCODER"], e.vars[kernelsVariable] = tinyModel, "go"
	if _, said := e.run(t, exitOK, "search", "--docs", docs, "keys"); !strings.Contains(said, "9 passages have no vector yet") {
		t.Errorf("it says %q", said)
	}
	if slow := encoder.Kernels()[0] == "go"; !slow {
		t.Errorf("there are no slow kernels among %q", encoder.Kernels())
	}
	e.vars[kernelsVariable] = ""
	if _, said := e.run(t, exitOK, "search", "--docs", docs, "keys"); encoder.Fast() && said != "" {
		t.Errorf("on a fast processor it says %q", said)
	}
}

// TestBuiltin asks by the encoder of the program, in other words than the document's.
func TestBuiltin(t *testing.T) {
	if !encoder.Fast() {
		t.Skip("the encoder takes seconds here")
	}
	docs := folderOf(t, map[string]string{"a.md": "# Bicycles\n\nThey are parked in the cellar.\n", "b.md": "# Leave\n\nMothers and fathers stay at home for 26 weeks.\n"})
	e := newTester(t)
	for name, found := range map[string]bool{"": true, encoderBuiltin: true, encoderOff: false} {
		e.vars["ASSAY_ENCODER"] = name
		out, _ := e.run(t, exitOK, "search", "-k", "1", "--docs", docs, "parental vacation for newborns")
		if strings.Contains(out, "b.md") != found {
			t.Errorf("with the encoder %q it finds\n%s", name, out)
		}
	}
}

func TestEmbeddedTime(t *testing.T) {
	for want, m := range map[string]embedded{
		"embedded 1 passage in 12ms":     {1, 12300 * time.Microsecond},
		"embedded 30 passages in 1.2s":   {30, 1234 * time.Millisecond},
		"embedded 1,234 passages in 21s": {1234, 21_400 * time.Millisecond},
	} {
		if got := m.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	slow := sense{slow: true}
	for passages, want := range map[int]string{1: "a few seconds", 32: "about 30 s", 61: "about 2 min", 3600: "about 1 h", 4000: "about 2 h"} {
		if got := slow.time(passages); got != want {
			t.Errorf("%d passages: %q, want %q", passages, got, want)
		}
	}
}

// TestSenses wants encoders in folders to be looked at before anything is written.
func TestSenses(t *testing.T) {
	e := newTester(t)
	docs := folderOf(t, map[string]string{"a.md": "# A\n\nAn apple.\n"})
	e.run(t, exitError, "add", "--encoder", docs, docs)
	if found, err := filepath.Glob(filepath.Join(e.vars["XDG_DATA_HOME"], "*")); err != nil || len(found) > 0 {
		t.Errorf("there is %q, %v", found, err)
	}
}
