package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay"
)

// source are the flags that say which documents are meant.
type source struct {
	Docs       string `type:"given" placeholder:"DIR" complete:"dir" xor:"index,collection" help:"Use the documents of this folder. They are indexed in the cache on first use, and brought up to date each time."`
	Index      string `type:"given" placeholder:"DIR" complete:"dir" xor:"index" help:"Use the index in this folder (else $$ASSAY_INDEX, else the user's own)."`
	Collection string `type:"given" placeholder:"NAME" xor:"collection" help:"Use this collection of the index."`
}

// collection is the name of the collection that is meant.
func (s source) collection() string {
	if s.Collection == "" {
		return assay.DefaultCollection
	}
	return s.Collection
}

// flags are what a further command must say to mean the same documents, with a
// space after them.
func (s source) flags() string {
	var b strings.Builder
	for _, f := range []struct{ name, value string }{{"docs", s.Docs}, {"index", s.Index}, {"collection", s.Collection}} {
		joint := " "
		if strings.HasPrefix(f.value, "-") {
			joint = "=" // else it is taken for a flag
		}
		if f.value != "" {
			b.WriteString("--" + f.name + joint + quoted(f.value) + " ")
		}
	}
	return b.String()
}

// quoted is a word as a shell takes it. What a screen would not show as it is,
// is written as bytes in octal.
func quoted(word string) string {
	if clean(word) != word || strings.Contains(word, "\n") || !utf8.ValidString(word) {
		return escaped(word)
	}
	safe := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r > 0x7F && !unicode.IsSpace(r) || strings.ContainsRune("_-./:@%+=,", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !safe(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// escaped is a word in the form $'…' of POSIX shells.
func escaped(word string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(word); {
		r, n := utf8.DecodeRuneInString(word[i:])
		switch {
		case r == '\\' || r == '\'':
			b.WriteString(`\` + word[i:i+n])
		case r == '\n' || r == utf8.RuneError || hostile(r):
			for _, c := range []byte(word[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteString(word[i : i+n])
		}
		i += n
	}
	return b.String() + "'"
}

// lasting is the folder of the lasting index: the flag, the settings, or the
// place for a user's data ($XDG_DATA_HOME/assay/index, by default
// ~/.local/share/assay/index; ~/Library/Application Support on macOS,
// %LocalAppData% on Windows).
func (e env) lasting(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	c, err := e.configure(nil)
	if err != nil {
		return "", err
	}
	if dir := c.get("index"); dir != "" {
		return dir, nil
	}
	data, err := e.dataDir()
	if err != nil {
		return "", failf("say where it is: --index DIR, or set ASSAY_INDEX", "find the index: %w", err)
	}
	return filepath.Join(data, "assay", "index"), nil
}

// place is the folder of the index that is meant.
func (e env) place(s source) (string, error) {
	if s.Docs == "" {
		return e.lasting(s.Index)
	}
	abs, err := existing("--docs", s.Docs)
	if err != nil {
		return "", err
	}
	return e.cached(abs)
}

// dataDir is where programs keep a user's data.
func (e env) dataDir() (string, error) {
	home := e.getenv("HOME")
	switch {
	case runtime.GOOS == "windows":
		return e.cacheDir() // %LocalAppData%, which is for both
	case runtime.GOOS == "darwin" && home != "":
		return filepath.Join(home, "Library", "Application Support"), nil
	case filepath.IsAbs(e.getenv("XDG_DATA_HOME")):
		return e.getenv("XDG_DATA_HOME"), nil
	case home != "":
		return filepath.Join(home, ".local", "share"), nil
	}
	return "", errors.New("neither XDG_DATA_HOME nor HOME is set")
}

// cached is the folder of the index of a folder given with --docs.
func (e env) cached(folder string) (string, error) {
	cache, err := e.cacheDir()
	if err != nil {
		return "", failf("set HOME, or index the folder yourself: assay add --index DIR "+quoted(folder), "find the cache: %w", err)
	}
	sum := sha256.Sum256([]byte(folder))
	return filepath.Join(cache, "assay", "docs", hex.EncodeToString(sum[:12])), nil
}

// existing is the absolute path of a folder or file that must be there. The same
// one always has the same path: links are followed.
func existing(flag, path string) (string, error) {
	_, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", failf("check the spelling; it is looked for from where you are", "%s: there is no folder %s", flag, path)
	case err != nil:
		return "", failf("check that you may read it", "%s: %w", flag, err)
	}
	return resolved(path)
}

// resolved is the absolute path without links, where it can be told.
func resolved(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real, nil
	}
	return abs, nil
}
