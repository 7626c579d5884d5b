package diskcache

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"
)

const (
	defaultMaxBytes = 256 << 20
	// touchEvery is how exactly it is known when a value was last used.
	touchEvery = time.Minute
	// maxReplaced bounds how often a cache replaces its file: a disk that damages
	// one after the other is no place for a cache.
	maxReplaced = 3
)

// Options tune a cache. The zero value is the default.
type Options struct {
	// MaxBytes bounds the file; default 256 MiB. A value of more than an eighth of it
	// is not kept. A file of more than twice that size, as one made under a higher
	// bound may be, is begun anew.
	MaxBytes int64
	// Log receives the first error; nil discards it.
	Log *slog.Logger
}

// Cache is an open cache. It may be used concurrently. One process opens a path
// once and shares the Cache.
type Cache struct {
	path string
	max  int64
	log  *slog.Logger
	now  func() time.Time

	mu       sync.Mutex
	file     *file // nil where the cache is closed or has given up
	replaced int   // times that the file was
	reported bool
}

// Open opens the cache in the file at path, and makes it, and its folder, where
// there is none. It fails where the file is something else, or can't be made: the
// error says what to do.
func Open(path string, o *Options) (*Cache, error) {
	if o == nil {
		o = &Options{}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("diskcache open: %s: %w", path, err)
	}
	c := &Cache{path: abs, max: o.MaxBytes, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)), now: time.Now}
	if c.max <= 0 {
		c.max = defaultMaxBytes
	}
	if c.file, err = openFile(abs, c.max, false); err != nil {
		return nil, fmt.Errorf("diskcache open: %w", fault(abs, err))
	}
	return c, nil
}

// Get implements llm.Store. It waits at most a moment for another process,
// whatever the context.
func (c *Cache) Get(ctx context.Context, key string) (value []byte, ok bool) {
	if ctx.Err() != nil {
		return nil, false
	}
	c.do("get", func(f *file) error {
		var used time.Time
		var err error
		if value, used, err = f.get(key); err != nil || value == nil {
			return err
		}
		ok = true
		if now := c.now(); now.Sub(used) >= touchEvery {
			return f.touch(key, now)
		}
		return nil
	})
	return value, ok
}

// Put implements llm.Store. It waits at most a moment for another process,
// whatever the context.
func (c *Cache) Put(ctx context.Context, key string, value []byte) {
	if size := int64(len(key) + len(value)); ctx.Err() == nil && size <= c.max/8 {
		c.do("put", func(f *file) error {
			if err := f.makeRoom(size, c.max); err != nil {
				return err
			}
			return f.put(key, value, c.now())
		})
	}
}

// Close ends the use of the file. Afterwards Get misses and Put does nothing.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		return nil
	}
	defer func() { c.file = nil }()
	if err := c.file.close(); err != nil {
		return fmt.Errorf("diskcache close: %w", fault(c.path, err))
	}
	return nil
}

// do lends the file to f, and sees to it that there is one for the next call where
// it was deleted or damaged.
func (c *Cache) do(op string, f func(*file) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file != nil && !c.file.inPlace(c.path) {
		c.reopen(op, false)
	}
	if c.file == nil {
		return
	}
	err := f(c.file)
	c.report(op, err)
	if damaged(err) {
		// Another process may have replaced it already.
		c.reopen(op, c.file.inPlace(c.path))
	}
}

// reopen opens the file anew, with another in its place where it is to be replaced.
func (c *Cache) reopen(op string, replace bool) {
	c.file.close()
	c.file = nil
	if replace {
		c.replaced++
	}
	if c.replaced > maxReplaced {
		return
	}
	var err error
	c.file, err = openFile(c.path, c.max, replace)
	c.report(op, err)
}

// report logs the first error. That another process was busy is none.
func (c *Cache) report(op string, err error) {
	if err == nil || c.reported || busy(err) {
		return
	}
	c.reported = true
	c.log.Warn(fmt.Sprintf("what models said can't all be kept or found again: %v (this is said but once)", fault(c.path, err)), "operation", op)
}
