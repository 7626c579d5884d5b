package main

import "fmt"

// instruction is one that works on vector registers. Go's assembler knows few of
// those on floating-point numbers. For the others word is the encoding with all
// registers 0, from the Arm Architecture Reference Manual, section C7.2.
type instruction struct {
	word uint32 // 0 where Go's assembler knows the instruction
	text string // as Arm writes it, destination first; or as Go does, destination last
}

// instructions holds what the kernels use. All belong to Armv8.0 but sdot, which is
// FEAT_DotProd's.
var instructions = map[string]instruction{
	"add":    {0, "VADD V%[3]d.S4, V%[2]d.S4, V%[1]d.S4"},
	"addp":   {0, "VADDP V%[3]d.S4, V%[2]d.S4, V%[1]d.S4"},
	"bit":    {0, "VBIT V%[3]d.B16, V%[2]d.B16, V%[1]d.B16"},
	"eor":    {0, "VEOR V%[3]d.B16, V%[2]d.B16, V%[1]d.B16"},
	"fmla":   {0, "VFMLA V%[3]d.S4, V%[2]d.S4, V%[1]d.S4"},
	"mov":    {0, "VMOV V%[2]d.B16, V%[1]d.B16"},
	"shl23":  {0, "VSHL $23, V%[2]d.S4, V%[1]d.S4"},
	"spread": {0, "VDUP V%[2]d.S[0], V%[1]d.S4"}, // dup of lane 0
	"sub":    {0, "VSUB V%[3]d.S4, V%[2]d.S4, V%[1]d.S4"},
	"uzp1.b": {0, "VUZP1 V%[3]d.B16, V%[2]d.B16, V%[1]d.B16"},
	"uzp1.h": {0, "VUZP1 V%[3]d.H8, V%[2]d.H8, V%[1]d.H8"},

	"fabs":   {0x4ea0f800, "fabs v%d.4s, v%d.4s"},
	"fadd":   {0x4e20d400, "fadd v%d.4s, v%d.4s, v%d.4s"},
	"faddp":  {0x6e20d400, "faddp v%d.4s, v%d.4s, v%d.4s"},
	"fcmge":  {0x6e20e400, "fcmge v%d.4s, v%d.4s, v%d.4s"},
	"fcvtns": {0x4e21a800, "fcvtns v%d.4s, v%d.4s"},
	"fmax":   {0x4e20f400, "fmax v%d.4s, v%d.4s, v%d.4s"},
	"fmaxnm": {0x4e20c400, "fmaxnm v%d.4s, v%d.4s, v%d.4s"},
	"fmaxv":  {0x6e30f800, "fmaxv s%d, v%d.4s"},
	"fmul":   {0x6e20dc00, "fmul v%d.4s, v%d.4s, v%d.4s"},
	"fsub":   {0x4ea0d400, "fsub v%d.4s, v%d.4s, v%d.4s"},
	"sadalp": {0x4e606800, "sadalp v%d.4s, v%d.8h"},
	"scvtf":  {0x4e21d800, "scvtf v%d.4s, v%d.4s"},
	"sdot":   {0x4e809400, "sdot v%d.4s, v%d.16b, v%d.16b"},
	"smull":  {0x0e20c000, "smull v%d.8h, v%d.8b, v%d.8b"},
	"smull2": {0x4e20c000, "smull2 v%d.8h, v%d.16b, v%d.16b"},

	"fmla.lane": {0x4f801000, "fmla v%d.4s, v%d.4s, v%d.s[%d]"},
	"sdot.lane": {0x4f80e000, "sdot v%d.4s, v%d.16b, v%d.4b[%d]"},
}

// vec writes a vector instruction, its registers in Arm's order: the destination,
// then one or two operands.
func (a *assembler) vec(name string, d, n v, m ...v) {
	i, ok := instructions[name]
	if !ok {
		panic("no instruction " + name)
	}
	registers := []any{d, n}
	word := i.word | uint32(n)<<5 | uint32(d)
	if len(m) == 1 {
		registers = append(registers, m[0])
		word |= uint32(m[0]) << 16
	}
	text := fmt.Sprintf(i.text, registers...)
	if i.word != 0 {
		text = fmt.Sprintf("WORD $%#08x // %s", word, text)
	}
	a.op("%s", text)
}

// lane writes an instruction whose last operand is one of the four lanes of m, used
// with all lanes of n.
func (a *assembler) lane(name string, d, n, m v, lane int) {
	i, ok := instructions[name+".lane"]
	if !ok {
		panic("no instruction by lane " + name)
	}
	word := i.word | uint32(lane&1)<<21 | uint32(lane>>1)<<11 | uint32(m)<<16 | uint32(n)<<5 | uint32(d)
	a.op("WORD $%#08x // "+i.text, word, d, n, m, lane)
}
