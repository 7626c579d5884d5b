package vectors

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-rag/assay/internal/simd"
)

// TestScan compares scans with brute force over the stored vectors, for sizes
// around those of blocks and of goroutines' shares.
func TestScan(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	onEveryKernel(t, func(t *testing.T, k *simd.Kernels) {
		for _, test := range []struct{ dim, count int }{
			{1, 10}, {31, 100}, {32, blockRows - 1}, {48, blockRows}, {64, blockRows + 1},
			{32, 2*blocksPerWorker*blockRows + 5}, {384, 2000},
		} {
			records := recordsOf(test.dim, 3, 3*int64(test.count), 3)
			f := open(t, create(t, test.dim, records), test.dim)
			f.kernels = k
			query := floats(-1, test.dim)
			for _, n := range []int{-1, 0, 1, 10, 50, test.count, 2 * test.count} {
				scanned(t, f, records, query, nil, math.MaxInt64, n)
			}
			scanned(t, f, records, make([]float32, test.dim), nil, math.MaxInt64, 20) // by ids alone
		}
	})
}

// scanned checks one scan.
func scanned(t *testing.T, f *File, records []Record, query []float32, runs []Interval, upTo int64, k int) {
	t.Helper()
	got, err := f.Scan(t.Context(), query, runs, upTo, k)
	if err != nil {
		t.Fatal(err)
	}
	if want := bruteForce(records, query, runs, upTo, k); !slices.Equal(got, want) {
		t.Errorf("%d records of %d dimensions, runs %v up to %d, k = %d:\n%v, want\n%v", len(records), f.dim, runs, upTo, k, got, want)
	}
}

func TestScanRuns(t *testing.T) {
	const dim = 32
	records := recordsOf(dim, 10, 90, 10)
	f := open(t, create(t, dim, records), dim)
	query := floats(-1, dim)
	for _, runs := range [][]Interval{
		{}, {{1, 9}}, {{91, 99}}, {{1, 10}}, {{10, 10}, {20, 20}}, {{11, 19}, {20, 20}}, {{11, 19}, {21, 29}},
		{{1, 15}, {16, 24}, {25, 25}, {90, 200}}, {{math.MinInt64, math.MaxInt64}}, {{50, math.MaxInt64}}, {{30, 70}},
	} {
		for _, upTo := range []int64{math.MinInt64, 0, 9, 10, 50, 55, 89, 90, 91, math.MaxInt64} {
			scanned(t, f, records, query, runs, upTo, 100)
		}
	}
	for _, runs := range [][]Interval{{{2, 1}}, {{1, 5}, {5, 6}}, {{5, 6}, {1, 2}}} {
		if got, err := f.Scan(t.Context(), query, runs, 90, 1); err == nil {
			t.Errorf("the intervals %v find %v", runs, got)
		}
	}
	empty := open(t, create(t, dim, nil), dim)
	for _, runs := range [][]Interval{nil, {}, {{1, 5}}} {
		scanned(t, empty, nil, query, runs, 90, 5)
	}
}

// FuzzScan makes intervals of the fuzzer's bytes: gaps and lengths in turn.
func FuzzScan(f *testing.F) {
	const dim = 32
	var records []Record
	rng := rand.New(rand.NewPCG(1, 2))
	for id := int64(1); id < 4000; id += 1 + rng.Int64N(4)*rng.Int64N(2) {
		records = append(records, recordOf(id, dim))
	}
	file := open(f, create(f, dim, records), dim)
	f.Add([]byte{1, 200, 1, 1, 2, 3}, int64(900), uint8(10), uint16(1))
	f.Add([]byte{255, 255, 255, 255, 0, 0, 0, 0}, int64(4000), uint8(0), uint16(9))
	f.Fuzz(func(t *testing.T, lengths []byte, upTo int64, k uint8, question uint16) {
		runs, id := []Interval{}, int64(0)
		for ; len(lengths) >= 2; lengths = lengths[2:] {
			first := id + 1 + int64(lengths[0])
			id = first + int64(lengths[1])
			runs = append(runs, Interval{first, id})
		}
		scanned(t, file, records, floats(-int64(question), dim), runs, upTo, int(k))
	})
}

func TestScanRefuses(t *testing.T) {
	f := open(t, create(t, 32, recordsOf(32, 1, 3, 1)), 32)
	bad := floats(1, 32)
	bad[7] = float32(math.NaN())
	for says, query := range map[string][]float32{"31 dimensions": floats(1, 31), "component 7 is NaN": bad} {
		if _, err := f.Scan(t.Context(), query, nil, 9, 1); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want an error that says %q: %v", says, err)
		}
	}
}

// TestScanEqual: passages of the same text come in the order of their ids,
// however the work was shared.
func TestScanEqual(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const dim = 32
	var records []Record
	for id := range int64(5 * blocksPerWorker * blockRows) {
		records = append(records, Record{ID: id + 1, Vector: recordOf(id%3, dim).Vector})
	}
	f := open(t, create(t, dim, records), dim)
	for range 5 {
		scanned(t, f, records, floats(1, dim), nil, math.MaxInt64, 500)
	}
}

