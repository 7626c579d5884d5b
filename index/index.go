package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/assay-rag/assay"
)

// writersWait is how long a write waits for that of another process.
const writersWait = 10 * time.Second

// FileName is the index's file in its folder. SQLite keeps two more beside it,
// named after it, while the index is open.
const FileName = "index.db"

// Options tune an index. The zero value is the default.
type Options struct {
	// ReadOnly opens an index that exists and refuses to write. It also works
	// where the folder can't be written to.
	ReadOnly bool
	// Embedder makes the vectors of passages and questions; nil finds passages by
	// their words alone, and leaves vectors that are there as they are.
	Embedder Embedder
	// Fusion makes one order of what words and vectors find; nil is
	// ConvexTheoretical(0.7), chosen on data: see TestFusionOnData.
	Fusion Fusion
	// Log receives what a person who runs the index may want to know; nil
	// discards it.
	Log *slog.Logger
}

// Index is an open index. It may be used concurrently; writes wait for each
// other, reads wait for nobody.
type Index struct {
	path     string
	opts     Options
	log      *slog.Logger
	patience time.Duration // with the vector of a question

	mapped mapped // the vectors
	runs   aliveRuns

	readDB  *sql.DB
	readers chan *session // idle readers; nil stands for one to be opened

	writeMu sync.Mutex // guards what follows
	writeDB *sql.DB
	writer  *session
	ids     termIDs
	closed  bool
}

// Index is what the engine and the evaluator need.
var (
	_ assay.Retriever  = (*Index)(nil)
	_ assay.Vocabulary = (*Index)(nil)
)

// Open opens the index in the folder, and makes both where there is none. The
// error wraps ErrNotFound (read-only and nothing there), ErrNotIndex, ErrVersion,
// ErrModel, ErrDamaged, ErrReadOnly, ErrFull or ErrBusy where it is one of those.
func Open(ctx context.Context, dir string, opts *Options) (_ *Index, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("index open: %s: %w", dir, err)
	}
	return openFile(ctx, filepath.Join(abs, FileName), opts)
}

func openFile(ctx context.Context, path string, opts *Options) (_ *Index, err error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Fusion == nil {
		o.Fusion = ConvexTheoretical(defaultAlpha)
	}
	x := &Index{path: path, opts: o, log: o.Log, patience: embedPatience, mapped: mapped{path: vectorsPath(path)}}
	defer x.wrap("open", &err)
	if err := x.prepareFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := x.connect(ctx); err != nil {
		x.Close()
		return nil, err
	}
	x.removePartial(ctx)
	return x, nil
}

// prepareFolder makes the folder and looks at what stands there.
func (x *Index) prepareFolder(dir string) error {
	if !x.opts.ReadOnly {
		switch err := os.MkdirAll(dir, 0o777); {
		case errors.Is(err, fs.ErrPermission):
			return &Error{Op: "open", Path: x.path, Kind: ErrReadOnly, Err: err, Hint: "choose a folder that you may write to"}
		case err != nil:
			return &Error{Op: "open", Path: x.path, Kind: ErrNotIndex, Err: err, Hint: "choose another folder for the index"}
		}
	}
	if kept := interrupted(x.path); kept != "" {
		return &Error{Op: "open", Path: x.path, Kind: ErrDamaged, Err: fmt.Errorf("a repair was interrupted; the damaged file is %s", filepath.Base(kept)),
			Hint: "call Salvage, which ends it"}
	}
	info, err := os.Stat(x.path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return &Error{Op: "open", Path: x.path, Kind: ErrNotIndex, Hint: "it isn't a file; choose another folder for the index"}
	case errors.Is(err, fs.ErrNotExist) && x.opts.ReadOnly:
		return &Error{Op: "open", Path: x.path, Kind: ErrNotFound, Hint: "there is no index yet; add documents first"}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &Error{Op: "open", Path: x.path, Kind: ErrReadOnly, Err: err, Hint: hints[ErrReadOnly]}
	case 0 < info.Size() && info.Size() < smallestFile:
		return &Error{Op: "open", Path: x.path, Kind: ErrNotIndex, Hint: hints[ErrNotIndex]}
	}
	return nil
}

