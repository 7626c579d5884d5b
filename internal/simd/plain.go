package simd

import "math"

// The kernels in plain Go: what every set means, and what runs where there is no
// assembly.

// plainWidth is the width of a panel in plain Go. Two rows of four columns, the
// weights and the two inputs are as much as sixteen registers hold.
const plainWidth = 4

func plain() *Kernels {
	return &Kernels{
		Name:      "go",
		Width:     plainWidth,
		MatMul:    matMulPlain,
		Quantize:  quantizePlain,
		Softmax:   softmaxPlain,
		GELU:      geluPlain,
		LayerNorm: layerNormPlain,
		Dots:      dotsPlain,
	}
}

func matMulPlain(c []float32, ldc int, a []float32, lda int, panel, bias []float32, rows, k int) {
	checkMatMul(plainWidth, c, ldc, a, lda, panel, bias, rows, k)
	panel = panel[:k*plainWidth]
	for r := 0; r < rows; r += 2 {
		// The last of an odd number of rows is computed twice.
		s := min(r+1, rows-1)
		twoRows((*[4]float32)(c[r*ldc:]), (*[4]float32)(c[s*ldc:]), a[r*lda:][:k], a[s*lda:][:k], panel, (*[4]float32)(bias))
	}
}

// twoRows is two rows of a product with a panel. The loop is written so that no
// index is checked in it.
func twoRows(c0, c1 *[4]float32, a0, a1, panel []float32, bias *[4]float32) {
	x0, x1, x2, x3 := bias[0], bias[1], bias[2], bias[3]
	y0, y1, y2, y3 := x0, x1, x2, x3
	for i := 0; i < len(a0) && i < len(a1) && len(panel) >= 4; i++ {
		x, y := a0[i], a1[i]
		w0, w1, w2, w3 := panel[0], panel[1], panel[2], panel[3]
		x0 += x * w0
		x1 += x * w1
		x2 += x * w2
		x3 += x * w3
		y0 += y * w0
		y1 += y * w1
		y2 += y * w2
		y3 += y * w3
		panel = panel[4:]
	}
	c0[0], c0[1], c0[2], c0[3] = x0, x1, x2, x3
	c1[0], c1[1], c1[2], c1[3] = y0, y1, y2, y3
}

const signBit = 1 << 31

// smallest is the greatest magnitude that Quantize takes for zero: the inverse of
// anything much smaller is infinite.
const smallest = 1e-30

func quantizePlain(q []int8, x []float32) (scale float32, sum int32) {
	checkQuantize(q, x)
	var bits uint32 // of the greatest magnitude: without the sign they order as integers
	for _, v := range x {
		if b := math.Float32bits(v) &^ signBit; b > bits {
			bits = b
		}
	}
	top := math.Float32frombits(bits)
	if top < smallest {
		clear(q)
		return 1, 0
	}
	inverse := 127 / top
	for i, v := range x {
		n := int32(math.Float32bits(float32(v*inverse)+round) - math.Float32bits(round)) // the conversion forbids fusing
		q[i] = int8(n)
		sum += n
	}
	return top / 127, sum
}

// round added to a float32 of less than 2²² rounds it to an integer, half to even,
// and leaves that integer in the low bits of the sum: no place is left for a
// fraction beside 1.5·2²³.
const round = 1.5 * (1 << 23)

// exp2 returns 2^x for -126 ≤ x ≤ 127 with a relative error below 2e-7: 2^n by the
// bits of the exponent, 2^f for the rest |f| ≤ ½ by the minimax polynomial of degree
// five (7.5e-8 before rounding).
func exp2(x float32) float32 {
	n := x + round
	f := x - (n - round)
	p := float32(0.0013276472)
	p = p*f + 0.00967554133
	p = p*f + 0.0555071327
	p = p*f + 0.240221197
	p = p*f + 0.693146967
	p = p*f + 1.00000007
	return math.Float32frombits(math.Float32bits(p) + math.Float32bits(n)<<23)
}

// lowest is the least power of two in a softmax, far below what a float32 sum
// with 1 in it notices and far above the denormal numbers.
const lowest = -100

func softmaxPlain(x []float32, scale float32) {
	checkMultiple("Softmax: x", len(x), 16)
	top := x[0]
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	scale *= math.Log2E
	var sum float64
	for i, v := range x {
		t := (v - top) * scale
		if !(t > lowest) { // also where t is no number
			t = lowest
		}
		e := exp2(t)
		x[i] = e
		sum += float64(e)
	}
	inverse := float32(1 / sum)
	for i := range x {
		x[i] *= inverse
	}
}

// geluEnd is where GELU(x) is x, and GELU(-x) is 0, to 1.1e-7.
const geluEnd = 5.5

// geluPlain computes x·Φ(x) as x/2 + |x|·h(|x|) for h(t) = Φ(t)-½, by the polynomial
// of degree fifteen in u = 2t/5.5-1 that is minimax for the error of the result
// (1.4e-7 before rounding). It needs neither the exponential nor the division of the
// usual approximations of erf.
func geluPlain(x []float32) {
	checkMultiple("GELU: x", len(x), 16)
	for i, v := range x {
		t := math.Float32frombits(math.Float32bits(v) &^ signBit)
		u := t*(2/geluEnd) - 1
		h := float32(0.00601660285)
		h = h*u - 0.00597408167
		h = h*u - 0.0311485946
		h = h*u + 0.045294946
		h = h*u + 0.0498416904
		h = h*u - 0.135088258
		h = h*u + 0.0347930517
		h = h*u + 0.164007003
		h = h*u - 0.218515784
		h = h*u + 0.0511629519
		h = h*u + 0.177200836
		h = h*u - 0.271863708
		h = h*u + 0.206803881
		h = h*u - 0.0945589423
		h = h*u + 0.0250081801
		h = h*u + 0.497020232
		if t >= geluEnd {
			h = 0.5
		}
		x[i] = 0.5*v + t*h
	}
}

func layerNormPlain(out, x, residual, gamma, beta []float32, eps float32) {
	checkLayerNorm(out, x, residual, gamma, beta)
	v := x
	if residual != nil {
		for i, r := range residual {
			out[i] = x[i] + r
		}
		v = out
	}
	var sum, squares float64
	for _, v := range v {
		sum += float64(v)
	}
	mean := float32(sum / float64(len(v)))
	for _, v := range v {
		squares += float64((v - mean) * (v - mean))
	}
	inverse := float32(1 / math.Sqrt(squares/float64(len(v))+float64(eps)))
	for i, v := range v {
		out[i] = (v-mean)*inverse*gamma[i] + beta[i]
	}
}

func dotsPlain(out []int32, q []int8, rows []uint8, stride int) {
	checkDots(out, q, rows, stride, 1)
	for i := range out {
		row := rows[i*stride:][:len(q)]
		var sum int32
		for j, v := range q {
			sum += int32(v) * int32(row[j])
		}
		out[i] = sum
	}
}
