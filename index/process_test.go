package index

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
	"github.com/assay-rag/assay/index/internal/vectors"
)

// batchOf makes the n-th batch of the writing child: three documents, of which one
// replaces a document of an earlier batch.
func batchOf(n int) (docs []assay.Document, passages [][]assay.Passage) {
	for i := range 3 {
		id := fmt.Sprintf("handbook/%d-%d.md", n, i)
		if i == 0 {
			id = fmt.Sprintf("handbook/latest-%d.md", n%4)
		}
		text := strings.Repeat(fmt.Sprintf("Round round%d, part %d of the common text.\n\n", n, i), 1+n%5)
		d, p := cut(id, strings.TrimSpace(text))
		d.Stamp = fmt.Sprint(n)
		docs, passages = append(docs, d), append(passages, p)
	}
	return docs, passages
}

// putForever is the child process: it puts batches, embeds after every third, and
// says so each time.
func putForever(dir string) {
	ctx := context.Background()
	x, err := Open(ctx, dir, &Options{Embedder: &indextest.Embedder{}})
	if err != nil {
		exit(err)
	}
	root, err := x.Root(ctx, "", "/srv/handbook")
	if err != nil {
		exit(err)
	}
	next, err := nextBatchOf(x, root)
	if err != nil {
		exit(err)
	}
	fmt.Println("begins")
	for n := next; ; n++ {
		docs, passages := batchOf(n)
		if err := x.Put(ctx, "", root, docs, passages); err != nil {
			exit(err)
		}
		fmt.Println("put", n)
		if n%3 == 2 {
			if err := x.Embed(ctx, nil); err != nil {
				exit(err)
			}
			fmt.Println("embedded", n)
		}
	}
}

// nextBatchOf tells from the stamps which batch the child was to put next.
func nextBatchOf(x *Index, root string) (next int, err error) {
	stamps, err := x.Stamps(context.Background(), "", root)
	for _, s := range stamps {
		if n, err := strconv.Atoi(s); err == nil {
			next = max(next, n+1)
		}
	}
	return next, err
}

// writer starts a child that puts for ever, and waits until it begins.
func writer(t *testing.T, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd, out := child(t, "put", dir)
	if !out.Scan() || out.Text() != "begins" {
		t.Fatalf("the writer says %q", out.Text())
	}
	return cmd, out
}

// child starts this test program as one that does something to the index in a
// folder, see TestMain, and returns the lines it prints.
func child(t *testing.T, what, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), "INDEX_TEST_CHILD="+what)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(stdout)
}

// TestKill kills a process that writes and embeds at 200 random moments. What it
// said was put is there, whole, and nothing is there in part; what it said was
// embedded need not be embedded again.
func TestKill(t *testing.T) {
	const writers = 4
	rounds := 200 / writers
	if testing.Short() || raced {
		rounds = 20 / writers
	}
	for i := range writers {
		t.Run(fmt.Sprint("writer", i), func(t *testing.T) {
			t.Parallel()
			killRounds(t, rounds)
		})
	}
}

