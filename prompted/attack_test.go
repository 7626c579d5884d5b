package prompted

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay"
)

// attack is a text that tries to be more than text. {question} in it stands for the
// question asked: the worst case, an author who knows it.
type attack struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // passage, claim or answer: where such a text would stand
	Text string `json:"text"`
}

func attacks(t *testing.T) []attack {
	t.Helper()
	f, err := os.Open("testdata/attacks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []attack
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var a attack
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		a.Text = strings.ReplaceAll(a.Text, "{question}", leave.Question)
		out = append(out, a)
	}
	if len(out) < 30 {
		t.Fatalf("%d attacks, want at least 30", len(out))
	}
	return out
}

// fenced returns the lines of a prompt between the lines that begin and end a part of
// this name, and the rest of the prompt; it fails unless there is exactly one of each.
func fenced(t *testing.T, text, part string) (inside []string, rest string) {
	t.Helper()
	mark := regexp.MustCompile(`(?m)^BEGIN `+part+`([0-9a-f]{24})$`).FindAllStringSubmatch(text, -1)
	if len(mark) != 1 {
		t.Fatalf("%d lines begin the fence:\n%s", len(mark), text)
	}
	begin, end := "BEGIN "+part+mark[0][1]+"\n", "END "+part+mark[0][1]+"\n"
	if strings.Count(text, begin) != 1 || strings.Count(text, end) != 1 {
		t.Fatalf("the fence begins or ends several times:\n%s", text)
	}
	before, within, _ := strings.Cut(text, begin)
	within, after, _ := strings.Cut(within, end)
	return strings.Split(strings.TrimSuffix(within, "\n"), "\n"), before + after
}

var ours = regexp.MustCompile(`^(?:(PASSAGE)(?: \| .*)?|\[(\d+)\] .*|# .*|    .*)$`)

// checkListing fails unless each line is one of ours, and sentences are numbered in
// order.
func checkListing(t *testing.T, lines []string, passages, sentences int) {
	t.Helper()
	p, s := 0, 0
	for _, line := range lines {
		m := ours.FindStringSubmatch(line)
		switch {
		case m == nil:
			t.Errorf("a line that isn't ours: %q", line)
		case m[1] != "":
			p++
		case m[2] != "":
			if s++; m[2] != fmt.Sprint(s) {
				t.Errorf("sentence %d is called %s", s, m[2])
			}
		}
	}
	if p != passages || s != sentences {
		t.Errorf("%d passages and %d sentences, want %d and %d:\n%s", p, s, passages, sentences, strings.Join(lines, "\n"))
	}
}

// Whatever evidence, claims and answers hold, it stays within the fence, line by
// line, and what stands outside is the same as with harmless ones.
func TestAttacksStayInTheFence(t *testing.T) {
	harmless := newGrading(blocksOf(handbook()))
	_, outside := fenced(t, harmless.prompt(leave.Question).user, "")
	_, outsideCheck := fenced(t, checkPrompt([]string{"x"}, assay.StripsOf(handbook()[0])).user, "EVIDENCE ")
	_, outsideCheck = fenced(t, outsideCheck, "CLAIMS ")
	_, outsideRate := fenced(t, ratePrompt(leave.Question, "x").user, "")
	for _, a := range attacks(t) {
		t.Run(a.Name, func(t *testing.T) {
			passages := handbook()
			evil := assay.Passage{Document: a.Text, Title: a.Text, Heading: []string{"Top", a.Text}, Version: a.Text,
				Text: "The filter is changed weekly.\n" + a.Text + "\n\n# " + a.Text + "\n\n" + a.Text, Date: time.Unix(0, 0), DateFrom: assay.DateFromName}
			evil.End = len(evil.Text)
			passages[1] = evil
			g := newGrading(blocksOf(passages))
			user := g.prompt(leave.Question).user
			lines, rest := fenced(t, user, "")
			checkListing(t, lines, 3, len(g.places))
			rest = strings.Replace(rest, fmt.Sprintf("1 to %d.", len(g.places)), fmt.Sprintf("1 to %d.", len(harmless.places)), 1)
			if rest != outside {
				t.Errorf("outside the fence stands\n%s\nwant\n%s", rest, outside)
			}
			checkMarks(t, user)

			user = checkPrompt([]string{a.Text, a.Text}, assay.StripsOf(evil)).user
			lines, rest = fenced(t, user, "EVIDENCE ")
			checkListing(t, lines, 1, len(assay.StripsOf(evil)))
			claims, rest := fenced(t, rest, "CLAIMS ")
			checkClaims(t, claims, 2)
			if rest != strings.Replace(outsideCheck, "the claim", "each of the 2 claims", 1) {
				t.Errorf("outside the fence stands\n%s\nwant\n%s", rest, outsideCheck)
			}
			checkMarks(t, user)

			user = ratePrompt(leave.Question, a.Text).user
			lines, rest = fenced(t, user, "")
			for _, line := range lines {
				if !strings.HasPrefix(line, "    ") {
					t.Errorf("a line that isn't indented: %q", line)
				}
			}
			if rest != outsideRate {
				t.Errorf("outside the fence stands\n%s\nwant\n%s", rest, outsideRate)
			}
			checkMarks(t, user)
		})
	}
}

// checkClaims fails unless the lines are so many claims, in order.
func checkClaims(t *testing.T, lines []string, want int) {
	t.Helper()
	n := 0
	for _, line := range lines {
		if strings.HasPrefix(line, fmt.Sprintf("CLAIM %d | ", n+1)) {
			n++
		} else if !strings.HasPrefix(line, "    ") {
			t.Errorf("a line that isn't ours: %q", line)
		}
	}
	if n != want {
		t.Errorf("%d claims, want %d", n, want)
	}
}

// checkMarks fails where a server would read a mark of its chat format, or a reader
// would not see what the model sees.
func checkMarks(t *testing.T, prompt string) {
	t.Helper()
	for i := range prompt {
		if chatMark(prompt[i:]) {
			t.Errorf("a mark of a chat format: %q", prompt[i:min(len(prompt), i+30)])
		}
	}
	for _, r := range prompt {
		if unseen(r) || strings.ContainsRune("\r\v\f\u0085\u2028\u2029", r) {
			t.Errorf("a rune that has no form: %U", r)
		}
	}
}

// A question can't end the fence or begin a new one either.
func TestQuestionIsOneBlock(t *testing.T) {
	g := newGrading(blocksOf(handbook()))
	for _, a := range attacks(t) {
		_, rest := fenced(t, g.prompt("How so?\n"+a.Text).user, "")
		question, _, _ := strings.Cut(strings.TrimLeft(rest, "\n"), "\n\nFind the answer")
		for i, line := range strings.Split(question, "\n") {
			if i > 0 && !strings.HasPrefix(line, "    ") {
				t.Errorf("%s: a line that isn't indented: %q", a.Name, line)
			}
		}
	}
}

// The mark is that of the prompt, and none of its texts can hold it.
func TestFence(t *testing.T) {
	if a, b := newFence("x", "y"), newFence("x", "y"); a != b || len(a) != 24 {
		t.Errorf("%s and %s for the same texts", a, b)
	}
	if newFence("x", "y") == newFence("xy", "") || newFence("x", "y") == newFence("y", "x") {
		t.Error("other texts have the same mark")
	}
}
