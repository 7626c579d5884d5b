//go:build unix

package index

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-rag/assay/index/indextest"
)

// TestReadOnlyFolder opens an index in a folder that can't be written to.
func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs to start a process as another user")
	}
	dir, err := os.MkdirTemp("", "index") // t.TempDir isn't open to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	x := openWith(t, dir, &indextest.Embedder{})
	handbook(t, x)
	embed(t, x)
	x.Close()
	binary := filepath.Join(dir, "child")
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, dir)
	cmd.Dir, cmd.Env = "/", append(os.Environ(), "INDEX_TEST_CHILD=nobody")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"to write: index open", "read-only", "Options.ReadOnly", "below: index open", "choose a folder", "found: 1 handbook/leave.md \n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}
