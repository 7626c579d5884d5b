package vectors

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// manyRecords are n random vectors of 384 dimensions, passages 1 to n.
func manyRecords(n int) func(func(Record, error) bool) {
	rng := rand.New(rand.NewPCG(5, 6))
	return func(yield func(Record, error) bool) {
		v := Vector{Scale: 1. / 1400, Bytes: make([]byte, 384)} // about the length 1
		for id := range int64(n) {
			for i := 0; i < len(v.Bytes); i += 8 {
				binary.LittleEndian.PutUint64(v.Bytes[i:], rng.Uint64())
			}
			if !yield(Record{ID: id + 1, Vector: v}, nil) {
				return
			}
		}
	}
}

// large makes a file of n records.
func large(b *testing.B, n int) *File {
	b.Helper()
	path := create(b, 384, nil)
	if err := Create(path, 384, testEpoch, manyRecords(n)); err != nil {
		b.Fatal(err)
	}
	return open(b, path, 384)
}

// BenchmarkScan finds the best 50 of all records, of a tenth of them in runs of
// ten, and again after each of many appends. p50-ms is the median.
func BenchmarkScan(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		if testing.Short() && n > 100_000 {
			continue
		}
		f := large(b, n)
		var runs []Interval
		for id := int64(1); id < int64(n); id += 100 {
			runs = append(runs, Interval{id, id + 9})
		}
		b.Run(fmt.Sprintf("all/%d", n), func(b *testing.B) { scanTimes(b, f, nil, nil) })
		b.Run(fmt.Sprintf("tenth/%d", n), func(b *testing.B) { scanTimes(b, f, runs, nil) })
		last := int64(n)
		b.Run(fmt.Sprintf("appending/%d", n), func(b *testing.B) {
			scanTimes(b, f, nil, func() {
				if err := f.Append(recordsOf(384, last+1, last+32, 1)); err != nil {
					b.Fatal(err)
				}
				last += 32
			})
		})
	}
}

func scanTimes(b *testing.B, f *File, runs []Interval, before func()) {
	query := floats(-1, 384)
	var times []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		if before != nil {
			b.StopTimer()
			before()
			b.StartTimer()
		}
		start := time.Now()
		if _, err := f.Scan(b.Context(), query, runs, math.MaxInt64, 50); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2].Seconds()*1000, "p50-ms")
}

// BenchmarkOpen opens a file of 100,000 records, of which it checks the last 8 to
// 16 MiB, and scans it for the first time.
func BenchmarkOpen(b *testing.B) {
	f := large(b, 100_000)
	query := floats(-1, 384)
	for b.Loop() {
		g, err := Open(f.path, 384, testEpoch)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := g.Scan(b.Context(), query, nil, math.MaxInt64, 50); err != nil {
			b.Fatal(err)
		}
		g.Close()
	}
}

func BenchmarkAppend(b *testing.B) {
	f := open(b, create(b, 384, nil), 384)
	records := recordsOf(384, 1, 32, 1)
	b.SetBytes(int64(32 * f.stride))
	for b.Loop() {
		if err := f.Append(records); err != nil {
			b.Fatal(err)
		}
		for i := range records {
			records[i].ID += 32
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	f := large(b, 100_000)
	b.SetBytes(100_000 * int64(f.stride))
	for b.Loop() {
		if _, err := f.Verify(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQuantize(b *testing.B) {
	v := floats(1, 384)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Quantize(v); err != nil {
			b.Fatal(err)
		}
	}
}
