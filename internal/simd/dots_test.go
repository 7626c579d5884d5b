package simd

import (
	"math/rand/v2"
	"testing"
)

// compareDots scans rows that end where memory ends with every set; all sums are
// integers, so they are equal.
func compareDots(t *testing.T, seed uint64, rows, width, gap int, extreme bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	q, stride := guarded[int8](t, width), width+gap
	data := guarded[uint8](t, max(0, (rows-1)*stride+width))
	for i := range q {
		q[i] = int8(rng.IntN(256) - 128)
		if extreme {
			q[i] = -128
		}
	}
	for i := range data {
		data[i] = uint8(rng.IntN(256))
		if extreme {
			data[i] = 255
		}
	}
	for _, k := range All() {
		out := guarded[int32](t, rows)
		k.Dots(out, q, data, stride)
		for r := range out {
			want := int32(0)
			for j, v := range q {
				want += int32(v) * int32(data[r*stride+j])
			}
			if out[r] != want {
				t.Fatalf("%s: row %d of %d, %d wide and %d apart: %d, want %d", k.Name, r, rows, width, stride, out[r], want)
			}
		}
	}
}

func TestDots(t *testing.T) {
	for rows := range 14 {
		for _, width := range []int{32, 64, 96, 384, 1024} {
			compareDots(t, uint64(rows), rows, width, rows%3, false)
		}
	}
	compareDots(t, 1, 5, 1<<16, 0, true)
}

// Plain Go takes any width.
func TestDotsPlainWidth(t *testing.T) {
	out := make([]int32, 2)
	plain().Dots(out, []int8{1, -2, 3}, []uint8{1, 2, 3, 9, 255, 0, 1}, 4)
	if out[0] != 6 || out[1] != 258 {
		t.Errorf("sums are %d", out)
	}
}

func FuzzDots(f *testing.F) {
	f.Add(uint64(1), uint8(13), uint8(11), uint8(0), false)
	f.Add(uint64(2), uint8(4), uint8(0), uint8(3), true)
	f.Fuzz(func(t *testing.T, seed uint64, rows, width, gap uint8, extreme bool) {
		compareDots(t, seed, int(rows), 32+32*int(width), int(gap), extreme)
	})
}
