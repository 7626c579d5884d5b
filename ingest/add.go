package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// Defaults of Options.
const (
	DefaultMaxFile  = 16 << 20
	DefaultMaxFiles = 1_000_000
)

// Options of Add. The zero value is the default.
type Options struct {
	// Progress, if set, is called after each file, from one goroutine at a time.
	Progress func(Progress)
	// MaxFile is the size in bytes above which a file isn't read and becomes a
	// Problem; 0 means 16 MiB.
	MaxFile int64
	// MaxFiles is how many files of the formats that are read a root may hold; 0
	// means a million. The walk ends there, with a Problem, and nothing is removed.
	MaxFiles int
	// Workers is how many files are read at the same time; 0 means GOMAXPROCS.
	Workers int
	// Log gets problems as warnings and batches at debug level; nil discards.
	Log *slog.Logger
}

// Progress says how far Add has come.
type Progress struct {
	Done, Files            int   // files
	BytesDone, BytesInFull int64 // their sizes
	Path                   string
}

// Problem is a file or folder that could not be read, and why.
type Problem struct {
	Path string
	Why  string
}

// Keys of Report.Skips besides extensions: symbolic links, and files that hold
// text but no words, such as base64.
const (
	SkippedLink     = "link"
	SkippedWordless = "without words"
)

// Report says what Add did.
type Report struct {
	// Added, Updated, Unchanged and Removed count documents; Passages are those of
	// the documents added and updated.
	Added, Updated, Unchanged, Removed, Passages int
	// Skipped counts files of formats that aren't read, links, and files that hold
	// no words; Skips, which adds up to it, by the extension in lower case (".png";
	// "" where there is none), SkippedLink or SkippedWordless.
	Skipped int
	Skips   map[string]int
	// Problems are what should have been read and wasn't, in no promised order.
	Problems []Problem
}

// Add brings the documents of a folder, or of a single file, in a collection up
// to date: it puts what is new or changed, and removes what is gone or is now
// ignored. What can't be read is reported as a Problem, and what was indexed of
// it before stays. Files whose size and time haven't changed aren't opened.
//
// A document is known by the root's name in the store and its path below the
// root, with slashes; a single file by the root's name alone.
//
// Documents are put in batches, in order of their paths. An error of the store
// or the end of ctx ends Add; what was put stays, Report says what that was,
// and the next Add goes on from there. Memory is bounded by the batch and the
// files in work (together 32 MiB of content, or one file, if that is larger; at
// worst they take 30 times as much), besides some 200 bytes for each file. No goroutine outlives Add.
//
// Should a reader panic on a hostile file, that file becomes a Problem: one file
// must not cost the others.
func Add(ctx context.Context, store Store, collection, path string, opts *Options) (Report, error) {
	a := &adder{store: store, collection: collection}
	if err := a.options(opts); err != nil {
		return Report{}, fmt.Errorf("ingest add: %w", err)
	}
	if err := a.add(ctx, path); err != nil {
		return a.report, fmt.Errorf("ingest add %s: %w", path, err)
	}
	return a.report, nil
}

// adder is one run of Add.
type adder struct {
	store      Store
	collection string
	opts       Options

	root   *os.Root
	dir    string // the path of what root opens
	key    string // the root's name in the store
	stamps map[string]string
	report Report
	batch  batch
	kept   map[string]bool // documents that are not to be removed
}

func (a *adder) options(opts *Options) error {
	if opts != nil {
		a.opts = *opts
	}
	if a.opts.MaxFile < 0 || a.opts.MaxFiles < 0 || a.opts.Workers < 0 {
		return errors.New("options: MaxFile, MaxFiles and Workers can't be negative")
	}
	if a.opts.MaxFile == 0 {
		a.opts.MaxFile = DefaultMaxFile
	}
	if a.opts.MaxFiles == 0 {
		a.opts.MaxFiles = DefaultMaxFiles
	}
	if a.opts.Workers == 0 {
		a.opts.Workers = runtime.GOMAXPROCS(0)
	}
	if a.opts.Log == nil {
		a.opts.Log = slog.New(slog.DiscardHandler)
	}
	return nil
}

