package encoder

import (
	"fmt"

	"github.com/assay-rag/assay/internal/simd"
)

// width8 is how many columns a panel of int8 weights has.
const width8 = simd.WidthInt8

// linear is a layer y = W·x + b with W packed for the kernels: in panels of
// neighbouring outputs, each panel a run of memory in the order in which it is
// read. One of panels and panels8 is there.
type linear struct {
	in, out int
	bias    []float32
	panels  []float32
	panels8 []uint8
	scale   []float32 // of each output, with panels8
}

// newLinear packs the rows of the parts, one after the other, for the kernels.
// All parts have the same number of columns, and all rows together are a multiple
// of sizeUnit.
func newLinear(k *simd.Kernels, int8s bool, parts []matrix, biases [][]float32) (l linear, err error) {
	l.in = parts[0].cols
	for i := range parts {
		l.out += parts[i].rows
		l.bias = append(l.bias, biases[i]...)
	}
	if int8s {
		l.panels8, l.scale = make([]uint8, l.out*l.in), make([]float32, l.out)
	} else {
		l.panels = make([]float32, l.out*l.in)
	}
	buffer, quantized := make([]float32, l.in), make([]int8, l.in)
	n := 0
	for p := range parts {
		for i := range parts[p].rows {
			if int8s {
				l.scale[n] = parts[p].row8(quantized, i, buffer)
				err = finite(l.scale[n : n+1])
				l.pack8(n, quantized)
			} else {
				parts[p].row(buffer, i)
				err = finite(buffer)
				l.pack(n, k.Width, buffer)
			}
			if err != nil {
				return l, fmt.Errorf("row %d: %w", i, err)
			}
			n++
		}
	}
	return l, nil
}

// pack puts the weights of output n into its panel, see simd.Kernels.MatMul.
func (l *linear) pack(n, width int, row []float32) {
	panel := l.panels[n/width*width*l.in:]
	for i, at := 0, n%width; i < len(row); i, at = i+1, at+width {
		panel[at] = row[i]
	}
}

// pack8 puts the weights of output n into its panel, see simd.Kernels.MatMulInt8.
func (l *linear) pack8(n int, row []int8) {
	panel := l.panels8[n/width8*width8*l.in:]
	for i, at := 0, n%width8*4; i < len(row); i, at = i+4, at+4*width8 {
		group, src := panel[at:at+4], row[i:i+4]
		group[0], group[1], group[2], group[3] = uint8(src[0])^0x80, uint8(src[1])^0x80, uint8(src[2])^0x80, uint8(src[3])^0x80
	}
}

// apply computes y (rows × out) from x (rows × in).
func (l *linear) apply(k *simd.Kernels, s *scratch, y, x []float32, rows int) {
	if l.panels8 == nil {
		for n := 0; n < l.out; n += k.Width {
			k.MatMul(y[n:], l.out, x, l.in, l.panels[n*l.in:(n+k.Width)*l.in], l.bias[n:n+k.Width], rows, l.in)
		}
		return
	}
	q := s.quantized[:rows*l.in]
	for r := range rows {
		s.scale[r], s.sum[r] = k.Quantize(q[r*l.in:(r+1)*l.in], x[r*l.in:(r+1)*l.in])
	}
	for n := 0; n < l.out; n += width8 {
		k.MatMulInt8(y[n:], l.out, q, l.in, l.panels8[n*l.in:(n+width8)*l.in], l.scale[n:n+width8], l.bias[n:n+width8],
			s.scale[:rows], s.sum[:rows], rows, l.in)
	}
}

// newLinears reads the named layers of the model, each size out × in, and packs
// them as one.
func newLinears(k *simd.Kernels, int8s bool, w weights, in, out int, names ...string) (linear, error) {
	var parts []matrix
	var biases [][]float32
	for _, name := range names {
		m, err := w.matrix(name+".weight", out, in)
		if err != nil {
			return linear{}, err
		}
		b, err := w.vector(name+".bias", out)
		if err != nil {
			return linear{}, err
		}
		parts, biases = append(parts, m), append(biases, b)
	}
	if in%sizeUnit != 0 || out%sizeUnit != 0 {
		return linear{}, fmt.Errorf("%s is %d×%d; sizes must be multiples of %d", names[0], out, in, sizeUnit)
	}
	l, err := newLinear(k, int8s, parts, biases)
	if err != nil {
		err = fmt.Errorf("tensor %s.weight: %w", names[0], err)
	}
	return l, err
}
