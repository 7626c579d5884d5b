package vectors

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assay-rag/assay/internal/simd"
)

var testEpoch = Epoch{1, 2, 3}

// TestMain lets the test binary be the other process of a test.
func TestMain(m *testing.M) {
	task := os.Getenv("VECTORS_TEST_CHILD")
	child := children[task]
	if child == nil {
		child = systemChildren[task]
	}
	if child == nil {
		os.Exit(m.Run())
	}
	if err := child(os.Args[len(os.Args)-1]); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

// children are the tasks of a child process, which is given a path.
var children = map[string]func(path string) error{
	"append": appendForever,
	"read":   readUntilTold,
}

// floats are the components of the passage's vector, which only depend on its id.
func floats(id int64, dim int) []float32 {
	rng := rand.New(rand.NewPCG(uint64(id), 7))
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return unit(v)
}

// unit gives v the length 1.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func recordOf(id int64, dim int) Record {
	v, err := Quantize(floats(id, dim))
	if err != nil {
		panic(err)
	}
	return Record{ID: id, Vector: v}
}

// recordsOf are the records of the passages first, first+step, …, up to last.
func recordsOf(dim int, first, last, step int64) (records []Record) {
	for id := first; id <= last; id += step {
		records = append(records, recordOf(id, dim))
	}
	return records
}

// yield is records as Create takes them.
func yield(records []Record) func(func(Record, error) bool) {
	return func(f func(Record, error) bool) {
		for _, r := range records {
			if !f(r, nil) {
				return
			}
		}
	}
}

// create makes a file of its own with the records.
func create(tb testing.TB, dim int, records []Record) (path string) {
	tb.Helper()
	path = filepath.Join(tb.TempDir(), "vectors.bin")
	if err := Create(path, dim, testEpoch, yield(records)); err != nil {
		tb.Fatal(err)
	}
	return path
}

// open opens a file until the test ends.
func open(tb testing.TB, path string, dim int) *File {
	tb.Helper()
	f, err := Open(path, dim, testEpoch)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := f.Close(); err != nil {
			tb.Error(err)
		}
	})
	return f
}

// reaches checks the number of records and the last id.
func reaches(tb testing.TB, f *File, count int, last int64) {
	tb.Helper()
	n, err := f.Len()
	if err != nil || n != count {
		tb.Errorf("Len() = %d, %v, want %d", n, err, count)
	}
	id, err := f.Last()
	if err != nil || id != last {
		tb.Errorf("Last() = %d, %v, want %d", id, err, last)
	}
}

// verified checks that all of the file is as it was written by recordOf.
func verified(tb testing.TB, f *File, count int) {
	tb.Helper()
	n, err := f.Verify(context.Background(), func(r Record) error {
		if want := recordOf(r.ID, f.dim).Vector; want.Scale != r.Vector.Scale || !slices.Equal(want.Bytes, r.Vector.Bytes) {
			return fmt.Errorf("passage %d has another vector", r.ID)
		}
		return nil
	})
	if err != nil || n != count {
		tb.Errorf("Verify() = %d, %v, want %d", n, err, count)
	}
}

// bruteForce is what Scan should return: the scores of the stored vectors,
// sorted.
func bruteForce(records []Record, query []float32, runs []Interval, upTo int64, k int) (hits []Hit) {
	for _, r := range records {
		in := runs == nil || slices.ContainsFunc(runs, func(i Interval) bool { return i.First <= r.ID && r.ID <= i.Last })
		if in && r.ID <= upTo {
			hits = append(hits, Hit{ID: r.ID, Score: Dot(query, r.Vector)})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return hits[:max(0, min(k, len(hits)))]
}

// rightScores checks that each hit has the score of its passage, in order.
func rightScores(dim int, query []float32, hits []Hit) error {
	for i, h := range hits {
		v := recordOf(h.ID, dim).Vector
		if want := Dot(query, v); h.Score != want {
			return fmt.Errorf("passage %d has the score %v, want %v", h.ID, h.Score, want)
		}
		if i > 0 && (h.Score > hits[i-1].Score || h.Score == hits[i-1].Score && h.ID <= hits[i-1].ID) {
			return fmt.Errorf("hit %d is out of order: %v", i, hits)
		}
	}
	return nil
}

// onEveryKernel runs a test with each set of kernels that runs here.
func onEveryKernel(t *testing.T, test func(*testing.T, *simd.Kernels)) {
	for _, k := range simd.All() {
		t.Run(k.Name, func(t *testing.T) { test(t, k) })
	}
}

// patch changes the file in place, without truncating it.
func patch(tb testing.TB, path string, offset int64, change func(b []byte), n int) {
	tb.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, n)
	if _, err := f.ReadAt(b, offset); err != nil && err != io.EOF {
		tb.Fatal(err)
	}
	change(b)
	if _, err := f.WriteAt(b, offset); err != nil {
		tb.Fatal(err)
	}
}

// flip flips one bit of the file.
func flip(tb testing.TB, path string, offset int64, bit int) {
	tb.Helper()
	patch(tb, path, offset, func(b []byte) { b[0] ^= 1 << bit }, 1)
}
