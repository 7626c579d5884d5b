package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// copied returns the values at the end of memory.
func copied[T any](t testing.TB, x []T) []T {
	g := guarded[T](t, len(x))
	copy(g, x)
	return g
}

// normal returns n normal values around mean, times 2^exponent.
func normal(seed uint64, n int, mean float64, exponent int) []float32 {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Ldexp(rng.NormFloat64()+mean, exponent))
	}
	return x
}

// checkSoftmax compares with float64. The exponent of an entry e^-d is rounded three
// times, which changes the entry by 2d·1e-7 of it, never more than 8e-8; its power
// errs by 2e-7 of it, the quotient by little. The sum has at least eight parts, each
// off by at most n/8 roundings.
func checkSoftmax(t *testing.T, k *Kernels, x []float32, scale float32) {
	t.Helper()
	got := copied(t, x)
	k.Softmax(got, scale)
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, float64(v))
	}
	want, sum := make([]float64, len(x)), 0.0
	for i, v := range x {
		want[i] = math.Exp((float64(v) - top) * float64(scale))
		sum += want[i]
	}
	for i := range x {
		w := want[i] / sum
		tolerance := 3e-7 + w*float64(len(x))*6e-8/8
		if !(math.Abs(float64(got[i])-w) <= tolerance) {
			t.Fatalf("%s: softmax of %d values, scale %g: value %d (%g) becomes %g, want %g ± %g", k.Name, len(x), scale, i, x[i], got[i], w, tolerance)
		}
	}
}

func TestSoftmax(t *testing.T) {
	padded := normal(1, 64, 0, 2)
	for i := 40; i < 64; i++ {
		padded[i] = float32(math.Inf(-1))
		if i%2 == 0 {
			padded[i] = -1e30
		}
	}
	equal := make([]float32, 16)
	onlyOne := append([]float32{7}, make([]float32, 31)...)
	for i := range 31 {
		onlyOne[i+1] = float32(math.Inf(-1))
	}
	for _, k := range All() {
		for n := 16; n <= 512; n += 16 {
			checkSoftmax(t, k, normal(uint64(n), n, 3, 3), 0.1767767)
		}
		for _, x := range [][]float32{padded, equal, onlyOne} {
			checkSoftmax(t, k, x, 0.1767767)
		}
		got := copied(t, padded)
		k.Softmax(got, 1)
		for i, v := range got[40:] {
			if !(0 <= v && v < 1e-30) {
				t.Errorf("%s: padding %d becomes %g", k.Name, i, v)
			}
		}
	}
}

func FuzzSoftmax(f *testing.F) {
	f.Add(uint64(1), uint8(3), int8(0), float32(1))
	f.Add(uint64(2), uint8(0), int8(100), float32(0.125))
	f.Add(uint64(3), uint8(9), int8(-128), float32(1))
	f.Fuzz(func(t *testing.T, seed uint64, n uint8, exponent int8, scale float32) {
		if !(scale >= 1e-6 && scale <= 1e6) {
			t.Skip("no sensible scale")
		}
		for _, k := range All() {
			checkSoftmax(t, k, normal(seed, 16+16*int(n), 1, max(-128, min(int(exponent), 100))), scale)
		}
	})
}

func gelu64(x float64) float64 { return 0.5 * x * math.Erfc(-x/math.Sqrt2) }

// worstGELU is the greatest error of the polynomial and its rounding that the tests
// found, and a little more; beyond ±1 it may grow with the size of the result.
const worstGELU = 7e-7

func TestGELU(t *testing.T) {
	const points = 1 << 20
	x := make([]float32, points)
	for i := range x {
		x[i] = float32(i-points/2) * (16.0 / points)
	}
	want := make([]float64, points)
	for i, v := range x {
		want[i] = gelu64(float64(v))
	}
	for _, k := range All() {
		got := copied(t, x)
		k.GELU(got)
		worst, at := 0.0, 0
		for i, v := range got {
			if e := math.Abs(float64(v) - want[i]); e > worst {
				worst, at = e, i
			}
		}
		t.Logf("%s: worst absolute error %.2g at %g", k.Name, worst, x[at])
		if worst > worstGELU {
			t.Errorf("%s: GELU(%g) is %g, want %g", k.Name, x[at], got[at], want[at])
		}
	}
}

