package main

import (
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// hostileText steers a terminal in every way that clean knows.
const hostileText = "\x1b]0;owned\x07\x1b[31mred\x1b[0m \u009b2J \u202egnp.exe\u202c \u2066x\u2069 bell\x07 back\b del\x7f nul\x00 cr\rover \U000E0041tag \ufeffbom \u2028sep"

func TestNothingHostileReachesTheTerminal(t *testing.T) {
	inFile := strings.ReplaceAll(hostileText, "\x00", "") // a file with it is not text
	docs := folderOf(t, map[string]string{
		"evil.md":          "---\ntitle: \"Evil \x1b[2J title\u202e\"\n---\n# Launch codes " + inFile + "\n\nThe launch code of the blue rocket is 1234 " + inFile + ".\n",
		"evil-\x1b[31m.md": "# Red rocket\n\nThe launch code of the red rocket is 9876.\n",
	})
	e := newTester(t)
	e.outTerminal, e.errTerminal, e.width = true, true, 80
	e.vars["NO_COLOR"] = "1" // without colours every ESC is somebody else's
	for _, args := range [][]string{
		{"ask", "--docs", docs, "What is the launch code of the blue rocket?"},
		{"ask", "--trace", "--docs", docs, "What is the launch code of the red rocket?"},
		{"ask", "--json", "--docs", docs, "What is the launch code of the blue rocket?"},
		{"ask", "--docs", docs, "Who painted the Mona Lisa in Florence? " + hostileText},
		{"search", "--docs", docs, "launch code rocket"},
		{"list", "--docs", docs},
		{"list", "--json", "--docs", docs},
		{"show", "--docs", docs, "evil.md"},
		{"show", "--json", "--docs", docs, "evil.md"},
	} {
		out, errs := e.run(t, exitOK, args...)
		wantHarmless(t, args, out)
		wantHarmless(t, args, errs)
	}
	_, errs := e.run(t, exitError, "show", "--docs", docs, "no"+hostileText)
	wantHarmless(t, []string{"show"}, errs)
	_, errs = e.run(t, exitMisuse, "ask", "--"+hostileText)
	wantHarmless(t, []string{"ask"}, errs)
}

func wantHarmless(t *testing.T, args []string, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("assay %q: not UTF-8", args)
	}
	for _, r := range text {
		if hostile(r) {
			t.Errorf("assay %q wrote %U:\n%q", args[:len(args)-1], r, text)
			return
		}
	}
}

func TestShowToAPipeIsExact(t *testing.T) {
	text := "# A\n\nfoo\u202ebar \u0007 end"
	docs := folderOf(t, map[string]string{"a.md": text})
	e := newTester(t)
	whole, _ := e.run(t, exitOK, "show", "--docs", docs, "a.md")
	part, _ := e.run(t, exitOK, "show", "--docs", docs, "--at", "5:14", "a.md")
	if part != whole[5:14] || !strings.Contains(part, "\u202e") {
		t.Errorf("bytes 5:14 are %q, shown %q", whole[5:14], part)
	}
}

func TestColoursAndWidth(t *testing.T) {
	docs := folderOf(t, map[string]string{"leave.md": "# Leave policy\n\nParents get 26 weeks of paid parental leave after the birth of a child, and their managers are told of it eight weeks ahead by the parents.\n"})
	e := newTester(t)
	args := []string{"ask", "--docs", docs, "How many weeks of paid parental leave do parents get?"}
	if out, errs := e.run(t, exitOK, args...); strings.Contains(out+errs, "\x1b") {
		t.Errorf("colours without a terminal: %q", out)
	}
	e.outTerminal, e.width = true, 40
	out, _ := e.run(t, exitOK, args...)
	if !strings.Contains(out, "\x1b[1mSources\x1b[0m") || !strings.Contains(out, "\x1b[36m[1]\x1b[0m") {
		t.Errorf("no colours on a terminal: %q", out)
	}
	for _, line := range strings.Split(withoutSequences(out), "\n") {
		if runewidth.StringWidth(line) > 40 && strings.Contains(strings.TrimSpace(line), " ") && !strings.Contains(line, "assay show") {
			t.Errorf("wider than 40 columns: %q", line)
		}
	}
}

// withoutSequences takes out the screen's own colours.
func withoutSequences(s string) string {
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			return s
		}
		s = s[:i] + s[i+strings.IndexByte(s[i:], 'm')+1:]
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"two words", 5, "two|words"},
		{"exactly ten", 11, "exactly ten"},
		{"a bb ccc dddd", 4, "a bb|ccc|dddd"},
		{"abcdefghij", 4, "abcd|efgh|ij"},
		{"ab    cd", 4, "ab|cd"},
		{"日本語のテキスト", 6, "日本語|のテキ|スト"},
		{"see 日本語", 8, "see 日本|語"},
		{"| a table row | stays |", 5, "| a table row | stays |"},
		{"anything", 0, "anything"},
		{"", 5, ""},
	} {
		var got []string
		for _, row := range wrap(rowsOf([]span{plain(c.text)})[0], c.width) {
			var b strings.Builder
			for _, c := range row {
				b.WriteRune(c.r)
			}
			got = append(got, b.String())
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.text, c.width, strings.Join(got, "|"), c.want)
		}
	}
}

func TestProgress(t *testing.T) {
	e := newTester(t)
	bar := e.newProgress("docs")
	bar.started = time.Now().Add(-time.Hour)
	bar.update(10, 20, "1/2 files")
	bar.end()
	if e.err.Len() > 0 {
		t.Errorf("a bar without a terminal: %q", e.err.String())
	}
	e.errTerminal = true
	quick := e.newProgress("docs")
	quick.update(10, 20, "1/2 files")
	quick.end()
	if e.err.Len() > 0 {
		t.Errorf("a bar for what is done at once: %q", e.err.String())
	}
	out, in := io.Pipe()
	e.stderr = in
	slow := e.newProgress("docs\x1b[2J")
	slow.started = time.Now().Add(-time.Hour)
	go func() {
		slow.update(10, 20, "1/2 files")
		time.Sleep(500 * time.Millisecond)
		slow.end()
		in.Close()
	}()
	drawn, err := io.ReadAll(out)
	if err != nil || !strings.Contains(string(drawn), "1/2 files") || !strings.Contains(string(drawn), "h0m0s left") || strings.Contains(string(drawn), "docs\x1b[2J") {
		t.Errorf("no bar on a terminal: %q, %v", drawn, err)
	}
}

func FuzzClean(f *testing.F) {
	f.Add(hostileText)
	f.Add("plain\ntext\tand ümläut")
	f.Add("\xff\xfe broken")
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, hostile) {
			t.Errorf("clean(%q) = %q", s, got)
		}
		if again := clean(got); again != got {
			t.Errorf("clean twice: %q, then %q", got, again)
		}
		if strings.ContainsRune(cleanLine(s), '\n') {
			t.Errorf("cleanLine(%q) has a newline", s)
		}
	})
}
