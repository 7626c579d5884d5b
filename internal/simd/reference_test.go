package simd

// matMulInt8Plain says what MatMulInt8 means. No set offers it: MatMul is faster
// in plain Go.
func matMulInt8Plain(c []float32, ldc int, a []int8, lda int, panel []uint8, weight, bias, scale []float32, sum []int32, rows, k int) {
	checkMatMulInt8(c, ldc, a, lda, panel, weight, bias, scale, sum, rows, k)
	for r := range rows {
		for j := range WidthInt8 {
			dot := -128 * sum[r]
			for i, v := range a[r*lda:][:k] {
				dot += int32(v) * int32(panel[i/4*128+j*4+i%4])
			}
			c[r*ldc+j] = float32(dot)*scale[r]*weight[j] + bias[j]
		}
	}
}
