package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// product is a case for MatMul: its arguments, all at the end of memory, with gaps
// between the rows.
type product struct {
	rows, k, lda, ldc int
	a, panel, bias, c []float32
}

// newProduct fills a case with values of about the size 2^exponent.
func newProduct(t testing.TB, seed uint64, width, rows, k, gap, exponent int) product {
	rng := rand.New(rand.NewPCG(seed, 0))
	p := product{rows: rows, k: k, lda: k + gap, ldc: width + gap}
	p.a = guarded[float32](t, (rows-1)*p.lda+k)
	p.panel = guarded[float32](t, k*width)
	p.bias = guarded[float32](t, width)
	p.c = guarded[float32](t, (rows-1)*p.ldc+width)
	for _, x := range [][]float32{p.a, p.panel, p.bias} {
		for i := range x {
			x[i] = float32(math.Ldexp(rng.NormFloat64(), exponent))
			if rng.IntN(8) == 0 {
				x[i] = 0
			}
		}
	}
	for i := range p.c {
		p.c[i] = untouched
	}
	return p
}

// untouched marks what a kernel has no business with.
const untouched = -12345678

// check holds the result against a sum in float64. Each of k+1 additions, and each
// product where it is rounded, is off by at most half a unit in the last place of
// what has been summed: together k+2 times 2⁻²⁴ of the magnitudes' sum (Higham,
// Accuracy and Stability of Numerical Algorithms, §3.1), and below the smallest
// normal number half of the smallest step.
func (p product) check(t *testing.T, name string, width int) {
	t.Helper()
	for r := range p.rows {
		for j := range width {
			want, size := float64(p.bias[j]), math.Abs(float64(p.bias[j]))
			for i := range p.k {
				x := float64(p.a[r*p.lda+i]) * float64(p.panel[i*width+j])
				want += x
				size += math.Abs(x)
			}
			got := float64(p.c[r*p.ldc+j])
			if tolerance := float64(p.k+2) * (size/(1<<24) + math.SmallestNonzeroFloat32); !(math.Abs(got-want) <= tolerance) {
				t.Fatalf("%s: %d rows, k %d: c[%d][%d] is %g, want %g ± %g", name, p.rows, p.k, r, j, got, want, tolerance)
			}
		}
		for j := width; j < p.ldc && r < p.rows-1; j++ {
			if p.c[r*p.ldc+j] != untouched {
				t.Fatalf("%s: %d rows, k %d: wrote behind row %d", name, p.rows, p.k, r)
			}
		}
	}
}

func (p product) run(k *Kernels) { k.MatMul(p.c, p.ldc, p.a, p.lda, p.panel, p.bias, p.rows, p.k) }

func TestMatMul(t *testing.T) {
	for _, k := range All() {
		t.Run(k.Name, func(t *testing.T) {
			for rows := 1; rows <= 26; rows++ {
				for _, depth := range []int{4, 8, 12, 32, 100} {
					p := newProduct(t, uint64(rows), k.Width, rows, depth, rows%3, 0)
					p.run(k)
					p.check(t, k.Name, k.Width)
				}
			}
			p := newProduct(t, 1, k.Width, 50, 1536, 0, 0)
			p.run(k)
			p.check(t, k.Name, k.Width)
		})
	}
}

func FuzzMatMul(f *testing.F) {
	f.Add(uint64(1), uint8(13), uint8(2), uint8(0), int8(0))
	f.Add(uint64(2), uint8(1), uint8(0), uint8(3), int8(-70)) // products are denormal
	f.Add(uint64(3), uint8(7), uint8(9), uint8(0), int8(55))  // and here nearly infinite
	f.Fuzz(func(t *testing.T, seed uint64, rows, depth, gap uint8, exponent int8) {
		for _, k := range All() {
			p := newProduct(t, seed, k.Width, 1+int(rows%64), 4+4*int(depth), int(gap), max(-128, min(int(exponent), 55)))
			p.run(k)
			p.check(t, k.Name, k.Width)
		}
	})
}

// A row's result must not depend on the rows beside it: the encoder batches what
// comes, and the same text has one embedding.
func TestMatMulBatchInvariance(t *testing.T) {
	for _, k := range All() {
		t.Run(k.Name, func(t *testing.T) {
			for rows := 1; rows <= 40; rows++ {
				p := newProduct(t, uint64(rows), k.Width, rows, 96, 5, 0)
				p.run(k)
				for r := range rows {
					one := guarded[float32](t, k.Width)
					k.MatMul(one, 0, p.a[r*p.lda:], p.lda, p.panel, p.bias, 1, p.k)
					sameBits(t, fmt.Sprintf("row %d of %d alone", r, rows), one, p.c[r*p.ldc:][:k.Width])
				}
			}
		})
	}
}

