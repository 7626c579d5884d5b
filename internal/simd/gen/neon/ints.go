package main

import "fmt"

// Registers of the scan: sums two a row, in the first 8.
const (
	sign   v = iota + 8 // 128 in each byte, -128 as int8
	offset              // -128·Σq
	query               // 32 bytes of q
	_
	row // and of a row
	_
	products // four registers of 16 bits
)

// dots writes the scan, four rows at a time and then one. The rows' bytes lose 128,
// so that they are int8 as q is; what that takes off a sum, 128·Σq, is put back at the
// end.
func dots(a *assembler, name string, multiply func(a *assembler, sum v)) {
	a.function(name, "is Kernels.Dots for n rows and k values of q.", "",
		"out *int32", "n int", "q *int8", "k int", "rows *uint8", "stride int")
	const out, n, q, k, next, read, left = "R8", "R9", "R10", "R11", "R12", "R13", "R14"
	a.args("out", out, "n", n, "q", q, "k", k, "rows", next, "stride", "R16")
	a.op("VMOVI $128, V%d.B16", sign)
	loop := func(label string, step func()) {
		a.op("MOVD %s, %s", q, read)
		a.op("MOVD %s, %s", k, left)
		a.label(label)
		a.op("FLDPQ.P 32(%s), (F%d, F%d)", read, query, query+1)
		step()
		a.op("SUBS $32, %s", left)
		a.op("BNE %s", label)
	}

	a.zero(0, 1)
	loop("offset", func() {
		a.vec("mov", row, sign)
		a.vec("mov", row+1, sign)
		multiply(a, 0)
	})
	a.vec("add", 0, 0, 1)
	a.vec("addp", 0, 0, 0)
	a.vec("addp", offset, 0, 0)

	block := func(rows int, label string) {
		a.op("MOVD %s, R0", next)
		a.rowPointers(rows)
		a.op("ADD R16, R%d, %s", rows-1, next)
		a.zero(registers(0, 2*rows)...)
		loop(label, func() {
			for r := range rows {
				a.op("FLDPQ.P 32(R%d), (F%d, F%d)", r, row, row+1)
				a.vec("eor", row, row, sign)
				a.vec("eor", row+1, row+1, sign)
				multiply(a, sum(r, 0))
			}
		})
		for r := range rows {
			a.vec("add", v(r), sum(r, 0), sum(r, 1))
		}
	}
	a.label("blocks")
	a.op("SUBS $4, %s", n)
	a.op("BLT rest")
	block(4, "four")
	// Adding neighbours twice leaves the sum of row r in lane r.
	a.vec("addp", 0, 0, 1)
	a.vec("addp", 1, 2, 3)
	a.vec("addp", 0, 0, 1)
	a.vec("sub", 0, 0, offset)
	a.op("FMOVQ.P F0, 16(%s)", out)
	a.op("B blocks")

	a.label("rest")
	a.op("ADDS $4, %s", n)
	a.op("BEQ done")
	a.label("single")
	block(1, "one")
	a.vec("addp", 0, 0, 0)
	a.vec("addp", 0, 0, 0)
	a.vec("sub", 0, 0, offset)
	a.op("FMOVS.P F0, 4(%s)", out)
	a.op("SUBS $1, %s", n)
	a.op("BNE single")
	a.label("done")
	a.op("RET")
}

// multiplyLong adds the products of query and row to two sums. A product fits in 16
// bits, a sum of two may not.
func multiplyLong(a *assembler, sum v) {
	each(2, func(i v) {
		a.vec("smull", products+2*i, row+i, query+i)
		a.vec("smull2", products+2*i+1, row+i, query+i)
	})
	each(4, func(i v) { a.vec("sadalp", sum+i%2, products+i) })
}

// multiplyDot does so with the instruction that adds four products to each sum.
func multiplyDot(a *assembler, sum v) {
	each(2, func(i v) { a.vec("sdot", sum+i, row+i, query+i) })
}

// maxAbs writes the first half of quantizing: what the scale is made of.
func maxAbs(a *assembler) {
	a.function("maxAbsNEON", "returns the largest |x| of n values, or NaN where one is.", "float32", "x *float32", "n int")
	a.args("x", "R0", "n", "R1")
	a.zero(registers(4, 4)...)
	a.label("loop")
	a.load4("R0", 0)
	each(4, func(i v) { a.vec("fabs", i, i) })
	each(4, func(i v) { a.vec("fmax", 4+i, 4+i, i) })
	a.op("SUBS $16, R1")
	a.op("BNE loop")
	a.reduce("fmax", 4)
	a.vec("fmaxv", 0, 4)
	a.op("FMOVS F0, %s+%d(FP)", result, a.offset(result))
	a.op("RET")
}

// quantize writes the second half.
func quantize(a *assembler) {
	a.function("quantizeNEON", "writes q = x·inverse, rounded half to even, for n values, and returns their sum.", "int32",
		"q *int8", "x *float32", "n int", "inverse float32")
	const inverse, sum v = 16, 17
	a.args("q", "R0", "x", "R1", "n", "R2", "inverse", fmt.Sprintf("F%d", inverse))
	a.vec("spread", inverse, inverse)
	a.zero(sum)
	a.label("loop")
	a.load4("R1", 0)
	each(4, func(i v) { a.vec("fmul", i, i, inverse) })
	each(4, func(i v) { a.vec("fcvtns", i, i) })
	a.vec("add", 4, 0, 1)
	a.vec("add", 5, 2, 3)
	a.vec("add", 4, 4, 5)
	a.vec("add", sum, sum, 4)
	// The low halves of 32 bits, then of 16.
	a.vec("uzp1.h", 0, 0, 1)
	a.vec("uzp1.h", 2, 2, 3)
	a.vec("uzp1.b", 0, 0, 2)
	a.op("FMOVQ.P F0, 16(R0)")
	a.op("SUBS $16, R2")
	a.op("BNE loop")
	a.op("VADDV V%d.S4, V0", sum)
	a.op("FMOVS F0, %s+%d(FP)", result, a.offset(result))
	a.op("RET")
}
