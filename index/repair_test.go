package index

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
			report := salvaged(t, clean, n, rnd, all[len(all)/2])
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
		salvaged(t, clean, n, rnd, 2+rnd.IntN(len(clean)/4096-2), 2+rnd.IntN(len(clean)/4096-2))
	})
}

// salvaged damages pages of a copy of the index whole, of n documents, and salvages it.
func salvaged(t *testing.T, whole []byte, n int, rnd *rand.Rand, pages ...int) Salvaged {
	t.Helper()
	ctx := context.Background()
	dir := t.TempDir()
	data := slices.Clone(whole)
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

// TestSalvageFails has the last step of a Salvage fail: the damaged index is in its
// place again. A file of vectors that can't be removed is no reason to fail.
func TestSalvageFails(t *testing.T) {
	ctx := context.Background()
	dir := built(t, 5)
	path := filepath.Join(dir, FileName)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	x := &Index{path: path, mapped: mapped{path: vectorsPath(path)}}
	if err := x.exchange(filepath.Join(dir, "nothing"), path+".damaged-x"); err == nil {
		t.Fatal("there was nothing to put in its place")
	}
	if after, err := os.ReadFile(path); err != nil || !slices.Equal(before, after) {
		t.Errorf("the index isn't what it was: %v", err)
	}
	os.Remove(vectorsPath(path))
	if err := os.MkdirAll(filepath.Join(vectorsPath(path), "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	report, err := Salvage(ctx, dir, nil)
	if err != nil || report.Documents != 5 {
		t.Errorf("salvaged %+v, %v", report, err)
	}
	if left, _ := filepath.Glob(path + ".salvage*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestSalvageInterrupted kills a Salvage between its renames: nobody starts a new
// index in place of the one that is ready, and the next Salvage puts it there.
func TestSalvageInterrupted(t *testing.T) {
	ctx := context.Background()
	dir := built(t, 5)
	path := filepath.Join(dir, FileName)
	for from, to := range map[string]string{path: path + ".salvage", vectorsPath(path): path + "-wal"} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for _, date := range []string{"20260101-000000", "20260202-000000"} {
		if err := os.WriteFile(path+".damaged-"+date, []byte("damaged"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, readOnly := range []bool{false, true} {
		_, err := Open(ctx, dir, &Options{ReadOnly: readOnly})
		says(t, err, ErrDamaged, "call Salvage")
	}
	if err := os.WriteFile(path+".salvage-wal", []byte("log"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Salvage(ctx, dir, nil)
	says(t, err, ErrNotFound, "nothing to salvage") // that copy was never finished
	os.Remove(path + ".salvage-wal")
	report, err := Salvage(ctx, dir, nil)
	if err != nil || report.Documents != 5 || report.Kept != path+".damaged-20260202-000000" {
		t.Fatalf("salvaged %+v, %v", report, err)
	}
	if _, err := os.Stat(report.Kept + "-wal"); err != nil {
		t.Error("the log of the damaged file isn't kept with it:", err)
	}
	x := open(t, dir)
	check(t, x)
	if stats, err := x.Stats(ctx, ""); err != nil || stats.Documents != 5 {
		t.Errorf("the index has %+v, %v", stats, err)
	}
}

// TestTextChanged changes a letter of a text, which SQLite can't notice: Check does,
// and a salvaged document is read again when its folder is added again.
func TestTextChanged(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	x := open(t, dir)
	handbook(t, x)
	check(t, x)
	const change = `UPDATE texts SET data = CAST(replace(CAST(data AS TEXT), 'sixteen', 'sixty-n') AS BLOB)`
	if err := x.writer.exec(ctx, change); err != nil {
		t.Fatal(err)
	}
	says(t, x.Check(ctx), ErrDamaged, "the text of 1 documents isn't what was stored")
	file := filepath.Join(t.TempDir(), "x.assay")
	says(t, x.Export(ctx, file), ErrDamaged, "isn't what was stored")
	x.Close()
	report, err := Salvage(ctx, dir, nil)
	if err != nil || report.Changed != 1 || report.Documents != 4 {
		t.Fatalf("salvaged %+v, %v", report, err)
	}
	x = open(t, dir)
	check(t, x)
	var again int
	if err := x.writer.row(ctx, []any{&again}, `SELECT count(*) FROM documents WHERE stamp = ''`); err != nil || again != 1 {
		t.Errorf("%d documents are read again, %v", again, err)
	}
	if err := x.writer.exec(ctx, `UPDATE documents SET sum = NULL`); err != nil {
		t.Fatal(err)
	}
	check(t, x) // as an earlier version put them
}