// productInt8 is a case for MatMulInt8.
type productInt8 struct {
	rows, k, lda, ldc      int
	a                      []int8
	panel                  []uint8
	weight, bias, scale, c []float32
	sum                    []int32
}

func newProductInt8(t testing.TB, seed uint64, rows, k, gap int) productInt8 {
	rng := rand.New(rand.NewPCG(seed, 0))
	p := productInt8{rows: rows, k: k, lda: k + gap, ldc: WidthInt8 + gap}
	p.a = guarded[int8](t, (rows-1)*p.lda+k)
	p.panel = guarded[uint8](t, k*WidthInt8)
	p.weight, p.bias = guarded[float32](t, WidthInt8), guarded[float32](t, WidthInt8)
	p.scale, p.sum = guarded[float32](t, rows), guarded[int32](t, rows)
	p.c = guarded[float32](t, (rows-1)*p.ldc+WidthInt8)
	extreme := rng.IntN(4) == 0 // all values at the ends, where a sum in 16 bits would saturate
	for i := range p.a {
		p.a[i] = int8(rng.IntN(256) - 128)
		if extreme {
			p.a[i] = []int8{-128, 127}[rng.IntN(2)]
		}
	}
	for i := range p.panel {
		p.panel[i] = uint8(rng.IntN(256))
		if extreme {
			p.panel[i] = 255
		}
	}
	for r := range rows {
		p.scale[r] = rng.Float32()
		for _, v := range p.a[r*p.lda:][:k] {
			p.sum[r] += int32(v)
		}
	}
	for j := range WidthInt8 {
		p.weight[j], p.bias[j] = rng.Float32(), float32(rng.NormFloat64())
	}
	for i := range p.c {
		p.c[i] = untouched
	}
	return p
}

func (p productInt8) run(f func([]float32, int, []int8, int, []uint8, []float32, []float32, []float32, []int32, int, int)) []float32 {
	f(p.c, p.ldc, p.a, p.lda, p.panel, p.weight, p.bias, p.scale, p.sum, p.rows, p.k)
	return p.c
}

// check runs the kernel and the reference. Their integers are equal; the reference
// rounds four times after them (conversion, two products, a sum), a kernel three.
func (p productInt8) check(t *testing.T, k *Kernels) {
	t.Helper()
	want := append([]float32(nil), p.run(matMulInt8Plain)...)
	for i := range p.c {
		if i%p.ldc < WidthInt8 {
			p.c[i] = float32(math.NaN())
		}
	}
	got := p.run(k.MatMulInt8)
	for i := range got {
		size := math.Abs(float64(want[i])) + 2*math.Abs(float64(p.bias[min(i%p.ldc, WidthInt8-1)]))
		if tolerance := 4 * size / (1 << 24); !(math.Abs(float64(got[i])-float64(want[i])) <= tolerance) {
			t.Fatalf("%s: %d rows, k %d: c[%d][%d] is %g, want %g ± %g", k.Name, p.rows, p.k, i/p.ldc, i%p.ldc, got[i], want[i], tolerance)
		}
	}
}

func withInt8(t testing.TB) []*Kernels {
	var sets []*Kernels
	for _, k := range All() {
		if k.MatMulInt8 != nil {
			sets = append(sets, k)
		}
	}
	if len(sets) == 0 {
		t.Skip("no set on this processor multiplies int8")
	}
	return sets
}

func TestMatMulInt8(t *testing.T) {
	for _, k := range withInt8(t) {
		for rows := 1; rows <= 26; rows++ {
			for _, depth := range []int{16, 32, 48, 400} {
				newProductInt8(t, uint64(rows*depth), rows, depth, rows%3).check(t, k)
			}
		}
		newProductInt8(t, 1, 3, 1<<16, 0).check(t, k)
	}
}

func FuzzMatMulInt8(f *testing.F) {
	f.Add(uint64(1), uint8(13), uint8(2), uint8(0))
	f.Add(uint64(2), uint8(1), uint8(0), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, rows, depth, gap uint8) {
		for _, k := range withInt8(t) {
			newProductInt8(t, seed, 1+int(rows%64), 16+16*int(depth), int(gap)).check(t, k)
		}
	})
}

func TestMatMulInt8BatchInvariance(t *testing.T) {
	for _, k := range withInt8(t) {
		for rows := 1; rows <= 40; rows++ {
			p := newProductInt8(t, uint64(rows), rows, 96, 5)
			p.run(k.MatMulInt8)
			for r := range rows {
				one := guarded[float32](t, WidthInt8)
				k.MatMulInt8(one, 0, p.a[r*p.lda:], p.lda, p.panel, p.weight, p.bias, p.scale[r:], p.sum[r:], 1, p.k)
				sameBits(t, fmt.Sprintf("row %d of %d alone", r, rows), one, p.c[r*p.ldc:][:WidthInt8])
			}
		}
	}
}

func sameBits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}
