package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The words are those of the GNU assembler.
func TestWords(t *testing.T) {
	tests := []struct {
		write func(*assembler)
		want  string
	}{
		{func(a *assembler) { a.vec("fabs", 1, 2) }, "WORD $0x4ea0f841 // fabs v1.4s, v2.4s"},
		{func(a *assembler) { a.vec("fadd", 1, 2, 3) }, "WORD $0x4e23d441 // fadd v1.4s, v2.4s, v3.4s"},
		{func(a *assembler) { a.vec("faddp", 1, 2, 3) }, "WORD $0x6e23d441 // faddp v1.4s, v2.4s, v3.4s"},
		{func(a *assembler) { a.vec("fcmge", 1, 2, 3) }, "WORD $0x6e23e441 // fcmge v1.4s, v2.4s, v3.4s"},
		{func(a *assembler) { a.vec("fmaxnm", 1, 2, 3) }, "WORD $0x4e23c441 // fmaxnm v1.4s, v2.4s, v3.4s"},
		{func(a *assembler) { a.vec("fcvtns", 1, 2) }, "WORD $0x4e21a841 // fcvtns v1.4s, v2.4s"},
		{func(a *assembler) { a.vec("fmax", 1, 2, 3) }, "WORD $0x4e23f441 // fmax v1.4s, v2.4s, v3.4s"},
		{func(a *assembler) { a.vec("fmaxv", 1, 2) }, "WORD $0x6e30f841 // fmaxv s1, v2.4s"},
		{func(a *assembler) { a.vec("fmul", 1, 2, 3) }, "WORD $0x6e23dc41 // fmul v1.4s, v2.4s, v3.4s"},
		{func(a *assembler) { a.vec("fsub", 1, 2, 3) }, "WORD $0x4ea3d441 // fsub v1.4s, v2.4s, v3.4s"},
		{func(a *assembler) { a.vec("sadalp", 1, 2) }, "WORD $0x4e606841 // sadalp v1.4s, v2.8h"},
		{func(a *assembler) { a.vec("scvtf", 1, 2) }, "WORD $0x4e21d841 // scvtf v1.4s, v2.4s"},
		{func(a *assembler) { a.vec("sdot", 1, 2, 3) }, "WORD $0x4e839441 // sdot v1.4s, v2.16b, v3.16b"},
		{func(a *assembler) { a.vec("smull", 1, 2, 3) }, "WORD $0x0e23c041 // smull v1.8h, v2.8b, v3.8b"},
		{func(a *assembler) { a.vec("smull2", 1, 2, 3) }, "WORD $0x4e23c041 // smull2 v1.8h, v2.16b, v3.16b"},
		{func(a *assembler) { a.vec("smull", 31, 0, 30) }, "WORD $0x0e3ec01f // smull v31.8h, v0.8b, v30.8b"},
		{func(a *assembler) { a.lane("fmla", 0, 16, 24, 0) }, "WORD $0x4f981200 // fmla v0.4s, v16.4s, v24.s[0]"},
		{func(a *assembler) { a.lane("fmla", 17, 31, 26, 3) }, "WORD $0x4fba1bf1 // fmla v17.4s, v31.4s, v26.s[3]"},
		{func(a *assembler) { a.lane("sdot", 0, 16, 24, 0) }, "WORD $0x4f98e200 // sdot v0.4s, v16.16b, v24.4b[0]"},
		{func(a *assembler) { a.lane("sdot", 17, 31, 26, 3) }, "WORD $0x4fbaebf1 // sdot v17.4s, v31.16b, v26.4b[3]"},
	}
	seen := map[string]bool{}
	for _, test := range tests {
		var a assembler
		test.write(&a)
		got := strings.TrimSpace(a.text.String())
		if got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
		_, text, _ := strings.Cut(got, "// ")
		name, _, _ := strings.Cut(text, " ")
		if strings.Contains(text, "[") {
			name += ".lane"
		}
		seen[name] = true
	}
	for name, i := range instructions {
		if i.word != 0 && !seen[name] {
			t.Errorf("no word of %s to compare with", name)
		}
	}
}

// What is committed is what the generator writes.
func TestGenerated(t *testing.T) {
	kernels, stubs, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"kernels_arm64.s": kernels, "kernels_arm64.go": stubs} {
		got, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go generate in internal/simd", name)
		}
	}
}
