package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
)

// openWith opens an index with an embedder.
func openWith(tb testing.TB, dir string, e Embedder) *Index {
	tb.Helper()
	x, err := Open(context.Background(), dir, &Options{Embedder: e})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { x.Close() })
	return x
}

func embed(tb testing.TB, x *Index) {
	tb.Helper()
	if err := x.Embed(context.Background(), nil); err != nil {
		tb.Fatal(err)
	}
}

// pends fails the test where not n passages lack a vector.
func pends(tb testing.TB, x *Index, n int) {
	tb.Helper()
	if got, err := x.Pending(context.Background()); err != nil || got != n {
		tb.Errorf("%d passages have no vector, %v; want %d", got, err, n)
	}
}

// made fails the test where the vectors aren't told to be such.
func made(tb testing.TB, x *Index, model string, dim int) {
	tb.Helper()
	if m, d, err := x.Vectors(context.Background()); err != nil || m != model || d != dim {
		tb.Errorf("vectors of %q with %d numbers, %v; want %q with %d", m, d, err, model, dim)
	}
}

func TestEmbed(t *testing.T) {
	ctx := context.Background()
	e := &indextest.Embedder{}
	x := openWith(t, t.TempDir(), e)
	pends(t, x, 0)
	made(t, x, "", 0)
	embed(t, x) // nothing to do
	handbook(t, x)
	pends(t, x, 5)
	before, err := x.Generation(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	if err := x.Embed(ctx, func(done, total int) { told = append(told, fmt.Sprint(done, "/", total)) }); err != nil {
		t.Fatal(err)
	}
	made(t, x, e.Model(), e.Dim())
	if got := strings.Join(told, " "); got != "0/5 5/5" {
		t.Errorf("the progress is %s", got)
	}
	pends(t, x, 0)
	if after, err := x.Generation(ctx); err != nil || after <= before {
		t.Errorf("embedding left the generation at %d, %v", after, err)
	}
	want := []string{"leave.md\nParental leave lasts sixteen weeks.", "travel.md\nTrains are booked through the travel desk."}
	for _, text := range want {
		if !slices.Contains(e.Embedded(), text) {
			t.Errorf("%q isn't in what was embedded: %q", text, e.Embedded())
		}
	}
	// What changes is embedded again, and nothing else.
	put(t, x, map[string]string{"handbook/travel.md": "Trams are free."})
	if err := x.Remove(ctx, "", "handbook", []string{"handbook/it/vpn.md"}); err != nil {
		t.Fatal(err)
	}
	pends(t, x, 1)
	embed(t, x)
	if got := e.Embedded(); len(got) != 6 || got[5] != "travel.md\nTrams are free." {
		t.Errorf("embedded were %q", got)
	}
	check(t, x)
}

func TestEmbeddedText(t *testing.T) {
	for _, test := range []struct {
		title   string
		heading []string
		want    string
	}{
		{"", nil, "text"},
		{"Leave", nil, "Leave\ntext"},
		{"", []string{"Parental"}, "Parental\ntext"},
		{"Leave", []string{"Parental", "Twins"}, "Leave › Parental › Twins\ntext"},
		{"Leave", []string{"Leave", "Twins"}, "Leave › Twins\ntext"},
	} {
		if got := embeddedText(test.title, test.heading, "text"); got != test.want {
			t.Errorf("%q under %q is embedded as %q, want %q", test.title, test.heading, got, test.want)
		}
	}
}

// TestEmbedResumes interrupts the embedding: what was stored stays.
func TestEmbedResumes(t *testing.T) {
	dir := t.TempDir()
	calls := 0
	e := &indextest.Embedder{Before: func(ctx context.Context, texts []string) error {
		if calls++; calls == 3 {
			return errors.New("the power is out")
		}
		return nil
	}}
	x := openWith(t, dir, e)
	fill(t, x, newSynth(2, 500), 100)
	err := x.Embed(context.Background(), nil)
	if err == nil || !strings.Contains(err.Error(), "the power is out") {
		t.Fatalf("the error is %v", err)
	}
	pends(t, x, 400-2*embedBatch)
	x.Close()
	again := &indextest.Embedder{}
	x = openWith(t, dir, again)
	ctx, cancel := context.WithCancel(context.Background())
	err = x.Embed(ctx, func(done, total int) {
		if done > 0 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled embedding says %v", err)
	}
	pends(t, x, 400-3*embedBatch)
	embed(t, x)
	pends(t, x, 0)
	if n := len(again.Embedded()); n != 400-2*embedBatch {
		t.Errorf("%d passages were embedded after the interruption", n)
	}
	check(t, x)
}

// TestEmbedWhileWriting changes documents while they are being embedded.
func TestEmbedWhileWriting(t *testing.T) {
	var x *Index
	calls := 0
	e := &indextest.Embedder{Before: func(ctx context.Context, texts []string) error {
		if calls++; calls == 1 {
			put(t, x, map[string]string{"handbook/leave.md": "Sabbaticals are granted.", "handbook/new.md": "Umbrellas are lent."})
			return x.Remove(ctx, "", "handbook", []string{"handbook/travel.md"})
		}
		return nil
	}}
	x = openWith(t, t.TempDir(), e)
	handbook(t, x)
	var done, total int
	if err := x.Embed(context.Background(), func(d, t int) { done, total = d, t }); err != nil {
		t.Fatal(err)
	}
	if done != 7 || total != 7 { // five before the change, and two after it
		t.Errorf("%d of %d passages were embedded", done, total)
	}
	pends(t, x, 0)
	check(t, x)
}

// TestEmbedTogether has several indexes of one folder embed at once, while another
// writes.
func TestEmbedTogether(t *testing.T) {
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{})
	g := newSynth(2, 500)
	fill(t, x, g, 60)
	var wg sync.WaitGroup
	for range 3 {
		y := openWith(t, dir, &indextest.Embedder{})
		wg.Go(func() {
			if err := y.Embed(context.Background(), nil); err != nil {
				t.Error(err)
			}
		})
	}
	fill(t, x, g, 70) // ten more, and all others anew
	wg.Wait()
	embed(t, x)
	pends(t, x, 0)
	check(t, x)
}

func TestModelMismatch(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{Name: "first"})
	handbook(t, x)
	embed(t, x)
	x.Close()
	for _, other := range []*indextest.Embedder{{Name: "second"}, {Name: "first", Size: 64}} {
		_, err := Open(ctx, dir, &Options{Embedder: other})
		says(t, err, ErrModel, "they were made by first (128 dimensions)")
		says(t, err, ErrModel, fmt.Sprintf("the embedder is %s (%d)", other.Model(), other.Dim()))
		says(t, err, ErrModel, "ForgetVectors")
	}
	if _, err := Open(ctx, dir, &Options{Embedder: &indextest.Embedder{Size: -1}}); err == nil {
		t.Error("an embedder of −1 dimensions is taken")
	}
	y := open(t, dir) // without an embedder
	if got := finds(t, y, "parental"); got != "handbook/leave.md" {
		t.Errorf("by words parental finds %q", got)
	}
	if err := y.Embed(ctx, nil); err == nil || !strings.Contains(err.Error(), "without an embedder") {
		t.Errorf("embedding without an embedder says %v", err)
	}
	// Another program changes the model under one that has the index open.
	x = openWith(t, dir, &indextest.Embedder{Name: "first"})
	if err := y.ForgetVectors(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(vectorsPath(y.path)); err == nil {
		t.Error("the file of forgotten vectors is still there")
	}
	pends(t, y, 5)
	z := openWith(t, dir, &indextest.Embedder{Name: "second", Size: 64})
	embed(t, z)
	found, err := x.Retrieve(ctx, assay.Search{Words: "parental weeks"})
	if err != nil || !strings.Contains(found.Short, "another model, second") || len(found.Passages) != 1 {
		t.Errorf("with vectors of another model: %+v, %v", found, err)
	}
	says(t, x.Embed(ctx, nil), ErrModel, "another process has begun meanwhile to make them by second")
	check(t, z)
}

// TestBadEmbedder has an embedder that doesn't do what it says.
func TestBadEmbedder(t *testing.T) {
	ctx := context.Background()
	for name, vectors := range map[string]func(n int) [][]float32{
		"too few":        func(n int) [][]float32 { return make([][]float32, n-1) },
		"of no length":   func(n int) [][]float32 { return make([][]float32, n) },
		"not a number":   func(n int) [][]float32 { return slices.Repeat([][]float32{{0, float32(nan())}}, n) },
		"too many of it": func(n int) [][]float32 { return slices.Repeat([][]float32{{0, 1, 0}}, n) },
	} {
		x := openWith(t, t.TempDir(), badEmbedder(vectors))
		handbook(t, x)
		if err := x.Embed(ctx, nil); err == nil || !strings.Contains(err.Error(), "the embedder made") {
			t.Errorf("%s: the error is %v", name, err)
		}
		pends(t, x, 5)
	}
}

func nan() float64 { z := 0.0; return z / z }

type badEmbedder func(n int) [][]float32

func (badEmbedder) Model() string { return "bad" }
func (badEmbedder) Dim() int      { return 2 }
func (b badEmbedder) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	return b(len(texts)), nil
}
func (b badEmbedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	return b(1)[0], nil
}

