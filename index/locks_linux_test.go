package index

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOpenTwice: a process that has an index open twice keeps its lock on it. Without
// one another program with SQLite takes itself for the last to leave, and removes
// the log that the next write goes to: nobody else would ever see that write.
func TestOpenTwice(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	open(t, dir)
	var file syscall.Stat_t
	if err := syscall.Stat(filepath.Join(dir, FileName), &file); err != nil {
		t.Fatal(err)
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Skip(err)
	}
	if !strings.Contains(string(locks), fmt.Sprintf("%d ", os.Getpid())) {
		t.Skip("the system doesn't list the locks of this process")
	}
	for line := range strings.Lines(string(locks)) {
		if strings.Contains(line, fmt.Sprintf(" %d ", os.Getpid())) && strings.Contains(line, fmt.Sprintf(":%d ", file.Ino)) {
			return
		}
	}
	t.Errorf("no lock on the index is left:\n%s", locks)
}
