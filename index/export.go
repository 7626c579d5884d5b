package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Export writes the whole index, its vectors included, as one file at the path,
// as of one moment, while others go on reading and writing. The file is read
// through before it gets its name. The error wraps ErrExists where there is a
// file already, and fs.ErrNotExist or fs.ErrPermission where its folder isn't there
// or can't be written to.
func (x *Index) Export(ctx context.Context, path string) (err error) {
	defer x.wrap("export", &err)
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	if err := mustBeNew("export", path); err != nil {
		return err
	}
	partial := path + ".partial"
	if err := removeFiles(partial); err != nil {
		return err
	}
	if err := touch(partial); err != nil {
		return &Error{Op: "export", Path: path, Kind: errNotWritable, Err: err, Hint: "name a file in a folder that is there and that you may write to"}
	}
	if err := x.exportTo(ctx, partial); err != nil {
		return errors.Join(err, removeFiles(partial))
	}
	return placeNew("export", partial, path)
}

func (x *Index) exportTo(ctx context.Context, path string) error {
	s, err := newSession(ctx, x.readDB)
	if err != nil {
		return err
	}
	defer s.close()
	// It forbids to write any file; this one is opened for reading all the same.
	if err := s.exec(ctx, "PRAGMA query_only = 0"); err != nil {
		return err
	}
	if err := s.exec(ctx, "VACUUM INTO ?", path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	y, err := openFile(ctx, path, &Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer y.Close()
	if err := y.Check(ctx); err != nil {
		return err
	}
	return flush(path)
}

// Import installs a file that Export wrote as the index of a folder that has
// none. The file is copied and read through first. The error wraps ErrExists
// where the folder has an index, ErrNotFound where there is no such file,
// ErrNotIndex, ErrVersion or ErrDamaged where the file can't be used; then the
// folder is as it was, and isn't there where it wasn't.
func Import(ctx context.Context, dir, file string, opts *Options) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("index import: %s: %w", dir, err)
	}
	o := Options{}
	if opts != nil {
		o.Log = opts.Log
	}
	x := &Index{path: filepath.Join(abs, FileName)}
	err = x.importFrom(ctx, file, &o)
	x.wrap("import", &err)
	if err == nil {
		makeFirstVectors(ctx, x.path, &o)
	}
	return err
}

func (x *Index) importFrom(ctx context.Context, file string, opts *Options) (err error) {
	if err := mustBeNew("import", x.path); err != nil {
		return err
	}
	if err := exported(file); err != nil {
		return err
	}
	undo, err := makeFolder(filepath.Dir(x.path))
	defer func() {
		if err != nil {
			undo()
		}
	}()
	if err != nil {
		return err
	}
	fresh := x.path + ".import"
	if err := removeFiles(fresh); err != nil {
		return err
	}
	if err := copyFile(fresh, file); err != nil {
		return errors.Join(err, removeFiles(fresh))
	}
	if err := settle(ctx, fresh, opts); err != nil {
		return errors.Join(err, removeFiles(fresh))
	}
	if err := placeNew("import", fresh, x.path); err != nil {
		return errors.Join(err, removeFiles(fresh))
	}
	return nil
}

// makeFolder makes the folder and those it lies in. undo removes what was made,
// unless somebody has put something there meanwhile.
func makeFolder(dir string) (undo func(), err error) {
	var made []string
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, at)
	}
	return func() {
		for _, at := range made {
			os.Remove(at)
		}
	}, os.MkdirAll(dir, 0o777)
}

// makeFirstVectors makes the vector file of an index that was just installed, so
// that its first search needn't. The index is whole without it.
func makeFirstVectors(ctx context.Context, path string, opts *Options) {
	x, err := openFile(ctx, path, opts)
	if err == nil {
		defer x.Close()
		err = x.followVectors(ctx)
	}
	if err != nil && opts.Log != nil {
		opts.Log.Warn("the vector file of the index can't be made", "index", path, "error", err)
	}
}

// exported refuses what can't be a file that Export wrote.
func exported(file string) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Op: "import", Path: file, Kind: ErrNotFound, Hint: "export an index first"}
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return &Error{Op: "import", Path: file, Kind: ErrNotIndex, Hint: "it isn't a file; give the file that was exported"}
	case info.Size() < smallestFile:
		return &Error{Op: "import", Path: file, Kind: ErrNotIndex, Hint: hints[ErrNotIndex]}
	}
	if wal, err := os.Stat(file + "-wal"); err == nil && wal.Size() > 0 {
		return &Error{Op: "import", Path: file, Kind: ErrInvalid, Hint: "it is in use, and its last writes are in another file; export it first"}
	}
	return nil
}

// settle makes a copy the index that it is going to be: of this version, sound, and
// with an epoch of its own, so that no vector file of another copy fits it.
func settle(ctx context.Context, path string, opts *Options) error {
	y, err := openFile(ctx, path, opts)
	if err != nil {
		return err
	}
	defer y.Close()
	if err := y.Check(ctx); err != nil {
		return err
	}
	if err := y.write(ctx, func(s *session) error {
		_, err := s.do(ctx, `UPDATE embedding SET epoch = ?`, newEpoch())
		return err
	}); err != nil {
		return err
	}
	if err := y.Close(); err != nil {
		return err
	}
	return flush(path)
}

// errNotWritable is the kind of failure that is no fault of the index.
var errNotWritable = errors.New("the file can't be written")

// touch makes an empty file, to learn whether that is possible before SQLite tries,
// whose error wouldn't tell that from a fault of the index.
func touch(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return f.Close()
}

// mustBeNew refuses a path where there is something.
func mustBeNew(op, path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return &Error{Op: op, Path: path, Kind: ErrExists, Hint: "choose another place, or move it away first"}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// placeNew gives a file its name, unless there is one of that name.
func placeNew(op, from, path string) error {
	if err := os.Link(from, path); err == nil {
		return os.Remove(from)
	}
	// The file system has no links, or there is something after all.
	if err := mustBeNew(op, path); err != nil {
		return err
	}
	return os.Rename(from, path)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}

// flush sees to it that a file is on the disk.
func flush(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
