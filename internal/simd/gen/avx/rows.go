package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The kernels that work on one row of values, in place or out of it. They follow
// plain.go of package simd step by step; the numbers in them are explained there.

// round and its bits, and the least power of two in a softmax.
const (
	round  = 1.5 * (1 << 23)
	lowest = -100
)

// power is 2^x: what exp2 of plain.go computes, with its constants in registers.
type power struct {
	v      vectors
	round  reg.VecVirtual
	series []reg.VecVirtual // from the highest power down
}

func newPower(v vectors) power {
	p := power{v: v, round: v.constant(round)}
	for _, c := range []float32{0.0013276472, 0.00967554133, 0.0555071327, 0.240221197, 0.693146967, 1.00000007} {
		p.series = append(p.series, v.constant(c))
	}
	return p
}

// of emits 2^x into a fresh register, and overwrites x.
func (p power) of(x reg.VecVirtual) reg.VecVirtual {
	n, y := p.v.new(), p.v.new()
	VADDPS(p.round, x, n)
	VSUBPS(p.round, n, y)
	VSUBPS(y, x, x)
	VMOVAPS(p.series[0], y)
	for _, c := range p.series[1:] {
		VFMADD213PS(c, x, y)
	}
	VPSLLD(Imm(23), n, n)
	VPADDD(n, y, y)
	return y
}

func softmax(v vectors) {
	kernel("softmax"+v.suffix, "func(x *float32, n int, scale float32)",
		"is Softmax for a scale that is already multiplied by log₂e.")
	x, n, i := Mem{Base: load("x"), Index: GP64(), Scale: 1}, bytes4(load("n")), reg.Register(nil)
	i = x.Index

	top := v.new()
	VMOVUPS(Mem{Base: x.Base}, top)
	loop("top", i, n, v.bytes, func() { VMAXPS(x, top, top) })
	v.reduce(top, VMAXPS)
	VBROADCASTSS(top.AsX(), top)

	two, scale, low, sum := newPower(v), v.broadcast(param("scale")), v.constant(lowest), v.zero()
	loop("powers", i, n, v.bytes, func() {
		t := v.new()
		VMOVUPS(x, t)
		VSUBPS(top, t, t)
		VMULPS(scale, t, t)
		VMAXPS(low, t, t) // the lowest also where t is no number
		y := two.of(t)
		VMOVUPS(y, x)
		VADDPS(y, sum, sum)
	})

	v.reduce(sum, VADDPS)
	inverse := v.constant(1)
	VDIVSS(sum.AsX(), inverse.AsX(), sum.AsX())
	VBROADCASTSS(sum.AsX(), inverse)
	loop("shares", i, n, v.bytes, func() {
		VMULPS(x, inverse, sum)
		VMOVUPS(sum, x)
	})
	end()
}

// geluSeries is the polynomial of geluPlain from the highest power down.
var geluSeries = []float32{
	0.00601660285, -0.00597408167, -0.0311485946, 0.045294946, 0.0498416904, -0.135088258, 0.0347930517, 0.164007003,
	-0.218515784, 0.0511629519, 0.177200836, -0.271863708, 0.206803881, -0.0945589423, 0.0250081801, 0.497020232,
}

func gelu(v vectors) {
	const last = 5.5
	kernel("gelu"+v.suffix, "func(x *float32, n int)", "is GELU.")
	i := GP64()
	x, n := Mem{Base: load("x"), Index: i, Scale: 1}, bytes4(load("n"))
	magnitude, stretch, one := v.broadcast(constant(U32(0x7fffffff))), v.constant(2/last), v.constant(1)
	far, half, first := v.constant(last), v.constant(0.5), v.constant(geluSeries[0])
	loop("values", i, n, v.bytes, func() {
		value, t, u, h := v.new(), v.new(), v.new(), v.new()
		VMOVUPS(x, value)
		VANDPS(magnitude, value, t)
		VMOVAPS(t, u)
		VFMSUB213PS(one, stretch, u)
		VMOVAPS(first, h)
		for _, c := range geluSeries[1:] {
			v.multiplyAdd(c, u, h)
		}
		v.choose(t, far, half, h)
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
	at := func(name string) Mem { return Mem{Base: load(name), Index: i, Scale: 1} }
	out, x, residual, n := at("out"), at("x"), at("residual"), bytes4(load("n"))

	sum, value := v.zero(), v.new()
	TESTQ(residual.Base, residual.Base)
	JZ(LabelRef("alone"))
	loop("sum", i, n, v.bytes, func() {
		VMOVUPS(x, value)
		VADDPS(residual, value, value)
		VMOVUPS(value, out)
		VADDPS(value, sum, sum)
	})
	JMP(LabelRef("mean"))
	Label("alone")
	loop("sumAlone", i, n, v.bytes, func() {
		VMOVUPS(x, value)
		VMOVUPS(value, out)
		VADDPS(value, sum, sum)
	})

	Label("mean")
	count := XMM()
	VCVTSI2SSQ(load("n"), sum.AsX(), count)
	v.reduce(sum, VADDPS)
	VDIVSS(count, sum.AsX(), sum.AsX())
	mean := v.new()
	VBROADCASTSS(sum.AsX(), mean)

	squares := v.zero()
	loop("squares", i, n, v.bytes, func() {
		VMOVUPS(out, value)
		VSUBPS(mean, value, value)
		VFMADD231PS(value, value, squares)
	})
	v.reduce(squares, VADDPS)
	VDIVSS(count, squares.AsX(), squares.AsX())
	VADDSS(param("eps"), squares.AsX(), squares.AsX())
	VSQRTSS(squares.AsX(), squares.AsX(), squares.AsX())
	one := XMM()
	VMOVSS(constant(F32(1)), one)
	VDIVSS(squares.AsX(), one, squares.AsX())
	inverse := v.new()
	VBROADCASTSS(squares.AsX(), inverse)

	gamma, beta := at("gamma"), at("beta")
	loop("normal", i, n, v.bytes, func() {
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
	x, n := Mem{Base: load("x"), Index: i, Scale: 1}, bytes4(load("n"))
	magnitude, top, value := v.broadcast(constant(U32(0x7fffffff))), v.zero(), v.new()
	loop("values", i, n, v.bytes, func() {
		VANDPS(x, magnitude, value)
		VMAXPS(value, top, top)
	})
	v.reduce(top, VMAXPS)
	VMOVSS(top.AsX(), param("ret"))
	end()
}

// quantize rounds as the processor does by itself: half to even.
func quantize(v vectors) {
	kernel("quantize"+v.suffix, "func(q *int8, x *float32, n int, inverse float32) int32",
		"writes x·inverse as int8 and returns the sum of that.")
	i := GP64()
	q, x, n := Mem{Base: load("q"), Index: i, Scale: 1}, Mem{Base: load("x"), Index: i, Scale: 4}, load("n")
	inverse, sum, values := v.broadcast(param("inverse")), v.zero(), v.news(64/v.bytes)
	loop("values", i, n, 16, func() {
		for j, value := range values {
			VMULPS(x.Offset(j*v.bytes), inverse, value)
			VCVTPS2DQ(value, value)
			VPADDD(value, sum, sum)
		}
		v.narrow(values, q)
	})
	v.reduce(sum, VPADDD)
	total := GP32()
	VMOVD(sum.AsX(), total)
	Store(total, ReturnIndex(0))
	end()
}
