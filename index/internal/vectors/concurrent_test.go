package vectors

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const sharedDim = 64 // of the files that several goroutines or processes use

// TestConcurrent scans and verifies while records are appended and the file is
// made anew under it.
func TestConcurrent(t *testing.T) {
	path := create(t, sharedDim, nil)
	f := open(t, path, sharedDim)
	before := runtime.NumGoroutine()
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for i := range 4 {
		readers.Go(func() {
			var last int64
			for n := 0; ctx.Err() == nil; n++ {
				var err error
				if last, err = look(f, last); err != nil {
					t.Error(err)
					return
				}
				if n%10 == i {
					if _, err := f.Verify(t.Context(), nil); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	const batches = 60
	for n := range int64(batches) {
		if err := f.Append(batch(n)); err != nil {
			t.Fatal(err)
		}
		if n%7 == 3 {
			if err := Create(path, sharedDim, testEpoch, yield(recordsOf(sharedDim, 1, (n+1)*batchSize, 1))); err != nil {
				t.Fatal(err)
			}
		}
	}
	stop()
	readers.Wait()
	verified(t, f, batches*batchSize)
	if f.view.refs != 1 {
		t.Errorf("the view is held %d times", f.view.refs)
	}
	for wait := time.Now(); runtime.NumGoroutine() > before && time.Since(wait) < 10*time.Second; {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("there were %d goroutines, now %d", before, n)
	}
}

// batchSize is such that a batch is rarely of whole pages.
const batchSize = 37

// batch is the n-th batch of records.
func batch(n int64) []Record {
	return recordsOf(sharedDim, n*batchSize+1, (n+1)*batchSize, 1)
}

// look reads how far the file goes, no less far than before, and searches it.
func look(f *File, before int64) (last int64, err error) {
	if last, err = f.Last(); err != nil {
		return last, err
	}
	if last < before {
		return last, fmt.Errorf("the file went up to %d, and now to %d", before, last)
	}
	if last == 0 {
		return last, nil
	}
	wanted := 1 + rand.Int64N(last)
	query := floats(wanted, f.dim)
	hits, err := f.Scan(context.Background(), query, nil, math.MaxInt64, 3)
	if err != nil {
		return last, err
	}
	if len(hits) == 0 || hits[0].ID != wanted {
		return last, fmt.Errorf("the file goes up to %d, and the question for %d finds %v", last, wanted, hits)
	}
	return last, rightScores(f.dim, query, hits)
}

// child starts a child process, which the test ends by closing its input.
func child(t *testing.T, task, path string) (cmd *exec.Cmd, in io.Closer, out *bufio.Scanner) {
	t.Helper()
	cmd = exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), "VECTORS_TEST_CHILD="+task)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd, in, bufio.NewScanner(stdout)
}

// readUntilTold is a child process that reads until its input ends, and then says
// how far the file went.
func readUntilTold(path string) error {
	f, err := Open(path, sharedDim, testEpoch)
	if err != nil {
		return err
	}
	told := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(os.Stdin)
		told <- err
	}()
	fmt.Println("ready")
	for last := int64(0); ; {
		if last, err = look(f, last); err != nil {
			return err
		}
		select {
		case err := <-told:
			last, lookErr := look(f, last)
			fmt.Println("last:", last)
			return errors.Join(err, lookErr, f.Close())
		default:
		}
	}
}

// TestProcesses appends, and makes the file anew, while other processes read it.
func TestProcesses(t *testing.T) {
	path := create(t, sharedDim, nil)
	f := open(t, path, sharedDim)
	type reader struct {
		in  io.Closer
		out *bufio.Scanner
	}
	var readers []reader
	for range 2 {
		_, in, out := child(t, "read", path)
		if !out.Scan() || out.Text() != "ready" {
			t.Fatal("a reader isn't ready: ", out.Text())
		}
		readers = append(readers, reader{in, out})
	}
	const batches = 100
	for n := range int64(batches) {
		if err := f.Append(batch(n)); err != nil {
			t.Fatal(err)
		}
		if n%20 == 10 {
			if err := Create(path, sharedDim, testEpoch, yield(recordsOf(sharedDim, 1, (n+1)*batchSize, 1))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, r := range readers {
		r.in.Close()
		if want := fmt.Sprint("last: ", batches*batchSize); !r.out.Scan() || r.out.Text() != want {
			t.Errorf("a reader says %q, want %q", r.out.Text(), want)
		}
	}
}

// appendForever is a child process that appends batches, from where the file ends.
func appendForever(path string) error {
	f, err := Open(path, sharedDim, testEpoch)
	if err != nil {
		return err
	}
	last, err := f.Last()
	if err != nil {
		return err
	}
	for {
		next := last + 1 + batchSize*20
		if err := f.Append(recordsOf(sharedDim, last+1, next, 1)); err != nil {
			return err
		}
		last = next
		fmt.Println(last)
	}
}

// TestKill kills an appending process at random moments, while this one reads:
// what it said was appended is there, and all that is there is good.
func TestKill(t *testing.T) {
	path := create(t, sharedDim, nil)
	f := open(t, path, sharedDim)
	acknowledged := int64(0)
	for range 15 {
		cmd, _, out := child(t, "append", path)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for out.Scan() {
				if _, err := fmt.Sscan(out.Text(), &acknowledged); err != nil || strings.HasPrefix(out.Text(), "error") {
					t.Errorf("the writer says %q", out.Text())
				}
			}
		}()
		last := int64(0)
		for end := time.Now().Add(time.Duration(20+rand.IntN(60)) * time.Millisecond); time.Now().Before(end); {
			var err error
			if last, err = look(f, last); err != nil {
				t.Error(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-done
		if last, err := f.Last(); err != nil || last < acknowledged {
			t.Fatalf("%d was acknowledged, and the file goes up to %d, %v", acknowledged, last, err)
		}
	}
	if acknowledged == 0 {
		t.Fatal("the writer never came to write; give it longer")
	}
	t.Logf("%d records were appended", acknowledged)
	n, err := f.Len()
	if err != nil {
		t.Fatal(err)
	}
	verified(t, f, n)
}
