//go:build unix

package vectors

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-rag/assay/internal/simd"
)

// systemChildren are tasks of a child process that need this system.
var systemChildren = map[string]func(path string) error{"full": runFull, "nobody": beNobody}

// TestTruncated cuts the file short while it is mapped and being read, at each
// place where it is read. The process must live, and say what is wrong.
func TestTruncated(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const dim = 384
	count := 4 * blocksPerWorker * blockRows
	var records []Record
	for id := range int64(count) {
		records = append(records, Record{ID: id + 1, Vector: recordOf(id%50, dim).Vector})
	}
	whole := create(t, dim, records)
	content, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	reset := func(t *testing.T, path string) *File {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path, dim, testEpoch)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	query := floats(1, dim)
	onEveryKernel(t, func(t *testing.T, k *simd.Kernels) {
		path := filepath.Join(t.TempDir(), "vectors.bin")
		f := reset(t, path)
		f.kernels = k
		s, err := f.newScan(query, nil, math.MaxInt64)
		if err != nil {
			t.Fatal(err)
		}
		best, err := s.candidates(t.Context(), 100)
		if err != nil {
			t.Fatal(err)
		}
		cut(t, path, headerSize+10)
		if _, err := s.rescore(best, 10); !errors.Is(err, ErrDamaged) {
			t.Errorf("the second pass: %v", err)
		}
		f.release(s.view)
		f.Close()

		for _, kept := range []int{count * 9 / 10, 1} {
			f := reset(t, path)
			f.kernels = k
			if s, err = f.newScan(query, nil, math.MaxInt64); err != nil {
				t.Fatal(err)
			}
			cut(t, path, headerSize+int64(kept*f.stride)+50)
			if _, err := s.candidates(t.Context(), 100); !errors.Is(err, ErrDamaged) {
				t.Errorf("the first pass over %d of %d records: %v", kept, count, err)
			}
			f.release(s.view)
			// The next call sees the file as it is now.
			if hits, err := f.Scan(t.Context(), query, nil, math.MaxInt64, 5); err != nil || len(hits) != min(kept, 5) {
				t.Errorf("%d records are left, and a scan finds %v, %v", kept, hits, err)
			}
			f.Close()
		}
	})
}

// TestTruncatedWhileVerified cuts the file short while it is read through.
func TestTruncatedWhileVerified(t *testing.T) {
	const dim = 384
	var records []Record
	for id := range int64(3000) {
		records = append(records, recordOf(id+1, dim))
	}
	path := create(t, dim, records)
	f, err := Open(path, dim, testEpoch)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Verify(t.Context(), func(r Record) error {
		if r.ID == 1000 {
			cut(t, path, headerSize)
		}
		return nil
	}); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	reaches(t, f, 0, 0)
	cut(t, path, 10)
	if _, err := f.Last(); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}

// cut cuts a file short.
func cut(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// TestPanicsPass: guard stops no other panic than that of a fault in the mapping.
func TestPanicsPass(t *testing.T) {
	f := open(t, create(t, 32, nil), 32)
	for name, bug := range map[string]func(){
		"nil":   func() { var r *Record; r.ID++ },
		"index": func() { var s []int; s[len(s)]++ },
		"own":   func() { panic("own") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the panic is lost", name)
				}
			}()
			f.view.guard(bug)
		}()
	}
}

// runFull is a child process whose disk runs full: its files may grow no further
// than the limit. All that the file held stays good.
func runFull(path string) error {
	const dim = 32
	f, err := Open(path, dim, testEpoch)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	for room := range 2 * f.stride {
		last, err := f.Last()
		if err != nil {
			return err
		}
		limit := syscall.Rlimit{Cur: uint64(f.end()) + uint64(room), Max: math.MaxInt64}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		if err := f.Append(recordsOf(dim, last+1, last+5, 1)); !errors.Is(err, syscall.EFBIG) {
			return fmt.Errorf("with room for %d bytes: %w", room, err)
		}
		if n, err := f.Last(); err != nil || n != last+int64(room/f.stride) {
			return fmt.Errorf("with room for %d bytes after passage %d it goes up to %d, %w", room, last, n, err)
		}
		if err := Create(path+"2", dim, testEpoch, yield(recordsOf(dim, 1, 1000, 1))); !errors.Is(err, syscall.EFBIG) {
			return fmt.Errorf("create: %w", err)
		}
	}
	fmt.Println("fine")
	return nil
}

// TestFull lets the disk run full; the file goes on once there is room.
func TestFull(t *testing.T) {
	const dim = 32
	path := create(t, dim, recordsOf(dim, 1, 100, 1))
	f := open(t, path, dim)
	cmd, _, out := child(t, "full", path)
	if out.Scan(); out.Text() != "fine" {
		t.Fatal(out.Text())
	}
	cmd.Wait()
	if _, err := os.Stat(path + "2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file that couldn't be made is there: %v", err)
	}
	last, err := f.Last()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Append(recordsOf(dim, last+1, last+5, 1)); err != nil {
		t.Error(err)
	}
	verified(t, f, int(last)+5)
}

// beNobody is a child process for which the folder is read-only.
func beNobody(path string) error {
	f, err := Open(path, 32, testEpoch)
	if err != nil {
		return err
	}
	hits, err := f.Scan(context.Background(), floats(2, 32), nil, math.MaxInt64, 1)
	if err != nil || len(hits) != 1 || hits[0].ID != 2 {
		return fmt.Errorf("found %v, %w", hits, err)
	}
	if err := f.Append(recordsOf(32, 4, 4, 1)); !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("append: %w", err)
	}
	if err := Create(path, 32, testEpoch, nil); !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("create: %w", err)
	}
	fmt.Println("fine")
	return nil
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs to start a process as another user")
	}
	dir, err := os.MkdirTemp("", "vectors") // t.TempDir isn't open to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path, binary := filepath.Join(dir, "vectors.bin"), filepath.Join(dir, "child")
	if err := Create(path, 32, testEpoch, yield(recordsOf(32, 1, 3, 1))); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, path)
	cmd.Dir, cmd.Env = "/", append(os.Environ(), "VECTORS_TEST_CHILD=nobody")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "fine\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestMappings counts what is mapped, which must be one view and in the end none.
func TestMappings(t *testing.T) {
	const dim = 32
	path := create(t, dim, nil)
	count := func() int {
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip("the system doesn't list its mappings:", err)
		}
		return strings.Count(string(maps), path)
	}
	f := open(t, path, dim)
	for n := range int64(10) {
		if err := f.Append(recordsOf(dim, n*10000+1, n*10000+9000, 1)); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Scan(t.Context(), floats(1, dim), nil, math.MaxInt64, 1); err != nil {
			t.Fatal(err)
		}
		if n%3 == 0 {
			if err := Create(path, dim, testEpoch, yield(recordsOf(dim, 1, n*10000+9000, 100))); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(path, dim, Epoch{9}); err == nil {
			t.Error("another epoch is opened")
		}
		if _, err := f.Last(); err != nil {
			t.Fatal(err)
		}
		if got := count(); got != 1 {
			t.Fatalf("%d views are mapped", got)
		}
	}
	s, err := f.newScan(floats(1, dim), nil, math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if best, err := s.candidates(t.Context(), 5); err != nil || len(best) != 5 {
		t.Errorf("a scan under way at Close finds %v, %v", best, err)
	}
	f.release(s.view)
	if got := count(); got != 0 {
		t.Errorf("%d views are mapped after Close", got)
	}
}
