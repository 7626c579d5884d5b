package diskcache

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-rag/assay/llm"
)

var _ llm.Store = (*Cache)(nil)

func open(t testing.TB, path string, o *Options) *Cache {
	t.Helper()
	c, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// logged is a log to read back.
func logged() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, nil)), &b
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "cache.db") }

// valueOf is the only value that a key ever has in these tests.
func valueOf(key string, size int) []byte {
	return bytes.Repeat([]byte(key+"."), size/(len(key)+1)+1)[:size]
}

func keyOf(n int) string { return fmt.Sprintf("key%05d", n) }

func has(t *testing.T, c *Cache, key, want string) {
	t.Helper()
	if v, ok := c.Get(t.Context(), key); !ok || string(v) != want {
		t.Errorf("%s is %q, %v; not %q", key, v, ok, want)
	}
}

func misses(t *testing.T, c *Cache, key string) {
	t.Helper()
	if v, ok := c.Get(t.Context(), key); ok || v != nil {
		t.Errorf("%s is %q", key, v)
	}
}

func TestCache(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "a folder? 50%", "new", "cache #1.db")
	log, said := logged()
	c := open(t, path, &Options{Log: log})
	misses(t, c, "a")
	c.Put(ctx, "a", []byte("one"))
	c.Put(ctx, "a", []byte("two"))
	c.Put(ctx, "", []byte("\x00\xff"))
	c.Put(ctx, "empty", nil)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	c.Put(cancelled, "late", nil)
	if _, ok := c.Get(cancelled, "a"); ok {
		t.Error("a cancelled call gets an answer")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	misses(t, c, "a")
	c.Put(ctx, "a", nil)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	c = open(t, path, &Options{Log: log})
	has(t, c, "a", "two")
	has(t, c, "", "\x00\xff")
	has(t, c, "empty", "")
	misses(t, c, "late")
	if said.Len() > 0 {
		t.Error(said)
	}
}

func TestOnlyTheOwnerReads(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs modes of files")
	}
	path := filepath.Join(t.TempDir(), "folder", "cache.db")
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	for range 2 {
		c := open(t, path, nil)
		c.Put(t.Context(), "a", []byte("private"))
		for _, p := range []string{path, path + "-journal"} {
			if m := mode(p); m != 0o600 {
				t.Errorf("%s has mode %o", p, m)
			}
		}
		c.Close()
		os.Chmod(path, 0o644) // as a copy may have it
	}
	if m := mode(filepath.Dir(path)); m != 0o700 {
		t.Errorf("the folder has mode %o", m)
	}
}

// TestBound puts more than fits: the least recently used go.
func TestBound(t *testing.T) {
	ctx := t.Context()
	const bound, size = 4 << 20, 10_000
	path := newPath(t)
	c := open(t, path, &Options{MaxBytes: bound})
	clock := time.UnixMilli(1_000_000)
	c.now = func() time.Time { return clock }
	n := 0
	fill := func(count int) {
		for range count {
			c.Put(ctx, keyOf(n), valueOf(keyOf(n), size))
			clock = clock.Add(time.Second)
			n++
		}
	}
	fill(300)
	for i := range 50 {
		has(t, c, keyOf(i), string(valueOf(keyOf(i), size)))
	}
	c.Close()
	c = open(t, path, &Options{MaxBytes: bound}) // which must not forget it
	c.now = func() time.Time { return clock }
	fill(250)
	kept, old := 0, 0
	for i := range n {
		if v, ok := c.Get(ctx, keyOf(i)); ok {
			if !bytes.Equal(v, valueOf(keyOf(i), size)) {
				t.Errorf("%d is damaged", i)
			}
			kept++
			if i >= 50 && i < 250 {
				old++
			}
		} else if i < 50 || i >= n-150 {
			t.Errorf("%d is gone, although it was used lately", i)
		}
	}
	if kept*size < bound/2 || old > 50 {
		t.Errorf("%d are kept, %d old ones among them", kept, old)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > bound+bound/8 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}

func TestTooLarge(t *testing.T) {
	c := open(t, newPath(t), &Options{MaxBytes: 1 << 20})
	c.Put(t.Context(), "small", []byte("a"))
	c.Put(t.Context(), "large", make([]byte, 1<<20/8+1))
	misses(t, c, "large")
	has(t, c, "small", "a")
}

func TestLowerBound(t *testing.T) {
	path := newPath(t)
	c := open(t, path, nil)
	for i := range 40 {
		c.Put(t.Context(), keyOf(i), make([]byte, 100_000))
	}
	c.Close()
	c = open(t, path, &Options{MaxBytes: 1 << 20})
	misses(t, c, keyOf(1))
	c.Put(t.Context(), "a", []byte("b"))
	has(t, c, "a", "b")
	if info, err := os.Stat(path); err != nil || info.Size() > 1<<20 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}

// TestDeleted deletes the file, or its folder, while it is open.
func TestDeleted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows deletes no file that is open")
	}
	for name, remove := range map[string]func(path string) error{
		"file":   os.Remove,
		"folder": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"renamed": func(path string) error {
			return os.Rename(path, path+".old")
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "folder", "cache.db")
			log, said := logged()
			c := open(t, path, &Options{Log: log})
			for range 2 * maxReplaced { // no sign of a bad disk
				c.Put(t.Context(), "a", []byte("private"))
				has(t, c, "a", "private")
				if err := remove(path); err != nil {
					t.Fatal(err)
				}
				misses(t, c, "a")
			}
			c.Put(t.Context(), "b", []byte("new"))
			has(t, open(t, path, nil), "b", "new")
			if said.Len() > 0 {
				t.Error(said)
			}
		})
	}
}

