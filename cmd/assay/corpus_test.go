package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index"
	"github.com/assay-rag/assay/ingest"
)

// library makes pages of Markdown of about 3 kB, with words as frequent as in
// real text (Zipf), and questions about them. The same number is always the same
// page.
type library struct{ words []string }

// vocabularySize is that of a large handbook.
const vocabularySize = 60_000

func newLibrary() *library {
	rnd := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("ba ke ro mi ta lu den sor vil pan gre sto cha fi nor que zu hal mar ip ost ud er an")
	l := &library{}
	seen := map[string]bool{}
	for len(l.words) < vocabularySize {
		var b strings.Builder
		for range 2 + rnd.IntN(3) {
			b.WriteString(syllables[rnd.IntN(len(syllables))])
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			l.words = append(l.words, w)
		}
	}
	return l
}

// page is a page being written.
type page struct {
	strings.Builder
	library *library
	rnd     *rand.Rand
	zipf    *rand.Zipf
	asked   []string // questions that the page answers
}

// page writes the page of a number.
func (l *library) page(number int) *page {
	p := &page{library: l, rnd: rand.New(rand.NewPCG(3, uint64(number)))}
	p.zipf = rand.NewZipf(p.rnd, 1.07, 6, vocabularySize-1)
	fmt.Fprintf(p, "---\ntitle: %s\nlast_updated: %d-%02d-%02d\n---\n# %[1]s\n\n", p.some(2), 2018+p.rnd.IntN(8), 1+p.rnd.IntN(12), 1+p.rnd.IntN(28))
	for size := 2000 + p.rnd.IntN(1500); p.Len() < size; {
		fmt.Fprintf(p, "## %s\n\n", p.some(2))
		p.paragraph()
		switch p.rnd.IntN(4) {
		case 0:
			for range 3 + p.rnd.IntN(4) {
				fmt.Fprintf(p, "- Ask for the %s in the %s.\n", p.some(2), p.some(1))
			}
		case 1:
			p.WriteString("| Name | Days | Owner |\n|---|---|---|\n")
			for range 3 + p.rnd.IntN(4) {
				fmt.Fprintf(p, "| %s | %d | %s |\n", p.some(1), 1+p.rnd.IntN(90), p.some(1))
			}
		default:
			p.paragraph()
		}
		p.WriteByte('\n')
	}
	return p
}

// some are n words of the vocabulary.
func (p *page) some(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = p.library.words[p.zipf.Uint64()]
	}
	return strings.Join(words, " ")
}

// paragraph writes sentences; one of them is asked about.
func (p *page) paragraph() {
	for range 2 + p.rnd.IntN(4) {
		fmt.Fprintf(p, "When the %s of a %s is %s, the %s must be in the **%s** before the %s ends. ", p.some(1), p.some(2), p.some(1), p.some(2), p.some(1), p.some(1))
	}
	subject := p.some(3)
	switch p.rnd.IntN(3) {
	case 0:
		fmt.Fprintf(p, "The %s takes %d days from the first %s.\n\n", subject, 2+p.rnd.IntN(88), p.some(1))
		p.asked = append(p.asked, "How many days does the "+subject+" take?")
	case 1:
		fmt.Fprintf(p, "Requests for %s go to the %s team, and are [answered](https://example.com/%d) within a week.\n\n", subject, p.some(1), p.rnd.IntN(1000))
		p.asked = append(p.asked, "Who answers requests for "+subject+"?")
	default:
		fmt.Fprintf(p, "A %s is a %s that keeps the %s apart from the %s.\n\n", subject, p.some(1), p.some(1), p.some(1))
		p.asked = append(p.asked, "What is a "+subject+"?")
	}
}

// write writes the pages from one number up to another into a folder.
func (l *library) write(tb testing.TB, dir string, from, to int) {
	tb.Helper()
	for i := from; i < to; i++ {
		path := filepath.Join(dir, fmt.Sprintf("%03d", i/100), fmt.Sprintf("page%06d.md", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(l.page(i).String()), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
}

// questions are n questions that the first pages answer, spread over them.
func (l *library) questions(n, pages int) []string {
	var out []string
	for i := range n {
		asked := l.page(i * pages / n).asked
		out = append(out, asked[i%len(asked)])
	}
	return out
}

// foreign are n questions of words from the whole vocabulary, which no page has
// together.
func (l *library) foreign(n int) []string {
	rnd := rand.New(rand.NewPCG(5, 6))
	word := func() string { return l.words[rnd.IntN(len(l.words))] }
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("How many days does the %s %s of the %s take?", word(), word(), word())
	}
	return out
}

// openIndex opens an index until the test ends.
func openIndex(tb testing.TB, dir string, o *index.Options) *index.Index {
	tb.Helper()
	x, err := index.Open(context.Background(), dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { x.Close() })
	return x
}

// TestAddInterrupted interrupts the indexing of a folder, lets it go on, and
// wants what it is without an interruption.
func TestAddInterrupted(t *testing.T) {
	const pages = 130 // two batches, and a little
	l, docs := newLibrary(), filepath.Join(t.TempDir(), "docs")
	l.write(t, docs, 0, pages)
	yesterday := time.Now().AddDate(0, 0, -1) // a file of this moment has no time in its stamp
	err := filepath.WalkDir(docs, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, yesterday, yesterday))
	})
	if err != nil {
		t.Fatal(err)
	}

	whole := openIndex(t, t.TempDir(), nil)
	if _, err := ingest.Add(t.Context(), whole, "", docs, nil); err != nil {
		t.Fatal(err)
	}
	broken := openIndex(t, t.TempDir(), nil)
	ctx, cancel := context.WithCancel(t.Context())
	report, err := ingest.Add(ctx, broken, "", docs, &ingest.Options{Progress: func(p ingest.Progress) {
		if p.Done == pages/2 {
			cancel()
		}
	}})
	if err == nil || report.Added == 0 || report.Added >= pages {
		t.Fatalf("interrupted: %d of %d documents were added, error %v", report.Added, pages, err)
	}
	again, err := ingest.Add(t.Context(), broken, "", docs, nil)
	if err != nil || again.Added != pages-report.Added || again.Unchanged != report.Added {
		t.Fatalf("after %d documents, %d were added and %d unchanged, error %v", report.Added, again.Added, again.Unchanged, err)
	}
	sameDocuments(t, whole, broken)
	for _, q := range l.questions(20, pages) {
		sameIn(t, whole, broken, q, func(x *index.Index) ([]assay.Passage, error) {
			found, err := x.Retrieve(t.Context(), assay.Search{Words: q, K: 10})
			return found.Passages, err
		})
	}
}

// sameDocuments wants the same documents in two indexes.
func sameDocuments(t *testing.T, want, got *index.Index) {
	t.Helper()
	entries, err := want.Documents(t.Context(), "")
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d documents, error %v", len(entries), err)
	}
	sameIn(t, want, got, "the list of documents", func(x *index.Index) ([]index.Entry, error) { return x.Documents(t.Context(), "") })
	for _, e := range entries {
		sameIn(t, want, got, e.ID, func(x *index.Index) (assay.Document, error) { return x.Document(t.Context(), "", e.ID) })
	}
}

// sameIn wants two indexes to give the same.
func sameIn[T any](t *testing.T, want, got *index.Index, what string, of func(*index.Index) (T, error)) {
	t.Helper()
	w, err := of(want)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	g, err := of(got)
	if diff := cmp.Diff(w, g); diff != "" || err != nil {
		t.Fatalf("%s: error %v, difference (-uninterrupted +interrupted):\n%s", what, err, diff)
	}
}
