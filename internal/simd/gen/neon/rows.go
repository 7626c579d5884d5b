package main

import "fmt"

// The functions of one row of values: softmax, GELU, layer normalisation. Their
// approximations are those of plain.go, which says where they come from.

// polynomial writes Horner's rule for the constants in coefficients, the highest
// power first, at x. The sum that comes out of a step is a factor of the next, and
// lies in the other of two sets of registers; polynomial returns the last one.
func (a *assembler) polynomial(x, even, odd []v, coefficients []v) []v {
	all := func(step func(i v)) { each(len(x), step) }
	all(func(i v) { a.vec("mov", even[i], coefficients[0]) })
	for _, c := range coefficients[1:] {
		all(func(i v) { a.vec("mov", odd[i], c) })
		all(func(i v) { a.vec("fmla", odd[i], even[i], x[i]) })
		even, odd = odd, even
	}
	return even
}

var softmaxConstants = []constant{
	{"lowest power", -100},
	{"rounds", 1.5 * (1 << 23)},
	{"x⁵", 0.0013276472},
	{"x⁴", 0.00967554133},
	{"x³", 0.0555071327},
	{"x²", 0.240221197},
	{"x", 0.693146967},
	{"1", 1.00000007},
}

// softmax works on 16 values at a time, in 4 registers.
func softmax(a *assembler) {
	a.table("exp2Constants", softmaxConstants)
	a.function("softmaxNEON", "is Kernels.Softmax for n values and a scale times log2(e).", "",
		"x *float32", "n int", "scale float32")
	const all, n, read, write, left = "R0", "R1", "R2", "R3", "R4"
	const scale, largest, total, lowest, rounds v = 16, 17, 18, 19, 20
	coefficients := registers(rounds+1, len(softmaxConstants)-2)
	x, whole, even, odd := registers(0, 4), registers(4, 4), registers(8, 4), registers(12, 4)
	four := func(step func(i v)) { each(4, step) }
	a.args("x", all, "n", n, "scale", fmt.Sprintf("F%d", scale))
	a.vec("spread", scale, scale)
	a.constants("exp2Constants", lowest, len(softmaxConstants))

	a.op("MOVD %s, %s", all, read)
	a.op("MOVD %s, %s", n, left)
	a.op("VLD1 (%s), [V4.S4, V5.S4, V6.S4, V7.S4]", all)
	a.label("largest")
	a.load4(read, 0)
	four(func(i v) { a.vec("fmax", 4+i, 4+i, x[i]) })
	a.op("SUBS $16, %s", left)
	a.op("BNE largest")
	a.reduce("fmax", 4)
	a.vec("fmaxv", largest, 4)
	a.vec("spread", largest, largest)

	a.zero(total)
	a.op("MOVD %s, %s", all, read)
	a.op("MOVD %s, %s", all, write)
	a.op("MOVD %s, %s", n, left)
	a.label("powers")
	a.load4(read, 0)
	four(func(i v) { a.vec("fsub", x[i], x[i], largest) })
	four(func(i v) { a.vec("fmul", x[i], x[i], scale) })
	four(func(i v) { a.vec("fmaxnm", x[i], x[i], lowest) }) // also where x is no number
	four(func(i v) { a.vec("fadd", whole[i], x[i], rounds) })
	four(func(i v) { a.vec("fsub", even[i], whole[i], rounds) })
	four(func(i v) { a.vec("fsub", x[i], x[i], even[i]) })
	power := a.polynomial(x, even, odd, coefficients)
	four(func(i v) { a.vec("shl23", whole[i], whole[i]) })
	four(func(i v) { a.vec("add", x[i], power[i], whole[i]) })
	a.store4(0, write)
	a.reduce("fadd", 0)
	a.vec("fadd", total, total, 0)
	a.op("SUBS $16, %s", left)
	a.op("BNE powers")

	a.total(total)
	a.op("FMOVS $1.0, F0")
	a.op("FDIVS F%d, F0, F%d", total, total)
	a.vec("spread", total, total)
	a.op("MOVD %s, %s", all, write)
	a.label("shares")
	a.load4(all, 0)
	four(func(i v) { a.vec("fmul", x[i], x[i], total) })
	a.store4(0, write)
	a.op("SUBS $16, %s", n)
	a.op("BNE shares")
	a.op("RET")
}

var geluConstants = []constant{
	{"½", 0.5},
	{"end", 5.5},
	{"2/end", 2 / 5.5},
	{"-1", -1},
	{"u¹⁵", 0.00601660285},
	{"u¹⁴", -0.00597408167},
	{"u¹³", -0.0311485946},
	{"u¹²", 0.045294946},
	{"u¹¹", 0.0498416904},
	{"u¹⁰", -0.135088258},
	{"u⁹", 0.0347930517},
	{"u⁸", 0.164007003},
	{"u⁷", -0.218515784},
	{"u⁶", 0.0511629519},
	{"u⁵", 0.177200836},
	{"u⁴", -0.271863708},
	{"u³", 0.206803881},
	{"u²", -0.0945589423},
	{"u", 0.0250081801},
	{"1", 0.497020232},
}

