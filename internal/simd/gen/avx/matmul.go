package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The two products are one loop. Each step reads two vectors of the panel, and for
// each row four bytes of a, which it multiplies with both into two accumulators:
// one float32, or four int8 of which a dot product is taken.
//
// With twelve rows of AVX-512, 24 multiply-adds stand beside 14 loads. Reading a into
// a register first matters: as the memory operand of both multiply-adds it would
// be loaded twice, and two loads a cycle are as much as the processor does (174
// against 194 GFLOP/s where the peak is 216).

// unroll is the number of steps in a round of the loop. Four and eight are no faster.
const unroll = 2

// ahead is how far before its use the panel is fetched, in bytes. It makes no
// difference to many rows, which find the panel in a cache; ten rows of AVX-512 are
// a third faster.
const ahead = 512

// product emits the loop over the panel, and returns the accumulators, two for each
// row of a. They begin as start; multiply adds to sum the products of x, from a,
// and w.
func product(v vectors, a matrix, start []reg.VecVirtual, steps reg.Register, multiply func(x, w, sum reg.Register)) [][]reg.VecVirtual {
	panel := load("panel")
	sums := make([][]reg.VecVirtual, a.rows)
	for r := range sums {
		sums[r] = v.news(2)
		for j, sum := range sums[r] {
			VMOVAPS(start[j], sum)
		}
	}
	x, w := v.new(), v.news(2)
	Label("round")
	for step := range unroll {
		for j := range w {
			place := Mem{Base: panel, Disp: (step*2 + j) * v.bytes}
			VMOVUPS(place, w[j])
			if place.Disp%64 == 0 {
				PREFETCHT0(place.Offset(ahead))
			}
		}
		for r := range sums {
			VBROADCASTSS(a.at(r, 4*step), x)
			for j := range w {
				multiply(x, w[j], sums[r][j])
			}
		}
	}
	a.advance(4 * unroll)
	ADDQ(I32(unroll*2*v.bytes), panel)
	SUBQ(Imm(unroll), steps)
	JNZ(LabelRef("round"))
	return sums
}

// matMul emits the float32 product of some rows with a panel.
func matMul(v vectors, rows int) {
	kernel(fmt.Sprintf("matMul%sRows%d", v.suffix, rows),
		"func(c *float32, ldc int, a *float32, lda int, panel, bias *float32, k int)",
		fmt.Sprintf("is MatMul for %d of its rows.", rows))
	bias := load("bias")
	start := v.news(2)
	for j := range start {
		VMOVUPS(Mem{Base: bias, Disp: j * v.bytes}, start[j])
	}
	a := newMatrix(load("a"), bytes4(load("lda")), rows)
	sums := product(v, a, start, load("k"), func(x, w, sum reg.Register) { VFMADD231PS(w, x, sum) })

	c, ldc := load("c"), bytes4(load("ldc"))
	for _, row := range sums {
		for j := range row {
			VMOVUPS(row[j], Mem{Base: c, Disp: j * v.bytes})
		}
		ADDQ(ldc, c)
	}
	end()
}

// matMulInt8 emits the int8 product of some rows with a panel.
func matMulInt8(rows int) {
	v := avx512
	kernel(fmt.Sprintf("matMulVNNIRows%d", rows),
		"func(c *float32, ldc int, a *int8, lda int, panel *uint8, weight, bias, scale *float32, sum *int32, k int)",
		fmt.Sprintf("is MatMulInt8 for %d of its rows.", rows))
	zero := v.zero()
	steps := load("k")
	SHRQ(Imm(2), steps)
	a := newMatrix(load("a"), load("lda"), rows)
	sums := product(v, a, []reg.VecVirtual{zero, zero}, steps, func(x, w, sum reg.Register) { VPDPBUSD(x, w, sum) })

	Comment("The weights are 128 too large: take 128 times the sum of the row off, then scale.")
	c, ldc := load("c"), bytes4(load("ldc"))
	weight, bias := v.news(2), v.news(2)
	for j, place := 0, load("weight"); j < 2; j++ {
		VMOVUPS(Mem{Base: place, Disp: j * v.bytes}, weight[j])
	}
	for j, place := 0, load("bias"); j < 2; j++ {
		VMOVUPS(Mem{Base: place, Disp: j * v.bytes}, bias[j])
	}
	scale, total, excess := load("scale"), load("sum"), v.new()
	for r, row := range sums {
		VPBROADCASTD(Mem{Base: total, Disp: 4 * r}, excess)
		VPSLLD(Imm(7), excess, excess)
		for j, dot := range row {
			VPSUBD(excess, dot, dot)
			VCVTDQ2PS(dot, dot)
			VMULPS_BCST(Mem{Base: scale, Disp: 4 * r}, dot, dot)
			VFMADD213PS(bias[j], weight[j], dot)
			VMOVUPS(dot, Mem{Base: c, Disp: j * v.bytes})
		}
		ADDQ(ldc, c)
	}
	end()
}

// matrix reads rows that start a stride apart. An address holds a register and once
// or twice another, so one pointer serves three rows.
type matrix struct {
	rows   int
	bases  []reg.Register // of row 0, 3, 6, …
	stride reg.Register   // in bytes
}

func newMatrix(base, stride reg.Register, rows int) matrix {
	m := matrix{rows: rows, bases: []reg.Register{base}, stride: stride}
	if rows > 3 {
		three := GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, three)
		for r := 3; r < rows; r += 3 {
			next := GP64()
			LEAQ(Mem{Base: base, Index: three, Scale: 1}, next)
			m.bases = append(m.bases, next)
			base = next
		}
	}
	return m
}

// at is the place of a row, some bytes on.
func (m matrix) at(row, bytes int) Mem {
	place := Mem{Base: m.bases[row/3], Disp: bytes}
	if row%3 > 0 {
		place.Index, place.Scale = m.stride, uint8(row%3)
	}
	return place
}

// advance moves all rows on by some bytes.
func (m matrix) advance(bytes uint64) {
	for _, base := range m.bases {
		ADDQ(Imm(bytes), base)
	}
}

// bytes4 turns a count of four-byte values into bytes.
func bytes4(count reg.Register) reg.Register {
	SHLQ(Imm(2), count)
	return count
}
