package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The kernels that work on one row of values, in place or out of it. They follow
// plain.go of package simd step by step, and the numbers in them are explained
// there.

const (
	round     = 1.5 * (1 << 23)
	lowest    = -100
	geluEnd   = 5.5
	magnitude = U32(0x7fffffff) // all bits of a float32 but the sign
)

// exp2Series and geluSeries are the polynomials, from the highest power down.
var (
	exp2Series = []float32{0.0013276472, 0.00967554133, 0.0555071327, 0.240221197, 0.693146967, 1.00000007}
	geluSeries = []float32{
		0.00601660285, -0.00597408167, -0.0311485946, 0.045294946, 0.0498416904, -0.135088258, 0.0347930517, 0.164007003,
		-0.218515784, 0.0511629519, 0.177200836, -0.271863708, 0.206803881, -0.0945589423, 0.0250081801, 0.497020232,
	}
)

// row is the place of a row at the index.
func row(name string, index reg.Register) Mem { return Mem{Base: load(name), Index: index, Scale: 1} }

func softmax(v vectors) {
	kernel("softmax"+v.suffix, "func(x *float32, n int, scale float32)",
		"is Softmax for a scale that is already multiplied by log₂e.")
	i := GP64()
	x, n := row("x", i), bytes4(load("n"))

	top := v.new()
	VMOVUPS(Mem{Base: x.Base}, top)
	v.fold("top", i, n, top, VMAXPS, func(offset int, top reg.VecVirtual) {
		VMAXPS(x.Offset(offset), top, top)
	})
	VBROADCASTSS(top.AsX(), top)

	scale, rounder, low, series := v.broadcast(param("scale")), v.constant(round), v.constant(lowest), v.constants(exp2Series)
	sum := v.fold("powers", i, n, v.zero(), VADDPS, func(offset int, sum reg.VecVirtual) {
		t, k, y := v.new(), v.new(), v.new()
		VMOVUPS(x.Offset(offset), t)
		VSUBPS(top, t, t) // first: that is exact near the top, however large it is
		VMULPS(scale, t, t)
		VMAXPS(low, t, t) // also where t is no number
		VADDPS(rounder, t, k)
		VSUBPS(rounder, k, y)
		VSUBPS(y, t, t)
		VMOVAPS(series[0], y)
		for _, c := range series[1:] {
			VFMADD213PS(c, t, y)
		}
		VPSLLD(Imm(23), k, k)
		VPADDD(k, y, y)
		VMOVUPS(y, x.Offset(offset))
		VADDPS(y, sum, sum)
	})

	inverse, y := v.constant(1), v.new()
	VDIVSS(sum, inverse.AsX(), inverse.AsX())
	VBROADCASTSS(inverse.AsX(), inverse)
	v.each("shares", i, n, func() {
		VMULPS(x, inverse, y)
		VMOVUPS(y, x)
	})
	end()
}

func gelu(v vectors) {
	kernel("gelu"+v.suffix, "func(x *float32, n int)", "is GELU.")
	i := GP64()
	x, n := row("x", i), bytes4(load("n"))
	unsigned, stretch, one := v.broadcast(constant(magnitude)), v.constant(2/geluEnd), v.constant(1)
	last, half, first := v.constant(geluEnd), v.constant(0.5), v.constant(geluSeries[0])
	v.each("values", i, n, func() {
		value, t, u, h := v.new(), v.new(), v.new(), v.new()
		VMOVUPS(x, value)
		VANDPS(unsigned, value, t)
		VMOVAPS(t, u)
		VFMSUB213PS(one, stretch, u)
		VMOVAPS(first, h)
		for _, c := range geluSeries[1:] {
			v.multiplyAdd(c, u, h)
		}
		v.choose(t, last, half, h)
		VMULPS(half, value, value)
		VFMADD231PS(t, h, value)
		VMOVUPS(value, x)
	})
	end()
}

