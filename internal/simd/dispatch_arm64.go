package simd

import (
	"math"

	"golang.org/x/sys/cpu"
)

//go:generate go run ./gen/neon

// accelerated returns the sets in assembly that run here, slowest first. NEON is
// part of every arm64; the dot product of int8 came with Armv8.2 (as FEAT_DotProd),
// and without it there is no MatMulInt8.
func accelerated() []*Kernels {
	neon := &Kernels{
		Name:      "neon",
		Width:     neonWidth,
		MatMul:    matMulNEON,
		Quantize:  quantizeNEON,
		Softmax:   softmaxNEON,
		GELU:      geluNEON,
		LayerNorm: layerNormNEON,
		Dots:      dotsNEON,
	}
	if !cpu.ARM64.HasASIMDDP {
		return []*Kernels{neon}
	}
	dotprod := *neon
	dotprod.Name = "neon-dotprod"
	dotprod.MatMulInt8 = matMulInt8DotProd
	dotprod.Dots = dotsDotProd
	return []*Kernels{neon, &dotprod}
}

// neonWidth is the width of a panel of float32, and of the part of a panel of int8
// that is multiplied at once. With 8 rows it is 64 sums in 16 of 32 registers.
const neonWidth = 8

func matMulNEON(c []float32, ldc int, a []float32, lda int, panel, bias []float32, rows, k int) {
	checkMatMul(neonWidth, c, ldc, a, lda, panel, bias, rows, k)
	for r := 0; r < rows; {
		block, n := neonMatMul1, 1
		switch left := rows - r; {
		case left >= 8:
			block, n = neonMatMul8, 8
		case left >= 4:
			block, n = neonMatMul4, 4
		case left >= 2:
			block, n = neonMatMul2, 2
		}
		block(&c[r*ldc], 4*ldc, &a[r*lda], 4*lda, &panel[0], &bias[0], k)
		r += n
	}
}

// matMulInt8DotProd takes the 128 off the weights rather than off the sums, so sum
// goes unused.
func matMulInt8DotProd(c []float32, ldc int, a []int8, lda int, panel []uint8, weight, bias, scale []float32, sum []int32, rows, k int) {
	checkMatMulInt8(c, ldc, a, lda, panel, weight, bias, scale, sum, rows, k)
	for r := 0; r < rows; {
		block, n := dotprodMatMul1, 1
		switch left := rows - r; {
		case left >= 8:
			block, n = dotprodMatMul8, 8
		case left >= 4:
			block, n = dotprodMatMul4, 4
		case left >= 2:
			block, n = dotprodMatMul2, 2
		}
		for j := 0; j < WidthInt8; j += neonWidth {
			block(&c[r*ldc+j], 4*ldc, &a[r*lda], lda, &panel[4*j], &weight[j], &bias[j], &scale[r], k)
		}
		r += n
	}
}

func quantizeNEON(q []int8, x []float32) (scale float32, sum int32) {
	checkQuantize(q, x)
	top := neonMaxAbs(&x[0], len(x))
	if top < smallest {
		clear(q)
		return 1, 0
	}
	return top / 127, neonQuantize(&q[0], &x[0], len(x), 127/top)
}

func softmaxNEON(x []float32, scale float32) {
	checkMultiple("Softmax: x", len(x), 16)
	neonSoftmax(&x[0], len(x), scale*math.Log2E)
}

func geluNEON(x []float32) {
	checkMultiple("GELU: x", len(x), 16)
	neonGELU(&x[0], len(x))
}

func layerNormNEON(out, x, residual, gamma, beta []float32, eps float32) {
	checkLayerNorm(out, x, residual, gamma, beta)
	var r *float32
	if residual != nil {
		r = &residual[0]
	}
	neonLayerNorm(&out[0], &x[0], r, &gamma[0], &beta[0], len(x), eps)
}

func dotsNEON(out []int32, q []int8, rows []uint8, stride int) {
	scan(neonDots4, neonDots1, out, q, rows, stride)
}

func dotsDotProd(out []int32, q []int8, rows []uint8, stride int) {
	scan(dotprodDots4, dotprodDots1, out, q, rows, stride)
}

// scan is Dots with a kernel for four rows and one for the rest. Both take the 128
// off the rows' bytes, and add it to the sums as 128·Σq.
func scan(four, single func(out *int32, q *int8, rows *uint8, stride, n int, base int32), out []int32, q []int8, rows []uint8, stride int) {
	checkDots(out, q, rows, stride, 32)
	var base int32
	for _, v := range q {
		base += 128 * int32(v)
	}
	i := 0
	for ; i+4 <= len(out); i += 4 {
		four(&out[i], &q[0], &rows[i*stride], stride, len(q), base)
	}
	for ; i < len(out); i++ {
		single(&out[i], &q[0], &rows[i*stride], stride, len(q), base)
	}
}
