package llmtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// keys are the forms that keys have, and the headers that carry them. What a
// recording may hold instead is {{key}}.
var keys = []*regexp.Regexp{
	regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{12,}`),
	regexp.MustCompile(`(?i)\bbearer\s+[A-Za-z0-9._~+/-]{6,}`),
	regexp.MustCompile(`(?im)^\s*(?:authorization|proxy-authorization|api-key|x-api-key|x-goog-api-key|set-cookie|cookie)\s*:\s*[^\s{]`),
	regexp.MustCompile(`(?i)"(?:api[_-]?key|x-api-key|authorization)"\s*:\s*"[^"{]`),
	regexp.MustCompile(`\b(?:gsk_|hf_|xai-|nvapi-|r8_)[A-Za-z0-9_-]{12,}`),
	regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{20,}`),
	regexp.MustCompile(`(?i)[?&](?:api[-_]?key|key|token)=[^&\s{]{6,}`),
	regexp.MustCompile(`\borg-[A-Za-z0-9]{16,}`), // an account, by its number
}

// Keys returns what looks like a key in a text.
func Keys(text string) (found []string) {
	for _, k := range keys {
		found = append(found, k.FindAllString(text, -1)...)
	}
	return found
}

// NoKeys fails t for each key in a file in dir or below it.
func NoKeys(t testing.TB, dir string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, k := range Keys(string(content)) {
			t.Errorf("%s holds what looks like a key, beginning with %.8q: write {{key}} in its place", path, k)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
