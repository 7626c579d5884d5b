package main

import "fmt"

// Products are computed in blocks of at most 8 rows and 8 columns: 16 registers of
// sums, 8 of a, 4 of the panel. That is nearly all there are, and as many sums in
// flight as keep four multipliers of a latency of four cycles busy.

// sum is the register of the sums of row r, four columns each.
func sum(r, half int) v { return v(2*r + half) }

// weights is the register of step i of the panel. There are two pairs in turn, so
// that one is read while the other is used.
func weights(i, half int) v { return v(24 + 2*(i%2) + half) }

// product writes the loop of a block. It reads 16 bytes of each row, which R0, R1, …
// point to, in four lanes; a lane takes one step of the panel, which load reads.
// Every sum takes its products in the order of k, whatever the number of rows.
func (a *assembler) product(instruction string, rows int, load func(i int), next func()) {
	in := registers(16, rows)
	a.label("loop")
	load(0)
	for r := range rows {
		a.op("FMOVQ.P 16(R%d), F%d", r, in[r])
	}
	for i := range 4 {
		if i < 3 {
			load(i + 1)
		}
		for r := range rows {
			a.lane(instruction, sum(r, 0), weights(i, 0), in[r], i)
			a.lane(instruction, sum(r, 1), weights(i, 1), in[r], i)
		}
	}
	next()
	a.op("BNE loop")
}

// matMul writes c = a·panel + bias for a block of rows.
func matMul(a *assembler, rows int) {
	a.function(fmt.Sprintf("matMulNEONRows%d", rows), "is Kernels.MatMul for as many rows.", "",
		"c *float32", "ldc int", "a *float32", "lda int", "panel *float32", "bias *float32", "k int")
	const panel, bias, c, ldc, k = "R8", "R9", "R10", "R11", "R12"
	a.args("a", "R0", "lda", "R16", "panel", panel, "bias", bias, "c", c, "ldc", ldc, "k", k)
	a.op("LSL $2, R16") // from values to bytes
	a.op("LSL $2, %s", ldc)
	a.rowPointers(rows)
	a.op("FLDPQ (%s), (F%d, F%d)", bias, sum(0, 0), sum(0, 1))
	for r := 1; r < rows; r++ {
		a.vec("mov", sum(r, 0), sum(0, 0))
		a.vec("mov", sum(r, 1), sum(0, 1))
	}

	load := func(i int) {
		a.op("FLDPQ.P 32(%s), (F%d, F%d)", panel, weights(i, 0), weights(i, 1))
	}
	a.product("fmla", rows, load, func() { a.op("SUBS $4, %s", k) })

	for r := range rows {
		a.op("FSTPQ (F%d, F%d), (%s)", sum(r, 0), sum(r, 1), c)
		a.op("ADD %s, %s", ldc, c)
	}
	a.op("RET")
}

// matMulInt8 writes the product of int8 for a block of rows and a panel's 32 columns,
// 8 at a time. The weights lose the 128 that was added to them, for sdot wants both
// sides signed, so there is nothing for the sums of a to undo.
func matMulInt8(a *assembler, rows int) {
	a.function(fmt.Sprintf("matMulDotProdRows%d", rows), "is Kernels.MatMulInt8 for as many rows.", "",
		"c *float32", "ldc int", "a *int8", "lda int", "panel *uint8",
		"weight *float32", "bias *float32", "scale *float32", "sum *int32", "k int")
	const panel, weight, bias, scale, c, ldc, k = "R8", "R9", "R10", "R11", "R12", "R13", "R14"
	const group, row, rowScale, left, columns = "R15", "R17", "R19", "R20", "R21" // where we are in panel, c, scale, k, columns
	const sign v = 28
	a.args("a", "R0", "lda", "R16", "panel", panel, "weight", weight, "bias", bias, "scale", scale, "c", c, "ldc", ldc, "k", k)
	a.op("LSL $2, %s", ldc) // from values to bytes
	a.rowPointers(rows)
	a.op("VMOVI $128, V%d.B16", sign)
	a.op("MOVD $32, %s", columns)

	a.label("columns")
	a.zero(registers(0, 2*rows)...)
	a.op("MOVD %s, %s", panel, group)
	a.op("MOVD %s, %s", k, left)
	load := func(i int) {
		a.op("FLDPQ %d(%s), (F%d, F%d)", 128*i, group, weights(i, 0), weights(i, 1))
		a.vec("eor", weights(i, 0), weights(i, 0), sign)
		a.vec("eor", weights(i, 1), weights(i, 1), sign)
	}
	a.product("sdot", rows, load, func() {
		a.op("ADD $512, %s", group)
		a.op("SUBS $16, %s", left)
	})

	const scales, weight0, bias0, out v = 16, 18, 20, 22
	a.op("FLDPQ.P 32(%s), (F%d, F%d)", weight, weight0, weight0+1)
	a.op("FLDPQ.P 32(%s), (F%d, F%d)", bias, bias0, bias0+1)
	a.op("MOVD %s, %s", scale, rowScale)
	a.op("MOVD %s, %s", c, row)
	for r := range rows {
		a.op("VLD1R.P 4(%s), [V%d.S4]", rowScale, scales)
		for half := range 2 {
			s, o := sum(r, half), out+v(half)
			a.vec("scvtf", s, s)
			a.vec("fmul", s, s, scales)
			a.vec("mov", o, bias0+v(half))
			a.vec("fmla", o, s, weight0+v(half))
		}
		a.op("FSTPQ (F%d, F%d), (%s)", out, out+1, row)
		a.op("ADD %s, %s", ldc, row)
		a.op("SUB %s, R%d", k, r) // back to the start of the row of a
	}
	a.op("ADD $32, %s", panel)
	a.op("ADD $32, %s", c)
	a.op("SUBS $8, %s", columns)
	a.op("BNE columns")
	a.op("RET")
}