// TestTextForm opens an index whose passages were embedded in another form.
func TestTextForm(t *testing.T) {
	ctx := context.Background()
	dir := built(t, 5)
	x := open(t, dir)
	stats, err := x.Stats(ctx, "")
	if err != nil || stats.Model != "trigrams" {
		t.Errorf("the model is %q, %v", stats.Model, err)
	}
	if e, _ := x.embeddingNow(t); e.model != "trigrams;text=1" {
		t.Errorf("recorded is %q", e.model)
	}
	if err := x.writer.exec(ctx, "UPDATE embedding SET model = 'trigrams;text=0'"); err != nil {
		t.Fatal(err)
	}
	_, err = Open(ctx, dir, &Options{Embedder: &indextest.Embedder{}})
	says(t, err, ErrModel, "made by trigrams;text=0 (128 dimensions), and the embedder is trigrams (128)")
}

// TestRenamedModel opens an index with a model of another name and the same mark.
func TestRenamedModel(t *testing.T) {
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{Name: "first@0123abcd"})
	handbook(t, x)
	embed(t, x)
	for name, renamed := range map[string]bool{"second@0123abcd": true, "first@0123abce": false, "first": false} {
		_, err := Open(context.Background(), dir, &Options{Embedder: &indextest.Embedder{Name: name}})
		says(t, err, ErrModel, "made by first@0123abcd")
		if got := strings.Contains(err.Error(), "only the names differ"); got != renamed {
			t.Errorf("%s: %v", name, err)
		}
	}
}
