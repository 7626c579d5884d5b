package simd

import (
	"syscall"
	"testing"
	"unsafe"
)

// guarded returns n zero values that end where memory ends: reading or writing one
// byte more kills the test. The page before them can't be touched either.
func guarded[T any](t testing.TB, n int) []T {
	page := syscall.Getpagesize()
	var zero T
	bytes := n * int(unsafe.Sizeof(zero))
	size := (bytes + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	for _, wall := range [][]byte{m[:page], m[page+size:]} {
		if err := syscall.Mprotect(wall, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(m[page+size-bytes:]))), n)
}
