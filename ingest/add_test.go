package ingest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// write makes files below dir, old enough for their times to be relied on.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	for name, content := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(p, old, old); err != nil {
			t.Fatal(err)
		}
	}
}

// folder returns a new folder named docs with the files in it.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "docs")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir, files)
	return dir
}

func mustAdd(t testing.TB, s Store, dir string, opts *Options) Report {
	t.Helper()
	r, err := Add(t.Context(), s, "c", dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// counts is a report without its problems' words.
func counts(r Report) string {
	return fmt.Sprintf("+%d ~%d =%d -%d skip %d problems %d", r.Added, r.Updated, r.Unchanged, r.Removed, r.Skipped, len(r.Problems))
}

func wantCounts(t testing.TB, r Report, want string) {
	t.Helper()
	if got := counts(r); got != want {
		t.Errorf("report %s, want %s; problems %v", got, want, r.Problems)
	}
}

func TestAddIncremental(t *testing.T) {
	dir := folder(t, map[string]string{"a.md": "# A\n\nOne.", "sub/b.txt": "Two.", "README": "Three.", "x.go": "package x", "i.png": "\x89PNG"})
	s := newMemStore()
	r := mustAdd(t, s, dir, nil)
	wantCounts(t, r, "+3 ~0 =0 -0 skip 2 problems 0")
	if want := map[string]int{".go": 1, ".png": 1}; !maps.Equal(r.Skips, want) {
		t.Errorf("skips %v, want %v", r.Skips, want)
	}
	if got, want := s.ids(), []string{"docs/README", "docs/a.md", "docs/sub/b.txt"}; !slices.Equal(got, want) {
		t.Errorf("documents %q, want %q", got, want)
	}
	if r.Passages != 3 || len(s.passages["docs/a.md"]) != 1 || s.passages["docs/a.md"][0].Document != "docs/a.md" {
		t.Errorf("passages %d %v", r.Passages, s.passages)
	}
	if d := s.doc("docs/a.md"); d.DateFrom != "mtime" || d.Date.IsZero() {
		t.Errorf("date %v from %q", d.Date, d.DateFrom)
	}

	wantCounts(t, mustAdd(t, s, dir, nil), "+0 ~0 =3 -0 skip 2 problems 0")

	// The same size and time: not even opened, so a change isn't seen.
	write(t, dir, map[string]string{"a.md": "# A\n\nOnf."})
	old := readStamp(t, s, "docs/a.md")
	sameTime := time.Unix(0, old)
	if err := os.Chtimes(filepath.Join(dir, "a.md"), sameTime, sameTime); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, mustAdd(t, s, dir, nil), "+0 ~0 =3 -0 skip 2 problems 0")

	// Another time and content; another time alone; gone; new.
	write(t, dir, map[string]string{"a.md": "# A\n\nChanged.", "new.md": "New."})
	later := time.Now().Add(-time.Minute)
	if err := os.Chtimes(filepath.Join(dir, "README"), later, later); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "sub", "b.txt")); err != nil {
		t.Fatal(err)
	}
	puts := s.puts
	wantCounts(t, mustAdd(t, s, dir, nil), "+1 ~1 =1 -1 skip 2 problems 0")
	if s.puts != puts+1 {
		t.Errorf("%d puts for two documents", s.puts-puts)
	}
	if got := s.doc("docs/a.md").Text; got != "# A\n\nChanged." {
		t.Errorf("text %q", got)
	}
	if got := readStamp(t, s, "docs/README"); got != later.UnixNano() {
		t.Errorf("README was not restamped: %d, want %d", got, later.UnixNano())
	}

	// Newly ignored files go.
	write(t, dir, map[string]string{".assayignore": "new.md\n"})
	wantCounts(t, mustAdd(t, s, dir, nil), "+0 ~0 =2 -1 skip 2 problems 0")
}

func readStamp(t *testing.T, s *memStore, id string) (mtime int64) {
	t.Helper()
	var version, hash string
	var size int64
	if _, err := fmt.Sscan(s.doc(id).Stamp, &version, &size, &mtime, &hash); err != nil {
		t.Fatal(err)
	}
	return mtime
}

