package assay_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestThirdPartyLicences compares THIRD_PARTY_LICENSES with the licences of the
// modules that the binary really carries; -update writes it.
func TestThirdPartyLicences(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}`, "./cmd/assay").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(modules)
	var all bytes.Buffer
	all.WriteString("Licences of the software that the assay binary carries, besides Go's own standard library.\n")
	for _, m := range slices.Compact(modules) {
		fields := strings.Fields(m)
		if len(fields) != 3 {
			continue // standard library
		}
		fmt.Fprintf(&all, "\n%s\n%s %s\n\n", strings.Repeat("=", 78), fields[0], fields[1])
		if n := writeLicences(t, &all, fields[2]); n == 0 {
			t.Errorf("%s carries no licence: it can't be shipped", fields[0])
		}
	}
	if *update {
		if err := os.WriteFile("THIRD_PARTY_LICENSES", all.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("THIRD_PARTY_LICENSES")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, all.Bytes()) {
		t.Error("THIRD_PARTY_LICENSES is not that of the modules in use; run go test . -run Licences -update")
	}
}

func writeLicences(t *testing.T, w *bytes.Buffer, dir string) (n int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "UNLICEN") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "NOTICE") || strings.HasSuffix(name, ".GO") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "--- %s\n\n%s\n", e.Name(), strings.TrimSpace(strings.ReplaceAll(string(content), "\r\n", "\n")))
		n++
	}
	return n
}
