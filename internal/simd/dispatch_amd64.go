package simd

import "golang.org/x/sys/cpu"

// accelerated returns the sets in assembly that run here, slowest first.
func accelerated() []*Kernels {
	x := cpu.X86
	var sets []*Kernels
	if x.HasAVX2 && x.HasFMA {
		sets = append(sets, avx2())
	}
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
		sets = append(sets, avx512())
		if x.HasAVX512VNNI {
			sets = append(sets, avx512VNNI())
		}
	}
	return sets
}

func avx2() *Kernels {
	return &Kernels{
		Name:  "avx2",
		Width: 16,
		MatMul: matMulWith(16, []matMulKernel{
			matMulAVX2Rows1, matMulAVX2Rows2, matMulAVX2Rows3, matMulAVX2Rows4,
			matMulAVX2Rows5, matMulAVX2Rows6,
		}),
		Quantize:  quantizeWith(maxAbsAVX2, quantizeAVX2),
		Softmax:   softmaxWith(softmaxAVX2),
		GELU:      geluWith(geluAVX2),
		LayerNorm: layerNormWith(layerNormAVX2),
		Dots:      dotsWith(dotsAVX2),
	}
}

func avx512() *Kernels {
	return &Kernels{
		Name:  "avx512",
		Width: 32,
		MatMul: matMulWith(32, []matMulKernel{
			matMulAVX512Rows1, matMulAVX512Rows2, matMulAVX512Rows3, matMulAVX512Rows4,
			matMulAVX512Rows5, matMulAVX512Rows6, matMulAVX512Rows7, matMulAVX512Rows8,
			matMulAVX512Rows9, matMulAVX512Rows10, matMulAVX512Rows11, matMulAVX512Rows12,
		}),
		Quantize:  quantizeWith(maxAbsAVX512, quantizeAVX512),
		Softmax:   softmaxWith(softmaxAVX512),
		GELU:      geluWith(geluAVX512),
		LayerNorm: layerNormWith(layerNormAVX512),
		Dots:      dotsWith(dotsAVX2),
	}
}

func avx512VNNI() *Kernels {
	k := avx512()
	k.Name = "avx512-vnni"
	k.MatMulInt8 = matMulInt8With([]matMulInt8Kernel{
		matMulVNNIRows1, matMulVNNIRows2, matMulVNNIRows3, matMulVNNIRows4,
		matMulVNNIRows5, matMulVNNIRows6, matMulVNNIRows7, matMulVNNIRows8,
		matMulVNNIRows9, matMulVNNIRows10, matMulVNNIRows11, matMulVNNIRows12,
	})
	k.Dots = dotsWith(dotsVNNI)
	return k
}
