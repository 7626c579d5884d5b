package simd

//go:generate go run -C gen/avx . -out ../../kernels_amd64.s -stubs ../../kernels_amd64.go -pkg simd
//go:generate go run ./gen/neon

// WidthInt8 is the number of columns in a panel of int8 weights, on every
// processor that multiplies them.
const WidthInt8 = 32

// Kernels is the arithmetic of a transformer, and of a scan over vectors, for one
// kind of processor. The functions of one set give the same bits for the same
// input; those of different sets agree within rounding, and exactly where all is
// integers.
type Kernels struct {
	Name  string // "avx512-vnni", "avx512", "avx2", "neon-dotprod", "neon" or "go"
	Width int    // columns in a panel of packed float32 weights

	// MatMul computes c = a·b + bias for one panel of b's columns.
	//
	//	a      rows×k, row r at a[r*lda:]
	//	panel  k×Width: weight i of column j at panel[i*Width+j]
	//	bias   Width values
	//	c      rows×Width, row r at c[r*ldc:]
	//
	// rows is at least 1 and k a multiple of 4. Each element is summed in the order
	// of k, so a row's result does not depend on which others it is computed with. It
	// is fastest where the panel starts at a multiple of 64 bytes.
	MatMul func(c []float32, ldc int, a []float32, lda int, panel, bias []float32, rows, k int)

	// MatMulInt8 is MatMul in int8, or nil where the processor has no int8 dot
	// product (it would be slower than float32 there). With int8 weights w
	//
	//	c[r][j] = (Σ a[r][i]·w[i][j]) · scale[r] · weight[j] + bias[j]
	//
	// A panel has WidthInt8 columns, kept as w+128 in groups of four along k:
	// weight i of column j at panel[i/4*128+j*4+i%4]. weight and bias have WidthInt8
	// values; scale and sum have one for each row, as Quantize gives them (the sum
	// undoes the 128). k is a multiple of 16, and at most 1<<16, which int32 sums hold.
	MatMulInt8 func(c []float32, ldc int, a []int8, lda int, panel []uint8, weight, bias, scale []float32, sum []int32, rows, k int)

	// Quantize writes x as int8 with one scale, x ≈ q·scale, where the scale is
	// max|x|/127, and returns it with the sum of q. It rounds half to even. Where all
	// of x is zero (below 1e-30, to be exact) so is q, and the scale is 1. len(x) is a
	// multiple of 16, and q is as long. Every set gives the same bits.
	Quantize func(q []int8, x []float32) (scale float32, sum int32)

	// Softmax replaces x by softmax(scale·x), for a scale above 0. Its absolute error is
	// below 5e-7 (3e-7 is the worst of 600 rows of up to 512 values). len(x) is a
	// multiple of 16: pad with -Inf or a very negative number, which becomes less than
	// 1e-30 (not zero: that would cost denormal arithmetic). One value must be finite.
	Softmax func(x []float32, scale float32)

	// GELU replaces each x by x·Φ(x), the Gaussian error linear unit of Hendrycks and
	// Gimpel (arXiv:1606.08415) by its definition with erf. Its absolute error is below
	// 7e-7 (6.3e-7 is the worst of a million points in ±8), and beyond ±5.5 it is x or 0
	// exactly. len(x) is a multiple of 16.
	GELU func(x []float32)

	// LayerNorm computes out = (v-mean(v))/√(var(v)+eps)·gamma + beta for
	// v = x+residual, or v = x where residual is nil. The length of x is a multiple of
	// 16, and that of the others; out may be x or residual, and no other overlap.
	LayerNorm func(out, x, residual, gamma, beta []float32, eps float32)

	// Dots is the scan: out[i] = Σ q[j]·rows[i*stride+j]. The rows are int8 vectors
	// kept as value+128, so the caller subtracts 128·Σq. len(q) is a multiple of 32
	// (any length in plain Go) and at most 1<<16, stride at least len(q).
	Dots func(out []int32, q []int8, rows []uint8, stride int)
}

// Best returns the fastest set that runs on this processor. It is never nil.
func Best() *Kernels {
	all := All()
	return all[len(all)-1]
}

// All returns every set that runs on this processor, plain Go first and the
// fastest last.
func All() []*Kernels {
	return append([]*Kernels{plain()}, accelerated()...)
}

// Fast tells whether the set is faster than plain Go. Where it is not, a
// transformer takes a second for a passage of 256 tokens: ask for something cheaper.
func (k *Kernels) Fast() bool { return k.Name != "go" }