func TestGELUEnds(t *testing.T) {
	for _, k := range All() {
		x := copied(t, []float32{5.5, -5.5, 6, -6, 100, -100, 3e38, -3e38, 0, float32(math.Copysign(0, -1)), 1e-40, -1e-40, 1, -1, 2, -2})
		want := copied(t, x)
		k.GELU(x)
		for i, v := range want {
			switch {
			case v >= 5.5:
			case v <= -5.5:
				want[i] = 0
			default:
				want[i] = float32(gelu64(float64(v)))
			}
			if !(math.Abs(float64(x[i]-want[i])) <= worstGELU) {
				t.Errorf("%s: GELU(%g) is %g, want %g", k.Name, v, x[i], want[i])
			}
		}
	}
}

func FuzzGELU(f *testing.F) {
	f.Add(uint64(1), uint8(3), int8(0))
	f.Add(uint64(2), uint8(0), int8(-128))
	f.Add(uint64(3), uint8(0), int8(120))
	f.Fuzz(func(t *testing.T, seed uint64, n uint8, exponent int8) {
		x := normal(seed, 16+16*int(n), 0, max(-128, min(int(exponent), 120)))
		for _, k := range All() {
			got := copied(t, x)
			k.GELU(got)
			for i, v := range x {
				want := gelu64(float64(v))
				if tolerance := worstGELU * max(1, math.Abs(want)); !(math.Abs(float64(got[i])-want) <= tolerance) {
					t.Fatalf("%s: GELU(%g) is %g, want %g ± %g", k.Name, v, got[i], want, tolerance)
				}
			}
		}
	})
}

// compareLayerNorm compares with float64. The rounding of x+residual and of the mean
// is a share of the greatest value; the division by the deviation magnifies it, and
// so does gamma. The variance errs by a share of its own.
func compareLayerNorm(t *testing.T, k *Kernels, x, residual, gamma, beta []float32, alias string) {
	t.Helper()
	const eps = 1e-12
	n := len(x)
	v, mean, largest := make([]float64, n), 0.0, 0.0
	for i := range x {
		v[i] = float64(x[i])
		largest = max(largest, math.Abs(v[i]))
		if residual != nil {
			v[i] += float64(residual[i])
			largest = max(largest, math.Abs(float64(residual[i])), math.Abs(v[i]))
		}
		mean += v[i] / float64(n)
	}
	variance := 0.0
	for _, v := range v {
		variance += (v - mean) * (v - mean) / float64(n)
	}
	deviation := math.Sqrt(variance + eps)

	xs, rs, out := copied(t, x), residual, guarded[float32](t, n)
	if residual != nil {
		rs = copied(t, residual)
	}
	switch alias {
	case "x":
		out = xs
	case "residual":
		out = rs
	}
	k.LayerNorm(out, xs, rs, copied(t, gamma), copied(t, beta), eps)
	u := float64(n) / (1 << 24) // a sum of n is off by at most this share
	for i := range out {
		z := (v[i] - mean) / deviation
		want := z*float64(gamma[i]) + float64(beta[i])
		tolerance := math.Abs(float64(gamma[i]))*(2*u*largest/deviation+math.Abs(z)*(u+2*u*largest/deviation)) + (math.Abs(want)+math.Abs(float64(beta[i])))*2/(1<<24)
		if !(math.Abs(float64(out[i])-want) <= tolerance) {
			t.Fatalf("%s: LayerNorm of %d: value %d is %g, want %g ± %g", k.Name, n, i, out[i], want, tolerance)
		}
	}
}

func TestLayerNorm(t *testing.T) {
	for _, k := range All() {
		for _, n := range []int{16, 32, 48, 384, 1536} {
			x, residual := normal(1, n, 0.5, 1), normal(2, n, -1, 0)
			gamma, beta := normal(3, n, 1, 0), normal(4, n, 0, 0)
			for _, alias := range []string{"", "x"} {
				compareLayerNorm(t, k, x, nil, gamma, beta, alias)
				compareLayerNorm(t, k, x, residual, gamma, beta, alias)
			}
			compareLayerNorm(t, k, x, residual, gamma, beta, "residual")
		}
	}
}

