package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
)

func TestOpenRefuses(t *testing.T) {
	ctx := context.Background()
	file := func(t *testing.T, data string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	ours := func(t *testing.T, sql string) string {
		dir := t.TempDir()
		x := open(t, dir)
		handbook(t, x)
		if err := x.writer.exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
		x.Close()
		return dir
	}
	for _, test := range []struct {
		name     string
		dir      func(t *testing.T) string
		readOnly bool
		kind     error
		hint     string
	}{
		{"nothing there", func(t *testing.T) string { return t.TempDir() }, true, ErrNotFound, "add documents first"},
		{"an empty file, to read", func(t *testing.T) string { return file(t, "") }, true, ErrNotFound, "the index is empty"},
		{"text", func(t *testing.T) string { return file(t, strings.Repeat("not a database\n", 300)) }, false, ErrNotIndex, "another folder"},
		{"short text", func(t *testing.T) string { return file(t, "x") }, false, ErrNotIndex, "another folder"},
		{"a folder of that name", func(t *testing.T) string {
			dir := t.TempDir()
			os.Mkdir(filepath.Join(dir, FileName), 0o777)
			return dir
		}, false, ErrNotIndex, "another folder"},
		{"a file for a folder", func(t *testing.T) string { return filepath.Join(file(t, "x"), FileName) }, false, ErrNotIndex, "another folder"},
		{"another program's", func(t *testing.T) string { return ours(t, "PRAGMA application_id = 7") }, false, ErrNotIndex, "another program"},
		{"a newer one", func(t *testing.T) string { return ours(t, "PRAGMA user_version = 99") }, false, ErrVersion, "newer assay"},
		{"a newer one, to read", func(t *testing.T) string { return ours(t, "PRAGMA user_version = 99") }, true, ErrVersion, "newer assay"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := test.dir(t)
			before, _ := os.ReadFile(filepath.Join(dir, FileName))
			x, err := Open(ctx, dir, &Options{ReadOnly: test.readOnly})
			if err == nil {
				x.Close()
				t.Fatal("it opens")
			}
			says(t, err, test.kind, test.hint)
			if !strings.Contains(err.Error(), dir) {
				t.Errorf("the error %q doesn't say where", err)
			}
			after, _ := os.ReadFile(filepath.Join(dir, FileName))
			if string(before) != string(after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestOddFolderNames(t *testing.T) {
	for _, name := range []string{"a b", "what?mode=memory", "50%41", "x#y", "ümlaut", "a&b=c", "-"} {
		dir := filepath.Join(t.TempDir(), name)
		x := open(t, dir)
		handbook(t, x)
		if _, err := os.Stat(filepath.Join(dir, FileName)); err != nil {
			t.Error(err)
		}
		if got := finds(t, x, "parental"); got != "handbook/leave.md" {
			t.Errorf("in %q parental finds %q", name, got)
		}
	}
}

func TestReadOnly(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := open(t, dir)
	handbook(t, x)
	r, err := Open(ctx, dir, &Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := finds(t, r, "parental"); got != "handbook/leave.md" {
		t.Errorf("parental finds %q", got)
	}
	put(t, x, map[string]string{"handbook/new.md": "Umbrellas."})
	if got := finds(t, r, "umbrellas"); got != "handbook/new.md" {
		t.Errorf("what was written since finds %q", got)
	}
	says(t, r.Put(ctx, "", "handbook", nil, nil), ErrReadOnly, "to write")
	says(t, r.Remove(ctx, "", "handbook", []string{"handbook/new.md"}), ErrReadOnly, "to write")
	_, err = r.Root(ctx, "", "/srv/other")
	says(t, err, ErrReadOnly, "to write")
}

// TestFull lets the disk run full in the middle of a write.
func TestFull(t *testing.T) {
	ctx := context.Background()
	x := open(t, t.TempDir())
	handbook(t, x)
	var pages int
	if err := x.writer.row(ctx, []any{&pages}, "PRAGMA page_count"); err != nil {
		t.Fatal(err)
	}
	if err := x.writer.row(ctx, []any{&pages}, fmt.Sprintf("PRAGMA max_page_count = %d", pages+20)); err != nil {
		t.Fatal(err)
	}
	d, p := newSynth(3, 5000).document(0, 400)
	d.ID = "handbook/leave.md"
	err := x.Put(ctx, "", "handbook", []assay.Document{d}, [][]assay.Passage{p})
	says(t, err, ErrFull, "make room")
	if got := finds(t, x, "parental"); got != "handbook/leave.md" {
		t.Errorf("after a full disk parental finds %q", got)
	}
	check(t, x)
	if err := x.writer.row(ctx, []any{&pages}, "PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if err := x.Put(ctx, "", "handbook", []assay.Document{d}, [][]assay.Passage{p}); err != nil {
		t.Fatalf("with room again: %v", err)
	}
	check(t, x)
}

// TestFullEmbedding lets the disk run full while vectors are stored.
func TestFullEmbedding(t *testing.T) {
	ctx := context.Background()
	x := openWith(t, t.TempDir(), &indextest.Embedder{Size: 1024})
	fill(t, x, newSynth(3, 500), 100)
	var pages int
	if err := x.writer.row(ctx, []any{&pages}, "PRAGMA page_count"); err != nil {
		t.Fatal(err)
	}
	if err := x.writer.row(ctx, []any{&pages}, fmt.Sprintf("PRAGMA max_page_count = %d", pages+40)); err != nil {
		t.Fatal(err)
	}
	says(t, x.Embed(ctx, nil), ErrFull, "make room")
	left, err := x.Pending(ctx)
	if err != nil || left == 0 || left == 400 {
		t.Errorf("%d of 400 passages are left, %v", left, err)
	}
	check(t, x)
	if err := x.writer.row(ctx, []any{&pages}, "PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	embed(t, x)
	pends(t, x, 0)
	check(t, x)
}

// TestNoVectorFile can't write the mapped file: what is stored in the table is
// found all the same.
func TestNoVectorFile(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := openWith(t, dir, &indextest.Embedder{})
	handbook(t, x)
	embed(t, x)
	x.Close()
	os.Remove(vectorsPath(x.path))
	if err := os.MkdirAll(filepath.Join(vectorsPath(x.path), "in the way"), 0o777); err != nil {
		t.Fatal(err)
	}
	x = openWith(t, dir, &indextest.Embedder{})
	for range 2 {
		found, err := x.Retrieve(ctx, assay.Search{Words: "parentality", K: 1})
		if err != nil || found.Short != "" || len(found.Passages) != 1 || found.Passages[0].Document != "handbook/leave.md" {
			t.Errorf("parentality finds %+v, %v", found, err)
		}
	}
	if err := x.Embed(ctx, nil); err == nil || !strings.Contains(err.Error(), VectorsName) {
		t.Errorf("embedding says %v", err)
	}
	says(t, x.Check(ctx), ErrDamaged, "isn't a file")
}

// TestFirstVersion opens an index of version 1, which had no vectors.
func TestFirstVersion(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := open(t, dir)
	handbook(t, x)
	if err := x.writer.exec(ctx, "DROP TABLE vectors; DROP TABLE embedding; DROP INDEX documents_passages; PRAGMA user_version = 1"); err != nil {
		t.Fatal(err)
	}
	x.Close()
	_, err := Open(ctx, dir, &Options{ReadOnly: true})
	says(t, err, ErrVersion, "it has version 1 and this program reads 2; open it once for writing")
	x = openWith(t, dir, &indextest.Embedder{})
	check(t, x)
	if got := finds(t, x, "parental"); got != "handbook/leave.md" {
		t.Errorf("parental finds %q", got)
	}
	pends(t, x, 5)
	embed(t, x)
	check(t, x)
}

func TestBusy(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x, y := open(t, dir), open(t, dir)
	handbook(t, x)
	if err := y.writer.exec(ctx, "PRAGMA busy_timeout = 20"); err != nil {
		t.Fatal(err)
	}
	err := x.write(ctx, func(*session) error {
		return y.Remove(ctx, "", "handbook", []string{"handbook/leave.md"})
	})
	says(t, err, ErrBusy, "try again")
}

// TestWordsDamaged damages the full-text table alone, in two ways: the index
// heals itself.
func TestWordsDamaged(t *testing.T) {
	ctx := context.Background()
	for name, damage := range map[string]string{
		"overwritten": "UPDATE words_data SET block = zeroblob(40) WHERE id > 1; UPDATE words_data SET block = x'ffffffff' WHERE id = 10",
		"dropped":     "DROP TABLE words_idx; DROP TABLE words_data",
		"gone":        "DROP TABLE words",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			x := open(t, dir)
			handbook(t, x)
			if err := x.writer.exec(ctx, damage); err != nil {
				t.Fatal(err)
			}
			x.Close()
			x = open(t, dir)
			if got := finds(t, x, "parental"); got != "handbook/leave.md" {
				t.Errorf("parental finds %q", got)
			}
			put(t, x, map[string]string{"handbook/new.md": "Umbrellas."})
			if got := finds(t, x, "umbrellas"); got != "handbook/new.md" {
				t.Errorf("umbrellas finds %q", got)
			}
			check(t, x)
		})
	}
}

func TestRebuild(t *testing.T) {
	ctx := context.Background()
	x := open(t, t.TempDir())
	handbook(t, x)
	if err := x.writer.exec(ctx, "DELETE FROM terms; DELETE FROM aliases; UPDATE passages SET terms = x''; UPDATE collections SET passages = 77"); err != nil {
		t.Fatal(err)
	}
	says(t, x.Check(ctx), ErrDamaged, "Rebuild")
	if err := x.Rebuild(ctx); err != nil {
		t.Fatal(err)
	}
	check(t, x)
	if got := finds(t, x, "parental"); got != "handbook/leave.md" {
		t.Errorf("parental finds %q", got)
	}
	related, err := x.Related(ctx, "", "VPN")
	if err != nil || len(related["vpn"]) != 1 {
		t.Errorf("VPN is related to %v, %v", related, err)
	}
	n, counts, err := x.Frequencies(ctx, "", []string{"day"})
	if err != nil || n != 5 || counts[0] != 2 {
		t.Errorf("day is in %v of %d passages, %v", counts, n, err)
	}
}

// TestSalvage overwrites pages of the file, of each table in turn and anywhere:
// what can be read is kept, and what is lost is named.
func TestSalvage(t *testing.T) {
	ctx := context.Background()
	const n = 120
	whole := t.TempDir()
	x := open(t, whole)
	fill(t, x, newSynth(5, 1000), n)
	pages := map[string][]int{}
	if err := x.writer.rows(ctx, func(scan func(...any) error) error {
		var name string
		var page int
		err := scan(&name, &page)
		pages[name] = append(pages[name], page)
		return err
	}, "SELECT name, pageno FROM dbstat WHERE pagetype = 'leaf' AND pageno > 1 ORDER BY name, pageno"); err != nil {
		t.Fatal(err)
	}
	x.Close()
	clean, err := os.ReadFile(filepath.Join(whole, FileName))
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(11, 0))
	salvage := func(t *testing.T, pages ...int) Salvaged {
		t.Helper()
		dir := t.TempDir()
		data := append([]byte(nil), clean...)
		for _, page := range pages {
			for i := range 4096 {
				data[(page-1)*4096+i] = byte(rnd.Uint32())
			}
		}
		if err := os.WriteFile(filepath.Join(dir, FileName), data, 0o666); err != nil {
			t.Fatal(err)
		}
		report, err := Salvage(ctx, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if kept, err := os.ReadFile(report.Kept); err != nil || string(kept) != string(data) {
			t.Errorf("the damaged file isn't kept as it was: %v", err)
		}
		x := open(t, dir)
		check(t, x)
		stats, err := x.Stats(ctx, "")
		if err != nil || stats.Documents != report.Documents || report.Documents+len(report.Lost) != n {
			t.Errorf("the new index has %+v, %v, and %d of %d are lost", stats, err, len(report.Lost), n)
		}
		return report
	}
	for _, test := range []struct {
		table       string
		lost, recut bool
	}{
		{"words_data", false, false}, {"terms", false, false}, {"terms_term", false, false}, {"roots", false, false},
		{"state", false, false}, {"passages", false, true}, {"texts", true, false}, {"documents", false, true},
		{"documents_name", false, false}, {"documents_root", false, false},
	} {
		t.Run(test.table, func(t *testing.T) {
			all := pages[test.table]
			report := salvage(t, all[len(all)/2])
			if (len(report.Lost) > 0) != test.lost || (report.Recut > 0) != test.recut || len(report.Lost) > n/4 {
				t.Errorf("lost %q, recut %d", report.Lost, report.Recut)
			}
			for _, name := range report.Lost {
				if !strings.HasPrefix(name, "root/") {
					t.Errorf("what is lost is named %q", name)
				}
			}
		})
	}
	t.Run("anywhere", func(t *testing.T) {
		salvage(t, 2+rnd.IntN(len(clean)/4096-2), 2+rnd.IntN(len(clean)/4096-2))
	})
}

func TestSalvageNothing(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	_, err := Salvage(ctx, dir, nil)
	says(t, err, ErrNotFound, "nothing to salvage")
	path := filepath.Join(dir, FileName)
	if err := os.WriteFile(path, []byte(strings.Repeat("garbage ", 2000)), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = Salvage(ctx, dir, nil)
	says(t, err, ErrDamaged, "add the folders again")
	if _, err := os.Stat(path); err != nil {
		t.Error("the file is gone")
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	x := open(t, t.TempDir())
	handbook(t, x)
	cancel()
	_, err := x.Retrieve(ctx, assay.Search{Words: "parental"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search says %v", err)
	}
	if err := x.Rebuild(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled rebuild says %v", err)
	}
	if got := finds(t, x, "parental"); got != "handbook/leave.md" {
		t.Errorf("after that, parental finds %q", got)
	}
	x.Close()
	if _, err := x.Retrieve(context.Background(), assay.Search{Words: "parental"}); err == nil {
		t.Error("a closed index is searched")
	}
	if err := x.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}
