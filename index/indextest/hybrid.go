package indextest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-rag/assay"
)

// HybridStore is a store that finds passages by vectors too.
type HybridStore interface {
	Store
	Embed(ctx context.Context, progress func(done, total int)) error
	Pending(ctx context.Context) (int, error)
}

// RunHybrid runs what a store must pass that has an embedder. open returns an
// empty store that uses e, and closes it when t ends.
func RunHybrid(t *testing.T, open func(t *testing.T, e *Embedder) HybridStore) {
	for name, test := range map[string]func(*hybridHarness){
		"embedding": embedding, "interrupted": interrupted, "both halves": bothHalves, "filter both halves": filterBothHalves,
		"filter before the dense cut": filterBeforeDenseCut, "collections apart": collectionsApart, "partly embedded": partlyEmbedded,
		"embedder down": embedderDown, "copies with vectors": copiesWithVectors, "snapshots": snapshots,
	} {
		t.Run(name, func(t *testing.T) {
			e := &Embedder{}
			store := open(t, e)
			test(&hybridHarness{harness{T: t, store: store, ctx: context.Background()}, store, e})
		})
	}
}

type hybridHarness struct {
	harness
	hybrid   HybridStore
	embedder *Embedder
}

func (h *hybridHarness) embed() {
	h.Helper()
	h.must(h.hybrid.Embed(h.ctx, nil))
}

func (h *hybridHarness) pends(want int) {
	h.Helper()
	n, err := h.hybrid.Pending(h.ctx)
	h.must(err)
	if n != want {
		h.Errorf("%d passages have no vector, want %d", n, want)
	}
}

// found is a search of which the embedded part must be whole.
func (h *hybridHarness) found(s assay.Search) []assay.Passage {
	h.Helper()
	got, err := h.store.Retrieve(h.ctx, s)
	h.must(err)
	if got.Short != "" {
		h.Errorf("%q falls short: %s", s.Words, got.Short)
	}
	return got.Passages
}

func embedding(h *hybridHarness) {
	h.pends(0)
	h.embed()
	root := h.handbook()
	h.pends(5)
	var told []string
	h.must(h.hybrid.Embed(h.ctx, func(done, total int) { told = append(told, fmt.Sprint(done, " of ", total)) }))
	if len(told) == 0 || told[0] != "0 of 5" || told[len(told)-1] != "5 of 5" {
		h.Errorf("the progress is %q", told)
	}
	h.pends(0)
	h.put("default", root, doc("handbook/travel.md", "Trains are cheap."))
	h.must(h.store.Remove(h.ctx, "default", root, []string{"handbook/laptops.md"}))
	h.pends(1)
	h.embed()
	h.pends(0)
	if n := len(h.embedder.Embedded()); n != 6 {
		h.Errorf("%d passages were embedded where five were put and one changed", n)
	}
}

func interrupted(h *hybridHarness) {
	root := h.root("default", "/srv/d")
	var docs []assay.Document
	for i := range 500 {
		docs = append(docs, doc(fmt.Sprintf("d/%03d.md", i), fmt.Sprintf("Room number %d.", i)))
	}
	h.put("default", root, docs...)
	calls := 0
	h.embedder.Before = func(context.Context, []string) error {
		if calls++; calls > 1 {
			return errors.New("out of order")
		}
		return nil
	}
	if err := h.hybrid.Embed(h.ctx, nil); err == nil || !strings.Contains(err.Error(), "out of order") {
		h.Errorf("the embedder fails, and the store says %v", err)
	}
	h.embedder.Before = nil
	left, err := h.hybrid.Pending(h.ctx)
	h.must(err)
	if left == 0 || left == 500 {
		h.Errorf("after an interruption %d of 500 passages have no vector", left)
	}
	h.embed()
	h.pends(0)
	if n := len(h.embedder.Embedded()); n != 500 {
		h.Errorf("%d passages were embedded in all, want each once", n)
	}
}

