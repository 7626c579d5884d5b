package main

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
	"github.com/assay-rag/assay/evaluator"
	"github.com/assay-rag/assay/index"
	"github.com/assay-rag/assay/ingest"
)

// -corpus keeps the index of BenchmarkAsk100k between runs.
var corpusFlag = flag.String("corpus", "", "folder that keeps the large benchmark's index between runs")

// sized is the size of a benchmark, or with -short that of a trial of it.
func sized(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}

// quantiles reports the median and the 95th percentile of times in milliseconds.
func quantiles(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	for name, p := range map[string]float64{"p50-ms": 0.5, "p95-ms": 0.95} {
		b.ReportMetric(float64(times[int(p*float64(len(times)-1))])/1e6, name)
	}
}

// BenchmarkAdd10k indexes files into a fresh index: 10,000, and a fifth of them
// to see whether memory grows with the corpus. The heap reported is the largest
// that the collector found alive.
func BenchmarkAdd10k(b *testing.B) {
	l := newLibrary()
	for _, files := range []int{sized(2000, 200), sized(10_000, 1000)} {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) {
			docs := filepath.Join(b.TempDir(), "docs")
			l.write(b, docs, 0, files)
			peak := uint64(0)
			live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
			watch := func(ingest.Progress) {
				metrics.Read(live)
				peak = max(peak, live[0].Value.Uint64())
			}
			for b.Loop() {
				b.StopTimer()
				x := openIndex(b, b.TempDir(), nil)
				b.StartTimer()
				report, err := ingest.Add(b.Context(), x, "", docs, &ingest.Options{Progress: watch})
				if err != nil || report.Added != files {
					b.Fatalf("%d of %d files were added: %v", report.Added, files, err)
				}
				b.StopTimer()
				x.Close()
				b.StartTimer()
			}
			b.ReportMetric(float64(files*b.N)/b.Elapsed().Seconds(), "docs/s")
			b.ReportMetric(float64(peak)/1e6, "heap-MB")
		})
	}
}

// standIn is the encoder of the program without its time for passages: it embeds
// questions as that does, but gives them and passages vectors that count words.
type standIn struct{ *encoder.Encoder }

// EmbedPassages takes no time.
func (s standIn) EmbedPassages(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = s.vector(t)
	}
	return out, nil
}

// EmbedQuery takes the time that the encoder takes.
func (s standIn) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	_, err := s.Encoder.EmbedQuery(ctx, text)
	return s.vector(text), err
}

