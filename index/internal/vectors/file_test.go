package vectors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFormat holds the bytes of a small file still: a change of them needs
// another version.
func TestFormat(t *testing.T) {
	path := create(t, 3, []Record{{ID: 258, Vector: Vector{Scale: 0.5, Bytes: []byte{1, 128, 255}}}})
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "415341595645433101000000030000000102030000000000000000000000000000000000000000000000000000000000" + "000000000000000000000000" + "HEADERCRC" +
		"RECORDCRC" + "0000003f" + "0201000000000000" + "0180ff" + strings.Repeat("80", 29)
	sum := func(b []byte) string {
		return fmt.Sprintf("%x", binary.LittleEndian.AppendUint32(nil, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))))
	}
	want = strings.NewReplacer("HEADERCRC", sum(got[:60]), "RECORDCRC", sum(got[68:])).Replace(want)
	if fmt.Sprintf("%x", got) != want {
		t.Errorf("the file is\n%x, want\n%s", got, want)
	}
}

func TestAppend(t *testing.T) {
	for _, dim := range []int{1, 31, 32, 33, 384} {
		path := create(t, dim, nil)
		f := open(t, path, dim)
		reaches(t, f, 0, 0)
		var all []Record
		for i := range int64(20) {
			batch := recordsOf(dim, 1000*i+1, 1000*i+1+7*i, 7)
			if err := f.Append(batch); err != nil {
				t.Fatal(err)
			}
			all = append(all, batch...)
			reaches(t, f, len(all), all[len(all)-1].ID)
		}
		if err := f.Append(nil); err != nil {
			t.Error(err)
		}
		verified(t, f, len(all))
		verified(t, open(t, path, dim), len(all))

		// The same as if it had been made in one go.
		appended, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		made, err := os.ReadFile(create(t, dim, all))
		if err != nil || !bytes.Equal(appended, made) {
			t.Errorf("%d dimensions: the appended file isn't the one made at once, %v", dim, err)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	f := open(t, create(t, 32, recordsOf(32, 5, 9, 1)), 32)
	for _, test := range []struct {
		name    string
		records []Record
		other   bool
		says    string
	}{
		{"an id that is there", recordsOf(32, 9, 10, 1), true, "up to passage 9 already"},
		{"an earlier id", recordsOf(32, 4, 4, 1), true, "up to passage 9 already"},
		{"no order", append(recordsOf(32, 11, 11, 1), recordsOf(32, 10, 10, 1)...), false, "passage 10 comes after passage 11"},
		{"twice the same", append(recordsOf(32, 11, 11, 1), recordsOf(32, 11, 11, 1)...), false, "passage 11 comes after passage 11"},
		{"another dimension", recordsOf(33, 11, 11, 1), false, "33 dimensions is given for a file of 32"},
		{"a negative scale", []Record{{ID: 11, Vector: Vector{Scale: -1, Bytes: make([]byte, 32)}}}, false, "scale"},
	} {
		err := f.Append(test.records)
		if err == nil || errors.Is(err, ErrOther) != test.other || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	reaches(t, f, 5, 9)
	verified(t, f, 5)
}

func TestOpenRefuses(t *testing.T) {
	path := create(t, 32, recordsOf(32, 1, 3, 1))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Clone(whole)
	newer[8]++
	binary.LittleEndian.PutUint32(newer[60:], crc32.Checksum(newer[:60], castagnoli))
	write := func(b []byte) string {
		path := filepath.Join(t.TempDir(), "vectors.bin")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		name  string
		path  string
		dim   int
		epoch Epoch
		kind  error
	}{
		{"nothing there", filepath.Join(t.TempDir(), "none"), 32, testEpoch, fs.ErrNotExist},
		{"a folder", t.TempDir(), 32, testEpoch, ErrDamaged},
		{"an empty file", write(nil), 32, testEpoch, ErrDamaged},
		{"something else", write([]byte(strings.Repeat("SQLite format 3\x00", 10))), 32, testEpoch, ErrDamaged},
		{"other dimensions", path, 31, testEpoch, ErrOther},
		{"another epoch", path, 32, Epoch{9}, ErrOther},
		{"a newer version", write(newer), 32, testEpoch, ErrOther},
	} {
		if _, err := Open(test.path, test.dim, test.epoch); !errors.Is(err, test.kind) {
			t.Errorf("%s: %v, want one that is %v", test.name, err, test.kind)
		}
	}
	for _, dim := range []int{-1, 0, MaxDim + 1} {
		if _, err := Open(path, dim, testEpoch); err == nil {
			t.Errorf("%d dimensions are opened", dim)
		}
		if err := Create(path, dim, testEpoch, nil); err == nil {
			t.Errorf("%d dimensions are created", dim)
		}
	}
	for n := range headerSize {
		if _, err := Open(write(whole[:n]), 32, testEpoch); !errors.Is(err, ErrDamaged) {
			t.Errorf("a header cut to %d bytes: %v", n, err)
		}
	}
	for bit := range headerSize * 8 {
		flip(t, path, int64(bit/8), bit%8)
		if _, err := Open(path, 32, testEpoch); !errors.Is(err, ErrDamaged) {
			t.Errorf("bit %d of the header flipped: %v", bit, err)
		}
		flip(t, path, int64(bit/8), bit%8)
	}
	reaches(t, open(t, path, 32), 3, 3)
}

// TestTornTail cuts the file at every byte of its last records, and flips every
// bit of the last one: it is good up to there, and the next append mends it.
func TestTornTail(t *testing.T) {
	const dim = 32
	stride := int64(strideOf(dim))
	path := create(t, dim, recordsOf(dim, 1, 4, 1))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mended := func(what string, good int64) {
		t.Helper()
		f, err := Open(path, dim, testEpoch)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		defer f.Close()
		reaches(t, f, int(good), good)
		verified(t, f, int(good))
		if good == 4 {
			return
		}
		if err := f.Append(recordsOf(dim, good+1, 4, 1)); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		reaches(t, f, 4, 4)
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, whole) {
			t.Fatalf("%s: the file isn't mended, %v", what, err)
		}
	}
	for size := headerSize + stride; size <= int64(len(whole)); size++ {
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		mended(fmt.Sprintf("cut to %d bytes", size), (size-headerSize)/stride)
	}
	for bit := range stride * 8 {
		flip(t, path, headerSize+3*stride+bit/8, int(bit%8))
		mended(fmt.Sprintf("bit %d flipped", bit), 3)
	}
}

// TestTorn tells whole records after the good ones, not what a killed process leaves:
// a piece of a record, or the zeros of an Append.
func TestTorn(t *testing.T) {
	const dim = 32
	stride := int64(strideOf(dim))
	path := create(t, dim, recordsOf(dim, 1, 6, 1))
	f := open(t, path, dim)
	torn := func(what string, want int) {
		t.Helper()
		if n, err := f.Torn(); err != nil || n != want {
			t.Errorf("%s: %d records are torn, %v, want %d", what, n, err, want)
		}
	}
	torn("whole", 0)
	f.Close()
	flip(t, path, headerSize+4*stride+9, 0)
	f = open(t, path, dim)
	torn("a bad one and a good one", 2)
	if err := os.Truncate(path, headerSize+5*stride-1); err != nil {
		t.Fatal(err)
	}
	torn("a piece", 0)
	if err := f.Append(recordsOf(dim, 5, 5, 1)); err != nil {
		t.Fatal(err)
	}
	torn("appended", 0)
	if err := os.Truncate(path, headerSize+9*stride); err != nil { // with zeros
		t.Fatal(err)
	}
	torn("zeros", 0)
}

// TestStaleTail: whole records after a torn one are those of a write that was
// lost; they must not come back behind a shorter one.
func TestStaleTail(t *testing.T) {
	const dim = 32
	path := create(t, dim, recordsOf(dim, 1, 10, 1))
	flip(t, path, headerSize+4*int64(strideOf(dim)), 0)
	f := open(t, path, dim)
	reaches(t, f, 4, 4)
	if err := f.Append(recordsOf(dim, 5, 5, 1)); err != nil {
		t.Fatal(err)
	}
	reaches(t, f, 5, 5)
	reaches(t, open(t, path, dim), 5, 5)
	if err := f.Append(recordsOf(dim, 20, 30, 1)); err != nil {
		t.Fatal(err)
	}
	reaches(t, open(t, path, dim), 16, 30)
	verified(t, f, 16)
}

// TestUnflushed: Open looks at every record that may not have been flushed, and
// at the ends of those that were.
func TestUnflushed(t *testing.T) {
	const dim, count = 992, 20000 // 1008 bytes each: 19 MiB
	var records []Record
	for id := range int64(count) {
		records = append(records, Record{ID: id + 1, Vector: Vector{Scale: 1, Bytes: make([]byte, dim)}})
	}
	path := create(t, dim, records)
	at := func(i int) int64 { return headerSize + int64(i)*int64(strideOf(dim)) }
	flushed := int((flushSpan - headerSize) / int64(strideOf(dim))) // of 19 MiB the first 8
	for _, test := range []struct {
		record int
		good   int // 0 where Open refuses
	}{
		{0, 0}, {flushed - 1, 0}, {flushed, flushed}, {count / 2, count / 2}, {count - 1, count - 1}, {flushed / 2, count},
	} {
		flip(t, path, at(test.record)+100, 3)
		f, err := Open(path, dim, testEpoch)
		switch {
		case test.good == 0 && !errors.Is(err, ErrDamaged):
			t.Errorf("record %d is damaged: %v", test.record, err)
		case test.good > 0 && err != nil:
			t.Errorf("record %d is damaged: %v", test.record, err)
		case test.good > 0:
			reaches(t, f, test.good, int64(test.good))
		}
		if err == nil {
			f.Close()
		}
		flip(t, path, at(test.record)+100, 3)
	}

	// Ids that can't have come in ascending order.
	patch(t, path, at(flushed-1), func(b []byte) { copy(b, appendRecord(nil, Record{ID: 9, Vector: records[0].Vector})) }, strideOf(dim))
	if _, err := Open(path, dim, testEpoch); !errors.Is(err, ErrDamaged) {
		t.Errorf("too few ids for so many records: %v", err)
	}
}

// TestLargeAppend appends more than one piece.
func TestLargeAppend(t *testing.T) {
	const dim, count = 992, 20000
	var records []Record
	for id := range int64(count) {
		records = append(records, Record{ID: id + 1, Vector: Vector{Scale: 1, Bytes: make([]byte, dim)}})
	}
	f := open(t, create(t, dim, nil), dim)
	if err := f.Append(records); err != nil {
		t.Fatal(err)
	}
	reaches(t, f, count, count)
	if n, err := f.Verify(t.Context(), nil); n != count || err != nil {
		t.Errorf("Verify() = %d, %v", n, err)
	}
}

func TestClosed(t *testing.T) {
	f := open(t, create(t, 32, recordsOf(32, 1, 3, 1)), 32)
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	_, lastErr := f.Last()
	_, scanErr := f.Scan(t.Context(), floats(1, 32), nil, 9, 1)
	_, verifyErr := f.Verify(t.Context(), nil)
	for _, err := range []error{lastErr, scanErr, verifyErr, f.Append(recordsOf(32, 4, 4, 1))} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}