// gelu works on 8 values at a time, in 2 registers: the constants take 20.
func gelu(a *assembler) {
	a.table("geluConstants", geluConstants)
	a.function("geluNEON", "is Kernels.GELU for n values.", "", "x *float32", "n int")
	const read, write, n = "R0", "R1", "R2" // two pointers: a load needn't wait for a store
	const half, end, perEnd, minusOne v = 12, 13, 14, 15
	coefficients := registers(minusOne+1, len(geluConstants)-4)
	in, t, u, even, odd := registers(0, 2), registers(2, 2), registers(4, 2), registers(6, 2), registers(8, 2)
	both := func(step func(i v)) { each(2, step) }
	a.args("x", read, "x", write, "n", n)
	a.constants("geluConstants", half, len(geluConstants))

	a.label("loop")
	a.op("FLDPQ.P 32(%s), (F%d, F%d)", read, in[0], in[1])
	both(func(i v) { a.vec("fabs", t[i], in[i]) })
	both(func(i v) { a.vec("mov", u[i], minusOne) })
	both(func(i v) { a.vec("fmla", u[i], t[i], perEnd) })
	h := a.polynomial(u, even, odd, coefficients)
	both(func(i v) { a.vec("fcmge", u[i], t[i], end) })
	both(func(i v) { a.vec("bit", h[i], half, u[i]) }) // ½ from the end on
	both(func(i v) { a.vec("fmul", in[i], in[i], half) })
	both(func(i v) { a.vec("fmla", in[i], t[i], h[i]) })
	a.op("FSTPQ.P (F%d, F%d), 32(%s)", in[0], in[1], write)
	a.op("SUBS $8, %s", n)
	a.op("BNE loop")
	a.op("RET")
}

// layerNorm makes three passes over a row, 16 values at a time: the sum, the sum of
// squared distances from the mean, the result. In between the row lies in out.
func layerNorm(a *assembler) {
	a.function("layerNormNEON", "is Kernels.LayerNorm for n values; residual may be nil.", "",
		"out *float32", "x *float32", "residual *float32", "gamma *float32", "beta *float32", "n int", "eps float32")
	const out, x, residual, gamma, beta, n, read, write, left = "R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8"
	const sum, mean, inverse, count, eps v = 24, 28, 29, 30, 31
	four := func(step func(i v)) { each(4, step) }
	a.args("out", out, "x", x, "residual", residual, "gamma", gamma, "beta", beta, "n", n, "eps", fmt.Sprintf("F%d", eps))
	a.op("SCVTFS %s, F%d", n, count)

	a.zero(registers(sum, 4)...)
	a.op("MOVD %s, %s", out, write)
	a.op("MOVD %s, %s", n, left)
	a.label("sum")
	a.load4(x, 0)
	a.op("CBZ %s, summed", residual)
	a.load4(residual, 4)
	four(func(i v) { a.vec("fadd", i, i, 4+i) })
	a.label("summed")
	four(func(i v) { a.vec("fadd", sum+i, sum+i, i) })
	a.store4(0, write)
	a.op("SUBS $16, %s", left)
	a.op("BNE sum")
	a.reduce("fadd", sum)
	a.total(sum)
	a.op("FDIVS F%d, F%d, F%d", count, sum, mean)
	a.vec("spread", mean, mean)

	a.zero(registers(sum, 4)...)
	a.op("MOVD %s, %s", out, read)
	a.op("MOVD %s, %s", n, left)
	a.label("squares")
	a.load4(read, 0)
	four(func(i v) { a.vec("fsub", i, i, mean) })
	four(func(i v) { a.vec("fmla", sum+i, i, i) })
	a.op("SUBS $16, %s", left)
	a.op("BNE squares")
	a.reduce("fadd", sum)
	a.total(sum)
	a.op("FDIVS F%d, F%d, F%d", count, sum, sum) // the variance
	a.op("FADDS F%d, F%d, F%d", eps, sum, sum)
	a.op("FSQRTS F%d, F%d", sum, sum)
	a.op("FMOVS $1.0, F%d", inverse)
	a.op("FDIVS F%d, F%d, F%d", sum, inverse, inverse)
	a.vec("spread", inverse, inverse)

	a.op("MOVD %s, %s", out, read)
	a.label("norm")
	a.load4(read, 0)
	a.load4(gamma, 4)
	a.load4(beta, 8)
	four(func(i v) { a.vec("fsub", i, i, mean) })
	four(func(i v) { a.vec("fmul", i, i, inverse) })
	four(func(i v) { a.vec("fmla", 8+i, i, 4+i) })
	a.store4(8, out)
	a.op("SUBS $16, %s", n)
	a.op("BNE norm")
	a.op("RET")
}
