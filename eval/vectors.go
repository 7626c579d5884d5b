package eval

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
)

// Embedder turns texts into vectors, see index.Embedder.
type Embedder interface {
	Model() string
	Dim() int
	EmbedPassages(ctx context.Context, texts []string) ([][]float32, error)
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// KeptVectors is an embedder that keeps the vectors of passages in a file, so that
// a set is embedded once and not in every run. Vectors are kept by model and text:
// one file serves several models and sets, and a text that changes is embedded
// anew. Questions are embedded each time, as their time is measured.
//
// It may be used concurrently, but a file by one process at a time.
type KeptVectors struct {
	Embedder
	mu   sync.Mutex
	file *os.File
	kept map[vectorKey][]float32
}

// KeepVectors reads the file, and makes it where there is none. Close the result.
func KeepVectors(path string, e Embedder) (_ *KeptVectors, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("eval: keep vectors: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("eval: keep vectors: %w", err)
	}
	k := &KeptVectors{Embedder: e, file: f, kept: map[vectorKey][]float32{}}
	end, err := k.read(data)
	if err == nil {
		// What an interrupted run left behind the last whole record goes.
		err = errors.Join(f.Truncate(int64(end)), seek(f, int64(end)))
	}
	if err != nil {
		return nil, fmt.Errorf("eval: keep vectors: %s: %w", path, err)
	}
	return k, nil
}

func seek(f io.Seeker, to int64) error {
	_, err := f.Seek(to, io.SeekStart)
	return err
}

// Close closes the file.
func (k *KeptVectors) Close() error {
	if err := k.file.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return fmt.Errorf("eval: keep vectors: %w", err)
	}
	return nil
}

// EmbedPassages embeds the texts that have no vector yet, each once, and writes
// their vectors to the file.
func (k *KeptVectors) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var missing []string
	var keys []vectorKey
	asked := map[vectorKey]bool{}
	for _, t := range texts {
		key := keyOf(k.Model(), t)
		if _, ok := k.kept[key]; !ok && !asked[key] {
			asked[key] = true
			missing, keys = append(missing, t), append(keys, key)
		}
	}
	if len(missing) > 0 {
		made, err := k.Embedder.EmbedPassages(ctx, missing)
		if err != nil {
			return nil, err
		}
		if len(made) != len(missing) {
			return nil, fmt.Errorf("eval: keep vectors: the embedder made %d vectors of %d texts", len(made), len(missing))
		}
		var records []byte
		for i, v := range made {
			k.kept[keys[i]] = v
			records = appendVector(records, keys[i], v)
		}
		if _, err := k.file.Write(records); err != nil {
			return nil, fmt.Errorf("eval: keep vectors: %w", err)
		}
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = k.kept[keyOf(k.Model(), t)]
	}
	return out, nil
}

// vectorKey is the first half of the SHA-256 of model and text.
type vectorKey [16]byte

func keyOf(model, text string) (key vectorKey) {
	sum := sha256.Sum256([]byte(model + "\x00" + text))
	copy(key[:], sum[:])
	return key
}

// The file is a line that says what it is, and records: key, number of
// dimensions, the dimensions as float32, and the CRC-32 (Castagnoli) of all that;
// little-endian.
const (
	vectorsMagic = "assay eval vectors 1\n"
	recordHead   = len(vectorKey{}) + 4
)

var crcTable = crc32.MakeTable(crc32.Castagnoli)

func appendVector(b []byte, key vectorKey, v []float32) []byte {
	start := len(b)
	b = append(b, key[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v)))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], crcTable))
}

// read takes the records in and returns where the last whole one ends.
func (k *KeptVectors) read(data []byte) (end int, err error) {
	if len(data) == 0 {
		return k.file.WriteString(vectorsMagic)
	}
	if len(data) < len(vectorsMagic) || string(data[:len(vectorsMagic)]) != vectorsMagic {
		return 0, errors.New("it holds something else than vectors; name another file")
	}
	for end = len(vectorsMagic); ; {
		rest := data[end:]
		if len(rest) < recordHead {
			return end, nil
		}
		numbers := binary.LittleEndian.Uint32(rest[len(vectorKey{}):])
		if uint64(len(rest)) < uint64(recordHead)+4*uint64(numbers)+4 {
			return end, nil
		}
		body := recordHead + 4*int(numbers)
		if binary.LittleEndian.Uint32(rest[body:]) != crc32.Checksum(rest[:body], crcTable) {
			return 0, fmt.Errorf("it is damaged at byte %d; remove it, and its vectors are made anew", end)
		}
		v := make([]float32, 0, numbers)
		for at := recordHead; at < body; at += 4 {
			v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(rest[at:])))
		}
		k.kept[vectorKey(rest[:len(vectorKey{})])] = v
		end += body + 4
	}
}
