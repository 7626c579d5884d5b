package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What stands in package simd is what this program writes, but for the first line,
// which holds the command.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	assembly, stubs := filepath.Join(dir, "kernels_amd64.s"), filepath.Join(dir, "kernels_amd64.go")
	if out, err := exec.Command("go", "run", ".", "-out", assembly, "-stubs", stubs, "-pkg", "simd").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, generated := range []string{assembly, stubs} {
		got, want := body(t, generated), body(t, filepath.Join("..", "..", filepath.Base(generated)))
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go generate ./internal/simd", filepath.Base(generated))
		}
	}
}

// body returns a file without its first line.
func body(t *testing.T, path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(content, []byte("\n"))
	return rest
}
