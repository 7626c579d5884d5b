package prompted

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// golden compares a text with testdata/<name>.golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what it was (go test -update shows the difference in git):\n%s", path, got)
	}
}

// goldenPrompt compares a prompt with its golden.
func goldenPrompt(t *testing.T, name string, p prompt) {
	t.Helper()
	schema := "none"
	if p.schema != nil {
		schema = p.schema.Name + "\n" + string(p.schema.JSON)
	}
	golden(t, name, "-- system --\n"+p.system+"\n-- user --\n"+p.user+"\n-- schema --\n"+schema+"\n")
}
