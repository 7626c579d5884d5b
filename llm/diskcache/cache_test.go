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

// TestDamage breaks the file in every way: an answer is the right one or none, and
// the cache serves again.
func TestDamage(t *testing.T) {
	const values = 80
	ctx := t.Context()
	whole := newPath(t)
	c := open(t, whole, nil)
	for i := range values {
		c.Put(ctx, keyOf(i), valueOf(keyOf(i), 10+i*75))
	}
	c.Close()
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	execute := func(query string) func([]byte, string) {
		return func(b []byte, path string) {
			os.WriteFile(path, b, 0o600)
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec(query); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(change func([]byte) []byte) func([]byte, string) {
		return func(b []byte, path string) { os.WriteFile(path, change(b), 0o600) }
	}
	every := func(from, step int) func([]byte) []byte {
		return func(b []byte) []byte {
			for i := from; i < len(b); i += step {
				b[i] ^= byte(1 + random.IntN(255))
			}
			return b
		}
	}
	for name, damage := range map[string]func(b []byte, path string){
		"half":             write(func(b []byte) []byte { return b[:len(b)/2] }),
		"only the header":  write(func(b []byte) []byte { return b[:100] }),
		"one page":         write(func(b []byte) []byte { return b[:4096] }),
		"a torn end":       write(func(b []byte) []byte { return b[:len(b)-1000] }),
		"nothing":          write(func(b []byte) []byte { return nil }),
		"zeros":            write(func(b []byte) []byte { clear(b[100:]); return b }),
		"zeros from 4096":  write(func(b []byte) []byte { clear(b[4096:]); return b }),
		"the first page":   write(func(b []byte) []byte { every(100, 7)(b[:4096]); return b }),
		"some bytes":       write(every(5000, 50_000)),
		"many bytes":       write(every(5000, 1000)),
		"very many bytes":  write(every(5000, 20)),
		"all bytes":        write(every(100, 1)),
		"no page size":     write(func(b []byte) []byte { b[16], b[17] = 3, 7; return b }),
		"pages exchanged":  write(func(b []byte) []byte { copy(b[8*4096:], b[9*4096:20*4096]); return b }),
		"no table":         execute("DROP TABLE entries"),
		"another table":    execute("DROP TABLE entries; CREATE TABLE entries (key)"),
		"no index":         execute("DROP INDEX entries_used"),
		"a newer version":  execute("PRAGMA user_version = 99"),
		"no version":       execute("PRAGMA user_version = 0"),
		"other values":     execute("UPDATE entries SET value = replace(value, 'key', 'yek')"),
		"values exchanged": execute("UPDATE entries SET value = (SELECT value FROM entries WHERE key = 'key00001'), sum = (SELECT sum FROM entries WHERE key = 'key00001')"),
		"other types":      execute("UPDATE entries SET used = 'yesterday', sum = x'00', value = 7"),
		"WAL":              execute("PRAGMA journal_mode = WAL"),
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			damage(bytes.Clone(data), path)
			log, said := logged()
			c := open(t, path, &Options{Log: log})
			for i := range values {
				want := valueOf(keyOf(i), 10+i*75)
				if v, ok := c.Get(ctx, keyOf(i)); ok && !bytes.Equal(v, want) {
					t.Fatalf("%d is wrong: %.30q", i, v)
				}
				c.Put(ctx, keyOf(i), want)
			}
			// What was met while it was replaced may be gone once more.
			for range maxReplaced {
				for i := range values {
					c.Put(ctx, keyOf(i), valueOf(keyOf(i), 10+i*75))
				}
			}
			for i := range values {
				has(t, c, keyOf(i), string(valueOf(keyOf(i), 10+i*75)))
			}
			if n := strings.Count(said.String(), "\n"); n > 1 {
				t.Errorf("it says %d things:\n%s", n, said)
			}
		})
	}
}

// TestForeign opens files that aren't caches: they are left as they are.
func TestForeign(t *testing.T) {
	database := func(query string) func(path string) {
		return func(path string) {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec(query); err != nil {
				t.Fatal(err)
			}
		}
	}
	text := func(s string) func(path string) {
		return func(path string) { os.WriteFile(path, []byte(s), 0o644) }
	}
	for name, write := range map[string]func(path string){
		"a short text":         text("Dear diary"),
		"a long text":          text(strings.Repeat("Dear diary. ", 1000)),
		"a database":           database("CREATE TABLE songs (name)"),
		"another program's":    database("PRAGMA application_id = 7; PRAGMA user_version = 1; CREATE TABLE entries (key, used, sum, value)"),
		"an index":             database(fmt.Sprintf("PRAGMA application_id = %d; CREATE TABLE documents (id)", 0x41534159)),
		"one with our version": database("PRAGMA user_version = 1; CREATE TABLE songs (name)"),
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			write(path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			info, _ := os.Stat(path)
			if _, err := Open(path, nil); err == nil || !strings.Contains(err.Error(), "isn't a cache of Assay") || !strings.Contains(err.Error(), path) {
				t.Errorf("opening it: %v", err)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
				t.Error("it was changed")
			}
			if now, err := os.Stat(path); err != nil || now.Mode() != info.Mode() {
				t.Error("its mode was changed")
			}
			// It takes the cache's place while that is open.
			log, said := logged()
			c := open(t, filepath.Join(filepath.Dir(path), "other.db"), &Options{Log: log})
			c.path = path
			c.Put(t.Context(), "a", []byte("b"))
			misses(t, c, "a")
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
				t.Error("it was changed")
			}
			if !strings.Contains(said.String(), "isn't a cache of Assay") || strings.Count(said.String(), "\n") != 1 {
				t.Errorf("it says %q", said)
			}
		})
	}
	if _, err := Open(t.TempDir(), nil); err == nil {
		t.Error("a folder was opened")
	}
	if _, err := Open(filepath.Join(os.Args[0], "cache.db"), nil); err == nil {
		t.Error("a file below a file was opened")
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
