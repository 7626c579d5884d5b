package vectors

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// FuzzOpen takes any bytes for a file. What is opened can be read, searched and
// appended to, without a panic and without a hit that isn't there.
func FuzzOpen(f *testing.F) {
	const dim = 4
	whole, err := os.ReadFile(create(f, dim, recordsOf(dim, 1, 5, 1)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-7])
	f.Add(whole[:headerSize])
	f.Add(whole[:20])
	f.Add(append(whole[:headerSize+strideOf(dim):headerSize+strideOf(dim)], whole[headerSize:]...)) // an id twice
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "vectors.bin")
		// Most changes of the header are refused, so what follows it is tried alone too.
		for _, content := range [][]byte{content, append(header(dim, testEpoch), content...)} {
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
			file, err := Open(path, dim, testEpoch)
			if err != nil {
				if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrOther) {
					t.Error(err)
				}
				continue
			}
			use(t, file)
			file.Close()
		}
	})
}

// use does all that can be done with a small file that was opened.
func use(t *testing.T, f *File) {
	n, err := f.Verify(t.Context(), nil) // no flush has hidden anything from Open
	if count, _ := f.Len(); err != nil || n != count {
		t.Errorf("Verify() = %d of %d, %v", n, count, err)
	}
	hits, err := f.Scan(t.Context(), floats(1, f.dim), []Interval{{2, 4}, {6, math.MaxInt64}}, math.MaxInt64, 10)
	if err != nil && !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	last, err := f.Last()
	if err != nil {
		t.Error(err)
	}
	for _, h := range hits {
		if h.ID < 2 || h.ID == 5 || h.ID > last {
			t.Errorf("passage %d is found", h.ID)
		}
	}
	if last == math.MaxInt64 {
		return
	}
	if err := f.Append(recordsOf(f.dim, last+1, last+1, 1)); err != nil {
		t.Error(err)
	}
	reaches(t, f, n+1, last+1)
}
