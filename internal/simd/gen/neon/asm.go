package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// assembler collects the text of two files: the kernels, and their declarations in
// Go.
type assembler struct {
	text, stubs bytes.Buffer
	offsets     map[string]int // of the current kernel's parameters on the stack
}

// result is the name of what a kernel returns.
const result = "ret"

// function begins a kernel. A parameter reads "name type"; returns is the type of
// the result, or empty. Kernels are leaves without a frame, and keep no pointer that
// they are given.
func (a *assembler) function(name, doc, returns string, params ...string) {
	a.offsets = map[string]int{}
	end := 0
	place := func(name, typ string) {
		size := 8 // of int and pointers
		if typ == "float32" || typ == "int32" {
			size = 4
		}
		end = (end + size - 1) / size * size
		a.offsets[name] = end
		end += size
	}
	for _, p := range params {
		name, typ, _ := strings.Cut(p, " ")
		place(name, typ)
	}
	if returns != "" {
		end = (end + 7) / 8 * 8 // results begin at a multiple of 8
		place(result, returns)
	}
	signature := strings.TrimSpace(fmt.Sprintf("func %s(%s) %s", name, strings.Join(params, ", "), returns))
	fmt.Fprintf(&a.stubs, "\n// %s %s\n//\n//go:noescape\n%s\n", name, doc, signature)
	fmt.Fprintf(&a.text, "\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", signature, name, end)
}

// op writes one instruction in Go's syntax.
func (a *assembler) op(format string, args ...any) {
	fmt.Fprintf(&a.text, "\t"+format+"\n", args...)
}

// label marks a place to jump to.
func (a *assembler) label(name string) { fmt.Fprintf(&a.text, "\n%s:\n", name) }

// offset is where a parameter lies on the stack.
func (a *assembler) offset(name string) int {
	offset, ok := a.offsets[name]
	if !ok {
		panic("no parameter " + name)
	}
	return offset
}

// arg loads a parameter of 8 bytes into a register R…, or a float32 into F….
func (a *assembler) arg(name, register string) {
	move := "MOVD"
	if register[0] == 'F' {
		move = "FMOVS"
	}
	a.op("%s %s+%d(FP), %s", move, name, a.offset(name), register)
}

// args loads several: a name, its register, and so on.
func (a *assembler) args(namesAndRegisters ...string) {
	for i := 0; i < len(namesAndRegisters); i += 2 {
		a.arg(namesAndRegisters[i], namesAndRegisters[i+1])
	}
}

// rowPointers continues from the address of a row in R0: R1, R2, … are R16 bytes
// apart.
func (a *assembler) rowPointers(rows int) {
	for r := 1; r < rows; r++ {
		a.op("ADD R16, R%d, R%d", r-1, r)
	}
}

// constant is a float32 that a kernel keeps in all lanes of a register.
type constant struct {
	name  string
	value float32
}

// table writes constants that a kernel can load by the name.
func (a *assembler) table(name string, values []constant) {
	a.text.WriteByte('\n')
	for i, c := range values {
		fmt.Fprintf(&a.text, "DATA %s<>+%d(SB)/4, $%#08x // %s: %v\n", name, 4*i, math.Float32bits(c.value), c.name, c.value)
	}
	fmt.Fprintf(&a.text, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", name, 4*len(values))
}

// constants loads the n values of a table into registers from first on.
func (a *assembler) constants(table string, first v, n int) {
	a.op("MOVD $%s<>(SB), R16", table)
	for _, r := range registers(first, n) {
		a.op("VLD1R.P 4(R16), [V%d.S4]", r)
	}
}

// v is one of the 32 vector registers of 128 bits. Go calls it F where an
// instruction takes it for a number, and so do we.
type v int

// registers numbers n registers from first on.
func registers(first v, n int) []v {
	list := make([]v, n)
	for i := range list {
		list[i] = first + v(i)
	}
	return list
}

// each writes one step for n registers: what a processor can do at once stands
// side by side.
func each(n int, step func(i v)) {
	for i := range n {
		step(v(i))
	}
}

// load4 reads 64 bytes into four registers from first on, and moves the pointer
// past them.
func (a *assembler) load4(pointer string, first v) {
	a.op("VLD1.P 64(%s), [V%d.S4, V%d.S4, V%d.S4, V%d.S4]", pointer, first, first+1, first+2, first+3)
}

// store4 writes them in the same manner.
func (a *assembler) store4(first v, pointer string) {
	a.op("VST1.P [V%d.S4, V%d.S4, V%d.S4, V%d.S4], 64(%s)", first, first+1, first+2, first+3, pointer)
}

// zero clears registers.
func (a *assembler) zero(list ...v) {
	for _, d := range list {
		a.vec("eor", d, d, d)
	}
}

// reduce combines four registers from first on in the first.
func (a *assembler) reduce(instruction string, first v) {
	a.vec(instruction, first, first, first+1)
	a.vec(instruction, first+2, first+2, first+3)
	a.vec(instruction, first, first, first+2)
}

// total adds up the lanes of a register, and leaves the sum in all of them.
func (a *assembler) total(r v) {
	a.vec("faddp", r, r, r)
	a.vec("faddp", r, r, r)
}