func layerNorm(v vectors) {
	kernel("layerNorm"+v.suffix, "func(out, x, residual, gamma, beta *float32, n int, eps float32)",
		"is LayerNorm; a nil residual is none.")
	i := GP64()
	out, x, residual, n := row("out", i), row("x", i), row("residual", i), bytes4(load("n"))
	count := XMM()
	VCVTSI2SSQ(load("n"), v.zero().AsX(), count)

	sum := v.zero()
	add := func(more func(offset int, value reg.VecVirtual)) func(int, reg.VecVirtual) {
		return func(offset int, sum reg.VecVirtual) {
			value := v.new()
			VMOVUPS(x.Offset(offset), value)
			more(offset, value)
			VMOVUPS(value, out.Offset(offset))
			VADDPS(value, sum, sum)
		}
	}
	TESTQ(residual.Base, residual.Base)
	JZ(LabelRef("alone"))
	v.fold("sum", i, n, sum, VADDPS, add(func(offset int, value reg.VecVirtual) {
		VADDPS(residual.Offset(offset), value, value)
	}))
	JMP(LabelRef("mean"))
	Label("alone")
	v.fold("sumAlone", i, n, sum, VADDPS, add(func(int, reg.VecVirtual) {}))
	Label("mean")
	VDIVSS(count, sum.AsX(), sum.AsX())
	mean := v.new()
	VBROADCASTSS(sum.AsX(), mean)

	squares := v.fold("squares", i, n, v.zero(), VADDPS, func(offset int, squares reg.VecVirtual) {
		value := v.new()
		VMOVUPS(out.Offset(offset), value)
		VSUBPS(mean, value, value)
		VFMADD231PS(value, value, squares)
	})
	VDIVSS(count, squares, squares)
	VADDSS(param("eps"), squares, squares)
	VSQRTSS(squares, squares, squares)
	inverse := v.constant(1)
	VDIVSS(squares, inverse.AsX(), inverse.AsX())
	VBROADCASTSS(inverse.AsX(), inverse)

	gamma, beta := row("gamma", i), row("beta", i)
	v.each("normal", i, n, func() {
		value := v.new()
		VMOVUPS(out, value)
		VSUBPS(mean, value, value)
		VMULPS(inverse, value, value)
		VMULPS(gamma, value, value)
		VADDPS(beta, value, value)
		VMOVUPS(value, out)
	})
	end()
}

func maxAbs(v vectors) {
	kernel("maxAbs"+v.suffix, "func(x *float32, n int) float32", "returns the greatest magnitude in x.")
	i := GP64()
	x, n := row("x", i), bytes4(load("n"))
	unsigned := v.broadcast(constant(magnitude))
	top := v.fold("values", i, n, v.zero(), VMAXPS, func(offset int, top reg.VecVirtual) {
		value := v.new()
		VANDPS(x.Offset(offset), unsigned, value)
		VMAXPS(value, top, top)
	})
	VMOVSS(top, param("ret"))
	end()
}

// quantize rounds as the processor does by itself: half to even.
func quantize(v vectors) {
	kernel("quantize"+v.suffix, "func(q *int8, x *float32, n int, inverse float32) int32",
		"writes x·inverse as int8 and returns the sum of that.")
	x, q, n := load("x"), load("q"), load("n")
	inverse, sum := v.broadcast(param("inverse")), v.zero()
	Label("values")
	values := v.news(64 / v.bytes)
	for j, value := range values {
		VMULPS(Mem{Base: x, Disp: j * v.bytes}, inverse, value)
		VCVTPS2DQ(value, value)
		VPADDD(value, sum, sum)
	}
	v.narrow(values, Mem{Base: q})
	ADDQ(Imm(64), x)
	ADDQ(Imm(16), q)
	SUBQ(Imm(16), n)
	JNZ(LabelRef("values"))
	total := GP32()
	VMOVD(v.reduce(sum, VPADDD), total)
	Store(total, ReturnIndex(0))
	end()
}
