package simd

import "fmt"

// The assembly trusts its arguments. These are the checks before it, shared by all
// sets; a failed one names the function and the argument.

func checkMatMul(width int, c []float32, ldc int, a []float32, lda int, panel, bias []float32, rows, k int) {
	checkCount("MatMul: rows", rows)
	checkMultiple("MatMul: k", k, 4)
	checkRows("MatMul: a", len(a), lda, rows, k)
	checkRows("MatMul: c", len(c), ldc, rows, width)
	checkLen("MatMul: panel", len(panel), k*width)
	checkLen("MatMul: bias", len(bias), width)
}

func checkMatMulInt8(c []float32, ldc int, a []int8, lda int, panel []uint8, weight, bias, scale []float32, sum []int32, rows, k int) {
	checkCount("MatMulInt8: rows", rows)
	checkMultiple("MatMulInt8: k", k, 16)
	checkDepth("MatMulInt8: k", k)
	checkRows("MatMulInt8: a", len(a), lda, rows, k)
	checkRows("MatMulInt8: c", len(c), ldc, rows, WidthInt8)
	checkLen("MatMulInt8: panel", len(panel), k*WidthInt8)
	checkLen("MatMulInt8: weight", len(weight), WidthInt8)
	checkLen("MatMulInt8: bias", len(bias), WidthInt8)
	checkLen("MatMulInt8: scale", len(scale), rows)
	checkLen("MatMulInt8: sum", len(sum), rows)
}

func checkQuantize(q []int8, x []float32) {
	checkMultiple("Quantize: x", len(x), 16)
	checkSame("Quantize: q", len(q), len(x))
}

func checkLayerNorm(out, x, residual, gamma, beta []float32) {
	checkMultiple("LayerNorm: x", len(x), 16)
	checkSame("LayerNorm: out", len(out), len(x))
	if residual != nil {
		checkSame("LayerNorm: residual", len(residual), len(x))
	}
	checkSame("LayerNorm: gamma", len(gamma), len(x))
	checkSame("LayerNorm: beta", len(beta), len(x))
}

func checkDots(out []int32, q []int8, rows []uint8, stride, multiple int) {
	checkMultiple("Dots: q", len(q), multiple)
	checkDepth("Dots: q", len(q))
	checkRows("Dots: rows", len(rows), stride, len(out), len(q))
}

func checkCount(what string, n int) {
	if n < 1 {
		panic(fmt.Sprintf("simd: %s is %d, want at least 1", what, n))
	}
}

func checkMultiple(what string, n, of int) {
	if n <= 0 || n%of != 0 {
		panic(fmt.Sprintf("simd: %s is %d, want a positive multiple of %d", what, n, of))
	}
}

// checkDepth keeps sums of products of bytes inside int32: 255·128·65536 is just
// below 2³¹.
func checkDepth(what string, n int) {
	if n > 1<<16 {
		panic(fmt.Sprintf("simd: %s is %d, want at most %d", what, n, 1<<16))
	}
}

// checkRows checks a matrix of rows×columns whose rows start stride apart. The
// comparisons are by division, so that no product overflows.
func checkRows(what string, have, stride, rows, columns int) {
	if rows == 0 {
		return
	}
	if have < columns || rows > 1 && (stride < columns || (have-columns)/stride < rows-1) {
		panic(fmt.Sprintf("simd: %s has %d values, too few for %d rows of %d, %d apart", what, have, rows, columns, stride))
	}
}

func checkLen(what string, have, want int) {
	if have < want {
		panic(fmt.Sprintf("simd: %s has %d values, want %d", what, have, want))
	}
}

func checkSame(what string, have, want int) {
	if have != want {
		panic(fmt.Sprintf("simd: %s has %d values, want %d", what, have, want))
	}
}