func (a *adder) add(ctx context.Context, name string) error {
	real, info, err := resolve(name)
	if err != nil {
		return err
	}
	a.dir = real
	if !info.IsDir() {
		a.dir = filepath.Dir(real)
	}
	if a.root, err = os.OpenRoot(a.dir); err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer a.root.Close()
	if a.key, err = a.store.Root(ctx, a.collection, real); err != nil {
		return fmt.Errorf("register the folder: %w", explain(err))
	}
	if a.stamps, err = a.store.Stamps(ctx, a.collection, a.key); err != nil {
		return fmt.Errorf("look up what is indexed: %w", explain(err))
	}
	w := &walker{root: a.root, dir: a.dir, name: a.key, maxFiles: a.opts.MaxFiles, skips: make(map[string]int)}
	if info.IsDir() {
		err = w.walk(ctx)
	} else {
		a.single(w, info)
	}
	for kind, n := range w.skips {
		a.skip(kind, n)
	}
	for _, p := range w.problems {
		a.problem(p.Path, p.Why)
	}
	if err != nil {
		return err
	}
	a.kept = make(map[string]bool, len(w.entries))
	if err := a.run(ctx, w.entries); err != nil {
		return err
	}
	return a.remove(ctx, w)
}

// resolve returns the path of what name leads to, absolute and without links,
// so that a folder is the same root by whichever way it is named.
func resolve(name string) (string, os.FileInfo, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", nil, err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return "", nil, errors.New("it is neither a folder nor a file")
	}
	return real, info, nil
}

// single makes the walk's result of one file. Ignore rules don't hold for what
// was named.
func (a *adder) single(w *walker, info os.FileInfo) {
	if f, _ := byName(info.Name()); f == unsupported {
		a.skip(extensionOf(info.Name()), 1)
		w.problem(info.Name(), "this is not a format that is read: Markdown, HTML and plain text are")
		return
	}
	w.entries = []entry{{id: a.key, path: info.Name(), size: info.Size(), mtime: info.ModTime().UnixNano()}}
}

// remove deletes the documents whose files are gone. Those that the walk didn't
// get to see stay.
func (a *adder) remove(ctx context.Context, w *walker) error {
	if w.full {
		return nil
	}
	var gone []string
	for id := range a.stamps {
		below := strings.TrimPrefix(id, a.key+"/")
		unseen := slices.ContainsFunc(w.unseen, func(p string) bool {
			return below == p || p == "./" || strings.HasSuffix(p, "/") && strings.HasPrefix(below, p)
		})
		if !a.kept[id] && !unseen {
			gone = append(gone, id)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	slices.Sort(gone)
	if err := a.store.Remove(ctx, a.collection, a.key, gone); err != nil {
		return fmt.Errorf("remove %d documents: %w", len(gone), explain(err))
	}
	a.report.Removed = len(gone)
	return nil
}

// skip counts n files that aren't read.
func (a *adder) skip(kind string, n int) {
	if a.report.Skips == nil {
		a.report.Skips = make(map[string]int)
	}
	a.report.Skips[kind] += n
	a.report.Skipped += n
}

// extensionOf returns a file's extension in lower case, with its dot.
func extensionOf(name string) string { return strings.ToLower(path.Ext(name)) }

func (a *adder) problem(name, why string) {
	a.report.Problems = append(a.report.Problems, Problem{Path: name, Why: why})
	a.opts.Log.Warn("not read", "path", name, "why", why)
}

// explain says what to do about an error of the store, where that is known. An
// SQL database reports a full disk in words of its own.
func explain(err error) error {
	if errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "disk is full") {
		return fmt.Errorf("the disk is full: what was indexed so far is kept; free some space and add the folder again, it goes on from there: %w", err)
	}
	return err
}
