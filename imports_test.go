package assay_test

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/assay-rag/assay"

// mayImport says which packages of the module each package may import: leaves
// nothing, the root its leaves, implementations the root and leaves but never
// each other, and the commands all. A package missing here is refused: decide
// where it belongs first.
var mayImport = map[string][]string{
	"/text":                   {},
	"/internal/simd":          {},
	"/internal/simd/gen/neon": {},
	"/encoder":                {"/internal/simd"},
	"/encoder/minilm":         {"/encoder"},
	"/encoder/crossminilm":    {"/encoder"},
	"/encoder/compact":        {"/encoder", "/encoder/minilm"},
	"/encoder/peer":           {"/encoder"},
	"/llm":                    {},
	"/llm/diskcache":          {"/llm/internal/plain"},
	"/llm/llmtest":            {"/llm"},
	"/llm/internal/plain":     {},
	"/llm/internal/wire":      {"/llm", "/llm/internal/plain"},
	"/llm/openai":             {"/llm", "/llm/internal/plain", "/llm/internal/wire"},
	"/llm/anthropic":          {"/llm", "/llm/internal/wire"},
	"":                        {"/text", "/llm"},
	"/assaytest":              {""},
	"/evaluator":              {"", "/text", "/encoder"},
	"/prompted":               {"", "/text", "/llm"},
	"/prompted/peer":          {"*"},
	"/ingest":                 {"", "/text"},
	"/index":                  {"", "/text"},
	"/index/internal/vectors": {"/internal/simd"},
	"/index/indextest":        {"", "/text"},
	"/examples":               {},
	"/adversary":              {"", "/text"},
	"/eval":                   {"", "/text", "/llm"},
	"/calibrate":              {"", "/eval"},
	"/cmd/assay":              {"*"},
	"/evaluator/fit":          {"*"},
}

func TestImportDirections(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		from := strings.TrimPrefix(fields[0], module)
		allowed, known := mayImport[from]
		if !known {
			t.Errorf("package %s has no place in the table of imports", fields[0])
			continue
		}
		for _, to := range fields[1:] {
			to, ours := strings.CutPrefix(to, module)
			if ours && !contains(allowed, to, from) {
				t.Errorf("%s must not import %s", fields[0], module+to)
			}
		}
	}
}

// contains tells whether the import is allowed: by name, by "*", or because it is
// the package's own internal part.
func contains(allowed []string, to, from string) bool {
	for _, a := range allowed {
		if a == "*" || a == to {
			return true
		}
	}
	return strings.HasPrefix(to, from+"/internal/")
}
