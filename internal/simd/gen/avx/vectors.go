package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectors is one length of vector registers. The instructions have the same names
// for both, so a kernel is written once and asks here only for what differs.
type vectors struct {
	suffix string // of the names of kernels
	bytes  int    // of a register
	new    func() reg.VecVirtual
}

var (
	avx512 = vectors{"AVX512", 64, ZMM}
	avx2   = vectors{"AVX2", 32, YMM}
)

// news returns n fresh registers.
func (v vectors) news(n int) []reg.VecVirtual {
	all := make([]reg.VecVirtual, n)
	for i := range all {
		all[i] = v.new()
	}
	return all
}

// zero returns a fresh register of zeros.
func (v vectors) zero() reg.VecVirtual {
	r := v.new()
	VXORPS(r.AsX(), r.AsX(), r.AsX()) // clears the rest too
	return r
}

// broadcast returns a fresh register with the float32 at m in every lane.
func (v vectors) broadcast(m Op) reg.VecVirtual {
	r := v.new()
	VBROADCASTSS(m, r)
	return r
}

// constant returns a fresh register with the value in every lane.
func (v vectors) constant(value float32) reg.VecVirtual { return v.broadcast(constant(F32(value))) }

// constants is constant for several values.
func (v vectors) constants(values []float32) []reg.VecVirtual {
	all := make([]reg.VecVirtual, len(values))
	for i, value := range values {
		all[i] = v.constant(value)
	}
	return all
}

// multiplyAdd is y = x·y + c for a constant that is read from memory: a polynomial
// has more of them than there are registers.
func (v vectors) multiplyAdd(c float32, x, y Op) {
	if v.bytes == 64 {
		VFMADD213PS_BCST(constant(F32(c)), x, y)
	} else {
		VFMADD213PS(constant(F32(c)), x, y)
	}
}

// fold emits the body for each vector of a row; i is where it is and n where the row
// ends, in bytes. The body accumulates into one of two registers in turn, so that a
// sum need not wait for the one before: start, and another that begins like it. Then
// op folds all lanes of both into the lowest of start, which fold returns.
func (v vectors) fold(label string, i, n reg.Register, start reg.VecVirtual, op func(...Op), body func(offset int, into reg.VecVirtual)) reg.Register {
	second, last := v.new(), GP64()
	VMOVAPS(start, second)
	XORQ(i, i)
	if v.bytes == 32 { // a row is a multiple of sixteen values: of two vectors
		Label(label)
		body(0, start)
		body(v.bytes, second)
		ADDQ(Imm(uint64(2*v.bytes)), i)
		CMPQ(i, n)
		JB(LabelRef(label))
	} else {
		LEAQ(Mem{Base: n, Disp: -v.bytes}, last)
		JMP(LabelRef(label + "Pairs"))
		Label(label)
		body(0, start)
		body(v.bytes, second)
		ADDQ(Imm(uint64(2*v.bytes)), i)
		Label(label + "Pairs")
		CMPQ(i, last)
		JB(LabelRef(label))
		JA(LabelRef(label + "End"))
		body(0, start)
		Label(label + "End")
	}
	op(second, start, start)
	return v.reduce(start, op)
}

// reduce folds all lanes of r into its lowest, and overwrites the rest.
func (v vectors) reduce(r reg.VecVirtual, op func(...Op)) reg.Register {
	t := YMM()
	if v.bytes == 64 {
		VEXTRACTF64X4(U8(1), r, t)
		op(t, r.AsY(), r.AsY())
	}
	VEXTRACTF128(U8(1), r.AsY(), t.AsX())
	op(t.AsX(), r.AsX(), r.AsX())
	for _, halves := range []uint8{0b01_00_11_10, 0b10_11_00_01} {
		VPERMILPS(U8(halves), r.AsX(), t.AsX())
		op(t.AsX(), r.AsX(), r.AsX())
	}
	return r.AsX()
}

// each emits the body for each vector of a row; i is where it is and n where the row
// ends, in bytes.
func (v vectors) each(label string, i, n reg.Register, body func()) {
	XORQ(i, i)
	Label(label)
	body()
	ADDQ(Imm(uint64(v.bytes)), i)
	CMPQ(i, n)
	JB(LabelRef(label))
}

// constants are the data of the file so far, by value.
var constants = map[string]Mem{}

// constant returns the place of a constant of four bytes, kept eight times over: as
// long as a register of AVX2, which can't read one value for all lanes.
func constant(value Constant) Mem {
	name := fmt.Sprintf("c%d", len(constants))
	m, ok := constants[value.Asm()]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		for i := range 8 {
			DATA(4*i, value)
		}
		constants[value.Asm()] = m
	}
	return m
}

// kernel starts a function that is to be declared with the signature. The
// documentation goes before its declaration.
func kernel(name, signature, doc string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " " + doc)
}

// end leaves the function, with the upper halves of the registers clean: the Go
// compiler's code is slow while they are not.
func end() {
	VZEROUPPER()
	RET()
}

// load returns a fresh register with an argument of eight bytes.
func load(name string) reg.Register { return Load(Param(name), GP64()) }

// param is the place of an argument or, by "ret", of the result.
func param(name string) Mem {
	component := Param(name)
	if name == "ret" {
		component = ReturnIndex(0)
	}
	basic, err := component.Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

// choose sets h to the other value where t ≥ limit.
func (v vectors) choose(t, limit, other, h reg.VecVirtual) {
	const greaterOrEqual = 13
	if v.bytes == 64 {
		mask := K()
		VCMPPS(U8(greaterOrEqual), limit, t, mask)
		VMOVAPS(other, mask, h)
	} else {
		mask := YMM()
		VCMPPS(U8(greaterOrEqual), limit, t, mask)
		VBLENDVPS(mask, other, h, h)
	}
}

// narrow writes sixteen int32 as int8, and overwrites them.
func (v vectors) narrow(values []reg.VecVirtual, to Mem) {
	if v.bytes == 64 {
		VPMOVSDB(values[0], to)
		return
	}
	low, high := values[0], values[1]
	VPACKSSDW(high, low, low) // by halves: 0–3 8–11, 4–7 12–15
	VPERMQ(U8(0b11_01_10_00), low, low)
	VEXTRACTI128(U8(1), low, high.AsX())
	VPACKSSWB(high.AsX(), low.AsX(), low.AsX())
	VMOVDQU(low.AsX(), to)
}
