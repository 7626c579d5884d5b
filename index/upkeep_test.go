package index

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
	"github.com/assay-rag/assay/index/internal/vectors"
)

// TestCheckVectors damages what the index knows of vectors: Check finds it, and
// Rebuild mends it at the cost of the least that must be embedded again.
func TestCheckVectors(t *testing.T) {
	ctx := context.Background()
	whole := built(t, 30)
	for name, test := range map[string]struct {
		damage  string
		says    string
		pending int // after the repair
	}{
		"a vector is missing":    {"DELETE FROM vectors WHERE passage = 4", "no vector", 4},
		"two are missing":        {"DELETE FROM vectors WHERE passage IN (4, 10)", "no vector", 8},
		"all are missing":        {"DELETE FROM vectors", "no vector", 120},
		"one is cut short":       {"UPDATE vectors SET data = substr(data, 1, 50) WHERE passage = 5", "passage 5", 4},
		"a scale is no number":   {"UPDATE vectors SET data = x'0000c07f' || substr(data, 5) WHERE passage = 5", "1 vectors can't be read; the first is that of passage 5", 4},
		"scales are negative":    {"UPDATE vectors SET data = x'000080bf' || substr(data, 5) WHERE passage IN (5, 9)", "2 vectors can't be read", 8},
		"one is of no passage":   {"DELETE FROM passages WHERE id = 7; INSERT INTO passages SELECT 70000, document, start, end, heading, length, terms FROM passages WHERE id = 8; DELETE FROM passages WHERE id = 70000; INSERT INTO passages SELECT 7, document, start, end, heading, length, terms FROM passages WHERE id = 8; INSERT INTO vectors SELECT 121, data FROM vectors WHERE passage = 1", "of no passage", 0},
		"the watermark is ahead": {"UPDATE embedding SET embedded = 10000", "beyond the last passage", 0},
		"the watermark is back":  {"UPDATE embedding SET embedded = 60", "wasn't embedded", 60},
		"the model is lost":      {"DELETE FROM embedding", "wasn't embedded", 120},
		"the epoch is cut short": {"UPDATE embedding SET epoch = x'00'", "damaged", 120},
		"a vector is another":    {"UPDATE vectors SET data = (SELECT data FROM vectors WHERE passage = 1) WHERE passage = 2", "passage 2 has another vector", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, whole)
			x := open(t, dir)
			check(t, x)
			if err := x.writer.exec(ctx, test.damage); err != nil {
				t.Fatal(err)
			}
			says(t, x.Check(ctx), ErrDamaged, test.says)
			x.Close()
			if !strings.Contains(test.says, "another vector") { // it isn't for the file to tell
				os.Remove(vectorsPath(x.path))
			}
			x = open(t, dir)
			if !strings.Contains(test.says, "another vector") {
				says(t, x.Check(ctx), ErrDamaged, test.says)
			}
			if err := x.Rebuild(ctx); err != nil {
				t.Fatal(err)
			}
			check(t, x)
			pends(t, x, test.pending)
			x = openWith(t, dir, &indextest.Embedder{})
			embed(t, x)
			check(t, x)
			if found, err := x.Retrieve(ctx, assay.Search{Words: newSynth(4, 400).question(3)}); err != nil || found.Short != "" {
				t.Errorf("a search says %q, %v", found.Short, err)
			}
		})
	}
}

