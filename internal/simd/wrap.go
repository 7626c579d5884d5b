//go:build amd64 || arm64

package simd

import (
	"math"
	"unsafe"
)

// The functions of a set, each around its kernel in assembly: they check what it
// trusts and hand it pointers.

type matMulKernel func(c *float32, ldc int, a *float32, lda int, panel, bias *float32, k int)

// matMulWith wraps kernels for 1, 2, 3, … rows.
func matMulWith(width int, kernels []matMulKernel) func([]float32, int, []float32, int, []float32, []float32, int, int) {
	return func(c []float32, ldc int, a []float32, lda int, panel, bias []float32, rows, k int) {
		checkMatMul(width, c, ldc, a, lda, panel, bias, rows, k)
		blocks := newBlocks(rows, len(kernels))
		for r := 0; r < rows; {
			n := blocks.next()
			kernels[n-1](&c[r*ldc], ldc, &a[r*lda], lda, &panel[0], &bias[0], k)
			r += n
		}
	}
}

type matMulInt8Kernel func(c *float32, ldc int, a *int8, lda int, panel *uint8, weight, bias, scale *float32, sum *int32, k int)

// matMulInt8With wraps kernels for 1, 2, 3, … rows.
func matMulInt8With(kernels []matMulInt8Kernel) func([]float32, int, []int8, int, []uint8, []float32, []float32, []float32, []int32, int, int) {
	return func(c []float32, ldc int, a []int8, lda int, panel []uint8, weight, bias, scale []float32, sum []int32, rows, k int) {
		checkMatMulInt8(c, ldc, a, lda, panel, weight, bias, scale, sum, rows, k)
		blocks := newBlocks(rows, len(kernels))
		for r := 0; r < rows; {
			n := blocks.next()
			kernels[n-1](&c[r*ldc], ldc, &a[r*lda], lda, &panel[0], &weight[0], &bias[0], &scale[r], &sum[r], k)
			r += n
		}
	}
}

// blocks cuts rows into as few blocks as there can be, and as equal: with a few rows
// a kernel waits for the panel, so 14 are better 7 and 7 than 12 and 2.
type blocks struct{ size, larger int }

func newBlocks(rows, most int) blocks {
	n := (rows + most - 1) / most
	return blocks{size: rows / n, larger: rows % n}
}

// next is the size of the next block.
func (b *blocks) next() int {
	if b.larger == 0 {
		return b.size
	}
	b.larger--
	return b.size + 1
}

func quantizeWith(maxAbs func(x *float32, n int) float32, quantize func(q *int8, x *float32, n int, inverse float32) int32) func([]int8, []float32) (float32, int32) {
	return func(q []int8, x []float32) (scale float32, sum int32) {
		checkQuantize(q, x)
		top := maxAbs(&x[0], len(x))
		if top < smallest {
			clear(q)
			return 1, 0
		}
		return top / 127, quantize(&q[0], &x[0], len(x), 127/top)
	}
}

func softmaxWith(kernel func(x *float32, n int, scale float32)) func([]float32, float32) {
	return func(x []float32, scale float32) {
		checkMultiple("Softmax: x", len(x), 16)
		kernel(&x[0], len(x), scale*math.Log2E)
	}
}

func geluWith(kernel func(x *float32, n int)) func([]float32) {
	return func(x []float32) {
		checkMultiple("GELU: x", len(x), 16)
		kernel(&x[0], len(x))
	}
}

func layerNormWith(kernel func(out, x, residual, gamma, beta *float32, n int, eps float32)) func(out, x, residual, gamma, beta []float32, eps float32) {
	return func(out, x, residual, gamma, beta []float32, eps float32) {
		checkLayerNorm(out, x, residual, gamma, beta)
		kernel(&out[0], &x[0], unsafe.SliceData(residual), &gamma[0], &beta[0], len(x), eps)
	}
}

func dotsWith(kernel func(out *int32, n int, q *int8, k int, rows *uint8, stride int)) func([]int32, []int8, []uint8, int) {
	return func(out []int32, q []int8, rows []uint8, stride int) {
		checkDots(out, q, rows, stride, 32)
		if len(out) > 0 {
			kernel(&out[0], len(out), &q[0], len(q), &rows[0], stride)
		}
	}
}