// smallestFile is the size of SQLite's smallest page. SQLite takes a shorter file
// for a new one, and would write over it; what a longer one is it sees itself. To
// look into the file here would be fatal: to close any descriptor of a file ends
// all locks that the process holds on it (POSIX), those of another Index of the
// same folder included, and other processes would take their writes away.
const smallestFile = 512

// connect opens the writer, which prepares the file, and one reader.
func (x *Index) connect(ctx context.Context) error {
	pragmas := []string{fmt.Sprintf("_pragma=busy_timeout(%d)", writersWait.Milliseconds())}
	if !x.opts.ReadOnly {
		var err error
		// WAL lets readers go on while one writes. synchronous=NORMAL: see doc.go.
		x.writeDB, err = sql.Open("sqlite", dsn(x.path, append(pragmas, "_pragma=journal_mode(WAL)",
			"_pragma=synchronous(NORMAL)", "_pragma=cache_size(-32768)", "_pragma=wal_autocheckpoint(4000)",
			"_pragma=journal_size_limit(67108864)")...))
		if err != nil {
			return err
		}
		if x.writer, err = newSession(ctx, x.writeDB); err != nil {
			return err
		}
		if err := x.prepareSchema(ctx, x.writer); err != nil {
			return err
		}
		if err := x.ensureWords(ctx, x.writer); err != nil {
			return err
		}
	}
	first, err := x.connectReaders(ctx, append(pragmas, "mode=ro", "_pragma=query_only(1)", "_pragma=cache_size(-16384)"))
	if err != nil {
		return err
	}
	n := max(4, runtime.GOMAXPROCS(0))
	x.readers = make(chan *session, n)
	x.readers <- first
	for range n - 1 {
		x.readers <- nil
	}
	if x.opts.ReadOnly {
		if err := x.prepareSchema(ctx, first); err != nil {
			return err
		}
	}
	return x.checkEmbedder(ctx, first)
}

// connectReaders opens the readers' pool and one of them. In a folder that can't
// be written to, SQLite can't keep the file that lets processes see each
// other's writes; where no write is pending there, the file is read as one that
// doesn't change.
func (x *Index) connectReaders(ctx context.Context, query []string) (*session, error) {
	try := func(q []string) (*session, error) {
		db, err := sql.Open("sqlite", dsn(x.path, q...))
		if err != nil {
			return nil, err
		}
		s, err := newSession(ctx, db)
		if err == nil {
			if err = s.exec(ctx, "SELECT count(*) FROM sqlite_schema"); err == nil {
				x.readDB = db
				return s, nil
			}
			s.close()
		}
		db.Close()
		return nil, err
	}
	s, err := try(query)
	if err == nil || !x.opts.ReadOnly || kindOf(err) != ErrReadOnly {
		return s, err
	}
	if wal, statErr := os.Stat(x.path + "-wal"); statErr == nil && wal.Size() > 0 {
		return nil, &Error{Op: "open", Path: x.path, Kind: ErrReadOnly, Err: err,
			Hint: "its last writes are not merged yet; open it once where the folder may be written to"}
	}
	return try(append(query, "immutable=1"))
}

