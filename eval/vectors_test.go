package eval

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// counting embeds a text as its length and its first letter, and counts how many
// it was given.
type counting struct {
	model string
	asked []string
	err   error
}

func (c *counting) Model() string { return c.model }
func (c *counting) Dim() int      { return 2 }

func (c *counting) EmbedPassages(_ context.Context, texts []string) ([][]float32, error) {
	if c.err != nil {
		return nil, c.err
	}
	c.asked = append(c.asked, texts...)
	var out [][]float32
	for _, t := range texts {
		out = append(out, []float32{float32(len(t)), float32(t[0])})
	}
	return out, nil
}

func (c *counting) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	out, err := c.EmbedPassages(ctx, []string{text})
	return out[0], err
}

// keep embeds texts through a file and returns which of them the embedder was given.
func keep(t *testing.T, path, model string, texts ...string) []string {
	t.Helper()
	inner := &counting{model: model}
	k, err := KeepVectors(path, inner)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	got, err := k.EmbedPassages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := (&counting{}).EmbedPassages(t.Context(), texts)
	if !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
		t.Errorf("the vectors of %q are %v, want %v", texts, got, want)
	}
	return inner.asked
}

func TestKeptVectors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors")
	for _, step := range []struct {
		model, texts, asked string
	}{
		{"m", "a bb a ccc", "a bb ccc"}, // each once
		{"m", "ccc a bb", ""},
		{"n", "a", "a"}, // another model has vectors of its own
		{"m", "a dddd", "dddd"},
		{"n", "a", ""},
	} {
		if asked := strings.Join(keep(t, path, step.model, strings.Fields(step.texts)...), " "); asked != step.asked {
			t.Errorf("of %q with model %s, %q was embedded, want %q", step.texts, step.model, asked, step.asked)
		}
	}
}

func TestKeptVectorsAfterAnInterruption(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors")
	keep(t, path, "m", "a", "bb")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	record := (len(whole) - len(vectorsMagic)) / 2
	for cut := range record {
		if err := os.WriteFile(path, whole[:len(whole)-cut], 0o644); err != nil {
			t.Fatal(err)
		}
		asked := keep(t, path, "m", "a", "bb")
		if want := min(cut, 1); len(asked) != want {
			t.Fatalf("%d bytes short, %q was embedded, want %d texts", cut, asked, want)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, whole) {
			t.Fatalf("%d bytes short, the file isn't made whole again", cut)
		}
	}
}

func TestKeptVectorsRefusesWhatItCantRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors")
	keep(t, path, "m", "a", "bb")
	whole, _ := os.ReadFile(path)
	flipped := bytes.Clone(whole)
	flipped[len(vectorsMagic)+recordHead] ^= 1
	for _, c := range []struct {
		content []byte
		want    string
	}{
		{[]byte("# Notes\nnot to be lost\n"), "something else than vectors"},
		{flipped, "damaged at byte 21"},
	} {
		if err := os.WriteFile(path, c.content, 0o644); err != nil {
			t.Fatal(err)
		}
		if k, err := KeepVectors(path, &counting{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
			k.Close()
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, c.content) {
			t.Error("the file was changed")
		}
	}
	if _, err := KeepVectors(filepath.Join(path, "below"), &counting{}); err == nil || !strings.Contains(err.Error(), "eval: keep vectors: ") {
		t.Errorf("error is %v", err)
	}
}

func TestKeptVectorsPassesErrorsOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors")
	broken := errors.New("no memory")
	k, err := KeepVectors(path, &counting{err: broken})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.EmbedPassages(t.Context(), []string{"a"}); !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if asked := keep(t, path, "m", "a"); len(asked) != 1 {
		t.Error("what failed was kept")
	}
}

func FuzzKeptVectors(f *testing.F) {
	good := appendVector([]byte(vectorsMagic), keyOf("m", "a"), []float32{1, float32(math.Inf(-1))})
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(appendVector(good, vectorKey{}, nil))
	f.Add(append(slices.Clone(good), 0xff, 0xff))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		k := &KeptVectors{kept: map[vectorKey][]float32{}}
		end, err := k.read(data)
		if err != nil {
			return
		}
		if end < len(vectorsMagic) || end > len(data) {
			t.Fatalf("%d bytes of %d are good", end, len(data))
		}
		again := &KeptVectors{kept: map[vectorKey][]float32{}}
		if to, err := again.read(data[:end]); err != nil || to != end || len(again.kept) != len(k.kept) {
			t.Fatalf("read again, %d bytes (%v) are good and hold %d vectors, not %d and %d", to, err, len(again.kept), end, len(k.kept))
		}
	})
}