// TestFailing can't use the file: it says so once.
func TestFailing(t *testing.T) {
	path := newPath(t)
	log, said := logged()
	c := open(t, path, &Options{Log: log})
	os.Remove(path + "-journal")
	if err := os.Mkdir(path+"-journal", 0o700); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		c.Put(t.Context(), "c", []byte("d"))
		misses(t, c, "c")
	}
	if n := strings.Count(said.String(), "\n"); n != 1 || !strings.Contains(said.String(), path) || !strings.Contains(said.String(), "operation=") {
		t.Errorf("it says %q", said)
	}
}

// TestBusy has another process hold the file: a call waits a moment, and no more.
func TestBusy(t *testing.T) {
	path := newPath(t)
	log, said := logged()
	c := open(t, path, &Options{Log: log})
	c.Put(t.Context(), "a", []byte("b"))
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	defer db.Close()
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	misses(t, c, "a")
	c.Put(t.Context(), "c", []byte("d"))
	if _, err := db.Exec("COMMIT"); err != nil {
		t.Fatal(err)
	}
	has(t, c, "a", "b")
	misses(t, c, "c")
	if said.Len() > 0 {
		t.Error(said)
	}
}

// TestBadDisk damages every file that is put in its place: the cache gives up.
func TestBadDisk(t *testing.T) {
	log, said := logged()
	c := open(t, newPath(t), &Options{Log: log})
	for range maxReplaced + 2 {
		if c.file != nil {
			if _, err := c.file.db.Exec("DROP TABLE entries"); err != nil {
				t.Fatal(err)
			}
		}
		misses(t, c, "a")
	}
	if c.Put(t.Context(), "a", nil); c.file != nil {
		t.Error("it goes on")
	}
	if n := strings.Count(said.String(), "\n"); n != 1 {
		t.Errorf("it says %q", said)
	}
}

func TestConcurrent(t *testing.T) {
	path := newPath(t)
	log, said := logged()
	caches := []*Cache{open(t, path, &Options{Log: log, MaxBytes: 1 << 20}), open(t, path, &Options{Log: log, MaxBytes: 1 << 20})}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			for range 150 {
				c, key := caches[g%2], keyOf(random.IntN(300))
				if v, ok := c.Get(t.Context(), key); !ok {
					c.Put(t.Context(), key, valueOf(key, 5000))
				} else if !bytes.Equal(v, valueOf(key, 5000)) {
					t.Errorf("%s is wrong", key)
				}
			}
		})
	}
	all.Wait()
	if said.Len() > 0 {
		t.Error(said)
	}
}
