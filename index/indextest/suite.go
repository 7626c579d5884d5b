package indextest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-rag/assay"
)

// Store is what the suite asks of an index: to take documents, and to find them.
type Store interface {
	assay.Retriever
	Root(ctx context.Context, collection, path string) (name string, err error)
	Stamps(ctx context.Context, collection, root string) (map[string]string, error)
	Put(ctx context.Context, collection, root string, docs []assay.Document, passages [][]assay.Passage) error
	Restamp(ctx context.Context, collection, root string, stamps map[string]string) error
	Remove(ctx context.Context, collection, root string, ids []string) error
}

// Run runs the suite. open returns an empty store, and closes it when t ends.
// Where the store is a Vocabulary too, that is looked at as well.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for name, test := range map[string]func(*harness){
		"roots": roots, "put and retrieve": putAndRetrieve, "replace": replace, "remove": remove, "restamp": restamp,
		"all or nothing": allOrNothing, "filter": filter, "filter before the cut": filterBeforeCut, "collections": collections,
		"text, not operators": operators, "scripts": scripts, "k": k, "nothing to find": nothing, "stop words": stopWords,
		"order": order, "offsets": offsets, "copies": copies, "concurrent": concurrent, "vocabulary": vocabulary,
	} {
		t.Run(name, func(t *testing.T) {
			test(&harness{T: t, store: open(t), ctx: context.Background()})
		})
	}
}

// harness is a test with its store and the steps that tests have in common.
type harness struct {
	*testing.T
	store Store
	ctx   context.Context
}

func (h *harness) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// root registers a folder.
func (h *harness) root(collection, path string) string {
	h.Helper()
	name, err := h.store.Root(h.ctx, collection, path)
	h.must(err)
	return name
}

// put puts documents, each cut into its paragraphs.
func (h *harness) put(collection, root string, docs ...assay.Document) {
	h.Helper()
	h.must(h.store.Put(h.ctx, collection, root, docs, paragraphs(docs)))
}

// paragraphs cuts the text of each document at blank lines.
func paragraphs(docs []assay.Document) [][]assay.Passage {
	out := make([][]assay.Passage, len(docs))
	for i, d := range docs {
		start := 0
		for part := range strings.SplitSeq(d.Text, "\n\n") {
			if part != "" {
				out[i] = append(out[i], assay.Passage{Text: part, Start: start, End: start + len(part)})
			}
			start += len(part) + 2
		}
	}
	return out
}

func (h *harness) search(s assay.Search) []assay.Passage {
	h.Helper()
	if s.Collection == "" {
		s.Collection = assay.DefaultCollection
	}
	found, err := h.store.Retrieve(h.ctx, s)
	got := found.Passages
	h.must(err)
	for _, p := range got {
		if !(p.Score >= 0) {
			h.Errorf("%q finds %s with score %v", s.Words, p.Document, p.Score)
		}
	}
	return got
}

// find searches for words and returns the documents found, in order, each once.
func (h *harness) find(words string) []string {
	h.Helper()
	return documents(h.search(assay.Search{Words: words, K: 50}))
}

func documents(passages []assay.Passage) (ids []string) {
	for _, p := range passages {
		if !slices.Contains(ids, p.Document) {
			ids = append(ids, p.Document)
		}
	}
	return ids
}

// wants compares documents without regard to their order.
func (h *harness) wants(what string, got []string, want ...string) {
	h.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		h.Errorf("%s finds %q, want %q", what, got, want)
	}
}

func doc(id, text string) assay.Document {
	return assay.Document{ID: id, Title: id, Text: text, Language: "en", Stamp: "1"}
}

// handbook is the collection that most tests search.
func (h *harness) handbook() string {
	h.Helper()
	root := h.root("default", "/srv/handbook")
	h.put("default", root,
		doc("handbook/leave.md", "Parental leave lasts sixteen weeks for every parent.\n\nIt must be taken within a year of the birth."),
		doc("handbook/travel.md", "Trains are booked through the travel desk.\n\nA hotel may cost up to 180 euros a night."),
		doc("handbook/laptops.md", "Laptops are replaced every four years by the help desk."))
	return root
}

func roots(h *harness) {
	a := h.root("default", "/srv/docs")
	if a != "docs" {
		h.Errorf("the root of /srv/docs is named %q", a)
	}
	if again := h.root("default", "/srv/docs/"); again != a {
		h.Errorf("the same folder is %q and then %q", a, again)
	}
	other := h.root("default", "/home/docs")
	if other == a || !strings.HasPrefix(other, "docs") {
		h.Errorf("another folder of the same name is %q", other)
	}
	if elsewhere := h.root("second", "/home/docs"); elsewhere != "docs" {
		h.Errorf("in another collection the folder is %q", elsewhere)
	}
	if err := h.store.Put(h.ctx, "default", "nowhere", []assay.Document{doc("nowhere/a", "text")}, [][]assay.Passage{nil}); err == nil {
		h.Error("documents of an unknown root are taken")
	}
}

