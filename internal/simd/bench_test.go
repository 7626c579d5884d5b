package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The benchmarks run every set on the shapes of MiniLM-L6: 384 wide, 1,536 in the
// middle, 256 tokens in the longest text.

func BenchmarkMatMul(b *testing.B) {
	for _, shape := range []struct{ rows, columns, depth int }{
		{256, 1536, 384}, {256, 384, 1536}, {32, 1152, 384}, {10, 1536, 384}, {256, 256, 32}, {256, 32, 256},
	} {
		for _, k := range All() {
			b.Run(fmt.Sprintf("%dx%dx%d/%s", shape.rows, shape.columns, shape.depth, k.Name), func(b *testing.B) {
				a, c := randomFloats(shape.rows*shape.depth), make([]float32, shape.rows*shape.columns)
				panels, bias := randomFloats(shape.columns*shape.depth), randomFloats(shape.columns)
				for b.Loop() {
					for j := 0; j < shape.columns; j += k.Width {
						k.MatMul(c[j:], shape.columns, a, shape.depth, panels[j*shape.depth:], bias[j:], shape.rows, shape.depth)
					}
				}
				reportOps(b, 2*shape.rows*shape.columns*shape.depth, "GFLOP/s")
			})
		}
	}
}

func BenchmarkMatMulInt8(b *testing.B) {
	for _, shape := range []struct{ rows, columns, depth int }{
		{256, 1536, 384}, {256, 384, 1536}, {32, 1152, 384}, {10, 1536, 384},
	} {
		for _, k := range All() {
			if k.MatMulInt8 == nil {
				continue
			}
			b.Run(fmt.Sprintf("%dx%dx%d/%s", shape.rows, shape.columns, shape.depth, k.Name), func(b *testing.B) {
				a, c := make([]int8, shape.rows*shape.depth), make([]float32, shape.rows*shape.columns)
				panels, bias := make([]uint8, shape.columns*shape.depth), randomFloats(shape.columns)
				scale, sum := make([]float32, shape.rows), make([]int32, shape.rows)
				for b.Loop() {
					for j := 0; j < shape.columns; j += WidthInt8 {
						k.MatMulInt8(c[j:], shape.columns, a, shape.depth, panels[j*shape.depth:], bias[j:], bias[j:], scale, sum, shape.rows, shape.depth)
					}
				}
				reportOps(b, 2*shape.rows*shape.columns*shape.depth, "GOP/s")
			})
		}
	}
}

// BenchmarkRows is what works on one row of values.
func BenchmarkRows(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
		run  func(k *Kernels, x, y []float32, q []int8)
	}{
		{"Softmax", 256, func(k *Kernels, x, y []float32, q []int8) { k.Softmax(x, 0.1767767) }},
		{"Softmax", 64, func(k *Kernels, x, y []float32, q []int8) { k.Softmax(x, 0.1767767) }},
		{"GELU", 1536, func(k *Kernels, x, y []float32, q []int8) { copy(x, y); k.GELU(x) }},
		{"LayerNorm", 384, func(k *Kernels, x, y []float32, q []int8) { k.LayerNorm(x, y, y, y, y, 1e-12) }},
		{"Quantize", 1536, func(k *Kernels, x, y []float32, q []int8) { k.Quantize(q, y) }},
	} {
		for _, k := range All() {
			b.Run(fmt.Sprintf("%s/%d/%s", c.name, c.n, k.Name), func(b *testing.B) {
				x, y, q := randomFloats(c.n), randomFloats(c.n), make([]int8, c.n)
				for b.Loop() {
					c.run(k, x, y, q)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.n), "ns/value")
			})
		}
	}
}

// BenchmarkDots scans 100,000 rows of 384, more than the caches of a core hold.
func BenchmarkDots(b *testing.B) {
	const rows, width = 100_000, 384
	data, out := make([]uint8, rows*width), make([]int32, rows)
	for i := range data {
		data[i] = uint8(i * 7)
	}
	for _, k := range All() {
		b.Run(k.Name, func(b *testing.B) {
			q := make([]int8, width)
			b.SetBytes(rows * width)
			for b.Loop() {
				k.Dots(out, q, data, width)
			}
		})
	}
}

func reportOps(b *testing.B, each int, unit string) {
	b.ReportMetric(float64(each)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), unit)
}

func randomFloats(n int) []float32 {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}
