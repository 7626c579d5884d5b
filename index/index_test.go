package index

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-rag/assay"
)

func TestDocument(t *testing.T) {
	x := open(t, t.TempDir())
	ctx := context.Background()
	_, err := x.Document(ctx, "", "leave.md")
	says(t, err, ErrNotFound, "add documents first")
	handbook(t, x)
	long := strings.Repeat("Ünter langen Dokumenten. ", 5000)
	put(t, x, map[string]string{"handbook/de/leave.md": long})
	for _, test := range []struct{ id, want, hint string }{
		{"handbook/leave.md", "handbook/leave.md", ""},
		{"vpn.md", "handbook/it/vpn.md", ""},
		{"it/vpn.md", "handbook/it/vpn.md", ""},
		{"/it/vpn.md", "handbook/it/vpn.md", ""},
		{"leave.md", "", "handbook/de/leave.md, handbook/leave.md"},

		{"handbook/it/vpm.md", "", "did you mean handbook/it/vpn.md?"},
		{"bakcup", "", "did you mean handbook/it/backup.md?"},
		{"quite-another-thing.txt", "", "list the documents"},
		{"", "", "list the documents"},
	} {
		d, err := x.Document(ctx, "", test.id)
		if test.want == "" {
			says(t, err, ErrNotFound, "")
			if test.hint != "" {
				says(t, err, ErrNotFound, test.hint)
			}
		} else if err != nil || d.ID != test.want {
			t.Errorf("%q is %q, %v", test.id, d.ID, err)
		}
	}
	if d, err := x.Document(ctx, "", "de/leave.md"); err != nil || d.Text != long {
		t.Errorf("a long document has %d bytes of %d, %v", len(d.Text), len(long), err)
	}
	_, err = x.Document(ctx, "nowhere", "leave.md")
	says(t, err, ErrNotFound, "there are: default")
}

func TestListsAndRoots(t *testing.T) {
	x := open(t, t.TempDir())
	ctx := context.Background()
	handbook(t, x)
	if _, err := x.Root(ctx, "second", "/srv/empty"); err != nil {
		t.Fatal(err)
	}
	entries, err := x.Documents(ctx, "")
	if err != nil || len(entries) != 4 || entries[2].ID != "handbook/leave.md" || entries[2].Passages != 2 || entries[2].Title != "leave.md" {
		t.Errorf("the documents are %+v, %v", entries, err)
	}
	names, err := x.Collections(ctx)
	if err != nil || !slices.Equal(names, []string{"default", "second"}) {
		t.Errorf("the collections are %q, %v", names, err)
	}
	roots, err := x.Roots(ctx, "")
	if err != nil || !slices.Equal(roots, []Root{{"/srv/handbook", "handbook"}}) {
		t.Errorf("the roots are %v, %v", roots, err)
	}
	stats, err := x.Stats(ctx, "")
	if err != nil || stats.Documents != 4 || stats.Passages != 5 || stats.Languages["en"] != 4 || stats.Terms == 0 || stats.Generation == 0 {
		t.Errorf("the counts are %+v, %v", stats, err)
	}
	_, err = x.Stats(ctx, "third")
	says(t, err, ErrNotFound, "default, second")
	says(t, x.RemoveRoot(ctx, "", "nowhere"), ErrNotFound, "register")
	if err := x.RemoveRoot(ctx, "", "handbook"); err != nil {
		t.Fatal(err)
	}
	if names, _ := x.Collections(ctx); !slices.Equal(names, []string{"second"}) {
		t.Errorf("after the removal of a root the collections are %q", names)
	}
	check(t, x)
	handbook(t, x) // all of it again, with new numbers
	if got := finds(t, x, "parental"); got != "handbook/leave.md" {
		t.Errorf("parental finds %q", got)
	}
	check(t, x)
}

func TestPutRefuses(t *testing.T) {
	x := open(t, t.TempDir())
	ctx := context.Background()
	handbook(t, x)
	if _, err := x.Root(ctx, "", "/srv/other"); err != nil {
		t.Fatal(err)
	}
	d, p := cut("handbook/a.md", "Some text.")
	put := func(root string, docs []assay.Document, passages ...[]assay.Passage) error {
		return x.Put(ctx, "", root, docs, passages)
	}
	bad := func(change func(*assay.Document)) []assay.Document {
		c := d
		change(&c)
		return []assay.Document{c}
	}
	says(t, put("handbook", []assay.Document{d}), ErrInvalid, "1 documents and passages of 0")
	says(t, put("handbook", bad(func(d *assay.Document) { d.ID = "" }), p), ErrInvalid, "no ID")
	says(t, put("handbook", bad(func(d *assay.Document) { d.Text = "\xff" }), nil), ErrInvalid, "UTF-8")
	says(t, put("handbook", bad(func(d *assay.Document) { d.Text = "Other words." }), p), ErrInvalid, "bytes 0 to 10")
	says(t, put("handbook", []assay.Document{d, d}, p, p), ErrInvalid, "twice")
	says(t, put("nowhere", []assay.Document{d}, p), ErrNotFound, "register")
	says(t, put("other", bad(func(d *assay.Document) { d.ID = "handbook/leave.md" }), p), ErrInvalid, "another root")
	_, err := x.Root(ctx, "", "relative")
	says(t, err, ErrInvalid, "absolute")
	says(t, x.Restamp(ctx, "", "handbook", map[string]string{"handbook/leave.md": "new", "handbook/none.md": "new"}), ErrNotFound, "none.md")
	stamps, err := x.Stamps(ctx, "", "handbook")
	if err != nil || stamps["handbook/leave.md"] != "s" {
		t.Errorf("a refused restamp left %v, %v", stamps, err)
	}
	if n := len(stamps); n != 4 {
		t.Errorf("there are %d documents", n)
	}
}