func putAndRetrieve(h *harness) {
	root := h.root("default", "/srv/handbook")
	date := time.Date(2024, 3, 1, 12, 0, 0, 500, time.UTC)
	d := assay.Document{ID: "handbook/leave.md", Title: "Leave", Language: "en", Date: date, DateFrom: "document", Version: "3",
		Text: "# Parental\n\nParental leave lasts sixteen weeks.", Meta: map[string]string{"team": "people"}, Stamp: "s"}
	want := assay.Passage{Document: d.ID, Title: d.Title, Language: d.Language, Date: date, DateFrom: d.DateFrom, Version: "3", Meta: d.Meta,
		Heading: []string{"Leave", "Parental"}, Text: "Parental leave lasts sixteen weeks.", Start: 12, End: len(d.Text)}
	h.must(h.store.Put(h.ctx, "default", root, []assay.Document{d}, [][]assay.Passage{{want}}))
	got := h.search(assay.Search{Words: "How many weeks of parental leave do I get?", K: 5})
	if len(got) != 1 {
		h.Fatalf("found %d passages", len(got))
	}
	got[0].Score, got[0].Origin = 0, ""
	if g, w := fmt.Sprintf("%+v", got[0]), fmt.Sprintf("%+v", want); g != w {
		h.Errorf("got  %s\nwant %s", g, w)
	}
	stamps, err := h.store.Stamps(h.ctx, "default", root)
	h.must(err)
	if len(stamps) != 1 || stamps[d.ID] != "s" {
		h.Errorf("stamps are %v", stamps)
	}
}

func replace(h *harness) {
	root := h.handbook()
	h.put("default", root, doc("handbook/leave.md", "Sabbaticals are granted after seven years."))
	h.wants("old words", h.find("parental birth"))
	h.wants("new words", h.find("sabbaticals"), "handbook/leave.md")
	h.wants("the others", h.find("hotel laptops"), "handbook/travel.md", "handbook/laptops.md")
}

func remove(h *harness) {
	root := h.handbook()
	h.must(h.store.Remove(h.ctx, "default", root, []string{"handbook/leave.md", "handbook/never-was.md"}))
	h.wants("removed", h.find("parental leave"))
	h.wants("the others", h.find("hotel"), "handbook/travel.md")
	stamps, err := h.store.Stamps(h.ctx, "default", root)
	h.must(err)
	if len(stamps) != 2 {
		h.Errorf("stamps are %v", stamps)
	}
}

func restamp(h *harness) {
	root := h.handbook()
	h.must(h.store.Restamp(h.ctx, "default", root, map[string]string{"handbook/leave.md": "2"}))
	stamps, err := h.store.Stamps(h.ctx, "default", root)
	h.must(err)
	if stamps["handbook/leave.md"] != "2" || stamps["handbook/travel.md"] != "1" {
		h.Errorf("stamps are %v", stamps)
	}
	h.wants("the text", h.find("parental"), "handbook/leave.md")
}

func allOrNothing(h *harness) {
	root := h.handbook()
	docs := []assay.Document{doc("handbook/new.md", "Bicycles are leased."), doc("handbook/bad.md", "Short.")}
	passages := [][]assay.Passage{{{Text: "Bicycles are leased.", End: 20}}, {{Text: "Longer than the document", End: 24}}}
	if err := h.store.Put(h.ctx, "default", root, docs, passages); err == nil {
		h.Error("a passage that isn't in its document is taken")
	}
	h.wants("nothing of it", h.find("bicycles"))
	ctx, cancel := context.WithCancel(h.ctx)
	cancel()
	if err := h.store.Put(ctx, "default", root, docs[:1], passages[:1]); err == nil {
		h.Error("a cancelled put succeeds")
	}
	h.wants("nothing of a cancelled one", h.find("bicycles"))
}

func order(h *harness) {
	root := h.root("default", "/srv/d")
	h.put("default", root,
		doc("d/once.md", "The valve is part of the pump, among many other parts of the machine that are described elsewhere."),
		doc("d/often.md", "The valve: open the valve, close the valve, clean the valve."),
		doc("d/other.md", "The machine is described elsewhere, with its other parts, and so is the pump."))
	if got := h.find("valve"); !slices.Equal(got, []string{"d/often.md", "d/once.md"}) {
		h.Errorf("valve finds %q", got)
	}
	got := h.search(assay.Search{Words: "machine pump valve", K: 10})
	if !slices.IsSortedFunc(got, func(a, b assay.Passage) int { return int(b.Score*1e6 - a.Score*1e6) }) {
		h.Error("passages aren't in the order of their scores")
	}
	h.put("default", root, assay.Document{ID: "d/titled.md", Title: "Gaskets", Text: "Order them by the dozen.", Language: "en"},
		assay.Document{ID: "d/mention.md", Title: "Notes", Text: "Somebody asked about gaskets and a great many other things on that day.", Language: "en"})
	if got := h.find("gaskets"); len(got) != 2 || got[0] != "d/titled.md" {
		h.Errorf("gaskets finds %q, want the document with that title first", got)
	}
}

func offsets(h *harness) {
	root := h.root("default", "/srv/d")
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "Paragraph number%d of a long document — with ümlauts.\n\n", i)
	}
	d := doc("d/long.md", b.String())
	h.put("default", root, d)
	for _, i := range []int{0, 299, 300, 301, 999, 1999} {
		got := h.search(assay.Search{Words: fmt.Sprintf("number%d", i), K: 1})
		if len(got) != 1 {
			h.Fatalf("number%d finds %d passages", i, len(got))
		}
		p := got[0]
		if p.Text != d.Text[p.Start:p.End] || !strings.Contains(p.Text, fmt.Sprintf("number%d ", i)) {
			h.Errorf("number%d finds %q at %d", i, p.Text, p.Start)
		}
	}
}

func concurrent(h *harness) {
	root := h.handbook()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 10 {
				if w == 0 {
					h.put("default", root, doc(fmt.Sprintf("handbook/extra%d.md", i), fmt.Sprintf("Umbrellas of size %d are lent at the desk.", i)))
					continue
				}
				if got := h.find("parental leave"); len(got) != 1 {
					h.Errorf("during a write parental leave finds %q", got)
				}
			}
		})
	}
	wg.Wait()
	if got := h.find("umbrellas"); len(got) != 10 {
		h.Errorf("found %d of 10 documents", len(got))
	}
}