// vector adds a few ones for each word, at places and with signs that its hash says.
func (s standIn) vector(text string) []float32 {
	v := make([]float32, s.Dim())
	v[0] = 1 // a text without words has a direction too
	sum := 0.0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		h := fnv.New64a()
		h.Write([]byte(word))
		for bits := h.Sum64(); bits > 0; bits >>= 16 {
			v[bits>>1%uint64(len(v))] += float32(bits&1)*2 - 1
		}
	}
	for _, x := range v {
		sum += float64(x * x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// newStandIn loads the encoder of the program.
func newStandIn(b *testing.B) standIn {
	b.Helper()
	m, err := encoder.Load(minilm.Source(), nil)
	if err != nil {
		b.Fatal(err)
	}
	return standIn{m}
}

// BenchmarkAsk100k asks over 100,000 passages, by words and vectors and by words
// alone: single searches (retrieve), and whole questions with the built-in
// evaluator, those that the documents answer (covered), and those of rare words
// that no document has together, where the loop looks again with other words
// (foreign). The time of the question's vector is in it.
func BenchmarkAsk100k(b *testing.B) {
	l, embedder := newLibrary(), newStandIn(b)
	dir, pages := largeIndex(b, l, embedder, sized(100_000, 5000))
	const n = 500
	questions := map[string][]string{"covered": l.questions(n, pages), "foreign": l.foreign(n)}
	for _, way := range []struct {
		name    string
		options index.Options
	}{{"hybrid", index.Options{ReadOnly: true, Embedder: embedder}}, {"words", index.Options{ReadOnly: true}}} {
		x := openIndex(b, dir, &way.options)
		b.Run(way.name+"/retrieve", func(b *testing.B) { benchRetrieve(b, x, questions["covered"]) })
		for _, set := range []string{"covered", "foreign"} {
			b.Run(way.name+"/"+set, func(b *testing.B) { benchAsk(b, x, questions[set]) })
		}
		x.Close()
	}
}

// benchRetrieve searches for the best fifty passages of each question.
func benchRetrieve(b *testing.B, x *index.Index, questions []string) {
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		found, err := x.Retrieve(b.Context(), assay.Search{Words: questions[len(times)%len(questions)], K: 50})
		if err != nil || found.Short != "" || len(found.Passages) == 0 {
			b.Fatalf("%d passages, %q, %v", len(found.Passages), found.Short, err)
		}
		times = append(times, time.Since(start))
	}
	quantiles(b, times)
}

// benchAsk asks each question.
func benchAsk(b *testing.B, x *index.Index, questions []string) {
	engine, err := assay.New(evaluator.Parts(x), nil)
	if err != nil {
		b.Fatal(err)
	}
	var times []time.Duration
	outcomes, searches := map[assay.Outcome]int{}, 0
	for b.Loop() {
		start := time.Now()
		a, err := engine.Ask(b.Context(), assay.Query{Question: questions[len(times)%len(questions)]})
		if err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
		outcomes[a.Outcome]++
		searches += a.Usage.Searches
	}
	quantiles(b, times)
	n := float64(len(times))
	b.ReportMetric(float64(outcomes[assay.Answered])/n, "answered")
	b.ReportMetric(float64(outcomes[assay.Abstained])/n, "abstained")
	b.ReportMetric(float64(searches)/n, "searches")
}

// largeIndex makes an index of at least so many passages with vectors, where
// -corpus doesn't keep one. It returns its folder and how many pages there are.
func largeIndex(b *testing.B, l *library, embedder index.Embedder, passages int) (dir string, pages int) {
	b.Helper()
	if dir = *corpusFlag; dir == "" {
		dir = b.TempDir()
	}
	x := openIndex(b, dir, &index.Options{Embedder: embedder})
	defer x.Close()
	const step = 500
	for pages := 0; ; pages += step {
		stats, err := x.Stats(context.Background(), "")
		if err == nil && stats.Passages >= passages {
			if err := x.Embed(b.Context(), nil); err != nil {
				b.Fatal(err)
			}
			return dir, stats.Documents
		}
		if stats.Documents > pages {
			continue
		}
		docs := filepath.Join(b.TempDir(), fmt.Sprintf("docs%06d", pages))
		l.write(b, docs, pages, pages+step)
		if _, err := ingest.Add(b.Context(), x, "", docs, nil); err != nil {
			b.Fatal(err)
		}
		os.RemoveAll(docs)
	}
}

// BenchmarkChange changes one document of a thousand: how long until its new words
// are found, and until its new vectors are.
func BenchmarkChange(b *testing.B) {
	l, standIn := newLibrary(), newStandIn(b)
	docs, dir := filepath.Join(b.TempDir(), "docs"), b.TempDir()
	pages := sized(1000, 200)
	l.write(b, docs, 0, pages)
	x := openIndex(b, dir, &index.Options{Embedder: standIn})
	if _, err := ingest.Add(b.Context(), x, "", docs, nil); err != nil {
		b.Fatal(err)
	}
	if err := x.Embed(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	x.Close()
	x = openIndex(b, dir, &index.Options{Embedder: standIn.Encoder})
	var words, vectors []time.Duration
	for b.Loop() {
		b.StopTimer()
		n := len(words)
		page := filepath.Join(docs, "000", fmt.Sprintf("page%06d.md", n%pages%100))
		if err := os.WriteFile(page, []byte(l.page(pages+n).String()+fmt.Sprintf("\n\nThe number is number%d.\n", n)), 0o600); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		start := time.Now()
		if _, err := ingest.Add(b.Context(), x, "", docs, nil); err != nil {
			b.Fatal(err)
		}
		words = append(words, time.Since(start))
		if err := x.Embed(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		vectors = append(vectors, time.Since(start))
		b.StopTimer()
		found, err := x.Retrieve(b.Context(), assay.Search{Words: fmt.Sprintf("number%d", n)})
		if err != nil || found.Short != "" || !slices.ContainsFunc(found.Passages, func(p assay.Passage) bool { return strings.HasSuffix(p.Text, fmt.Sprintf("number%d.", n)) }) {
			b.Fatalf("change %d isn't among %d passages, %q, %v", n, len(found.Passages), found.Short, err)
		}
		b.StartTimer()
	}
	slices.Sort(words)
	b.ReportMetric(float64(words[len(words)/2])/1e6, "words-p50-ms")
	quantiles(b, vectors)
}

// BenchmarkStart is what a person waits for: from the start of the released
// program to its answer, over a thousand documents that are indexed. With --docs
// the folder is looked through for changes first.
func BenchmarkStart(b *testing.B) {
	p := buildProgram(b)
	l, docs, dir := newLibrary(), filepath.Join(b.TempDir(), "docs"), filepath.Join(b.TempDir(), "index")
	pages := sized(1000, 200)
	l.write(b, docs, 0, pages)
	p.run(b, "add", "--index", dir, docs)
	p.run(b, "index", "embed", "--docs", docs)
	questions := l.questions(50, pages)
	for _, args := range [][]string{{"ask", "--index", dir}, {"ask", "--docs", docs}} {
		b.Run(args[1][2:], func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				p.run(b, append(slices.Clone(args), questions[len(times)%len(questions)])...)
				times = append(times, time.Since(start))
			}
			quantiles(b, times)
		})
	}
}

// program is the program as it is released, with folders of its own.
type program struct{ path, home string }

func buildProgram(b *testing.B) program {
	b.Helper()
	p := program{filepath.Join(b.TempDir(), "assay"), b.TempDir()}
	if runtime.GOOS == "windows" {
		p.path += ".exe"
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", p.path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return p
}

// command is a command line of the program.
func (p program) command(args ...string) *exec.Cmd {
	c := exec.Command(p.path, args...)
	c.Env = append(os.Environ(), "HOME="+p.home, "LocalAppData="+p.home,
		"XDG_CACHE_HOME="+filepath.Join(p.home, "cache"), "XDG_DATA_HOME="+filepath.Join(p.home, "data"))
	return c
}

// run runs a command line to its end.
func (p program) run(b *testing.B, args ...string) {
	b.Helper()
	if out, err := p.command(args...).CombinedOutput(); err != nil {
		b.Fatalf("assay %q: %v\n%s", args, err, out)
	}
}
