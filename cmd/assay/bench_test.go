package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"github.com/assay-rag/assay"
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
				x := openIndex(b, b.TempDir())
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

// BenchmarkAsk100k asks whole questions over 100,000 passages with the built-in
// evaluator: those that the documents answer, and those of rare words that no
// document has together, where the loop looks again with other words.
func BenchmarkAsk100k(b *testing.B) {
	l := newLibrary()
	x, pages := largeIndex(b, l, sized(100_000, 5000))
	engine, err := assay.New(evaluator.Parts(x), nil)
	if err != nil {
		b.Fatal(err)
	}
	const n = 500
	for _, set := range []struct {
		name      string
		questions []string
	}{{"covered", l.questions(n, pages)}, {"foreign", l.foreign(n)}} {
		b.Run(set.name, func(b *testing.B) {
			var times []time.Duration
			outcomes, searches := map[assay.Outcome]int{}, 0
			for b.Loop() {
				q := set.questions[len(times)%len(set.questions)]
				start := time.Now()
				a, err := engine.Ask(b.Context(), assay.Query{Question: q})
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
		})
	}
}

// largeIndex opens an index of at least so many passages, and makes it where
// -corpus doesn't keep one. It returns how many pages there are.
func largeIndex(b *testing.B, l *library, passages int) (*index.Index, int) {
	dir := *corpusFlag
	if dir == "" {
		dir = b.TempDir()
	}
	x := openIndex(b, dir)
	const step = 500
	for pages := 0; ; pages += step {
		stats, err := x.Stats(context.Background(), "")
		if err == nil && stats.Passages >= passages {
			return x, stats.Documents
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

// BenchmarkStart is what a person waits for: from the start of the released
// program to its answer, over a thousand documents that are indexed. With --docs
// the folder is looked through for changes first.
func BenchmarkStart(b *testing.B) {
	p := buildProgram(b)
	l, docs, dir := newLibrary(), filepath.Join(b.TempDir(), "docs"), filepath.Join(b.TempDir(), "index")
	pages := sized(1000, 200)
	l.write(b, docs, 0, pages)
	p.run(b, "add", "--index", dir, docs)
	p.run(b, "ask", "--docs", docs, "Is it indexed?")
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
