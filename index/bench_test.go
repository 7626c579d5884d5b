package index

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
	"github.com/assay-rag/assay/text"
)

// -passages sets the size of the corpus of the benchmarks, with -short 5000 at
// the most; -corpus keeps it in a folder between runs.
var (
	passagesFlag = flag.Int("passages", 100_000, "passages in the benchmarks' corpus")
	corpusFlag   = flag.String("corpus", "", "folder that keeps the benchmarks' corpus between runs")
)

// corpus opens the benchmarks' corpus, and makes it where it isn't there.
func corpus(b *testing.B) *Index {
	dir := *corpusFlag
	if dir == "" {
		dir = b.TempDir()
	}
	_, err := os.Stat(filepath.Join(dir, FileName))
	x := open(b, dir)
	if err != nil {
		passages := *passagesFlag
		if testing.Short() {
			passages = min(passages, 5000)
		}
		fill(b, x, newSynth(1, 60_000), passages/4)
	}
	return x
}

// quantile reports the p-th quantile of the times, in milliseconds.
func quantile(b *testing.B, times []time.Duration, p float64, name string) {
	slices.Sort(times)
	b.ReportMetric(float64(times[int(p*float64(len(times)-1))])/1e6, name)
}

// embeddedCorpus is the benchmarks' corpus with vectors of 384 dimensions.
func embeddedCorpus(b *testing.B) *Index {
	x := openWith(b, filepath.Dir(corpus(b).path), &indextest.Embedder{Size: 384})
	embed(b, x)
	return x
}

func BenchmarkRetrieve(b *testing.B) { benchmarkRetrieve(b, corpus(b)) }

// BenchmarkHybridRetrieve searches by words and vectors. The question's vector costs
// next to nothing here.
func BenchmarkHybridRetrieve(b *testing.B) { benchmarkRetrieve(b, embeddedCorpus(b)) }

func benchmarkRetrieve(b *testing.B, x *Index) {
	for name, filter := range map[string]assay.Filter{
		"all":  {},
		"team": {Equal: map[string]string{"team": "t3"}},
		"path": {PathPrefix: "root/07/"},
	} {
		b.Run(name, func(b *testing.B) {
			g := newSynth(1, 60_000)
			var times []time.Duration
			for b.Loop() {
				q := g.question(3 + len(times)%5)
				t := time.Now()
				found, err := x.Retrieve(context.Background(), assay.Search{Words: q, K: 50, Filter: filter})
				if err != nil || found.Short != "" {
					b.Fatal(found.Short, err)
				}
				times = append(times, time.Since(t))
			}
			quantile(b, times, 0.5, "p50-ms")
			quantile(b, times, 0.95, "p95-ms")
		})
	}
}

// BenchmarkEmbed reports how many passages a second are stored, the embedder
// itself left out.
func BenchmarkEmbed(b *testing.B) {
	const n = 2048
	e := &indextest.Embedder{Size: 384}
	for b.Loop() {
		b.StopTimer()
		x := openWith(b, b.TempDir(), e)
		fill(b, x, newSynth(1, 60_000), n/4)
		b.StartTimer()
		embed(b, x)
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "passages/s")
}

func BenchmarkFrequencies(b *testing.B) {
	x := corpus(b)
	g := newSynth(1, 60_000)
	for b.Loop() {
		var terms []string
		for _, t := range text.Analyze(g.question(10), "en") {
			terms = append(terms, t.Term)
		}
		if _, _, err := x.Frequencies(context.Background(), "", terms); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRelated(b *testing.B) {
	x := corpus(b)
	g := newSynth(1, 60_000)
	for b.Loop() {
		if _, err := x.Related(context.Background(), "", g.question(5)+" bakerromi"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPut reports documents of 3 kB and four passages a second.
func BenchmarkPut(b *testing.B) {
	const n = 2048
	for b.Loop() {
		b.StopTimer()
		x := open(b, b.TempDir())
		g := newSynth(1, 60_000)
		b.StartTimer()
		fill(b, x, g, n)
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "docs/s")
}

// BenchmarkOpen is what a program pays that opens an index of a thousand
// documents to ask one question.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	x := open(b, dir)
	g := newSynth(1, 60_000)
	fill(b, x, g, 1000)
	x.Close()
	for b.Loop() {
		x, err := Open(context.Background(), dir, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := x.Retrieve(context.Background(), assay.Search{Words: g.question(5)}); err != nil {
			b.Fatal(err)
		}
		x.Close()
	}
}
