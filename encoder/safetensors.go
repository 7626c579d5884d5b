package encoder

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// tensor is an array of numbers in a file of weights.
type tensor struct {
	kind  kind
	shape []int
	data  string // little endian, of the last dimension first
}

// kind is the type of a tensor's numbers, by its name in the format.
type kind string

// The kinds that are read.
const (
	kindF32  kind = "F32"
	kindF16  kind = "F16"
	kindBF16 kind = "BF16"
	kindI8   kind = "I8" // with a scale a row, in a tensor of its own
)

// size is how many bytes a number takes, or 0 for a kind that isn't known.
func (k kind) size() int {
	switch k {
	case kindF32:
		return 4
	case kindF16, kindBF16:
		return 2
	case kindI8, "U8", "BOOL":
		return 1
	case "I64", "U64", "F64":
		return 8
	case "I32", "U32":
		return 4
	case "I16", "U16":
		return 2
	}
	return 0
}

// maxHeader bounds the list of tensors, in bytes.
const maxHeader = 16 << 20

// readTensors reads the safetensors format: the length of a header in eight
// bytes, the header, which is a JSON object of tensors with their places, and the
// numbers. Nothing of the numbers is copied.
func readTensors(file string) (map[string]tensor, error) {
	if len(file) < 8 {
		return nil, fmt.Errorf("it has %d bytes, which is no safetensors file", len(file))
	}
	n := binary.LittleEndian.Uint64([]byte(file[:8]))
	if n > maxHeader || n > uint64(len(file)-8) {
		return nil, fmt.Errorf("its header should have %d bytes, which is no safetensors file, or one cut short", n)
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal([]byte(file[8:8+n]), &header); err != nil {
		return nil, fmt.Errorf("its header: %w", err)
	}
	delete(header, "__metadata__")
	tensors, numbers := make(map[string]tensor, len(header)), file[8+n:]
	for name, raw := range header {
		t, err := readTensor(raw, numbers)
		if err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		tensors[name] = t
	}
	return tensors, nil
}

func readTensor(header []byte, numbers string) (tensor, error) {
	var h struct {
		Kind  kind   `json:"dtype"`
		Shape []int  `json:"shape"`
		Place [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(header, &h); err != nil {
		return tensor{}, err
	}
	size := int64(h.Kind.size())
	if size == 0 {
		return tensor{}, fmt.Errorf("numbers of the kind %q can't be read", h.Kind)
	}
	for _, d := range h.Shape {
		if d < 0 || d > 0 && size > math.MaxInt64/int64(d) {
			return tensor{}, fmt.Errorf("its shape is %v, which no tensor has", h.Shape)
		}
		size *= int64(d)
	}
	start, end := h.Place[0], h.Place[1]
	if start < 0 || end < start || end > len(numbers) || int64(end-start) != size {
		return tensor{}, fmt.Errorf("it should be bytes %d to %d of %d, and %d bytes long; the file may be cut short", start, end, len(numbers), size)
	}
	return tensor{kind: h.Kind, shape: h.Shape, data: numbers[start:end]}, nil
}

// decode reads len(dst) numbers from the i-th on. The kind is one of F32, F16 and
// BF16.
func (t tensor) decode(dst []float32, i int) {
	switch t.kind {
	case kindF32:
		for k, src := 0, t.data[4*i:4*(i+len(dst))]; k < len(dst); k, src = k+1, src[4:] {
			dst[k] = math.Float32frombits(uint32(src[0]) | uint32(src[1])<<8 | uint32(src[2])<<16 | uint32(src[3])<<24)
		}
	case kindF16:
		for k, src := 0, t.data[2*i:2*(i+len(dst))]; k < len(dst); k, src = k+1, src[2:] {
			dst[k] = half(uint16(src[0]) | uint16(src[1])<<8)
		}
	case kindBF16:
		for k, src := 0, t.data[2*i:2*(i+len(dst))]; k < len(dst); k, src = k+1, src[2:] {
			dst[k] = math.Float32frombits(uint32(src[0])<<16 | uint32(src[1])<<24)
		}
	}
}

// half is a number of 16 bits (IEEE 754 binary16) as one of 32.
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch {
	case exponent == 31:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	case exponent > 0:
		return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
	}
	v := float32(fraction) / (1 << 24)
	if sign != 0 {
		v = -v
	}
	return v
}
