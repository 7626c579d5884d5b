package ingest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestIgnoreRules(t *testing.T) {
	tests := []struct {
		rules, name string
		dir, want   bool
	}{
		{"*.md", "a.md", false, true},
		{"*.md", "x/y/a.md", false, true},
		{"*.md\n!keep.md", "x/keep.md", false, false},
		{"!keep.md\n*.md", "keep.md", false, true},
		{"/a.md", "a.md", false, true},
		{"/a.md", "x/a.md", false, false},
		{"x/a.md", "y/x/a.md", false, false},
		{"build/", "build", true, true},
		{"build/", "build", false, false},
		{"build/", "x/build", true, true},
		{"**/tmp", "a/b/tmp", true, true},
		{"a/**/z", "a/z", false, true},
		{"a/**/z", "a/b/c/z", false, true},
		{"a/**", "a/b", false, true},
		{"a/**", "a", true, false},
		{"a?c", "abc", false, true},
		{"a?c", "a/c", false, false},
		{"[ab].md", "b.md", false, true},
		{"[!ab].md", "b.md", false, false},
		{"{a,b}.md", "a.md", false, false},
		{"{a,b}.md", "{a,b}.md", false, true},
		{`\#x`, "#x", false, true},
		{`\!x`, "!x", false, true},
		{"# x", "# x", false, false},
		{"x  ", "x", false, true},
		{`x\ `, "x ", false, true},
		{"foo**bar", "fooXbar", false, true},
		{"x\r\ny\r\n", "y", false, true},
		{"[", "[", false, false},
		{"/", "a", true, false},
	}
	for _, tt := range tests {
		r := &rules{own: parseIgnore(tt.rules)}
		if got := r.ignored(tt.name, tt.dir); got != tt.want {
			t.Errorf("rules %q: %s ignored = %v, want %v", tt.rules, tt.name, got, tt.want)
		}
	}
}

// ignoreTree has nested rules of all kinds.
var ignoreTree = map[string]string{
	".gitignore": "*.txt\n!important.txt\n/top.md\nbuild/\ndocs/**/gen\n\\#odd.md\nname with space.md\nsub/only.md\n*.[tT]mp.md\n",
	"a.txt":      "x", "important.txt": "x", "top.md": "x", "deep/top.md": "x", "build/x.md": "x", "deep/build/x.md": "x",
	"docs/gen/x.md": "x", "docs/a/b/gen/x.md": "x", "docs/a/ok.md": "x", "#odd.md": "x", "name with space.md": "x",
	"sub/only.md": "x", "deep/sub/only.md": "x", "x.tmp.md": "x", "x.Tmp.md": "x",
	"nested/.gitignore": "!a.txt\nlocal.md\n/anchored.md\n!build/\n", "nested/a.txt": "x", "nested/b.txt": "x", "nested/local.md": "x", "nested/in/local.md": "x",
	"nested/anchored.md": "x", "nested/in/anchored.md": "x", "nested/build/back.md": "x",
	"dir/.gitignore": "*\n!.gitignore\n!keep.md\n", "dir/keep.md": "x", "dir/lost.md": "x", "dir/in/keep.md": "x",
}

// TestIgnoreAgreesWithGit compares the walk with what git itself would track.
func TestIgnoreAgreesWithGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := folder(t, ignoreTree)
	for _, args := range [][]string{{"init", "-q"}, {"-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-standard"}} {
		cmd := exec.Command(git, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Skipf("git %v: %v", args, err)
		}
		if args[0] == "init" {
			continue
		}
		var want []string
		for name := range bytes.SplitSeq(bytes.TrimRight(out, "\x00"), []byte{0}) {
			if !strings.HasSuffix(string(name), ".gitignore") {
				want = append(want, "docs/"+string(name))
			}
		}
		slices.Sort(want)
		s := newMemStore()
		mustAdd(t, s, dir, nil)
		if got := s.ids(); !slices.Equal(got, want) {
			t.Errorf("documents\n%q, git has\n%q", got, want)
		}
	}
}

func TestIgnoreFilesOfTheWorkTreeAbove(t *testing.T) {
	dir := folder(t, map[string]string{
		".git/HEAD": "x", ".gitignore": "gen.md\n/part/in/out.md\n/other.md\npart/\n", ".assayignore": "draft*.md\n",
		"part/in/gen.md": "x", "part/in/out.md": "x", "part/in/other.md": "x", "part/in/draft1.md": "x", "part/in/ok.md": "x",
	})
	s := newMemStore()
	mustAdd(t, s, filepath.Join(dir, "part", "in"), nil)
	if got := s.ids(); !slices.Equal(got, []string{"in/ok.md", "in/other.md"}) {
		t.Errorf("documents %q", got)
	}
}

func TestHiddenFolders(t *testing.T) {
	dir := folder(t, map[string]string{
		".git/x.md": "x", ".hg/x.md": "x", ".cache/x.md": "x", ".venv/lib/x.md": "x", "CVS/x.md": "x", ".github/CONTRIBUTING.md": "x",
		"node_modules/p/README.md": "x", ".hidden.md": "x", "a.md": "x",
	})
	s := newMemStore()
	mustAdd(t, s, dir, nil)
	if got, want := s.ids(), []string{"docs/.github/CONTRIBUTING.md", "docs/a.md", "docs/node_modules/p/README.md"}; !slices.Equal(got, want) {
		t.Errorf("documents %q, want %q", got, want)
	}
}

func TestLinks(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, outside, map[string]string{"secret.md": "Secret."})
	dir := folder(t, map[string]string{"a.md": "A.", "v/one/x.md": "X.", ".built/page.md": "P.", "gen/y.md": "Y.", ".gitignore": "gen/\n", ".git/z.md": "Z."})
	links := map[string]string{
		"out": outside, "secret.md": filepath.Join(outside, "secret.md"), "latest": "v/one", "loop": ".", "v/up": "..", "b.md": "a.md",
		"self": "self", "gone.md": "nothing.md", "generated": "gen", "y2.md": filepath.Join(dir, "gen", "y.md"), "vcs": ".git", "built": ".built",
	}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	s := newMemStore()
	r := mustAdd(t, s, dir, nil)
	if got, want := s.ids(), []string{"docs/a.md", "docs/v/one/x.md"}; !slices.Equal(got, want) {
		t.Errorf("documents %q, want %q", got, want)
	}
	if len(r.Problems) != 0 || r.Skipped != len(links) || r.Skips[SkippedLink] != len(links) {
		t.Errorf("skipped %d: %v, problems %v", r.Skipped, r.Skips, r.Problems)
	}
	// The root itself may be a link, and is the same root by either name.
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	r = mustAdd(t, s, link, nil)
	if r.Unchanged != 2 || r.Added != 0 {
		t.Errorf("by a link: %s", counts(r))
	}
}
