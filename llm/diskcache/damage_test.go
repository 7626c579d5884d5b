package diskcache

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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

// TestOtherVersion opens a file of another version, which is begun anew.
func TestOtherVersion(t *testing.T) {
	for _, other := range []int{0, 99} {
		path := newPath(t)
		for round := range 2 {
			c := open(t, path, nil)
			if round > 0 {
				misses(t, c, "a")
			}
			c.Put(t.Context(), "a", []byte("b"))
			has(t, c, "a", "b")
			if _, err := c.file.db.Exec(fmt.Sprintf("PRAGMA user_version = %d", other)); err != nil {
				t.Fatal(err)
			}
			c.Close()
		}
	}
}

// TestInheritedJournal deletes a file, but not the journal of a write that was
// interrupted, which would undo it in the new one.
func TestInheritedJournal(t *testing.T) {
	ctx := t.Context()
	path := newPath(t)
	c := open(t, path, nil)
	for i := range 100 {
		c.Put(ctx, keyOf(i), valueOf(keyOf(i), 3000))
	}
	if _, err := c.file.db.Exec("PRAGMA cache_size = 1; BEGIN; UPDATE entries SET value = zeroblob(3000)"); err != nil {
		t.Fatal(err)
	}
	journal, err := os.ReadFile(path + "-journal")
	if err != nil || len(journal) < 100_000 {
		t.Fatalf("the journal has %d bytes, %v", len(journal), err)
	}
	c.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-journal", journal, 0o600); err != nil {
		t.Fatal(err)
	}
	log, said := logged()
	c = open(t, path, &Options{Log: log})
	misses(t, c, keyOf(1))
	c.Put(ctx, "a", []byte("b"))
	has(t, c, "a", "b")
	if left, err := os.ReadFile(path + "-journal"); err == nil && len(left) > 0 {
		t.Errorf("%d bytes of the journal are left", len(left))
	}
	if said.Len() > 0 {
		t.Error(said)
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
	if _, err := Open(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "; move it away, or keep nothing: --no-cache") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(filepath.Join(os.Args[0], "cache.db"), nil); err == nil || !strings.Contains(err.Error(), "not a directory; delete the folder "+os.Args[0]+", or keep nothing: --no-cache") {
		t.Errorf("a file below a file: %v", err)
	}
}
