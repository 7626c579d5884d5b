package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// entry is a file that the walk found.
type entry struct {
	id    string // of its document
	path  string // below the root, with slashes and without links
	size  int64
	mtime int64 // nanoseconds since 1970
}

// walker lists the files of a root that may be documents. All that it opens, it
// opens through an os.Root, so that no link leads out of the folder, whatever
// changes meanwhile.
type walker struct {
	root     *os.Root
	dir      string // the root's path, without links
	name     string // the root's name in the store
	maxFiles int

	entries  []entry
	skips    map[string]int // as in Report
	problems []Problem
	// unseen are paths (of folders, with a slash at the end) that couldn't be
	// looked into: what was indexed of them stays.
	unseen []string
	full   bool
}

// walk fills in the entries, in order of their paths.
func (w *walker) walk(ctx context.Context) error {
	if err := w.enter(ctx, ".", w.outerRules()); err != nil {
		return err
	}
	slices.SortFunc(w.entries, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
	return nil
}

// outerRules are those of the git work tree around the root.
func (w *walker) outerRules() *rules {
	var dirs []string
	for dir := w.dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
		dirs = append(dirs, filepath.Dir(dir))
	}
	var r *rules
	slices.Reverse(dirs)
	for _, dir := range dirs {
		for _, name := range ignoreFiles {
			f, err := os.Open(filepath.Join(dir, name))
			if err != nil {
				continue
			}
			below, err := filepath.Rel(dir, w.dir)
			if own := readRules(f); err == nil && len(own) > 0 {
				r = &rules{own: rebase(own, filepath.ToSlash(below)), above: r}
			}
		}
	}
	return r
}

// rebase makes rules of a folder above the root hold for paths below the root:
// below leads from the one to the other. What can't match there goes.
func rebase(own []rule, below string) []rule {
	var out []rule
	for _, r := range own {
		if strings.HasPrefix(r.pattern, "**/") {
			out = append(out, r)
			continue
		}
		if rest, ok := strings.CutPrefix(r.pattern, below+"/"); ok {
			r.pattern = rest
			out = append(out, r)
		}
	}
	return out
}

func readRules(f *os.File) []rule {
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil // a folder of that name
	}
	return parseIgnore(string(data))
}

// inner adds the rules in a folder to those above it.
func (w *walker) inner(dir string, above *rules) *rules {
	r := above
	for _, name := range ignoreFiles {
		f, err := w.root.Open(path.Join(dir, name))
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				w.problem(path.Join(dir, name), "its rules were not read: "+plainError(err))
			}
			continue
		}
		if own := readRules(f); len(own) > 0 {
			prefix := dir + "/"
			if dir == "." {
				prefix = ""
			}
			r = &rules{dir: prefix, own: own, above: r}
		}
	}
	return r
}

// enter walks a folder.
func (w *walker) enter(ctx context.Context, dir string, above *rules) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	list, err := w.list(dir)
	if err != nil {
		w.problem(dir, "this folder can't be read: "+plainError(err))
		w.unseen = append(w.unseen, strings.TrimPrefix(dir+"/", "./"))
	}
	if len(list) == 0 {
		return nil
	}
	r := w.inner(dir, above)
	for _, e := range list {
		name := path.Join(dir, e.Name())
		switch {
		case w.full:
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			w.skips[SkippedLink]++ // what it leads to is outside, or is walked anyway
		case e.IsDir():
			if skippedFolder(e.Name()) || r.ignored(name, true) {
				continue
			}
			if err := w.enter(ctx, name, r); err != nil {
				return err
			}
		case e.Type().IsRegular():
			if !strings.HasPrefix(e.Name(), ".") && !r.ignored(name, false) {
				w.found(name)
			}
		}
	}
	return nil
}

// list returns what is in a folder, in order; with an error, what could be read.
func (w *walker) list(dir string) ([]fs.DirEntry, error) {
	f, err := w.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list, err
}

// found adds a file.
func (w *walker) found(name string) {
	if f, _ := byName(name); f == unsupported {
		w.skips[extensionOf(name)]++
		return
	}
	if len(w.entries) >= w.maxFiles {
		w.full = true
		w.problem(name, fmt.Sprintf("the limit of %d files is reached here: what follows was not looked at; raise MaxFiles or exclude folders in .assayignore", w.maxFiles))
		return
	}
	info, err := w.root.Lstat(name)
	if err != nil {
		w.problem(name, "it can't be looked at: "+plainError(err))
		w.unseen = append(w.unseen, name)
		return
	}
	w.entries = append(w.entries, entry{id: w.name + "/" + name, path: name, size: info.Size(), mtime: info.ModTime().UnixNano()})
}

func (w *walker) problem(name, why string) {
	w.problems = append(w.problems, Problem{Path: filepath.Join(w.dir, filepath.FromSlash(name)), Why: why})
}

// plainError is an error's cause without the operation and the path, which are
// said beside it.
func plainError(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