// TestOldDates keeps dates that nanoseconds since 1970 have no room for.
func TestOldDates(t *testing.T) {
	x := open(t, t.TempDir())
	ctx := context.Background()
	handbook(t, x)
	old := time.Date(1066, 10, 14, 9, 0, 0, 1, time.UTC)
	d, p := cut("handbook/hastings.md", "The battle was lost.")
	d.Date = old
	if err := x.Put(ctx, "", "handbook", []assay.Document{d}, [][]assay.Passage{p}); err != nil {
		t.Fatal(err)
	}
	if got, err := x.Document(ctx, "", d.ID); err != nil || !got.Date.Equal(old) {
		t.Errorf("the date is %v, %v", got.Date, err)
	}
	found, err := x.Retrieve(ctx, assay.Search{Words: "battle", Filter: assay.Filter{Before: old}})
	got := found.Passages
	if err != nil || len(got) != 0 {
		t.Errorf("before its date the document is found: %v, %v", got, err)
	}
}

// TestModel makes random changes, and compares the index with one made in one go.
func TestModel(t *testing.T) {
	ctx := context.Background()
	x := open(t, t.TempDir())
	g := newSynth(9, 300)
	root, err := x.Root(ctx, "", "/root")
	if err != nil {
		t.Fatal(err)
	}
	docs, passages := map[string]assay.Document{}, map[string][]assay.Passage{}
	for i := range 150 {
		if i%3 == 2 {
			id := fmt.Sprintf("root/%02d/%06d.md", i/2%50, i/2)
			delete(docs, id)
			if err := x.Remove(ctx, "", root, []string{id}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		d, p := g.document(g.rnd.IntN(40), 1+g.rnd.IntN(4))
		docs[d.ID], passages[d.ID] = d, p
		if err := x.Put(ctx, "", root, []assay.Document{d}, [][]assay.Passage{p}); err != nil {
			t.Fatal(err)
		}
	}
	check(t, x)
	fresh := open(t, t.TempDir())
	if _, err := fresh.Root(ctx, "", "/root"); err != nil {
		t.Fatal(err)
	}
	var ds []assay.Document
	var ps [][]assay.Passage
	for id, d := range docs {
		ds, ps = append(ds, d), append(ps, passages[id])
	}
	if err := fresh.Put(ctx, "", root, ds, ps); err != nil {
		t.Fatal(err)
	}
	for range 30 {
		s := assay.Search{Words: g.question(3), K: 20}
		foundA, err := x.Retrieve(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		foundB, err := fresh.Retrieve(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		a, b := foundA.Passages, foundB.Passages
		for i := range min(len(a), len(b)) {
			// Equal scores at the end may be of other passages.
			if diff := a[i].Score - b[i].Score; diff > 1e-9 || diff < -1e-9 {
				t.Fatalf("%q: passage %d scores %v and %v", s.Words, i, a[i].Score, b[i].Score)
			}
		}
		if len(a) != len(b) {
			t.Fatalf("%q: %d and %d passages", s.Words, len(a), len(b))
		}
	}
}

// TestConcurrent reads from many goroutines while documents come and go.
func TestConcurrent(t *testing.T) {
	ctx := context.Background()
	var log strings.Builder
	x, err := Open(ctx, t.TempDir(), &Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	handbook(t, x)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 8 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if got := finds(t, x, "parental"); got != "handbook/leave.md" {
					t.Errorf("parental finds %q", got)
				}
				if _, err := x.Related(ctx, "", "VPN"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 30 {
		put(t, x, map[string]string{"handbook/coming.md": fmt.Sprintf("Coming and going, time%d.", i)})
		if err := x.Remove(ctx, "", "handbook", []string{"handbook/coming.md"}); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	check(t, x)
	if log.Len() > 0 {
		t.Errorf("a sound index says %s", log.String())
	}
}