// Close ends all connections. Calls under way fail or end; a write is whole or
// was not made.
func (x *Index) Close() error {
	x.writeMu.Lock()
	defer x.writeMu.Unlock()
	var errs []error
	if x.closed {
		return nil
	}
	x.closed = true
	defer x.mapped.close() // when no search reads it any more
	if x.readers != nil {
		for range cap(x.readers) {
			if s := <-x.readers; s != nil {
				s.close()
			}
		}
		close(x.readers)
	}
	if x.readDB != nil {
		errs = append(errs, x.readDB.Close())
	}
	if x.writer != nil {
		x.writer.close()
		x.writer = nil
	}
	if x.writeDB != nil {
		errs = append(errs, x.writeDB.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("index close: %s: %w", x.path, err)
	}
	return nil
}

// read lends a reader to f, in one snapshot.
func (x *Index) read(ctx context.Context, f func(*session) error) error {
	var s *session
	var open bool
	select {
	case s, open = <-x.readers:
		if !open {
			return errClosed
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { x.readers <- s }()
	if s == nil {
		var err error
		if s, err = newSession(ctx, x.readDB); err != nil {
			return err
		}
	}
	err := s.snapshot(ctx, func() error { return f(s) })
	if broken(err) {
		s.close()
		s = nil
	}
	return err
}

var errClosed = errors.New("the index is closed")

// write lends the writer to f, in one transaction, and raises the generation.
func (x *Index) write(ctx context.Context, f func(*session) error) error {
	return x.exclusive(ctx, func(s *session) error {
		var generation int64
		if err := s.row(ctx, []any{&generation}, `UPDATE state SET generation = generation + 1 RETURNING generation`); err != nil {
			return err
		}
		x.ids.follow(generation)
		// SQLite watches a context from a goroutine of its own for every statement;
		// for thousands of small ones that is dear, so f looks at ctx in between.
		return f(s)
	})
}

// exclusive lends the writer to f in a transaction, with the lock that only one
// process has at a time.
func (x *Index) exclusive(ctx context.Context, f func(*session) error) error {
	return x.alone(func(s *session) error {
		err := s.transaction(ctx, func() error { return f(s) })
		if err != nil {
			x.ids.forget() // what was learnt in this transaction was undone with it
		}
		return err
	})
}

// ifIdle is exclusive for what isn't worth waiting for: where somebody writes just
// now, here or in another process, the error wraps ErrBusy at once.
func (x *Index) ifIdle(ctx context.Context, f func(*session) error) error {
	if !x.writeMu.TryLock() {
		return ErrBusy
	}
	defer x.writeMu.Unlock()
	s := x.writer
	if s == nil {
		return errClosed
	}
	if err := s.exec(ctx, `PRAGMA busy_timeout = 0`); err != nil {
		return err
	}
	defer s.exec(bare, fmt.Sprintf(`PRAGMA busy_timeout = %d`, writersWait.Milliseconds()))
	err := s.transaction(ctx, func() error { return f(s) })
	if kindOf(err) == ErrBusy {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

// alone lends the writer to f.
func (x *Index) alone(f func(*session) error) error {
	if x.opts.ReadOnly {
		return &Error{Op: "write", Path: x.path, Kind: ErrReadOnly, Hint: "open it without Options.ReadOnly to write"}
	}
	x.writeMu.Lock()
	defer x.writeMu.Unlock()
	if x.writer == nil {
		return errClosed
	}
	return f(x.writer)
}

// Generation is the sequence number of the last write, by whichever process. A
// cache that was filled at the same generation is still right.
func (x *Index) Generation(ctx context.Context) (generation int64, err error) {
	defer x.wrap("generation", &err)
	err = x.read(ctx, func(s *session) error {
		return s.row(ctx, []any{&generation}, `SELECT generation FROM state`)
	})
	return generation, err
}

// collection is what a search needs to know of a collection.
type collection struct {
	id       int64
	passages int
	length   int64
}

// lookup finds a collection by its name; ok is false where there is none.
func lookup(ctx context.Context, s *session, name string) (c collection, ok bool, err error) {
	err = s.row(ctx, []any{&c.id, &c.passages, &c.length}, `SELECT id, passages, length FROM collections WHERE name = ?`, named(name))
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, nil
	}
	return c, err == nil, err
}

// named puts the default for a collection that isn't named.
func named(collection string) string {
	if collection == "" {
		return assay.DefaultCollection
	}
	return collection
}

// mustLookup is lookup with an error that names the collections there are.
func (x *Index) mustLookup(ctx context.Context, s *session, op, name string) (collection, error) {
	c, ok, err := lookup(ctx, s, name)
	if err != nil || ok {
		return c, err
	}
	names, err := collectionNames(ctx, s)
	if err != nil {
		return c, err
	}
	hint := "the index is empty; add documents first"
	if len(names) > 0 {
		hint = "there are: " + strings.Join(names, ", ")
	}
	return c, &Error{Op: op, Path: x.path, Kind: fmt.Errorf("collection %q %w", named(name), ErrNotFound), Hint: hint}
}
