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

// FuzzDamage damages a file that is open. Nothing panics, and nothing is found
// that wasn't asked for, or with a score that it hasn't.
func FuzzDamage(f *testing.F) {
	const dim, count = 4, 100
	path := create(f, dim, recordsOf(dim, 1, count, 1))
	file := open(f, path, dim)
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(9*48+8+7), []byte{255}, uint8(12), uint8(30), uint8(200))
	f.Add(uint16(50*48+8), []byte{2, 0, 0}, uint8(20), uint8(40), uint8(90))
	f.Add(uint16(8), []byte{48}, uint8(54), uint8(109), uint8(100)) // misleads the search for ids
	f.Add(uint16(3*48+4), []byte{0, 0, 192, 127}, uint8(2), uint8(3), uint8(4))
	f.Fuzz(func(t *testing.T, offset uint16, damage []byte, first, last, upTo uint8) {
		start := int(offset) % (len(whole) - headerSize)
		damage = damage[:min(len(damage), len(whole)-headerSize-start)]
		patch(t, path, int64(headerSize+start), func(b []byte) { copy(b, damage) }, len(damage))
		defer patch(t, path, 0, func(b []byte) { copy(b, whole) }, len(whole))
		runs := []Interval{{0, 4}, {int64(first), int64(last)}, {math.MaxInt64 - 1, math.MaxInt64}}
		if first < 5 || last < first {
			runs = runs[:1]
		}
		query := floats(1, dim)
		hits, err := file.Scan(t.Context(), query, runs, int64(upTo), 5)
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		if err := rightScores(dim, query, hits); err != nil {
			t.Error(err)
		}
		for _, h := range hits {
			if h.ID > int64(upTo) || h.ID > 4 && (len(runs) == 1 || h.ID < int64(first) || h.ID > int64(last)) {
				t.Errorf("passage %d is found in %v up to %d", h.ID, runs, upTo)
			}
		}
	})
}