func TestRecentTimesAreNotTrusted(t *testing.T) {
	dir := folder(t, nil)
	p := filepath.Join(dir, "a.md")
	if err := os.WriteFile(p, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(p)
	if err != nil {
		t.Fatal(err)
	}
	s := newMemStore()
	mustAdd(t, s, dir, nil)
	// A second write within the clock's grain leaves size and time as they were.
	if err := os.WriteFile(p, []byte("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(p, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, mustAdd(t, s, dir, nil), "+0 ~1 =0 -0 skip 0 problems 0")
}

func TestAddSingleFile(t *testing.T) {
	dir := folder(t, map[string]string{"a.md": "One.", "b.md": "Two.", "c.pdf": "%PDF-", ".gitignore": "*"})
	s := newMemStore()
	wantCounts(t, mustAdd(t, s, filepath.Join(dir, "a.md"), nil), "+1 ~0 =0 -0 skip 0 problems 0")
	if got := s.ids(); !slices.Equal(got, []string{"a.md"}) {
		t.Errorf("documents %q", got)
	}
	wantCounts(t, mustAdd(t, s, filepath.Join(dir, "a.md"), nil), "+0 ~0 =1 -0 skip 0 problems 0")
	wantCounts(t, mustAdd(t, s, filepath.Join(dir, "c.pdf"), nil), "+0 ~0 =0 -0 skip 1 problems 1")
}

func TestAddEmptyMissingAndBadOptions(t *testing.T) {
	s := newMemStore()
	wantCounts(t, mustAdd(t, s, folder(t, nil), nil), "+0 ~0 =0 -0 skip 0 problems 0")
	if _, err := Add(t.Context(), s, "c", filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	if _, err := Add(t.Context(), s, "c", ".", &Options{Workers: -1}); err == nil {
		t.Error("Workers -1 was accepted")
	}
}

func TestAddProblems(t *testing.T) {
	dir := folder(t, map[string]string{
		"good.md": "Good.", "big.md": strings.Repeat("x ", 1500), "bin.md": "a\x00b", "blob": "\x7fELF\x00", "script": "#!/bin/sh\necho", "bad.txt": "caf\xe9 na\xefve",
	})
	s := newMemStore()
	r := mustAdd(t, s, dir, &Options{MaxFile: 2000})
	wantCounts(t, r, "+2 ~0 =0 -0 skip 3 problems 1")
	if p := r.Problems[0]; !strings.HasSuffix(p.Path, "big.md") || !strings.Contains(p.Why, "3000 bytes") || !strings.Contains(p.Why, "MaxFile") {
		t.Errorf("problem %+v", p)
	}
	if got := s.doc("docs/bad.txt").Text; got != "café naïve" {
		t.Errorf("text %q", got)
	}
	wantCounts(t, mustAdd(t, s, dir, nil), "+1 ~0 =2 -0 skip 3 problems 0")
	// Too large now: what was indexed stays.
	write(t, dir, map[string]string{"big.md": strings.Repeat("y ", 2000)})
	r = mustAdd(t, s, dir, &Options{MaxFile: 2000})
	wantCounts(t, r, "+0 ~0 =2 -0 skip 3 problems 1")
	if !strings.Contains(r.Problems[0].Why, "stays") || s.doc("docs/big.md").Text == "" {
		t.Errorf("problem %+v, documents %q", r.Problems[0], s.ids())
	}
}

func TestAddNoPermission(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("permissions don't hold here")
	}
	dir := folder(t, map[string]string{"a.md": "A.", "b.md": "B.", "sub/c.md": "C."})
	s := newMemStore()
	wantCounts(t, mustAdd(t, s, dir, nil), "+3 ~0 =0 -0 skip 0 problems 0")
	write(t, dir, map[string]string{"b.md": "Other."})
	for name, mode := range map[string]os.FileMode{"b.md": 0, "sub": 0} {
		p := filepath.Join(dir, name)
		if err := os.Chmod(p, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(p, 0o755) })
	}
	wantCounts(t, mustAdd(t, s, dir, nil), "+0 ~0 =1 -0 skip 0 problems 2")
	if len(s.ids()) != 3 {
		t.Errorf("documents %q", s.ids())
	}
}

func TestUnseenFoldersKeepTheirDocuments(t *testing.T) {
	s := newMemStore()
	dir := folder(t, map[string]string{"a.md": "A.", "sub/c.md": "C.", "subway.md": "S."})
	mustAdd(t, s, dir, nil)
	a := &adder{store: s, collection: "c", key: "docs", kept: map[string]bool{"docs/a.md": true}}
	a.stamps, _ = s.Stamps(t.Context(), "c", "docs")
	if err := a.remove(t.Context(), &walker{unseen: []string{"sub/"}}); err != nil {
		t.Fatal(err)
	}
	if got := s.ids(); !slices.Equal(got, []string{"docs/a.md", "docs/sub/c.md"}) {
		t.Errorf("documents %q", got)
	}
}

func TestFileThatChanges(t *testing.T) {
	dir := folder(t, map[string]string{"a.md": "before"})
	p := filepath.Join(dir, "a.md")
	f, err := os.OpenFile(p, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	a := &adder{}
	if _, err := a.atRest(f, before, []byte("before")); err != nil {
		t.Errorf("at rest: %v", err)
	}
	if _, err := f.WriteAt([]byte("behind"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := a.atRest(f, before, []byte("before")); !errors.Is(err, errChanged) {
		t.Errorf("written to: %v", err)
	}
}

func TestAddResumesAfterCancel(t *testing.T) {
	files := make(map[string]string)
	for i := range 200 {
		files[fmt.Sprintf("f%03d.md", i)] = fmt.Sprintf("# File %d\n\nText of it.", i)
	}
	dir := folder(t, files)
	s := newMemStore()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Add(ctx, s, "c", dir, &Options{Workers: 2, Progress: func(p Progress) {
		if p.Done == 100 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if r.Added != batchDocs || len(s.ids()) != batchDocs {
		t.Errorf("added %d, stored %d, want the first batch of %d", r.Added, len(s.ids()), batchDocs)
	}
	wantCounts(t, mustAdd(t, s, dir, nil), fmt.Sprintf("+%d ~0 =%d -0 skip 0 problems 0", 200-batchDocs, batchDocs))
}

func TestAddFullDisk(t *testing.T) {
	files := make(map[string]string)
	for i := range 100 {
		files[fmt.Sprintf("f%03d.md", i)] = "Text."
	}
	dir := folder(t, files)
	for _, cause := range []error{&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, errors.New("database or disk is full (13)")} {
		s := newMemStore()
		s.failPut = func(n int) error {
			if n > 1 {
				return cause
			}
			return nil
		}
		_, err := Add(t.Context(), s, "c", dir, nil)
		if err == nil || !strings.Contains(err.Error(), "the disk is full") || !strings.Contains(err.Error(), "add the folder again") || !errors.Is(err, cause) {
			t.Errorf("error %v", err)
		}
		if len(s.ids()) != batchDocs {
			t.Errorf("%d documents kept, want %d", len(s.ids()), batchDocs)
		}
	}
}

func TestAddOrderAndProgress(t *testing.T) {
	files := make(map[string]string)
	for i := range 150 {
		files[fmt.Sprintf("%03d.md", i)] = strings.Repeat("word ", (i*7919)%5000)
	}
	dir := folder(t, files)
	var seen []Progress
	s := newMemStore()
	mustAdd(t, s, dir, &Options{Workers: 8, Progress: func(p Progress) { seen = append(seen, p) }})
	if len(seen) != 150 || seen[149].Done != 150 || seen[149].Files != 150 || seen[149].BytesDone != seen[149].BytesInFull {
		t.Errorf("progress %d, last %+v", len(seen), seen[len(seen)-1])
	}
	if !slices.IsSortedFunc(seen, func(a, b Progress) int { return strings.Compare(a.Path, b.Path) }) {
		t.Error("files were not taken in order")
	}
}

func TestAddMaxFilesRemovesNothing(t *testing.T) {
	dir := folder(t, map[string]string{"a.md": "A.", "b.md": "B.", "c.md": "C."})
	s := newMemStore()
	mustAdd(t, s, dir, nil)
	wantCounts(t, mustAdd(t, s, dir, &Options{MaxFiles: 2}), "+0 ~0 =2 -0 skip 0 problems 1")
	if len(s.ids()) != 3 {
		t.Errorf("documents %q", s.ids())
	}
}

func TestAddSkipsFilesWithoutWords(t *testing.T) {
	dir := folder(t, map[string]string{"a.md": "A.", "b.txt": "Words at first.", "empty.md": ""})
	s := newMemStore()
	wantCounts(t, mustAdd(t, s, dir, nil), "+3 ~0 =0 -0 skip 0 problems 0")
	write(t, dir, map[string]string{"b.txt": strings.Repeat("x", 50_000)})
	r := mustAdd(t, s, dir, nil)
	wantCounts(t, r, "+0 ~0 =2 -1 skip 1 problems 0")
	if r.Skips[SkippedWordless] != 1 {
		t.Errorf("skips %v", r.Skips)
	}
}

func TestRulesVersionReindexes(t *testing.T) {
	f := file{data: []byte("x"), modified: time.Unix(5, 0)}
	stamp := f.stamp()
	if !sameFile(stamp, 1, 5e9) || sameFile(stamp, 2, 5e9) || sameFile(stamp, 1, 6e9) || sameFile("", 0, 0) || sameFile("0"+stamp, 1, 5e9) {
		t.Errorf("sameFile is wrong about %q", stamp)
	}
	if !sameContent(stamp, stamp) || sameContent("0"+stamp, stamp) || sameContent("", stamp) {
		t.Errorf("sameContent is wrong about %q", stamp)
	}
}

func TestAddLargeFilesWithinMemoryBound(t *testing.T) {
	files := make(map[string]string)
	for i := range 12 {
		files[fmt.Sprintf("%02d.txt", i)] = strings.Repeat("A sentence of some words. ", 80_000)
	}
	dir := folder(t, files)
	s := newMemStore()
	r := mustAdd(t, s, dir, &Options{Workers: 4})
	wantCounts(t, r, "+12 ~0 =0 -0 skip 0 problems 0")
	if s.puts < 4 {
		t.Errorf("%d puts for 24 MB: batches aren't bounded by size", s.puts)
	}
}

func TestDocumentsAreDeterministic(t *testing.T) {
	dir := folder(t, map[string]string{"a.md": "---\nb: 1\na: 2\n---\n# T\n\nText.", "b.html": "<title>x</title><p>Text of b.</p>"})
	a, b := newMemStore(), newMemStore()
	mustAdd(t, a, dir, &Options{Workers: 1})
	mustAdd(t, b, dir, &Options{Workers: 7})
	if !reflect.DeepEqual(a.docs, b.docs) || !reflect.DeepEqual(a.passages, b.passages) {
		t.Error("two runs differ")
	}
}
