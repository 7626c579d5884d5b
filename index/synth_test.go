package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

// synth makes documents of words that are as frequent as in real text (Zipf),
// the same ones for the same seed.
type synth struct {
	rnd   *rand.Rand
	zipf  *rand.Zipf
	words []string
}

func newSynth(seed uint64, vocabulary int) *synth {
	g := &synth{rnd: rand.New(rand.NewPCG(seed, 1))}
	g.zipf = rand.NewZipf(g.rnd, 1.07, 6, uint64(vocabulary-1))
	syllables := strings.Fields("ba ke ro mi ta lu den sor vil pan gre sto cha fi nor que zu hal mar ip ost ud er an")
	seen := map[string]bool{}
	for len(g.words) < vocabulary {
		var b strings.Builder
		for range 2 + g.rnd.IntN(3) {
			b.WriteString(syllables[g.rnd.IntN(len(syllables))])
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			g.words = append(g.words, w)
		}
	}
	return g
}

func (g *synth) word() string { return g.words[g.zipf.Uint64()] }

// document makes a document of n passages of about 750 bytes each, a third of
// its words stop words.
func (g *synth) document(i, n int) (assay.Document, []assay.Passage) {
	var b strings.Builder
	var passages []assay.Passage
	stops := []string{"the", "of", "and", "is", "in", "to", "a", "for"}
	for range n {
		start := b.Len()
		for b.Len()-start < 750 {
			if g.rnd.IntN(3) == 0 {
				b.WriteString(stops[g.rnd.IntN(len(stops))])
			} else {
				b.WriteString(g.word())
			}
			if g.rnd.IntN(12) == 0 {
				b.WriteByte('.')
			}
			b.WriteByte(' ')
		}
		passages = append(passages, assay.Passage{Start: start, End: b.Len(), Heading: []string{g.word() + " " + g.word()}})
	}
	d := assay.Document{ID: fmt.Sprintf("root/%02d/%06d.md", i%50, i), Title: g.word() + " " + g.word(), Language: "en", Text: b.String(),
		Meta: map[string]string{"team": fmt.Sprint("t", i%20)}, Stamp: fmt.Sprint(i)}
	for i := range passages {
		passages[i].Text = d.Text[passages[i].Start:passages[i].End]
	}
	return d, passages
}

// question makes a question of n content words.
func (g *synth) question(n int) string {
	out := []string{"what is"}
	for range n {
		out = append(out, g.word())
	}
	return strings.Join(out, " ") + "?"
}

// fill puts n documents of four passages each, sixty-four at a time.
func fill(tb testing.TB, x *Index, g *synth, n int) {
	tb.Helper()
	ctx := context.Background()
	root, err := x.Root(ctx, "", "/root")
	if err != nil {
		tb.Fatal(err)
	}
	for i := 0; i < n; i += 64 {
		var docs []assay.Document
		var passages [][]assay.Passage
		for j := i; j < min(i+64, n); j++ {
			d, p := g.document(j, 4)
			docs, passages = append(docs, d), append(passages, p)
		}
		if err := x.Put(ctx, "", root, docs, passages); err != nil {
			tb.Fatal(err)
		}
	}
}

func open(tb testing.TB, dir string) *Index {
	tb.Helper()
	x, err := Open(context.Background(), dir, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { x.Close() })
	return x
}
