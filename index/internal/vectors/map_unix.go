//go:build unix

package vectors

import (
	"os"
	"syscall"
)

// mapRoom is the size of the mapping for a file of this size. It reaches beyond
// the file's end, whose pages come to be readable as the file grows: so a reader
// needn't map the file anew, and fault in all its pages again, after each append.
func mapRoom(size int64) int64 { return size + size/4 + 1<<20 }

// openShared opens the file for reading.
func openShared(path string) (*os.File, error) { return os.Open(path) }

// mapFile maps the first bytes of the file for reading; it may be closed afterwards.
func mapFile(f *os.File, size int) ([]byte, error) {
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	return data, os.NewSyscallError("mmap", err)
}

func unmap(data []byte) error { return os.NewSyscallError("munmap", syscall.Munmap(data)) }