// All values alike leave nothing but beta: eps keeps the division finite.
func TestLayerNormConstant(t *testing.T) {
	x, gamma, beta := make([]float32, 32), normal(1, 32, 0, 0), normal(2, 32, 0, 0)
	for i := range x {
		x[i] = 2.5
	}
	for _, k := range All() {
		out := make([]float32, 32)
		k.LayerNorm(out, x, nil, gamma, beta, 1e-12)
		sameBits(t, k.Name, out, beta)
	}
}

func FuzzLayerNorm(f *testing.F) {
	f.Add(uint64(1), uint8(23), int8(0), float32(0), false)
	f.Add(uint64(2), uint8(0), int8(10), float32(100), true)
	f.Fuzz(func(t *testing.T, seed uint64, n uint8, exponent int8, mean float32, withResidual bool) {
		if !(math.Abs(float64(mean)) < 1000) {
			t.Skip("the mean is so large that nothing is left of the rest")
		}
		size := 16 + 16*int(n%128)
		x := normal(seed, size, float64(mean), max(-10, min(int(exponent), 50)))
		var residual []float32
		if withResidual {
			residual = normal(seed+1, size, 0, max(-10, min(int(exponent), 50)))
		}
		for _, k := range All() {
			compareLayerNorm(t, k, x, residual, normal(seed+2, size, 1, 0), normal(seed+3, size, 0, 0), "")
		}
	})
}

func compareQuantize(t *testing.T, x []float32) {
	t.Helper()
	var want []int8
	var wantScale float32
	for _, k := range All() {
		q := guarded[int8](t, len(x))
		scale, sum := k.Quantize(q, copied(t, x))
		var total int32
		for i, v := range q {
			total += int32(v)
			// Half a step, and what the quotient and the product are rounded by.
			if e := math.Abs(float64(x[i]) - float64(v)*float64(scale)); x[i] != 0 && !(e <= float64(scale)*(0.5+127*3.0/(1<<24))) && scale != 1 {
				t.Fatalf("%s: %g becomes %d × %g", k.Name, x[i], v, scale)
			}
		}
		if total != sum {
			t.Fatalf("%s: the sum is %d, want %d", k.Name, sum, total)
		}
		if want == nil {
			want, wantScale = q, scale
		}
		for i := range q {
			if q[i] != want[i] || scale != wantScale {
				t.Fatalf("%s: %g becomes %d × %g, in plain Go %d × %g", k.Name, x[i], q[i], scale, want[i], wantScale)
			}
		}
	}
}

func TestQuantize(t *testing.T) {
	ends := make([]float32, 16)
	ends[3], ends[5] = 2, -2
	halves := make([]float32, 16) // of a step: to even
	for i := range halves {
		halves[i] = float32(i) - 7.5
	}
	halves[0] = 127
	tiny := make([]float32, 32)
	tiny[7] = 1e-40
	for _, x := range [][]float32{ends, halves, tiny, make([]float32, 48), normal(1, 384, 0, 0), normal(2, 1536, 5, 20), normal(3, 16, 0, -90)} {
		compareQuantize(t, x)
	}
	for _, k := range All() {
		q := make([]int8, 16)
		if scale, _ := k.Quantize(q, ends); q[3] != 127 || q[5] != -127 || scale != 2.0/127 {
			t.Errorf("%s: ±2 becomes %d and %d × %g", k.Name, q[3], q[5], scale)
		}
		if k.Quantize(q, halves); q[1] != -6 || q[2] != -6 || q[3] != -4 {
			t.Errorf("%s: halves are not rounded to even: %d", k.Name, q)
		}
		if scale, sum := k.Quantize(q, make([]float32, 16)); scale != 1 || sum != 0 {
			t.Errorf("%s: zeros have scale %g and sum %d", k.Name, scale, sum)
		}
	}
}

func FuzzQuantize(f *testing.F) {
	f.Add(uint64(1), uint8(3), int8(0))
	f.Add(uint64(2), uint8(0), int8(-110))
	f.Fuzz(func(t *testing.T, seed uint64, n uint8, exponent int8) {
		compareQuantize(t, normal(seed, 16+16*int(n), 0, max(-128, min(int(exponent), 120))))
	})
}
