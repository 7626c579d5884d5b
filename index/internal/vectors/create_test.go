package vectors

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestCreateFails: what was there stays, and nothing is left beside it.
func TestCreateFails(t *testing.T) {
	path := create(t, 32, recordsOf(32, 1, 3, 1))
	broken := errors.New("SQLite can't be read")
	for name, records := range map[string]func(func(Record, error) bool){
		"an error":          func(f func(Record, error) bool) { _ = f(recordOf(1, 32), nil) && f(Record{}, broken) },
		"no order":          yield([]Record{recordOf(2, 32), recordOf(1, 32)}),
		"no id":             yield([]Record{recordOf(0, 32)}),
		"another dimension": yield([]Record{recordOf(1, 33)}),
	} {
		err := Create(path, 32, testEpoch, records)
		if err == nil || name == "an error" && !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
		if beside, _ := filepath.Glob(path + "?*"); len(beside) > 0 {
			t.Errorf("%s: %v is left", name, beside)
		}
	}
	verified(t, open(t, path, 32), 3)
}

// TestFollow: an open file goes over to the one that Create puts in its place.
func TestFollow(t *testing.T) {
	const dim = 32
	path := create(t, dim, recordsOf(dim, 1, 9, 1))
	f := open(t, path, dim)
	reaches(t, f, 9, 9)

	if err := Create(path, dim, testEpoch, yield(recordsOf(dim, 2, 8, 2))); err != nil {
		t.Fatal(err)
	}
	reaches(t, f, 4, 8)
	if err := f.Append(recordsOf(dim, 9, 9, 1)); err != nil {
		t.Fatal(err)
	}
	verified(t, f, 5)

	// While it belongs to another epoch it is refused; scans don't see it.
	if err := Create(path, dim, Epoch{9}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Scan(t.Context(), floats(1, dim), nil, 9, 3); !errors.Is(err, ErrOther) {
		t.Errorf("a file of another epoch is scanned: %v", err)
	}
	if err := f.Append(recordsOf(dim, 10, 10, 1)); !errors.Is(err, ErrOther) {
		t.Errorf("a file of another epoch is appended to: %v", err)
	}
	if err := Create(path, dim, testEpoch, yield(recordsOf(dim, 1, 3, 1))); err != nil {
		t.Fatal(err)
	}
	verified(t, f, 3)

	// A file that was deleted is still mapped, but can't be written to.
	if runtime.GOOS == "windows" {
		return // where it can't be deleted
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	verified(t, f, 3)
	if err := f.Append(recordsOf(dim, 4, 4, 1)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a deleted file is appended to: %v", err)
	}
}

// TestOverwritten: another file is copied over this one, in place.
func TestOverwritten(t *testing.T) {
	const dim = 32
	path := create(t, dim, recordsOf(dim, 1, 9, 1))
	f := open(t, path, dim)
	patch(t, path, 0, func(b []byte) { copy(b, header(dim, Epoch{9})) }, headerSize)
	if _, err := f.Last(); !errors.Is(err, ErrOther) {
		t.Errorf("overwritten with another epoch: %v", err)
	}
	patch(t, path, 0, func(b []byte) { copy(b, header(dim, testEpoch)) }, headerSize)
	verified(t, f, 9)
}

// TestReplaceMapped takes the way of Windows, which works everywhere.
func TestReplaceMapped(t *testing.T) {
	const dim = 32
	path := create(t, dim, recordsOf(dim, 1, 3, 1))
	f := open(t, path, dim)
	for last := int64(4); last < 8; last++ {
		if err := writeAll(path+".new", dim, testEpoch, yield(recordsOf(dim, 1, last, 1))); err != nil {
			t.Fatal(err)
		}
		if err := replaceMapped(path, path+".new"); err != nil {
			t.Fatal(err)
		}
		verified(t, f, int(last))
	}

	// A folder stands for a file aside that is in use still.
	if err := os.MkdirAll(filepath.Join(path+".old0", "mapped"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := writeAll(path+".new", dim, testEpoch, yield(recordsOf(dim, 1, 8, 1))); err != nil {
		t.Fatal(err)
	}
	if err := replaceMapped(path, path+".new"); err != nil {
		t.Fatal(err)
	}
	verified(t, f, 8)

	// Where the new file can't come, the old one goes back.
	if err := replaceMapped(path, path+".none"); err == nil {
		t.Error("a file that isn't there is put in place")
	}
	verified(t, f, 8)
}