func bothHalves(h *hybridHarness) {
	root := h.handbook()
	h.put("default", root, doc("handbook/code.md", "The form for it is CN-2291."))
	h.embed()
	for words, want := range map[string]string{
		"parentality": "handbook/leave.md",   // no word, and near
		"CN-2291":     "handbook/code.md",    // a word that no vector knows
		"laptop desk": "handbook/laptops.md", // both
	} {
		got := h.found(assay.Search{Words: words, Collection: "default", K: 10})
		if len(got) == 0 || got[0].Document != want {
			h.Errorf("%q finds %q, want %s first", words, documents(got), want)
		}
		if !slices.IsSortedFunc(got, func(a, b assay.Passage) int { return int(b.Score*1e9 - a.Score*1e9) }) {
			h.Errorf("%q: passages aren't in the order of their scores", words)
		}
		again := h.found(assay.Search{Words: words, Collection: "default", K: 10})
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", again) {
			h.Errorf("%q finds other passages the second time", words)
		}
	}
	for _, words := range []string{"", "!!!", "\x00"} {
		h.wants(fmt.Sprintf("%q", words), documents(h.found(assay.Search{Words: words, Collection: "default", K: 10})))
	}
	h.must(h.store.Remove(h.ctx, "default", root, []string{"handbook/leave.md"}))
	if got := documents(h.found(assay.Search{Words: "parentality", Collection: "default", K: 10})); slices.Contains(got, "handbook/leave.md") {
		h.Error("what was removed is found by its vector")
	}
}

// filterBothHalves compares random filters with the documents that pass them: all
// of them are found, as everything is near to some degree, and no others.
func filterBothHalves(h *hybridHarness) {
	rnd := rand.New(rand.NewPCG(3, 5))
	root := h.root("default", "/srv/p")
	words := strings.Fields("alder birch cedar dogwood elm fir gum hazel ivy juniper kapok larch maple nutmeg oak pine")
	var docs []assay.Document
	for i := range 120 {
		text := fmt.Sprintf("Plot %d:", i)
		for range 8 {
			text += " " + words[rnd.IntN(len(words))]
		}
		d := doc(fmt.Sprintf("p/%c/%03d.md", 'a'+rnd.IntN(4), i), text)
		d.Meta = map[string]string{"team": fmt.Sprint("t", rnd.IntN(5))}
		if said := []string{"-", "hr", "hr, board", "board,hr", " it , board ", "hrx", ""}[rnd.IntN(7)]; said != "-" {
			d.Meta["groups"] = said
		}
		if rnd.IntN(3) > 0 {
			d.Date = time.Date(2000+rnd.IntN(20), 1, 1, 0, 0, 0, 0, time.UTC)
		}
		docs = append(docs, d)
	}
	h.put("default", root, docs...)
	h.embed()
	for range 40 {
		var f assay.Filter
		if rnd.IntN(2) == 0 {
			f.Equal = map[string]string{"team": fmt.Sprint("t", rnd.IntN(6))}
		}
		if rnd.IntN(2) == 0 {
			f.PathPrefix = fmt.Sprintf("p/%c", 'a'+rnd.IntN(5))
		}
		if rnd.IntN(2) == 0 {
			f.Groups = [][]string{{}, {"hr"}, {"board"}, {" it"}, {"hr", "it"}, {"nobody"}, {"hr, board"}, {""}}[rnd.IntN(8)]
		}
		if rnd.IntN(3) == 0 {
			f.After = time.Date(2000+rnd.IntN(20), 1, 1, 0, 0, 0, 0, time.UTC)
		}
		if rnd.IntN(3) == 0 {
			f.Before = time.Date(2000+rnd.IntN(20), 1, 1, 0, 0, 0, 0, time.UTC)
		}
		var pass []string
		for _, d := range docs {
			if passes(d, f) {
				pass = append(pass, d.ID)
			}
		}
		s := assay.Search{Words: words[rnd.IntN(len(words))] + "wood", Collection: "default", Filter: f, K: 200}
		if rnd.IntN(2) == 0 {
			s.Words = words[rnd.IntN(len(words))]
		}
		h.wants(fmt.Sprintf("%q with %+v", s.Words, f), documents(h.found(s)), pass...)
		s.K = 5
		if got := h.found(s); len(got) != min(5, len(pass)) {
			h.Errorf("of %d that pass %+v, %d of 5 are found", len(pass), f, len(got))
		}
	}
}

// passes is what the filter means.
func passes(d assay.Document, f assay.Filter) bool {
	for k, v := range f.Equal {
		if d.Meta[k] != v {
			return false
		}
	}
	if open, closed := false, false; f.Groups != nil {
		for _, name := range strings.Split(d.Meta["groups"], ",") {
			for _, g := range f.Groups {
				open = open || strings.Trim(name, " ") == strings.Trim(g, " ")
			}
			closed = closed || strings.Trim(name, " ") != ""
		}
		if closed && !open {
			return false
		}
	}
	dated := !d.Date.IsZero()
	return strings.HasPrefix(d.ID, f.PathPrefix) && (f.After.IsZero() || dated && !d.Date.Before(f.After)) && (f.Before.IsZero() || dated && d.Date.Before(f.Before))
}

