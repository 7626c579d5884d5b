package index

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
	"github.com/assay-rag/assay/eval"
)

// -vectors names the file that keeps the vectors of the tuning pool.
var vectorsFlag = flag.String("vectors", "", "file that keeps the vectors for TestFusionOnData and TestRounding")

const (
	// perSet is how many questions of a set are asked, of each half.
	perSet = 400
	// mostProposed is how many passages each half of a search proposes where that
	// number is being chosen.
	mostProposed = 500
)

// TestFusionOnData compares ways to fuse words and vectors on one half of the
// questions and measures the default on the other. It fails where the default
// isn't better than words alone.
func TestFusionOnData(t *testing.T) {
	p := labelledPool(t)
	kept := keptEncoder(t)
	x := p.index(t, *corpusFlag)
	questions := p.sample(false, perSet)
	t.Logf("%d passages, %d questions to choose by, %d to report on", len(p.docs), len(questions), len(p.sample(true, perSet)))
	for _, form := range forms[:2] {
		compare(t, form.name, propose(t, embedded(t, x, p.formed(kept, form)), questions))
	}
	compare(t, "a code alone, fused all the same", propose(t, embedded(t, x, kept), p.codes(2 * perSet)[perSet:]))
	report(t, p, x.path, kept)

	samples := samplePool(t)
	x = samples.index(t, "")
	questions = append(samples.sample(false, perSet), samples.sample(true, perSet)...)
	for _, form := range forms {
		compare(t, "sample documents, "+form.name, propose(t, embedded(t, x, samples.formed(kept, form)), questions))
	}
}

