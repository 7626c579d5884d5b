package vectors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// The kinds of failure that the index tells apart with errors.Is. Each of them
// is mended by making the file anew with Create.
var (
	// ErrDamaged: the header, or a record that a flush had made safe, isn't what
	// was written, or the file was cut short while it was read.
	ErrDamaged = errors.New("the vector file is damaged")
	// ErrOther: the file is sound, but of another index, another model, another
	// version of the format, or further than the caller.
	ErrOther = errors.New("the vector file is another one")
)

const (
	magic      = "ASAYVEC1"
	version    = 1
	headerSize = 64
	prefixSize = 16 // of a record, before its vector
	lanes      = 32 // the kernels take a multiple of this many bytes

	// MaxDim is the largest number of dimensions. The sum of so many products of
	// two bytes still fits into an int32.
	MaxDim = 1 << 15
)

// Epoch ties a vector file to the SQLite file that it was derived from.
type Epoch [16]byte

// Record is the vector of one passage. Its ID is at least 1.
type Record struct {
	ID     int64
	Vector Vector
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checkDim(dim int) error {
	if dim < 1 || dim > MaxDim {
		return fmt.Errorf("a vector has 1 to %d dimensions, not %d", MaxDim, dim)
	}
	return nil
}

// strideOf is the size of a record in bytes.
func strideOf(dim int) int { return prefixSize + (dim+lanes-1)/lanes*lanes }

// header is the first bytes of a file.
func header(dim int, epoch Epoch) []byte {
	b := make([]byte, 0, headerSize)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(dim))
	b = append(b, epoch[:]...)
	b = append(b, make([]byte, headerSize-4-len(b))...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// checkHeader compares a header with the one that is expected.
func checkHeader(b []byte, dim int, epoch Epoch) error {
	if string(b[:len(magic)]) != magic || binary.LittleEndian.Uint32(b[headerSize-4:]) != crc32.Checksum(b[:headerSize-4], castagnoli) {
		return fmt.Errorf("%w: its header can't be read", ErrDamaged)
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != version {
		return fmt.Errorf("%w: it is of version %d, not %d", ErrOther, v, version)
	}
	if d := binary.LittleEndian.Uint32(b[12:]); int64(d) != int64(dim) {
		return fmt.Errorf("%w: its vectors have %d dimensions, not %d", ErrOther, d, dim)
	}
	if Epoch(b[16:32]) != epoch {
		return fmt.Errorf("%w: it belongs to another state of the index", ErrOther)
	}
	return nil
}

// appendRecord appends the bytes of a record.
func appendRecord(dst []byte, r Record) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, 0) // the checksum comes last
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(r.Vector.Scale))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.ID))
	dst = append(dst, r.Vector.Bytes...)
	for len(dst)-start < strideOf(len(r.Vector.Bytes)) {
		dst = append(dst, zero)
	}
	binary.LittleEndian.PutUint32(dst[start:], crc32.Checksum(dst[start+4:], castagnoli))
	return dst
}

// The parts of a record; good tells whether they are what was written.
func idOf(record []byte) int64 { return int64(binary.LittleEndian.Uint64(record[8:])) }
func scaleOf(record []byte) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(record[4:]))
}
func good(record []byte) bool {
	return idOf(record) > 0 && binary.LittleEndian.Uint32(record) == crc32.Checksum(record[4:], castagnoli)
}
