package index

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay"
)

// batchOf makes the n-th batch of the writing child: three documents, of which
// one replaces a document of the batch before.
func batchOf(n int) (docs []assay.Document, passages [][]assay.Passage) {
	for i := range 3 {
		id := fmt.Sprintf("handbook/%d-%d.md", n, i)
		if i == 0 {
			id = fmt.Sprintf("handbook/latest-%d.md", n%4)
		}
		text := strings.Repeat(fmt.Sprintf("Round round%d, part %d of the common text.\n\n", n, i), 1+n%5)
		d, p := cut(id, strings.TrimSpace(text))
		docs, passages = append(docs, d), append(passages, p)
	}
	return docs, passages
}

// putForever is the child process: it puts batches and says so after each.
func putForever(dir string) {
	ctx := context.Background()
	x, err := Open(ctx, dir, nil)
	if err != nil {
		exit(err)
	}
	root, err := x.Root(ctx, "", "/srv/handbook")
	if err != nil {
		exit(err)
	}
	stamps, err := x.Stamps(ctx, "", root)
	if err != nil {
		exit(err)
	}
	for n := len(stamps); ; n++ {
		docs, passages := batchOf(n)
		if err := x.Put(ctx, "", root, docs, passages); err != nil {
			exit(err)
		}
		fmt.Println("put", n)
	}
}

// writer starts a child that puts for ever.
func writer(t *testing.T, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), "INDEX_TEST_CHILD=put")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// TestKill kills a writing process at random moments: what it said was put is
// there, whole, and nothing is there in part.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	rounds := 0
	for round := range 20 {
		cmd, out := writer(t, dir)
		acknowledged := -1
		done := make(chan struct{})
		go func() {
			defer close(done)
			for out.Scan() {
				if _, err := fmt.Sscanf(out.Text(), "put %d", &acknowledged); err != nil {
					t.Errorf("the writer says %q", out.Text())
				}
			}
		}()
		time.Sleep(time.Duration(30+rand.IntN(120)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-done
		cmd.Wait()

		x := open(t, dir)
		check(t, x)
		if acknowledged >= 0 {
			rounds++
			docs, _ := batchOf(acknowledged)
			for _, d := range docs[1:] {
				got, err := x.Document(ctx, "", d.ID)
				if err != nil || got.Text != d.Text {
					t.Fatalf("round %d: %s was put and reads %q, %v", round, d.ID, got.Text, err)
				}
			}
			if got := finds(t, x, fmt.Sprintf("round%d", acknowledged)); !strings.Contains(got, docs[1].ID) {
				t.Fatalf("round %d: %s was put and is not found: %s", round, docs[1].ID, got)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("the writer was killed at work in %d of 20 rounds", rounds)
	if rounds == 0 {
		t.Error("the writer never came to write; give it longer")
	}
}

// TestTwoProcesses reads, and then writes, while another process writes.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	cmd, out := writer(t, dir)
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	if !out.Scan() {
		t.Fatal("the writer says nothing")
	}
	x := open(t, dir)
	ctx := context.Background()
	before, err := x.Generation(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if !out.Scan() {
			t.Fatal("the writer ended")
		}
		var n int
		fmt.Sscanf(out.Text(), "put %d", &n)
		if got := finds(t, x, fmt.Sprintf("round%d", n)); got == "" {
			t.Errorf("what the other process put is not found: round%d", n)
		}
		put(t, x, map[string]string{"handbook/own.md": fmt.Sprintf("Our own%d words.", n)})
		if got := finds(t, x, fmt.Sprintf("own%d", n)); got != "handbook/own.md" {
			t.Errorf("our own words find %q", got)
		}
	}
	after, err := x.Generation(ctx)
	if err != nil || after < before+40 {
		t.Errorf("the generation went from %d to %d, %v", before, after, err)
	}
	check(t, x)
}

// openReadOnlyFolder is a child process that runs as nobody, for whom the
// folder is read-only.
func openReadOnlyFolder(dir string) {
	ctx := context.Background()
	if _, err := Open(ctx, dir, nil); err != nil {
		fmt.Println("to write:", err)
	}
	if _, err := Open(ctx, filepath.Join(dir, "below"), nil); err != nil {
		fmt.Println("below:", err)
	}
	x, err := Open(ctx, dir, &Options{ReadOnly: true})
	if err != nil {
		exit(err)
	}
	found, err := x.Retrieve(ctx, assay.Search{Words: "parental"})
	if err != nil {
		exit(err)
	}
	got := found.Passages
	fmt.Println("found:", len(got), got[0].Document)
	exit(x.Close())
}