// keptEncoder is the built-in encoder on one core, with its vectors kept.
func keptEncoder(t *testing.T) Embedder {
	e, err := encoder.Load(minilm.Source(), &encoder.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := eval.KeepVectors(*vectorsFlag, e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	return kept
}

// form is what is embedded of a passage.
type form struct {
	name string
	of   func(assay.Passage) string
}

// forms are those that are compared. Where there are no headings, the last two are
// the same.
var forms = []form{
	{"text alone", func(p assay.Passage) string { return p.Text }},
	{"title and text", func(p assay.Passage) string { return embeddedText(p.Title, nil, p.Text) }},
	{"title, headings and text", func(p assay.Passage) string { return embeddedText(p.Title, p.Heading, p.Text) }},
}

// reformed embeds in place of some texts others.
type reformed struct {
	Embedder
	instead map[string]string
}

// formed is an embedder that gets passages in a form.
func (p *tuningPool) formed(e Embedder, f form) Embedder {
	r := reformed{e, map[string]string{}}
	for _, a := range slices.Concat(p.passages...) {
		r.instead[embeddedText(a.Title, a.Heading, a.Text)] = f.of(a)
	}
	return r
}

func (r reformed) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	instead := make([]string, len(texts))
	for i, s := range texts {
		instead[i] = r.instead[s]
	}
	return r.Embedder.EmbedPassages(ctx, instead)
}

// index puts the pool into an index, or opens the one that is kept.
func (p *tuningPool) index(t *testing.T, dir string) *Index {
	if dir == "" {
		dir = t.TempDir()
	}
	x := open(t, dir)
	ctx := context.Background()
	if names, err := x.Collections(ctx); err != nil || len(names) > 0 {
		return x
	}
	root, err := x.Root(ctx, assay.DefaultCollection, "/pool")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(p.docs); i += 256 {
		end := min(i+256, len(p.docs))
		if err := x.Put(ctx, assay.DefaultCollection, root, p.docs[i:end], p.passages[i:end]); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// embedded opens the index anew with another embedder, and makes all its vectors.
func embedded(t *testing.T, x *Index, e Embedder) *Index {
	ctx := context.Background()
	if err := x.ForgetVectors(ctx); err != nil {
		t.Fatal(err)
	}
	out, err := openFile(ctx, x.path, &Options{Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	if err := out.Embed(ctx, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// proposal is the passages that both halves of a search propose for a question.
type proposal struct {
	*tuningQuestion
	ids          []int64
	words, dense []float64
	answers      map[int64]bool
}

// propose asks the questions.
func propose(t *testing.T, x *Index, questions []*tuningQuestion) (out []proposal) {
	ctx := context.Background()
	f := x.vectorFile(ctx)
	err := x.read(ctx, func(s *session) error {
		numbers, err := passageNumbers(ctx, s)
		if err != nil {
			return err
		}
		c, _, err := lookup(ctx, s, assay.DefaultCollection)
		if err != nil {
			return err
		}
		for _, asked := range questions {
			p := proposal{tuningQuestion: asked, answers: map[int64]bool{}}
			for _, g := range asked.Gold {
				p.answers[numbers[place{g.Document, g.Start}]] = true
			}
			q := query{x: x, s: s, c: c, Search: assay.Search{Words: asked.Question, K: mostProposed}}
			if ok, err := p.fill(ctx, q, f); err != nil {
				return err
			} else if ok {
				out = append(out, p)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// fill searches, up to the fusion; ok is false where there is nothing to fuse, as
// the question is of stop words alone.
func (p *proposal) fill(ctx context.Context, q query, f *mappedFile) (ok bool, err error) {
	q.x.opts.Fusion = func(words, dense []float64) []float64 {
		p.words, p.dense = slices.Clone(words), slices.Clone(dense)
		return words
	}
	if q.question, err = parse(ctx, q.s, q.c, q.Words); err != nil {
		return false, err
	}
	m := q.beginMeaning(ctx, f)
	if m == nil {
		return false, nil
	}
	words, err := q.byWords(ctx)
	if err != nil {
		return false, err
	}
	hits, err := m.fused(ctx, words)
	for _, h := range hits {
		p.ids = append(p.ids, h.id)
	}
	return true, err
}

// place is where a passage begins.
type place struct {
	document string
	start    int
}

// passageNumbers are those of all passages.
func passageNumbers(ctx context.Context, s *session) (map[place]int64, error) {
	numbers := map[place]int64{}
	err := s.rows(ctx, func(scan func(...any) error) error {
		var id int64
		var at place
		err := scan(&id, &at.document, &at.start)
		numbers[at] = id
		return err
	}, `SELECT p.id, d.name, p.start FROM passages p JOIN documents d ON d.id = p.document`)
	return numbers, err
}

// of leaves the passages that are among the n best of one half.
func (p proposal) of(n int) proposal {
	out := proposal{tuningQuestion: p.tuningQuestion, answers: p.answers}
	byWords, byDense := ranks(p.words, func(s float64) bool { return s > 0 }), ranks(p.dense, func(s float64) bool { return !math.IsNaN(s) })
	for i, id := range p.ids {
		if min(byWords[i], byDense[i]) <= float64(n) {
			out.ids, out.words, out.dense = append(out.ids, id), append(out.words, p.words[i]), append(out.dense, p.dense[i])
		}
	}
	return out
}

// goldRanks are the ranks of the passages that answer, after fusion.
func (p proposal) goldRanks(f Fusion) (found []int) {
	hits := make([]hit, len(p.ids))
	for i, score := range f(p.words, p.dense) {
		hits[i] = hit{p.ids[i], score}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id)) })
	for i, h := range hits {
		if p.answers[h.id] {
			found = append(found, i+1)
		}
	}
	return found
}

// onlyWords is BM25 alone.
func onlyWords(words, _ []float64) []float64 { return words }

// fusions are those that are compared.
func fusions() (names []string, all []Fusion) {
	add := func(name string, f Fusion) { names, all = append(names, name), append(all, f) }
	add("BM25", onlyWords)
	add("dense", Convex(1))
	for _, k := range []float64{10, 60} {
		add(fmt.Sprintf("ReciprocalRank(%.0f)", k), ReciprocalRank(k))
	}
	for i := 1; i <= 9; i++ {
		add(fmt.Sprintf("Convex(0.%d)", i), Convex(float64(i)/10))
	}
	for i := 1; i <= 9; i++ {
		add(fmt.Sprintf("ConvexTheoretical(0.%d)", i), ConvexTheoretical(float64(i)/10))
	}
	return names, all
}

// figures are means over questions.
type figures struct{ recall1, recall10, recall50, ndcg10, mrr, n float64 }

func (f *figures) add(ranks []int, gold int) {
	f.n++
	f.recall1 += eval.RecallAt(ranks, gold, 1)
	f.recall10 += eval.RecallAt(ranks, gold, 10)
	f.recall50 += eval.RecallAt(ranks, gold, 50)
	f.ndcg10 += eval.NDCGAt(ranks, gold, 10)
	f.mrr += eval.ReciprocalRank(ranks)
}

func (f figures) String() string {
	return fmt.Sprintf("%.4f | %.4f | %.4f | %.4f | %.4f", f.recall1/f.n, f.recall10/f.n, f.recall50/f.n, f.ndcg10/f.n, f.mrr/f.n)
}

// compare prints a table of all fusions for each number of passages proposed.
func compare(t *testing.T, what string, proposed []proposal) {
	names, all := fusions()
	for _, n := range []int{100, 200, mostProposed} {
		var cut []proposal
		for _, p := range proposed {
			cut = append(cut, p.of(n))
		}
		t.Logf("%s, %d questions, %d passages of each half | recall@1 | recall@10 | recall@50 | nDCG@10 | MRR", what, len(cut), n)
		for i, f := range all {
			var total figures
			for _, p := range cut {
				total.add(p.goldRanks(f), len(p.answers))
			}
			t.Logf("%-22s | %v", names[i], total)
		}
	}
}

// report measures the default on the other half of the questions, through
// Retrieve: on all sets together, on the questions with a code, on codes alone, and
// on each set.
func report(t *testing.T, p *tuningPool, path string, e Embedder) {
	ctx := context.Background()
	var systems []eval.RetrievalSystem
	for _, way := range []struct {
		name string
		opts Options
	}{{"BM25", Options{}}, {"dense", Options{Embedder: e, Fusion: Convex(1)}}, {"hybrid", Options{Embedder: e}}} {
		x, err := openFile(ctx, path, &way.opts)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		systems = append(systems, eval.RetrievalSystem{Name: way.name, Retriever: remembering{x, map[string]assay.Found{}}})
	}
	held := p.sample(true, perSet)
	measure := func(name string, questions []*tuningQuestion, of func(*tuningQuestion) bool) *eval.RetrievalReport {
		set := &eval.Set{Name: name, Retrieval: &eval.Pool{Documents: p.docs, Passages: p.passages}}
		for _, q := range questions {
			if of(q) {
				set.Retrieval.Questions = append(set.Retrieval.Questions, q.RetrievalItem)
			}
		}
		build := func(context.Context, []assay.Document, [][]assay.Passage) ([]eval.RetrievalSystem, error) {
			return systems, nil
		}
		r, err := eval.Retrieval(ctx, set, build, nil, &eval.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var table strings.Builder
		if err := r.WriteTable(&table); err != nil {
			t.Fatal(err)
		}
		t.Log("\n" + table.String())
		return r
	}
	each := func(*tuningQuestion) bool { return true }
	all := measure("all sets", held, each)
	if d := all.Systems[2].Recall[2].Recall.Difference; d.Low <= 0 {
		t.Errorf("recall@10 is not above that of words alone: %v", d)
	}
	measure("with a code", held, (*tuningQuestion).coded)
	measure("a code alone", p.codes(perSet), each)
	for _, name := range p.sets() {
		measure(name, held, func(q *tuningQuestion) bool { return q.set == name })
	}
}

// remembering asks a question once.
type remembering struct {
	assay.Retriever
	found map[string]assay.Found
}

func (r remembering) Retrieve(ctx context.Context, s assay.Search) (assay.Found, error) {
	found, ok := r.found[s.Words]
	if ok {
		return found, nil
	}
	found, err := r.Retriever.Retrieve(ctx, s)
	r.found[s.Words] = found
	return found, err
}
