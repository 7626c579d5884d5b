package main

import "fmt"

// dots writes the scan for a block of rows, 4 or 1: 32 bytes of each a step, with
// FEAT_DotProd's instruction or without. The rows' bytes lose 128, so that they are
// int8 as q is; base = 128·Σq is what that takes off the sums.
func dots(a *assembler, rows int, dotProd bool) {
	prefix := "neon"
	if dotProd {
		prefix = "dotprod"
	}
	a.function(fmt.Sprintf("%sDots%d", prefix, rows),
		fmt.Sprintf("is Kernels.Dots for %s and n values of q; base is 128·Σq.", block(rows)), "",
		"out *int32", "q *int8", "rows *uint8", "stride int", "n int", "base int32")
	const out, q, n = "R8", "R9", "R10"
	const sign v = 8
	query, row, products := registers(16, 2), registers(18, 2), registers(20, 4)

	a.rowPointers("rows", "stride", rows)
	a.args("out", out, "q", q, "n", n)
	a.op("VMOVI $128, V%d.B16", sign)
	a.zero(registers(0, 2*rows)...)
	a.label("loop")
	a.op("FLDPQ.P 32(%s), (F%d, F%d)", q, query[0], query[1])
	for r := range rows {
		a.op("FLDPQ.P 32(R%d), (F%d, F%d)", r, row[0], row[1])
		each(2, func(i int) { a.vec("eor", row[i], row[i], sign) })
		if dotProd {
			each(2, func(i int) { a.vec("sdot", sum(r, i), row[i], query[i]) })
			continue
		}
		// A product fits in 16 bits, a sum of two may not.
		each(2, func(i int) {
			a.vec("smull", products[2*i], row[i], query[i])
			a.vec("smull2", products[2*i+1], row[i], query[i])
		})
		each(4, func(i int) { a.vec("sadalp", sum(r, i%2), products[i]) })
	}
	a.op("SUBS $32, %s", n)
	a.op("BNE loop")

	for r := range rows {
		a.vec("add", v(r), sum(r, 0), sum(r, 1))
	}
	// Adding neighbours twice leaves the sum of row r in lane r.
	store := "FMOVS"
	if rows == 4 {
		store = "FMOVQ"
		a.vec("addp", 0, 0, 1)
		a.vec("addp", 1, 2, 3)
		a.vec("addp", 0, 0, 1)
	} else {
		a.vec("addp", 0, 0, 0)
		a.vec("addp", 0, 0, 0)
	}
	a.op("MOVW base+%d(FP), R11", a.offset("base"))
	a.op("VDUP R11, V2.S4")
	a.vec("add", 0, 0, 2)
	a.op("%s F0, (%s)", store, out)
	a.op("RET")
}

// maxAbs writes the first half of quantizing: what the scale is made of.
func maxAbs(a *assembler) {
	a.function("neonMaxAbs", "returns the largest |x| of n values, or NaN where one is.", "float32", "x *float32", "n int")
	a.args("x", "R0", "n", "R1")
	a.zero(registers(4, 4)...)
	a.label("loop")
	a.load4("R0", 0)
	each(4, func(i int) { a.vec("fabs", v(i), v(i)) })
	each(4, func(i int) { a.vec("fmax", v(4+i), v(4+i), v(i)) })
	a.op("SUBS $16, R1")
	a.op("BNE loop")
	a.reduce("fmax", 4)
	a.vec("fmaxv", 0, 4)
	a.op("FMOVS F0, %s+%d(FP)", result, a.offset(result))
	a.op("RET")
}

// quantize writes the second half.
func quantize(a *assembler) {
	a.function("neonQuantize", "writes q = x·inverse, rounded half to even, for n values, and returns their sum.", "int32",
		"q *int8", "x *float32", "n int", "inverse float32")
	const inverse, sum v = 16, 17
	a.args("q", "R0", "x", "R1", "n", "R2", "inverse", fmt.Sprintf("F%d", inverse))
	a.vec("spread", inverse, inverse)
	a.zero(sum)
	a.label("loop")
	a.load4("R1", 0)
	each(4, func(i int) { a.vec("fmul", v(i), v(i), inverse) })
	each(4, func(i int) { a.vec("fcvtns", v(i), v(i)) })
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