func killRounds(t *testing.T, rounds int) {
	dir := t.TempDir()
	put, embedded := -1, -1
	for round := range rounds {
		cmd, out := writer(t, dir)
		done, enough := make(chan struct{}), make(chan struct{})
		lines := rand.IntN(8)
		go func() {
			defer close(done)
			for i := 0; out.Scan(); i++ {
				var n int
				if _, err := fmt.Sscanf(out.Text(), "put %d", &n); err == nil {
					put = n
				} else if _, err := fmt.Sscanf(out.Text(), "embedded %d", &n); err == nil {
					embedded = n
				} else {
					t.Errorf("the writer says %q", out.Text())
				}
				if i == lines {
					close(enough)
				}
			}
		}()
		<-enough
		time.Sleep(time.Duration(rand.IntN(8_000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-done
		cmd.Wait()
		afterKill(t, dir, put, embedded)
		if t.Failed() {
			t.Fatalf("in round %d, with %d put and %d embedded", round, put, embedded)
		}
	}
	t.Logf("the writer was killed %d times; it had put %d batches in all", rounds, put+1)
}

// afterKill looks at what a killed writer left that had said that it put and
// embedded the batches up to these.
func afterKill(t *testing.T, dir string, put, embedded int) {
	t.Helper()
	ctx := context.Background()
	e := &indextest.Embedder{}
	x := openWith(t, dir, e)
	defer x.Close()
	check(t, x)
	next, err := nextBatchOf(x, "handbook")
	if err != nil || next < put+1 || next > put+2 {
		t.Errorf("batches up to %d were put, and the next is %d, %v", put, next, err)
	}
	want, left := map[string]assay.Document{}, 0
	for n := max(0, next-40); n < next; n++ {
		docs, passages := batchOf(n)
		for i, d := range docs {
			want[d.ID] = d
			if n > embedded {
				left += len(passages[i])
			}
		}
	}
	if st, err := x.Stats(ctx, ""); next > 0 && (err != nil || st.Documents != 2*next+min(next, 4)) {
		t.Errorf("there are %d documents of %d batches, %v", st.Documents, next, err)
	}
	for id, d := range want {
		if got, err := x.Document(ctx, "", id); err != nil || got.Text != d.Text {
			t.Errorf("%s reads %.60q, want %.60q, %v", id, got.Text, d.Text, err)
		}
	}
	embed(t, x)
	pends(t, x, 0)
	if n := len(e.Embedded()); n > left {
		t.Errorf("%d passages were embedded, and at most %d hadn't been before", n, left)
	}
	check(t, x)
	if next == 0 {
		return
	}
	found, err := x.Retrieve(ctx, assay.Search{Words: fmt.Sprintf("round%d part 1", next-1)})
	docs, _ := batchOf(next - 1)
	if err != nil || found.Short != "" || len(found.Passages) == 0 || found.Passages[0].Document != docs[1].ID {
		t.Errorf("%s isn't found first; short: %q, %v", docs[1].ID, found.Short, err)
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
		if _, err := fmt.Sscanf(out.Text(), "put %d", &n); err != nil {
			continue
		}
		if got := finds(t, x, fmt.Sprintf("round%d", n)); got == "" {
			t.Errorf("what the other process put is not found: round%d", n)
		}
		put(t, x, map[string]string{"handbook/own.md": fmt.Sprintf("Our own%d words.", n)})
		if got := finds(t, x, fmt.Sprintf("own%d", n)); got != "handbook/own.md" {
			t.Errorf("our own words find %q", got)
		}
	}
	after, err := x.Generation(ctx)
	if err != nil || after < before+26 {
		t.Errorf("the generation went from %d to %d, %v", before, after, err)
	}
	check(t, x)
}

// embedOnce is a child process that embeds what there is.
func embedOnce(dir string) {
	ctx := context.Background()
	slow := &indextest.Embedder{Before: func(context.Context, []string) error { time.Sleep(5 * time.Millisecond); return nil }}
	x, err := Open(ctx, dir, &Options{Embedder: slow})
	if err != nil {
		exit(err)
	}
	exit(errors.Join(x.Embed(ctx, func(done, total int) { fmt.Println(done) }), x.Close()))
}

// TestEmbedProcesses has processes embed at once, one of which is killed.
func TestEmbedProcesses(t *testing.T) {
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{})
	fill(t, x, newSynth(2, 500), 500)
	var children []*exec.Cmd
	for i := range 3 {
		cmd, out := child(t, "embed", dir)
		if i == 0 {
			for out.Scan() && out.Text() != "192" {
			}
			cmd.Process.Kill()
			cmd.Wait()
			continue
		}
		go func() {
			for out.Scan() {
			}
		}()
		children = append(children, cmd)
	}
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	pends(t, x, 0)
	check(t, x)
	e, _ := x.embeddingNow(t)
	f, err := vectors.Open(vectorsPath(x.path), e.dim, e.epoch)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n, err := f.Len(); err != nil || n != 2000 {
		t.Errorf("the file has %d of 2000 vectors, %v", n, err)
	}
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
	x, err := Open(ctx, dir, &Options{ReadOnly: true, Embedder: &indextest.Embedder{}})
	if err != nil {
		exit(err)
	}
	found, err := x.Retrieve(ctx, assay.Search{Words: "parental", K: 1})
	if err != nil {
		exit(err)
	}
	fmt.Println("found:", len(found.Passages), found.Passages[0].Document, found.Short)
	exit(x.Close())
}
