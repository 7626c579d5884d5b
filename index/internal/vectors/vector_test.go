package vectors

import (
	"bytes"
	"errors"
	"math"
	"testing"
)

func TestQuantize(t *testing.T) {
	for _, test := range []struct {
		name  string
		v     []float32
		scale float32
		bytes []byte
	}{
		{"signs", []float32{1, -1, 0, 0.5}, 1. / 127, []byte{255, 1, 128, 128 + 64}},
		{"halves to even", []float32{127, 0.5, 1.5, -2.5}, 1, []byte{255, 128, 130, 126}},
		{"zero", []float32{0, 0}, 0, []byte{128, 128}},
		{"nothing", nil, 0, []byte{}},
		{"too small for a scale", []float32{math.SmallestNonzeroFloat32, 0}, 0, []byte{128, 128}},
		// 190/127 of the smallest number is rounded to that number.
		{"a scale rounded down", []float32{math.SmallestNonzeroFloat32 * 190, 0}, math.SmallestNonzeroFloat32, []byte{255, 128}},
		{"largest", []float32{math.MaxFloat32, -math.MaxFloat32}, math.MaxFloat32 / 127, []byte{255, 1}},
	} {
		got, err := Quantize(test.v)
		if err != nil || got.Scale != test.scale || !bytes.Equal(got.Bytes, test.bytes) {
			t.Errorf("%s: Quantize(%v) = %v, %v, want %v %v", test.name, test.v, got, err, test.scale, test.bytes)
		}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, v := range [][]float32{{0, nan}, {inf, 1}} {
		if got, err := Quantize(v); err == nil {
			t.Errorf("Quantize(%v) = %v", v, got)
		}
	}
}

// TestQuantizeError bounds what rounding does to each component.
func TestQuantizeError(t *testing.T) {
	for id := range int64(50) {
		v := floats(id, 384)
		q, err := Quantize(v)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range q.Bytes {
			x := q.Scale * float32(int(b)-zero)
			if off := math.Abs(float64(x - v[i])); off > 0.5001*float64(q.Scale) {
				t.Fatalf("component %d is off by %v scales", i, off/float64(q.Scale))
			}
		}
	}
}

func TestBlob(t *testing.T) {
	v := recordOf(1, 48).Vector
	blob := v.AppendBlob([]byte("before"))[len("before"):]
	got, err := ParseBlob(blob, 48)
	if err != nil || got.Scale != v.Scale || !bytes.Equal(got.Bytes, v.Bytes) {
		t.Errorf("ParseBlob gives %v, %v", got, err)
	}
	bad := func(scale float32) []byte { return Vector{Scale: scale, Bytes: v.Bytes}.AppendBlob(nil) }
	for name, blob := range map[string][]byte{
		"short": blob[:51], "long": append(blob[:52:52], 0), "empty": nil,
		"NaN": bad(float32(math.NaN())), "infinite": bad(float32(math.Inf(1))), "negative": bad(-1),
	} {
		if got, err := ParseBlob(blob, 48); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: ParseBlob gives %v, %v", name, got, err)
		}
	}
}

func FuzzParseBlob(f *testing.F) {
	f.Add(recordOf(1, 8).Vector.AppendBlob(nil), 8)
	f.Add([]byte{0, 0, 192, 127, 1}, 1)
	f.Add([]byte{}, -4)
	f.Fuzz(func(t *testing.T, blob []byte, dim int) {
		v, err := ParseBlob(blob, dim)
		if err == nil && !bytes.Equal(v.AppendBlob(nil), blob) {
			t.Errorf("%x is read as %v", blob, v)
		}
	})
}
