package index

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
	"github.com/assay-rag/assay/index/internal/vectors"
)

const (
	// scanned is how many questions the scan is compared on.
	scanned = 500
	// recomputed is how many passages are embedded in float32.
	recomputed = 1500
)

// TestRounding measures on real passages what bytes in place of float32 cost: in
// the file that is scanned, and in the encoder's layers. It fails where the scan
// finds less than 98 of 100 that the exact one finds.
func TestRounding(t *testing.T) {
	p := labelledPool(t)
	kept := keptEncoder(t)
	whole, err := encoder.Load(minilm.Source(), &encoder.Options{Threads: 1, Compute: encoder.ComputeFloat32})
	if err != nil {
		t.Fatal(err)
	}
	exact := p.vectors(t, kept)
	scan := scanOf(t, exact)
	var recall, overlap, n float64
	for _, q := range p.sample(true, scanned/len(p.sets())) {
		asked, inFloat32 := vectorOf(t, kept, q.Question), vectorOf(t, whole, q.Question)
		recall += shared(scan(asked, 20), nearestExactly(exact, asked, 20))
		overlap += shared(scan(asked, 10), scan(inFloat32, 10))
		n++
	}
	t.Logf("%d vectors, %.0f questions: recall@20 of the scan in bytes is %.4f of the exact one in float32", len(exact), n, recall/n)
	t.Logf("overlap@10 of a question computed in int8 and one in float32: %.4f", overlap/n)
	if recall/n < 0.98 {
		t.Errorf("recall@20 is %.4f, below 0.98", recall/n)
	}

	var cosines []float64
	mean := 0.0
	for i := 0; i < len(exact); i += len(exact) / recomputed {
		v, err := whole.EmbedPassages(t.Context(), []string{p.embedded(i)})
		if err != nil {
			t.Fatal(err)
		}
		cosines = append(cosines, dotFloats(v[0], exact[i]))
		mean += cosines[len(cosines)-1]
	}
	slices.Sort(cosines)
	t.Logf("cosine of int8 and float32 over %d passages: mean %.4f, p1 %.4f, least %.4f",
		len(cosines), mean/float64(len(cosines)), cosines[len(cosines)/100], cosines[0])
}

func vectorOf(t *testing.T, e Embedder, text string) []float32 {
	v, err := e.EmbedQuery(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// embedded is what is embedded of a document of the pool.
func (p *tuningPool) embedded(i int) string {
	return embeddedText(p.docs[i].Title, nil, p.docs[i].Text)
}

// vectors are those of all documents.
func (p *tuningPool) vectors(t *testing.T, e Embedder) (out [][]float32) {
	for at := 0; at < len(p.docs); at += embedBatch {
		var texts []string
		for i := at; i < min(at+embedBatch, len(p.docs)); i++ {
			texts = append(texts, p.embedded(i))
		}
		made, err := e.EmbedPassages(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, made...)
	}
	return out
}

// scanOf scans a vector file of the vectors, numbered from 1.
func scanOf(t *testing.T, all [][]float32) func(v []float32, k int) []int64 {
	path := filepath.Join(t.TempDir(), "vectors")
	epoch := vectors.Epoch{1}
	err := vectors.Create(path, len(all[0]), epoch, func(yield func(vectors.Record, error) bool) {
		for i, v := range all {
			q, err := vectors.Quantize(v)
			if !yield(vectors.Record{ID: int64(i + 1), Vector: q}, err) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := vectors.Open(path, len(all[0]), epoch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return func(v []float32, k int) (ids []int64) {
		found, err := f.Scan(t.Context(), v, nil, int64(len(all)), k)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range found {
			ids = append(ids, h.ID)
		}
		return ids
	}
}

// nearestExactly compares all vectors as they were made.
func nearestExactly(all [][]float32, v []float32, k int) (ids []int64) {
	hits := make([]hit, len(all))
	for i, w := range all {
		hits[i] = hit{int64(i + 1), dotFloats(v, w)}
	}
	for _, h := range best(hits, k) {
		ids = append(ids, h.id)
	}
	return ids
}

func dotFloats(a, b []float32) (sum float64) {
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// shared is the share of b that is in a.
func shared(a, b []int64) float64 {
	n := 0
	for _, id := range b {
		if slices.Contains(a, id) {
			n++
		}
	}
	return float64(n) / float64(len(b))
}
