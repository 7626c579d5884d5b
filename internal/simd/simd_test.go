package simd

import (
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestBestIsLast(t *testing.T) {
	all := All()
	if all[0].Name != "go" || all[0].Fast() {
		t.Errorf("the first set is %q, want plain Go", all[0].Name)
	}
	if best := Best(); best.Name != all[len(all)-1].Name {
		t.Errorf("the best set is %q, want %q", best.Name, all[len(all)-1].Name)
	}
	for _, k := range all[1:] {
		if !k.Fast() {
			t.Errorf("%s is called slow", k.Name)
		}
	}
	for _, k := range all {
		if k.MatMul == nil || k.Quantize == nil || k.Softmax == nil || k.GELU == nil || k.LayerNorm == nil || k.Dots == nil {
			t.Errorf("%s lacks a function", k.Name)
		}
	}
}

// TestMisuse gives each function what it must refuse before any assembly runs. One
// argument is wrong at a time.
func TestMisuse(t *testing.T) {
	f := func(n int) []float32 { return make([]float32, n) }
	b, u, n := make([]int8, 64), make([]uint8, 64*32), make([]int32, 8)
	for _, k := range All() {
		w := k.Width
		cases := map[string]func(){
			"MatMul with no rows":              func() { k.MatMul(f(w), w, f(8), 8, f(8*w), f(w), 0, 8) },
			"MatMul with negative rows":        func() { k.MatMul(f(w), w, f(8), 8, f(8*w), f(w), -1, 8) },
			"MatMul with no depth":             func() { k.MatMul(f(w), w, f(8), 8, f(8*w), f(w), 1, 0) },
			"MatMul with an odd depth":         func() { k.MatMul(f(w), w, f(8), 8, f(8*w), f(w), 1, 6) },
			"MatMul with a short c":            func() { k.MatMul(f(2*w-1), w, f(16), 8, f(8*w), f(w), 2, 8) },
			"MatMul with a short a":            func() { k.MatMul(f(2*w), w, f(15), 8, f(8*w), f(w), 2, 8) },
			"MatMul with rows that overlap":    func() { k.MatMul(f(2*w), w-1, f(16), 8, f(8*w), f(w), 2, 8) },
			"MatMul with a negative stride":    func() { k.MatMul(f(2*w), w, f(16), -8, f(8*w), f(w), 2, 8) },
			"MatMul with a stride past memory": func() { k.MatMul(f(2*w), w, f(16), math.MaxInt/2, f(8*w), f(w), 5, 8) },
			"MatMul with a short panel":        func() { k.MatMul(f(w), w, f(8), 8, f(8*w-1), f(w), 1, 8) },
			"MatMul with a short bias":         func() { k.MatMul(f(w), w, f(8), 8, f(8*w), f(w-1), 1, 8) },
			"Quantize of nothing":              func() { k.Quantize(nil, nil) },
			"Quantize of 8":                    func() { k.Quantize(b[:8], f(8)) },
			"Quantize into less":               func() { k.Quantize(b[:16], f(32)) },
			"Softmax of nothing":               func() { k.Softmax(nil, 1) },
			"Softmax of 17":                    func() { k.Softmax(f(17), 1) },
			"GELU of nothing":                  func() { k.GELU(nil) },
			"GELU of 8":                        func() { k.GELU(f(8)) },
			"LayerNorm of nothing":             func() { k.LayerNorm(nil, nil, nil, nil, nil, 1) },
			"LayerNorm of 8":                   func() { k.LayerNorm(f(8), f(8), nil, f(8), f(8), 1) },
			"LayerNorm into less":              func() { k.LayerNorm(f(16), f(32), nil, f(32), f(32), 1) },
			"LayerNorm with a short residual":  func() { k.LayerNorm(f(32), f(32), f(16), f(32), f(32), 1) },
			"LayerNorm with an empty residual": func() { k.LayerNorm(f(32), f(32), f(0), f(32), f(32), 1) },
			"LayerNorm with a short gamma":     func() { k.LayerNorm(f(32), f(32), nil, f(16), f(32), 1) },
			"LayerNorm with a short beta":      func() { k.LayerNorm(f(32), f(32), nil, f(32), f(16), 1) },
			"Dots with no query":               func() { k.Dots(n[:1], nil, u, 32) },
			"Dots with few rows":               func() { k.Dots(n[:3], b[:32], u[:95], 32) },
			"Dots with rows that overlap":      func() { k.Dots(n[:3], b[:32], u, 31) },
			"Dots too wide":                    func() { k.Dots(n[:1], make([]int8, 1<<17), make([]uint8, 1<<17), 1<<17) },
		}
		if k.Fast() {
			cases["Dots with 33 values"] = func() { k.Dots(n[:1], b[:33], u, 33) }
		}
		if k.MatMulInt8 != nil {
			product := func(c, a, panel, weight, bias, scale, sum, rows, depth int) func() {
				return func() {
					k.MatMulInt8(f(c), 32, b[:a], 32, u[:panel], f(weight), f(bias), f(scale), n[:sum], rows, depth)
				}
			}
			cases["MatMulInt8 with no rows"] = product(64, 64, 1024, 32, 32, 2, 2, 0, 32)
			cases["MatMulInt8 with an odd depth"] = product(64, 64, 1024, 32, 32, 2, 2, 2, 8)
			cases["MatMulInt8 with a short c"] = product(63, 64, 1024, 32, 32, 2, 2, 2, 32)
			cases["MatMulInt8 with a short a"] = product(64, 63, 1024, 32, 32, 2, 2, 2, 32)
			cases["MatMulInt8 with a short panel"] = product(64, 64, 1023, 32, 32, 2, 2, 2, 32)
			cases["MatMulInt8 with a short weight"] = product(64, 64, 1024, 31, 32, 2, 2, 2, 32)
			cases["MatMulInt8 with a short bias"] = product(64, 64, 1024, 32, 31, 2, 2, 2, 32)
			cases["MatMulInt8 with a short scale"] = product(64, 64, 1024, 32, 32, 1, 2, 2, 32)
			cases["MatMulInt8 with a short sum"] = product(64, 64, 1024, 32, 32, 2, 1, 2, 32)
		}
		for name, run := range cases {
			t.Run(k.Name+"/"+name, func(t *testing.T) {
				defer func() {
					message, ok := recover().(string)
					if !ok || !strings.HasPrefix(message, "simd: "+strings.Fields(name)[0]) {
						t.Errorf("the panic is %q", message)
					}
				}()
				run()
			})
		}
	}
}

func TestNoAllocation(t *testing.T) {
	for _, k := range All() {
		p := newProduct(t, 1, k.Width, 13, 32, 0, 0)
		i := newProductInt8(t, 1, 13, 32, 0)
		x, q := make([]float32, 32), make([]int8, 32)
		if n := testing.AllocsPerRun(10, func() {
			p.run(k)
			if k.MatMulInt8 != nil {
				i.run(k.MatMulInt8)
			}
			k.Quantize(q, x)
			k.Softmax(x, 1)
			k.GELU(x)
			k.LayerNorm(x, x, x, x, x, 1)
			k.Dots(i.sum[:1], q, i.panel, 32)
		}); n != 0 {
			t.Errorf("%s: %v allocations", k.Name, n)
		}
	}
}

// The kernels for AVX2 must use nothing that came with AVX-512: not its instructions,
// as the generator lists them, nor its registers. A test on a newer processor would
// not notice.
func TestAVX2NeedsNoMore(t *testing.T) {
	source, err := os.ReadFile("kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	later := regexp.MustCompile(`AVX512|AVX_|\b(Z\d+|[XY](1[6-9]|2\d|3\d)|K\d)\b`)
	checked := 0
	for _, function := range strings.Split(string(source), "\n// func ") {
		name, _, _ := strings.Cut(function, "(")
		if !strings.Contains(name, "AVX2") {
			continue
		}
		checked++
		if m := later.FindString(function); m != "" {
			t.Errorf("%s uses %s", name, m)
		}
	}
	if checked < 10 {
		t.Errorf("%d kernels for AVX2 found", checked)
	}
}