// filterBeforeDenseCut puts the one document that passes behind many that are nearer.
func filterBeforeDenseCut(h *hybridHarness) {
	root := h.root("default", "/srv/f")
	var docs []assay.Document
	for i := range 1200 {
		docs = append(docs, doc(fmt.Sprintf("f/%04d.md", i), fmt.Sprintf("Permitting %d.", i)))
	}
	late := doc("f/zz.md", "Nothing like it is said of the quay.")
	late.Meta = map[string]string{"team": "red"}
	h.put("default", root, append(docs, late)...)
	h.embed()
	got := h.found(assay.Search{Words: "permittance", Collection: "default", Filter: assay.Filter{Equal: map[string]string{"team": "red"}}, K: 1})
	h.wants("a filter that one passes", documents(got), "f/zz.md")
}

func collectionsApart(h *hybridHarness) {
	h.put("first", h.root("first", "/srv/x"), doc("x/d.md", "Alphabetical order is kept."))
	h.put("second", h.root("second", "/srv/x"), doc("x/e.md", "Betas are for testers."))
	h.embed()
	for collection, want := range map[string][]string{"first": {"x/d.md"}, "second": {"x/e.md"}, "third": nil} {
		h.wants("in "+collection, documents(h.found(assay.Search{Words: "alphabets testing", Collection: collection, K: 10})), want...)
	}
}

func partlyEmbedded(h *hybridHarness) {
	root := h.root("default", "/srv/d")
	var docs []assay.Document
	for i := range 60 {
		docs = append(docs, doc(fmt.Sprintf("d/%02d.md", i), fmt.Sprintf("Room number %d is on the ground floor.", i)))
	}
	says := func(want string) {
		h.Helper()
		found, err := h.store.Retrieve(h.ctx, assay.Search{Words: "number 7", Collection: "default", K: 5})
		h.must(err)
		if len(found.Passages) == 0 || found.Passages[0].Document != "d/07.md" {
			h.Errorf("it finds %q", documents(found.Passages))
		}
		if (want == "") != (found.Short == "") || !strings.Contains(found.Short, want) {
			h.Errorf("it says %q, want %q in it", found.Short, want)
		}
	}
	h.put("default", root, docs[:40]...)
	says("40 of 40")
	h.embed()
	says("")
	h.put("default", root, docs[40:43]...)
	says("3 of 43")
	h.wants("one without a vector", documents(h.search(assay.Search{Words: "room 41", K: 1})), "d/41.md")
	h.put("default", root, docs[43:]...)
	says("20 of 60")
	h.embed()
	says("")
}

func embedderDown(h *hybridHarness) {
	h.handbook()
	h.embed()
	h.embedder.Before = func(context.Context, []string) error { return errors.New("out of order") }
	found, err := h.store.Retrieve(h.ctx, assay.Search{Words: "parental leave", Collection: "default", K: 5})
	h.must(err)
	h.wants("without the embedder", documents(found.Passages), "handbook/leave.md")
	if !strings.Contains(found.Short, "out of order") {
		h.Errorf("without the embedder it says %q", found.Short)
	}
}

func copiesWithVectors(h *hybridHarness) {
	copies(&h.harness)
	h.embed()
	copies(&h.harness)
}

// snapshots puts pairs of documents while others search: whoever sees one of a pair
// sees the other one.
func snapshots(h *hybridHarness) {
	root := h.root("default", "/srv/s")
	pair := func(i int) []assay.Document {
		return []assay.Document{
			doc("s/left.md", fmt.Sprintf("Left sluice, position %d.", i)),
			doc("s/right.md", fmt.Sprintf("Right sluice, position %d.", i)),
		}
	}
	h.put("default", root, pair(0)...)
	h.embed()
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				found, err := h.store.Retrieve(h.ctx, assay.Search{Words: "sluices", Collection: "default", K: 10})
				if err != nil {
					h.Errorf("during a write: %v", err)
					return
				}
				var at []string
				for _, p := range found.Passages {
					at = append(at, p.Text[strings.Index(p.Text, "position"):])
				}
				if len(at) != 2 || at[0] != at[1] {
					h.Errorf("a search sees %q", at)
					return
				}
			}
		})
	}
	for i := range 20 {
		h.put("default", root, pair(i+1)...)
		h.embed()
	}
	close(stop)
	wg.Wait()
}
