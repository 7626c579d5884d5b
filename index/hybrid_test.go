package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
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

// TestCodes searches for codes by words, as long as they find any.
func TestCodes(t *testing.T) {
	x := openWith(t, t.TempDir(), &indextest.Embedder{})
	put(t, x, map[string]string{
		"faults/e-4031.md": "Fault E-4031: the pump has no pressure.",
		"faults/e-4032.md": "Fault E-4032: the pump is too hot.",
		"faults/pumps.md":  "What to do when a pump fails.",
	})
	embed(t, x)
	for _, test := range []struct{ words, want string }{
		{"4031", "faults/e-4031.md"},
		{"what is 4031?", "faults/e-4031.md"},
		{"fault 4031", "faults/e-4031.md faults/e-4032.md faults/pumps.md"}, // with another word, by both
		{"x4031y", "faults/e-4031.md faults/e-4032.md faults/pumps.md"},     // which no passage has, by vectors
	} {
		if got := finds(t, x, test.words); got != test.want {
			t.Errorf("%q finds %s, want %s", test.words, got, test.want)
		}
	}
}

func TestOfCodes(t *testing.T) {
	for _, test := range []struct {
		words, language string
		want            bool
	}{
		{"EST-4031", "en", true},
		{"what is EST-4031?", "en", true},
		{"was ist EST-4031?", "de", true},
		{"10.0.0.1 v2.1", "en", true},
		{"2024", "en", true},
		{"IL-12Rβ1", "en", true},
		{"EST-4031 limit", "en", false},
		{"how many in 2024", "en", true},
		{"the 3 °C limit", "en", false},
		{"第3条の内容は何ですか", "ja", false},
		{"มาตรา3", "th", false},
		{"what is it?", "en", false},
		{"", "en", false},
	} {
		if got := ofCodes(test.words, test.language); got != test.want {
			t.Errorf("%q: %v, want %v", test.words, got, test.want)
		}
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

func (x *Index) embeddingNow(t *testing.T) (embedding, bool) {
	e, ok, err := x.embedding(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return e, ok
}
