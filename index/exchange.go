package index

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The names of the files beside the index while it is salvaged, and after.
const (
	salvageEnd = ".salvage"
	keptInfix  = ".damaged-"
)

// exchange puts the fresh index in the place of the damaged one, or leaves all as it
// was. The log belongs to the damaged file: left in place, it would be applied to
// the new one. A file of vectors that can't be removed does no harm, as the new
// index has another epoch.
func (x *Index) exchange(fresh, kept string) error {
	if err := os.Remove(x.path + "-shm"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var done [][2]string
	for _, move := range [][2]string{{x.path, kept}, {x.path + "-wal", kept + "-wal"}, {fresh, x.path}} {
		err := os.Rename(move[0], move[1])
		switch {
		case err == nil:
			done = append(done, move)
		case !(errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(move[0], "-wal")):
			for _, move := range slices.Backward(done) {
				err = errors.Join(err, os.Rename(move[1], move[0]))
			}
			return err
		}
	}
	os.Remove(vectorsPath(x.path))
	return nil
}

// interrupted tells whether a Salvage was interrupted while it put the new index in
// the place of the damaged one: then there is none, but both lie beside it. It
// returns where the damaged one is, or "". A new one that has a log was left before
// it was whole.
func interrupted(index string) (kept string) {
	if _, err := os.Lstat(index); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if _, err := os.Stat(index + salvageEnd); err != nil {
		return ""
	}
	if _, err := os.Stat(index + salvageEnd + "-wal"); err == nil {
		return ""
	}
	dir, name := filepath.Split(index)
	entries, _ := os.ReadDir(dir) // in the order of names, and so of their dates
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), name+keptInfix) && !strings.HasSuffix(e.Name(), "-wal") {
			kept = dir + e.Name()
		}
	}
	return kept
}

// resume ends an interrupted Salvage. Which documents were lost isn't known any more.
func (x *Index) resume(ctx context.Context, fresh string, report *Salvaged) error {
	if err := os.Rename(x.path+"-wal", report.Kept+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Remove(x.path + "-shm"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, x.path); err != nil {
		return err
	}
	os.Remove(vectorsPath(x.path))
	y, err := openFile(ctx, x.path, &Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer y.Close()
	return y.read(ctx, func(s *session) error {
		return s.row(ctx, []any{&report.Documents}, `SELECT count(*) FROM documents`)
	})
}

func removeFiles(path string) error {
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
