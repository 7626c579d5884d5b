package vectors

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"sync"

	"github.com/assay-rag/assay/internal/simd"
)

// File is an open vector file. It may be used concurrently; scans neither wait
// for an append nor for each other.
type File struct {
	path    string
	dim     int
	stride  int
	epoch   Epoch
	kernels *simd.Kernels

	appending sync.Mutex // held by Append from its look at the file to its end

	mu   sync.Mutex // guards what follows, and refs of every view
	view *view      // nil once the file is closed
	good extent     // of the view
}

// Open opens the vector file of an index whose vectors have dim dimensions and
// whose SQLite file names this epoch. It needs the right to read the file;
// Append needs the right to write it.
//
// The error wraps fs.ErrNotExist, ErrDamaged or ErrOther where it is one of
// those, which Create mends. A torn record at the end is no error: Last says how
// far the file is good.
func Open(path string, dim int, epoch Epoch) (*File, error) {
	if err := checkDim(dim); err != nil {
		return nil, fmt.Errorf("vectors open: %w", err)
	}
	f := &File{path: path, dim: dim, stride: strideOf(dim), epoch: epoch, kernels: simd.Best()}
	file, err := openShared(path)
	if err != nil {
		return nil, fmt.Errorf("vectors open: %w", err)
	}
	defer file.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.load(file); err != nil {
		return nil, fmt.Errorf("vectors open: %s: %w", path, err)
	}
	return f, nil
}

// Close lets the mapping go as soon as the scans under way have ended. Later
// calls fail with an error that wraps fs.ErrClosed.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.view
	if v == nil {
		return nil
	}
	f.view, f.good = nil, extent{}
	if err := v.drop(); err != nil {
		return fmt.Errorf("vectors close: %s: %w", f.path, err)
	}
	return nil
}

// Last looks at the file and returns the id of its last good record, 0 where
// there is none.
func (f *File) Last() (int64, error) {
	e, err := f.look()
	return e.last, err
}

// Len looks at the file and returns the number of its good records. Those of
// passages that have since been removed from the index are among them.
func (f *File) Len() (int, error) {
	e, err := f.look()
	return e.count, err
}

func (f *File) look() (extent, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refresh(); err != nil {
		return extent{}, fmt.Errorf("vectors look: %s: %w", f.path, err)
	}
	return f.good, nil
}

// hold looks at the file and lends its view, which the caller releases.
func (f *File) hold() (*view, extent, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refresh(); err != nil {
		return nil, extent{}, err
	}
	f.view.refs++
	return f.view, f.good, nil
}

func (f *File) release(v *view) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v.drop() // there is nothing to do about a mapping that won't go
}

// drop gives up one reference, under File.mu.
func (v *view) drop() error {
	if v.refs--; v.refs > 0 {
		return nil
	}
	return unmap(v.data)
}

// refresh brings the view and its extent up to date with the path, under File.mu.
// Where there is no file to be opened they stay, as they are still right: either
// Create is about to put another one there, or it was deleted. Where the file is
// a wrong one they stay too, so that the next call may find a right one.
func (f *File) refresh() error {
	if f.view == nil {
		return fs.ErrClosed
	}
	info, err := os.Stat(f.path)
	if err == nil && f.continues(info) && info.Size() <= int64(len(f.view.data)) {
		e, err := f.view.examine(info.Size(), f.dim, f.epoch, f.good)
		if err == nil {
			f.good = e
		}
		return err
	}
	file, err := openShared(f.path)
	if err != nil {
		return nil
	}
	defer file.Close()
	return f.load(file)
}

// continues tells whether this is the file that is mapped, with all that was
// good in it.
func (f *File) continues(info os.FileInfo) bool {
	return f.view != nil && os.SameFile(info, f.view.info) && info.Size() >= f.end()
}

// end is where the good records end in the file.
func (f *File) end() int64 { return headerSize + int64(f.good.count)*int64(f.stride) }

// load maps the file that was opened at the path, under File.mu.
func (f *File) load(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: it isn't a file", ErrDamaged)
	case size < headerSize:
		return fmt.Errorf("%w: it has no header", ErrDamaged)
	case mapRoom(size) > math.MaxInt:
		return errors.New("the file is too large to be mapped on this machine")
	}
	data, err := mapFile(file, int(mapRoom(size)))
	if err != nil {
		return err
	}
	v := &view{data: data, info: info, stride: f.stride, refs: 1}
	var known extent
	if f.continues(info) {
		known = f.good
	}
	e, err := v.examine(size, f.dim, f.epoch, known)
	if err != nil {
		v.drop()
		return err
	}
	if f.view != nil {
		f.view.drop()
	}
	f.view, f.good = v, e
	return nil
}