// TestCheckFile damages the mapped file alone.
func TestCheckFile(t *testing.T) {
	ctx := context.Background()
	x := openWith(t, t.TempDir(), &indextest.Embedder{})
	fill(t, x, newSynth(4, 400), 30)
	embed(t, x)
	sound, err := os.ReadFile(vectorsPath(x.path))
	if err != nil {
		t.Fatal(err)
	}
	const record = 16 + 128
	for name, test := range map[string]struct {
		change func(b []byte) []byte
		says   string
	}{
		"one is missing": {func(b []byte) []byte { return append(b[:64+7*record:64+7*record], b[64+8*record:]...) }, "lacks passage 8"},
		"another index":  {func(b []byte) []byte { return []byte(strings.Repeat("x", 900)) }, "header"},
		"one too many":   {nil, "further than the index"},
	} {
		b := append([]byte(nil), sound...)
		if test.change != nil {
			b = test.change(b)
		}
		if err := os.WriteFile(vectorsPath(x.path), b, 0o666); err != nil {
			t.Fatal(err)
		}
		if test.change == nil {
			e, _ := x.embeddingNow(t)
			f, err := vectors.Open(vectorsPath(x.path), e.dim, e.epoch)
			if err != nil {
				t.Fatal(err)
			}
			v, _ := vectors.Quantize(make([]float32, e.dim))
			if err := f.Append([]vectors.Record{{ID: 5000, Vector: v}}); err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
		t.Run(name, func(t *testing.T) { says(t, x.Check(ctx), ErrDamaged, test.says) })
	}
	if err := x.Rebuild(ctx); err != nil {
		t.Fatal(err)
	}
	check(t, x)
	// What it lacks at the end, or that it isn't there, is no damage.
	if err := os.WriteFile(vectorsPath(x.path), sound[:64+90*record], 0o666); err != nil {
		t.Fatal(err)
	}
	check(t, x)
	os.Remove(vectorsPath(x.path))
	check(t, x)
}

func TestCompact(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{})
	g := newSynth(4, 400)
	fill(t, x, g, 200)
	embed(t, x)
	var gone []string
	entries, err := x.Documents(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries[:150] {
		gone = append(gone, e.ID)
	}
	if err := x.Remove(ctx, "", "root", gone); err != nil {
		t.Fatal(err)
	}
	s := assay.Search{Words: g.question(4), K: 20}
	before, err := x.Retrieve(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	check(t, x)
	after, err := x.Retrieve(ctx, s)
	if err != nil || len(after.Passages) != len(before.Passages) || after.Passages[0].Document != before.Passages[0].Document {
		t.Errorf("after it %d passages are found, before it %d, %v", len(after.Passages), len(before.Passages), err)
	}
	for name, most := range map[string]int64{FileName: 900 << 10, VectorsName: 64 + 200*144, FileName + "-wal": 0} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Size() > most {
			t.Errorf("%s has %d bytes, %v", name, info.Size(), err)
		}
	}
	r, err := Open(ctx, dir, &Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	says(t, r.Compact(ctx), ErrReadOnly, "to write")
}

// TestShrink changes all documents again and again: the file doesn't grow with them.
func TestShrink(t *testing.T) {
	x := openWith(t, t.TempDir(), &indextest.Embedder{Size: 32})
	for i := range 3 {
		fill(t, x, newSynth(uint64(i), 400), leastDead/4)
		embed(t, x)
		if info, err := os.Stat(vectorsPath(x.path)); err != nil || info.Size() != 64+leastDead*48 {
			t.Fatalf("after round %d the file has %d bytes, %v", i, info.Size(), err)
		}
		check(t, x)
	}
}

// TestSalvageVectors damages an index: the vectors of what can be read are kept.
func TestSalvageVectors(t *testing.T) {
	ctx := context.Background()
	whole := built(t, 30)
	for name, test := range map[string]struct {
		damage  string
		pending int
	}{
		"nothing":             {"SELECT 1", 0},
		"a vector is missing": {"DELETE FROM vectors WHERE passage = 4", 4},
		"a passage is lost":   {"DELETE FROM passages WHERE id = 6", 3},
		"the model is lost":   {"DELETE FROM embedding", 120},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, whole)
			x := openWith(t, dir, &indextest.Embedder{})
			g := newSynth(4, 400)
			s := assay.Search{Words: g.question(3), K: 5}
			before, err := x.Retrieve(ctx, s)
			if err != nil {
				t.Fatal(err)
			}
			if err := x.writer.exec(ctx, test.damage); err != nil {
				t.Fatal(err)
			}
			x.Close()
			if _, err := Salvage(ctx, dir, nil); err != nil {
				t.Fatal(err)
			}
			e := &indextest.Embedder{}
			x = openWith(t, dir, e)
			check(t, x)
			pends(t, x, test.pending)
			embed(t, x)
			if n := len(e.Embedded()); n != test.pending {
				t.Errorf("%d passages were embedded again", n)
			}
			check(t, x)
			after, err := x.Retrieve(ctx, s)
			if err != nil || after.Passages[0].Document != before.Passages[0].Document {
				t.Errorf("%q finds %v, and found %v, %v", s.Words, after.Passages[0].Document, before.Passages[0].Document, err)
			}
		})
	}
}
