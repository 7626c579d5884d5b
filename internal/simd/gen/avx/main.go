// Command avx writes the kernels of package simd for amd64, as assembly and the Go
// declarations that go with it:
//
//	go generate ./internal/simd
//
// It is a module of its own, so that what it needs does not become a dependency of
// the product. Every kernel is written once for vectors of either length; see
// [vectors].
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	for rows := 1; rows <= 12; rows++ {
		matMul(avx512, rows)
	}
	for rows := 1; rows <= 6; rows++ {
		matMul(avx2, rows)
	}
	for rows := 1; rows <= 12; rows++ {
		matMulInt8(rows)
	}
	for _, v := range []vectors{avx512, avx2} {
		softmax(v)
		gelu(v)
		layerNorm(v)
		maxAbs(v)
		quantize(v)
	}

	dots("dotsVNNI", "is Dots.", byVNNI{})
	dots("dotsAVX2", "is Dots.", byPairs{})
	Generate()
}
