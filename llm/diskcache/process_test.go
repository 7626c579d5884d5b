package diskcache

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// childPath names the cache that a child process fills until it is killed.
const childPath = "DISKCACHE_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		fillForever(path)
	}
	os.Exit(m.Run())
}

func fillForever(path string) {
	ctx := context.Background()
	c, err := Open(path, nil)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	for i := 0; ; i++ {
		key := fmt.Sprint("child", i)
		c.Put(ctx, key, valueOf(key, 3000))
		if _, ok := c.Get(ctx, key); ok {
			fmt.Println("put", key)
		}
	}
}

// TestProcesses shares the file with a process that writes as fast as it can, kills
// it, and goes on.
func TestProcesses(t *testing.T) {
	path := newPath(t)
	log, said := logged()
	c := open(t, path, &Options{Log: log})
	for round := range 5 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childPath+"="+path)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines, key := bufio.NewScanner(out), ""
		for n := 0; n < 60 && lines.Scan(); n++ {
			var ok bool
			if key, ok = strings.CutPrefix(lines.Text(), "put "); !ok {
				t.Fatal(lines.Text())
			}
			if v, ok := c.Get(t.Context(), key); ok && !bytes.Equal(v, valueOf(key, 3000)) {
				t.Errorf("%s is wrong", key)
			}
			own := fmt.Sprint("parent", round, "-", n)
			c.Put(t.Context(), own, valueOf(own, 3000))
		}
		child.Process.Kill()
		child.Wait()
		has(t, c, key, string(valueOf(key, 3000)))
		c.Put(t.Context(), "after", []byte("all"))
		has(t, c, "after", "all")
	}
	if said.Len() > 0 {
		t.Error(said)
	}
}
