package vectors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Vector is a vector of float32 rounded to a byte for each dimension: the
// component i is Scale·(Bytes[i]−128).
type Vector struct {
	Scale float32 // finite, ≥ 0
	Bytes []byte  // one for each dimension: the signed byte plus 128
}

// zero is the byte of a component that is 0.
const zero = 128

// Quantize rounds v to a Vector, with the scale max|v|/127 and halves to even. A
// component is off by half a scale at most. The error says which component isn't
// a finite number.
func Quantize(v []float32) (Vector, error) {
	signed := make([]int8, len(v))
	scale, err := quantize(signed, v)
	if err != nil {
		return Vector{}, fmt.Errorf("vectors quantize: %w", err)
	}
	bytes := make([]byte, len(v))
	for i, s := range signed {
		bytes[i] = byte(s) + zero
	}
	return Vector{Scale: scale, Bytes: bytes}, nil
}

// quantize rounds v into out, which has its length, and returns the scale: 0 where
// v is all zero, or so small that its scale can't be told from 0.
func quantize(out []int8, v []float32) (float32, error) {
	var largest float32
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return 0, fmt.Errorf("component %d is %v; embed the text again", i, x)
		}
		largest = max(largest, x, -x)
	}
	scale := largest / 127
	if scale == 0 {
		clear(out)
		return 0, nil
	}
	for i, x := range v {
		// Where the scale is a denormal number its own rounding may lead past 127.
		r := math.RoundToEven(float64(x) / float64(scale))
		out[i] = int8(max(-127, min(127, r)))
	}
	return scale, nil
}

// Dot is the dot product of q with v, which has its length. It is computed in the
// same order everywhere, and without fused operations, which the conversion of each
// product prevents: so a score doesn't tell where the vector was read.
func Dot(q []float32, v Vector) float64 {
	var sum float64
	for i, b := range v.Bytes[:len(q)] {
		sum += float64(float64(q[i]) * float64(int(b)-zero))
	}
	return float64(v.Scale) * sum
}

// AppendBlob appends the vector's form in SQLite to dst: the scale in four
// bytes, little-endian, then Bytes.
func (v Vector) AppendBlob(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v.Scale))
	return append(dst, v.Bytes...)
}

// ParseBlob reads what AppendBlob wrote. The vector shares the blob's memory. The
// error wraps ErrDamaged where the blob isn't a vector of dim dimensions.
func ParseBlob(blob []byte, dim int) (Vector, error) {
	if len(blob) < 4 || len(blob)-4 != dim {
		return Vector{}, fmt.Errorf("vectors parse: %w: a blob of %d bytes can't be a vector of %d dimensions", ErrDamaged, len(blob), dim)
	}
	v := Vector{Scale: math.Float32frombits(binary.LittleEndian.Uint32(blob)), Bytes: blob[4:]}
	if err := v.check(dim); err != nil {
		return Vector{}, fmt.Errorf("vectors parse: %w: %w", ErrDamaged, err)
	}
	return v, nil
}

// check tells whether the vector may be stored.
func (v Vector) check(dim int) error {
	if len(v.Bytes) != dim {
		return fmt.Errorf("a vector of %d dimensions is given for a file of %d", len(v.Bytes), dim)
	}
	if s := float64(v.Scale); !(s >= 0) || math.IsInf(s, 0) {
		return errors.New("the vector's scale isn't a finite number of at least 0")
	}
	return nil
}
