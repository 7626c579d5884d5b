package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
	"github.com/assay-rag/assay/index/internal/vectors"
)

// TestHybridAgainstAll compares searches with both halves computed over every
// passage, under filters and without, while some passages have no vector.
func TestHybridAgainstAll(t *testing.T) {
	ctx := context.Background()
	e := &indextest.Embedder{}
	x := openWith(t, t.TempDir(), e)
	g := newSynth(4, 400)
	fill(t, x, g, 150)
	embed(t, x)
	fill(t, x, newSynth(8, 400), 10) // ten documents anew, so that runs have gaps
	for round := range 40 {
		search := assay.Search{Words: g.question(1 + round%4), K: 1 + round%30}
		switch round % 4 {
		case 1:
			search.Filter.Equal = map[string]string{"team": fmt.Sprint("t", round%20)}
		case 2:
			search.Filter.PathPrefix = fmt.Sprintf("root/%02d/", round%50)
		case 3:
			search.Filter.PathPrefix = "root/0"
		}
		if round == 20 {
			embed(t, x)
		}
		found, err := x.Retrieve(ctx, search)
		if err != nil {
			t.Fatal(err)
		}
		if says := strings.Contains(found.Short, "40 of 600 passages have no vector yet"); says != (round < 20) {
			t.Fatalf("round %d says %q", round, found.Short)
		}
		want := fusedOverAll(t, x, search, e)
		if len(found.Passages) != len(want) {
			t.Fatalf("%+v finds %d passages, want %d", search, len(found.Passages), len(want))
		}
		for i, p := range found.Passages {
			if math.Abs(p.Score-want[i].score) > 1e-9 {
				t.Fatalf("%+v: passage %d scores %v, want %v", search, i, p.Score, want[i].score)
			}
		}
	}
}