// countdown is a context that is cancelled after some looks at it.
type countdown struct {
	context.Context
	mu   sync.Mutex
	left int
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestScanCancelled(t *testing.T) {
	const dim = 32
	f := open(t, create(t, dim, recordsOf(dim, 1, 20*blockRows, 1)), dim)
	for left := range 20 { // it looks once before each block
		if _, err := f.Scan(&countdown{Context: t.Context(), left: left}, floats(-1, dim), nil, math.MaxInt64, 5); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d looks: %v", left, err)
		}
		if _, err := f.Verify(&countdown{Context: t.Context(), left: left}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("verify cancelled after %d looks: %v", left, err)
		}
	}
	if f.view.refs != 1 {
		t.Errorf("the view is held %d times", f.view.refs)
	}
}

// TestDamagedRecord: damage that Open doesn't look for is found by Verify, and by
// a scan that would have returned it.
func TestDamagedRecord(t *testing.T) {
	const dim = 32
	records := recordsOf(dim, 1, 1000, 1)
	path := create(t, dim, records)
	f := open(t, path, dim) // all is good at this time
	at := headerSize + 499*int64(strideOf(dim))
	query := floats(500, dim)
	for _, test := range []struct {
		name   string
		offset int64
		bit    int
	}{{"vector", 16 + 31, 0}, {"id", 8, 1}, {"checksum", 2, 5}, {"scale", 4, 0}} {
		flip(t, path, at+test.offset, test.bit)
		if n, err := f.Verify(t.Context(), nil); n != 499 || !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: Verify() = %d, %v", test.name, n, err)
		}
		if hits, err := f.Scan(t.Context(), query, nil, math.MaxInt64, 1); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: the scan finds %v, %v", test.name, hits, err)
		}
		flip(t, path, at+test.offset, test.bit)
	}
	// An id that no arithmetic holds is looked for from there.
	flip(t, path, at+8+7, 7)
	if hits, err := f.Scan(t.Context(), query, []Interval{{1, 499}, {math.MaxInt64 - 1, math.MaxInt64}}, math.MaxInt64, 1); err != nil || hits[0].ID >= 500 {
		t.Errorf("negative id: the scan finds %v, %v", hits, err)
	}
	flip(t, path, at+8+7, 7)
	// A scale that makes every product NaN is noticed where the record is needed.
	patch(t, path, at+4, func(b []byte) { copy(b, []byte{0, 0, 192, 127}) }, 4)
	if hits, err := f.Scan(t.Context(), query, []Interval{{500, 500}}, math.MaxInt64, 1); !errors.Is(err, ErrDamaged) {
		t.Errorf("NaN: the scan finds %v, %v", hits, err)
	}
}

// TestRecall compares scans of rounded vectors with the exact ones, on vectors in
// clusters, whose nearest neighbours lie as close together as those of texts do.
func TestRecall(t *testing.T) {
	const dim, count, clusters, questions, k = 384, 50000, 500, 25, 20
	rng := rand.New(rand.NewPCG(3, 4))
	centres := make([][]float32, clusters)
	for i := range centres {
		centres[i] = floats(int64(i), dim)
	}
	near := func(spread float64) []float32 {
		v := slices.Clone(centres[rng.IntN(clusters)])
		for i := range v {
			v[i] += float32(spread * rng.NormFloat64() / math.Sqrt(dim))
		}
		return unit(v)
	}
	exact := make([][]float32, count)
	records := make([]Record, count)
	for i := range exact {
		exact[i] = near(0.7)
		v, err := Quantize(exact[i])
		if err != nil {
			t.Fatal(err)
		}
		records[i] = Record{ID: int64(i + 1), Vector: v}
	}
	f := open(t, create(t, dim, records), dim)
	found := 0
	for i := range questions {
		query := near(0.7)
		if i%8 == 0 { // against the stored vectors nothing is lost
			scanned(t, f, records, query, nil, math.MaxInt64, k)
		}
		hits, err := f.Scan(t.Context(), query, nil, math.MaxInt64, k)
		if err != nil {
			t.Fatal(err)
		}
		best := nearest(exact, query, k)
		for _, h := range hits {
			if slices.Contains(best, h.ID) {
				found++
			}
		}
	}
	recall := float64(found) / (questions * k)
	t.Logf("recall@%d of %d vectors: %.4f", k, count, recall)
	if recall < 0.98 {
		t.Errorf("recall@%d is %.4f, want 0.98", k, recall)
	}
}

// nearest are the ids of the k vectors nearest to the query, in float32.
func nearest(vectors [][]float32, query []float32, k int) []int64 {
	hits := make([]Hit, len(vectors))
	for i, v := range vectors {
		var sum float32
		for j, x := range v {
			sum += x * query[j]
		}
		hits[i] = Hit{ID: int64(i + 1), Score: float64(sum)}
	}
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	ids := make([]int64, k)
	for i := range ids {
		ids[i] = hits[i].ID
	}
	return ids
}
