package encoder

import (
	"fmt"
	"math"
)

// matrix is weights as the file has them: rows of numbers, or of int8 with a scale
// for each row. Rows are read when they are needed, so that a table of words
// costs no memory beyond the file.
type matrix struct {
	rows, cols int
	numbers    tensor
	scale      []float32 // of each row, where the numbers are int8
}

// scaleSuffix names the tensor with the scales of an int8 one.
const scaleSuffix = ".scale"

// weights are the tensors of a model under the names of Hugging Face's BERT.
type weights struct {
	tensors map[string]tensor
	prefix  string // "bert." where the model has a head
}

// matrix finds a matrix of the given size.
func (w weights) matrix(name string, rows, cols int) (matrix, error) {
	t, err := w.find(name, rows, cols)
	if err != nil {
		return matrix{}, err
	}
	m := matrix{rows: rows, cols: cols, numbers: t}
	switch t.kind {
	case kindF32, kindF16, kindBF16:
		return m, nil
	case kindI8:
		m.scale, err = w.vector(name+scaleSuffix, rows)
		return m, err
	}
	return m, fmt.Errorf("tensor %s: weights of the kind %s are not supported; F32, F16, BF16 and I8 are", name, t.kind)
}

// vector finds n numbers.
func (w weights) vector(name string, n int) ([]float32, error) {
	t, err := w.find(name, n)
	if err != nil {
		return nil, err
	}
	if t.kind != kindF32 && t.kind != kindF16 && t.kind != kindBF16 {
		return nil, fmt.Errorf("tensor %s: numbers of the kind %s are not supported; F32, F16 and BF16 are", name, t.kind)
	}
	v := make([]float32, n)
	t.decode(v, 0)
	if err := finite(v); err != nil {
		return nil, fmt.Errorf("tensor %s: %w", name, err)
	}
	return v, nil
}

// finite refuses numbers that no weight can be.
func finite(v []float32) error {
	for i, x := range v {
		if x-x != 0 {
			return fmt.Errorf("number %d is %v; the file is damaged", i, x)
		}
	}
	return nil
}

func (w weights) has(name string) bool {
	_, ok := w.tensors[w.prefix+name]
	return ok
}

func (w weights) find(name string, shape ...int) (tensor, error) {
	t, ok := w.tensors[w.prefix+name]
	if !ok {
		return t, fmt.Errorf("tensor %s%s is missing", w.prefix, name)
	}
	if fmt.Sprint(t.shape) != fmt.Sprint(shape) {
		return t, fmt.Errorf("tensor %s has the shape %v, and by config.json it should be %v", name, t.shape, shape)
	}
	return t, nil
}

// row reads row i; dst has cols numbers.
func (m *matrix) row(dst []float32, i int) {
	if m.scale == nil {
		m.numbers.decode(dst, i*m.cols)
		return
	}
	scale, src := m.scale[i], m.numbers.data[i*m.cols:(i+1)*m.cols]
	for j := range dst {
		dst[j] = float32(int8(src[j])) * scale
	}
}

// row8 reads row i as int8 and returns its scale: as the file has it, or rounded
// symmetrically. buffer has cols numbers.
func (m *matrix) row8(dst []int8, i int, buffer []float32) (scale float32) {
	if m.scale != nil {
		src := m.numbers.data[i*m.cols : (i+1)*m.cols]
		for j := range dst {
			dst[j] = int8(src[j])
		}
		return m.scale[i]
	}
	m.row(buffer, i)
	return quantizeRow(dst, buffer)
}

// quantizeRow writes a row of weights as int8, x ≈ q·scale, with the scale that
// brings the greatest magnitude to 127. Where a number isn't finite, neither is
// the scale.
func quantizeRow(q []int8, x []float32) (scale float32) {
	var greatest float32
	for _, v := range x {
		greatest = max(greatest, v, -v)
	}
	if greatest == 0 {
		clear(q)
		return 1
	}
	scale = greatest / 127
	for i, v := range x {
		q[i] = int8(math.RoundToEven(float64(v / scale)))
	}
	return scale
}