// fusedOverAll is the search as it should be, computed from the tables. It takes
// the best of each half as the search does, as they are part of what it means.
func fusedOverAll(t *testing.T, x *Index, search assay.Search, e *indextest.Embedder) (out []hit) {
	t.Helper()
	ctx := context.Background()
	asked, err := e.EmbedQuery(ctx, search.Words)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.read(ctx, func(s *session) error {
		c, _, err := lookup(ctx, s, "")
		if err != nil {
			return err
		}
		q, err := parse(ctx, s, c, search.Words)
		if err != nil {
			return err
		}
		where, args, err := conditions(ctx, s, c, search.Filter)
		if err != nil {
			return err
		}
		runs, err := runsOf(ctx, s, where, args...)
		if err != nil {
			return err
		}
		words, err := query{s: s, c: c, question: q}.rank(ctx, runs.all())
		if err != nil {
			return err
		}
		records, err := vectorsBetween(ctx, s, e.Dim(), 0, 1<<62, 1<<30)
		if err != nil {
			return err
		}
		var near []hit
		for _, r := range records {
			if runs.has(r.ID) {
				near = append(near, hit{r.ID, vectors.Dot(asked, r.Vector)})
			}
		}
		ids := idsOf(best(words, halfSize), best(near, halfSize))
		fused := ConvexTheoretical(defaultAlpha)(scoresOf(words).list(ids, 0), scoresOf(near).list(ids, math.NaN()))
		for i, id := range ids {
			out = append(out, hit{id, fused[i]})
		}
		out = best(out, search.K)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func first[A, B any](a A, _ B) A { return a }

// TestHybridFindsMeaning looks for what shares no word with the question.
func TestHybridFindsMeaning(t *testing.T) {
	ctx := context.Background()
	x := openWith(t, t.TempDir(), &indextest.Embedder{})
	handbook(t, x)
	embed(t, x)
	found, err := x.Retrieve(ctx, assay.Search{Words: "parentality", K: 1})
	if err != nil || found.Short != "" || len(found.Passages) != 1 || found.Passages[0].Document != "handbook/leave.md" {
		t.Errorf("parentality finds %+v, %v", found, err)
	}
	for _, words := range []string{"", "!!!", "is it to be"} {
		if found, err := x.Retrieve(ctx, assay.Search{Words: words}); err != nil || found.Short != "" || len(found.Passages) > 1 {
			t.Errorf("%q finds %+v, %v", words, found, err)
		}
	}
	if found, err := x.Retrieve(ctx, assay.Search{Words: "parental", Collection: "none"}); err != nil || found.Short != "" || len(found.Passages) > 0 {
		t.Errorf("in a collection that isn't there: %+v, %v", found, err)
	}
}

// TestShort says in what way a search went by words alone.
func TestShort(t *testing.T) {
	ctx := context.Background()
	e := &indextest.Embedder{}
	x := openWith(t, t.TempDir(), e)
	x.patience = 50 * time.Millisecond
	fill(t, x, newSynth(4, 400), 10)
	put(t, x, map[string]string{"handbook/leave.md": "Parental leave lasts sixteen weeks."})
	short := func(x *Index, want string) {
		t.Helper()
		found, err := x.Retrieve(ctx, assay.Search{Words: "How many weeks of parental leave?"})
		if err != nil || len(found.Passages) == 0 || found.Passages[0].Document != "handbook/leave.md" {
			t.Errorf("it finds %+v, %v", found.Passages, err)
		}
		if found.Short != want {
			t.Errorf("it says %q, want %q", found.Short, want)
		}
	}
	short(x, "41 of 41 passages have no vector yet, so all were looked for by their words alone")
	embed(t, x)
	short(x, "")
	put(t, x, map[string]string{"handbook/new.md": "Umbrellas are lent."})
	short(x, "1 of 42 passages has no vector yet and can be found by words alone")
	put(t, x, map[string]string{"handbook/more.md": strings.Repeat("More.\n\n", 10)})
	short(x, "11 of 52 passages have no vector yet, so all were looked for by their words alone")
	embed(t, x)
	e.Before = func(context.Context, []string) error { return errors.New("the model is gone") }
	short(x, "the question has no vector (the model is gone), so all were looked for by their words alone")
	called := make(chan bool, 1)
	e.Before = func(ctx context.Context, _ []string) error { called <- true; <-ctx.Done(); return ctx.Err() }
	short(x, "the question had no vector within 50ms, so all were looked for by their words alone")
	<-called
	cancelled, cancel := context.WithCancel(ctx)
	e.Before = func(context.Context, []string) error { cancel(); return ctx.Err() }
	if _, err := x.Retrieve(cancelled, assay.Search{Words: "parental leave"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while the question is embedded, it says %v", err)
	}
	y := open(t, filepath.Dir(x.path))
	short(y, "")
}

// TestFileFaults breaks the mapped file in every way: what is found stays the same.
func TestFileFaults(t *testing.T) {
	ctx := context.Background()
	write := func(change func([]byte) []byte) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change(data), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	whole := built(t, 20)
	for name, breakIt := range map[string]func(t *testing.T, path string){
		"gone":       func(t *testing.T, path string) { os.Remove(path) },
		"empty":      write(func(b []byte) []byte { return nil }),
		"half":       write(func(b []byte) []byte { return b[:len(b)/2] }),
		"a torn end": write(func(b []byte) []byte { return b[:len(b)-7] }),
		"no header":  write(func(b []byte) []byte { clear(b[:64]); return b }),
		"a bit":      write(func(b []byte) []byte { b[64+5*144+40] ^= 1; return b }),
		"every 1000": write(func(b []byte) []byte {
			for i := 70; i < len(b); i += 1000 {
				b[i] ^= 128
			}
			return b
		}),
		"other bytes": write(func(b []byte) []byte { return []byte(strings.Repeat("not a vector ", 500)) }),
		"ahead": func(t *testing.T, path string) {
			x := open(t, filepath.Dir(path))
			e, _, err := x.embedding(ctx)
			if err != nil {
				t.Fatal(err)
			}
			f, err := vectors.Open(path, e.dim, e.epoch)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			v, _ := vectors.Quantize(make([]float32, e.dim))
			if err := f.Append([]vectors.Record{{ID: e.embedded + 3, Vector: v}}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, whole)
			x := openWith(t, dir, &indextest.Embedder{})
			g := newSynth(4, 400)
			var questions []assay.Search
			var want []assay.Found
			for range 5 {
				s := assay.Search{Words: g.question(3), K: 10}
				found, err := x.Retrieve(ctx, s)
				if err != nil || found.Short != "" {
					t.Fatal(found.Short, err)
				}
				questions, want = append(questions, s), append(want, found)
			}
			same := func(x *Index) {
				t.Helper()
				for i, s := range questions {
					got, err := x.Retrieve(ctx, s)
					if err != nil || got.Short != "" || !slices.EqualFunc(got.Passages, want[i].Passages, func(a, b assay.Passage) bool {
						return a.Document == b.Document && a.Start == b.Start && a.Score == b.Score
					}) {
						t.Errorf("%q finds other passages, or says %q, %v", s.Words, got.Short, err)
					}
				}
			}
			x.Close()
			breakIt(t, vectorsPath(x.path))
			broken, err := os.ReadFile(vectorsPath(x.path))
			r, openErr := Open(ctx, dir, &Options{ReadOnly: true, Embedder: &indextest.Embedder{}})
			if openErr != nil {
				t.Fatal(openErr)
			}
			defer r.Close()
			same(r)
			if after, afterErr := os.ReadFile(vectorsPath(x.path)); string(after) != string(broken) || (err == nil) != (afterErr == nil) {
				t.Error("a reader changed the file")
			}
			w := openWith(t, dir, &indextest.Embedder{})
			same(w)
			embed(t, w)
			same(w)
			same(r) // which must follow to the new file
			check(t, w)
			f, err := vectors.Open(vectorsPath(x.path), 128, first(w.embeddingNow(t)).epoch)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if n, err := f.Verify(ctx, nil); n != 80 || err != nil {
				t.Errorf("the file made anew has %d good records, %v", n, err)
			}
		})
	}
}

func (x *Index) embeddingNow(t *testing.T) (embedding, bool) {
	e, ok, err := x.embedding(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return e, ok
}

// TestFileBehind leaves the file without the last vectors, as a process that was
// killed before it appended them.
func TestFileBehind(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{})
	handbook(t, x)
	embed(t, x)
	before, err := os.ReadFile(vectorsPath(x.path))
	if err != nil {
		t.Fatal(err)
	}
	put(t, x, map[string]string{"handbook/new.md": "Umbrellas are lent."})
	embed(t, x)
	x.Close()
	if err := os.WriteFile(vectorsPath(x.path), before, 0o666); err != nil {
		t.Fatal(err)
	}
	x = openWith(t, dir, &indextest.Embedder{})
	found, err := x.Retrieve(ctx, assay.Search{Words: "umbrellaz", K: 1})
	if err != nil || found.Short != "" || len(found.Passages) != 1 || found.Passages[0].Document != "handbook/new.md" {
		t.Errorf("what the file lacks isn't found: %+v, %v", found, err)
	}
	embed(t, x)
	if after, err := os.ReadFile(vectorsPath(x.path)); err != nil || len(after) <= len(before) {
		t.Errorf("the file has %d bytes and had %d, %v", len(after), len(before), err)
	}
}

// TestDamagedTable can read vectors neither from the file nor from the table.
func TestDamagedTable(t *testing.T) {
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{})
	handbook(t, x)
	embed(t, x)
	x.Close()
	os.Remove(vectorsPath(x.path))
	y := open(t, dir)
	if err := y.writer.exec(context.Background(), "UPDATE vectors SET data = x'00' WHERE passage = 2"); err != nil {
		t.Fatal(err)
	}
	x = openWith(t, dir, &indextest.Embedder{})
	found, err := x.Retrieve(context.Background(), assay.Search{Words: "parental"})
	if err != nil || len(found.Passages) != 1 || found.Short != "the vectors of the index are damaged, so all were looked for by their words alone" {
		t.Errorf("it finds %d passages and says %q, %v", len(found.Passages), found.Short, err)
	}
	says(t, x.Check(context.Background()), ErrDamaged, "passage 2")
}

// TestTooManyForTheTable has no file and more vectors than a search reads from the
// table.
func TestTooManyForTheTable(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{})
	handbook(t, x)
	embed(t, x)
	if err := x.writer.exec(ctx, `WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 100 + ?)
		INSERT INTO vectors SELECT i, (SELECT data FROM vectors LIMIT 1) FROM n`, tableLimit); err != nil {
		t.Fatal(err)
	}
	if err := x.writer.exec(ctx, `UPDATE embedding SET embedded = 1000000`); err != nil {
		t.Fatal(err)
	}
	x.Close()
	os.Remove(vectorsPath(x.path))
	for _, readOnly := range []bool{true, false} {
		y, err := Open(ctx, dir, &Options{ReadOnly: readOnly, Embedder: &indextest.Embedder{}})
		if err != nil {
			t.Fatal(err)
		}
		defer y.Close()
		found, err := y.Retrieve(ctx, assay.Search{Words: "parental"})
		if err != nil || len(found.Passages) == 0 || found.Passages[0].Document != "handbook/leave.md" {
			t.Errorf("parental finds %+v, %v", found.Passages, err)
		}
		if short := strings.Contains(found.Short, "vector file of the index can't be used, so all were looked for by their words alone"); short != readOnly {
			t.Errorf("read-only %v, it says %q", readOnly, found.Short)
		}
	}
}
