package simd

import "golang.org/x/sys/cpu"

// accelerated returns the sets in assembly that run here, slowest first. NEON is
// part of every arm64. The dot product of int8 came with Armv8.2 as FEAT_DotProd;
// without it there is no MatMulInt8.
func accelerated() []*Kernels {
	sets := []*Kernels{neon()}
	if cpu.ARM64.HasASIMDDP {
		sets = append(sets, neonDotProd())
	}
	return sets
}

func neon() *Kernels {
	return &Kernels{
		Name:  "neon",
		Width: 8,
		MatMul: matMulWith(8, []matMulKernel{
			matMulNEONRows1, matMulNEONRows2, matMulNEONRows3, matMulNEONRows4,
			matMulNEONRows5, matMulNEONRows6, matMulNEONRows7, matMulNEONRows8,
		}),
		Quantize:  quantizeWith(maxAbsNEON, quantizeNEON),
		Softmax:   softmaxWith(softmaxNEON),
		GELU:      geluWith(geluNEON),
		LayerNorm: layerNormWith(layerNormNEON),
		Dots:      dotsWith(dotsNEON),
	}
}

func neonDotProd() *Kernels {
	k := neon()
	k.Name = "neon-dotprod"
	k.MatMulInt8 = matMulInt8With([]matMulInt8Kernel{
		matMulDotProdRows1, matMulDotProdRows2, matMulDotProdRows3, matMulDotProdRows4,
		matMulDotProdRows5, matMulDotProdRows6, matMulDotProdRows7, matMulDotProdRows8,
	})
	k.Dots = dotsWith(dotsDotProd)
	return k
}
