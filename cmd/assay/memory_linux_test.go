package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkAddMemory indexes files with the released program, by words alone and
// with vectors, and reports the most memory that the process held at a time. (What
// wait4 tells of a child may be the size of its parent, so it won't do.)
func BenchmarkAddMemory(b *testing.B) {
	p, l := buildProgram(b), newLibrary()
	for _, c := range []struct {
		encoder string
		files   int
	}{{encoderOff, sized(2000, 200)}, {encoderOff, sized(10_000, 1000)}, {encoderOff, sized(40_000, 2000)}, {encoderBuiltin, sized(100, 20)}, {encoderBuiltin, sized(500, 50)}} {
		b.Run(fmt.Sprintf("encoder=%s/files=%d", c.encoder, c.files), func(b *testing.B) {
			docs := filepath.Join(b.TempDir(), "docs")
			l.write(b, docs, 0, c.files)
			peak := 0.0
			for b.Loop() {
				peak = max(peak, p.peakMemory(b, "add", "--encoder", c.encoder, "--index", b.TempDir(), docs))
			}
			b.ReportMetric(peak, "rss-MB")
			b.ReportMetric(float64(c.files*b.N)/b.Elapsed().Seconds(), "docs/s")
		})
	}
}

// peakMemory runs a command line to its end, and returns the largest resident
// set of the process in MB, seen within ten milliseconds of its end.
func (p program) peakMemory(b *testing.B, args ...string) float64 {
	b.Helper()
	command := p.command(args...)
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- command.Wait() }()
	status := fmt.Sprintf("/proc/%d/status", command.Process.Pid)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	kB := 0
	for {
		select {
		case err := <-ended:
			if err != nil || kB == 0 {
				b.Fatalf("assay %q: %d kB seen, error %v", args, kB, err)
			}
			return float64(kB) * 1024 / 1e6
		case <-tick.C:
			kB = max(kB, highWater(status))
		}
	}
}

// highWater reads the peak of a process's resident set in kB; 0 where it has
// ended.
func highWater(status string) (kB int) {
	data, err := os.ReadFile(status)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kB); err == nil {
			break
		}
	}
	return kB
}
