package ingest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// checkPassages reports what Chunk promises of all passages and doesn't keep.
func checkPassages(t testing.TB, doc assay.Document, passages []assay.Passage) {
	t.Helper()
	s := doc.Text
	covered, start, end := 0, -1, -1
	valid := utf8.ValidString(s)
	for i, p := range passages {
		if p.Start < 0 || p.End > len(s) || p.Start >= p.End {
			t.Fatalf("passage %d is %d to %d of %d", i, p.Start, p.End, len(s))
		}
		if p.Text != s[p.Start:p.End] {
			t.Fatalf("passage %d isn't the text at %d to %d", i, p.Start, p.End)
		}
		if valid && !utf8.ValidString(p.Text) {
			t.Fatalf("passage %d cuts a letter: %q", i, p.Text)
		}
		if p.Start <= start || p.End <= end {
			t.Fatalf("passage %d, %d to %d, isn't after %d to %d", i, p.Start, p.End, start, end)
		}
		if n := text.Tokens(p.Text); n > hardTokens {
			t.Fatalf("passage %d has %d tokens", i, n)
		}
		if p.Start > covered {
			checkGap(t, s[covered:p.Start], false)
		}
		if covered > p.Start && text.Tokens(s[p.Start:covered]) > overlapTokens+2 {
			t.Fatalf("passage %d overlaps the one before by %d tokens", i, text.Tokens(s[p.Start:covered]))
		}
		start, end, covered = p.Start, p.End, max(covered, p.End)
	}
	checkGap(t, s[covered:], len(passages) == 0)
}

// checkGap reports text that no passage covers though it holds words, as many as
// a tenth of prose does, and is no dump of bytes, or is so small that it should have stayed, unless it is
// all of the text.
func checkGap(t testing.TB, gap string, all bool) {
	t.Helper()
	if gap = strings.TrimFunc(gap, unicode.IsSpace); gap == "" {
		return
	}
	words, hex := 0, 0
	for _, f := range strings.Fields(gap) {
		if strings.Trim(f, "0123456789abcdefABCDEF") == "" {
			hex++
		} else if len(f) <= 12 && strings.TrimFunc(f, unicode.IsLetter) == "" {
			words++
		}
	}
	if words*bytesPerWord > len(gap) && hex < words || len(gap) < minWordless && !all {
		t.Fatalf("nothing covers %q, %d bytes", cutAt(gap, 100), len(gap))
	}
}

func mustParse(t testing.TB, name, s string) (assay.Document, []Block) {
	t.Helper()
	doc, blocks, err := Parse(name, []byte(s))
	if err != nil {
		t.Fatal(err)
	}
	checkDocument(t, doc, blocks)
	return doc, blocks
}

// randomMarkdown makes a document of all kinds of blocks.
func randomMarkdown(r *rand.Rand) string {
	var b strings.Builder
	sentence := func() string {
		n := 3 + r.IntN(25)
		words := make([]string, n)
		for i := range words {
			words[i] = []string{"leave", "the", "policy", "größer", "is", "value", "漢字", "configured", "x", "emoji🎉"}[r.IntN(10)]
		}
		return strings.Join(words, " ") + ". "
	}
	for range 1 + r.IntN(30) {
		switch r.IntN(8) {
		case 0, 1:
			b.WriteString(strings.Repeat("#", 1+r.IntN(4)) + " Heading " + sentence() + "\n\n")
		case 2, 3:
			for range 1 + r.IntN(40) {
				b.WriteString(sentence())
			}
			b.WriteString("\n\n")
		case 4:
			for range 1 + r.IntN(60) {
				b.WriteString(strings.Repeat("  ", r.IntN(3)) + "- " + sentence() + "\n")
			}
			b.WriteString("\n")
		case 5:
			b.WriteString("| a | b |\n|---|---|\n")
			for range r.IntN(80) {
				b.WriteString("| " + sentence() + " | " + sentence() + " |\n")
			}
			b.WriteString("\n")
		case 6:
			b.WriteString("```go\n" + strings.Repeat("x := call(arg)\n", r.IntN(200)) + "```\n\n")
		case 7:
			b.WriteString(strings.Repeat([]string{"x", "語", "-=", "a,b;"}[r.IntN(4)], r.IntN(5000)) + "\n\n")
		}
	}
	return b.String()
}

func TestChunkProperties(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		doc, blocks := mustParse(t, "a.md", randomMarkdown(r))
		checkPassages(t, doc, Chunk(doc, blocks))
		checkPassages(t, doc, Chunk(doc, nil))
		for i := range blocks { // blocks that don't fit are mended
			blocks[i].Start += r.IntN(50) - 25
			blocks[i].End += r.IntN(50) - 25
		}
		checkPassages(t, doc, Chunk(doc, blocks))
	}
}

func TestChunkStructure(t *testing.T) {
	long := strings.Repeat("This sentence says something about the leave policy of the company. ", 60)
	doc, blocks := mustParse(t, "a.md", "# Handbook\n\n## Leave\n\n"+long+"\n\n## Pay\n\nShort.\n\n## Cars\n\nAlso short.\n\n## Empty\n\n## Offices\n\n"+long+"\n\n## Last\n")
	passages := Chunk(doc, blocks)
	checkPassages(t, doc, passages)
	if len(passages) < 6 {
		t.Fatalf("%d passages", len(passages))
	}
	if p := passages[0]; p.HeadingPath() != "Handbook › Leave" || !strings.HasPrefix(p.Text, "# Handbook\n\n## Leave\n\nThis") {
		t.Errorf("first passage %q: %q", p.HeadingPath(), cutAt(p.Text, 60))
	}
	for i, p := range passages[:len(passages)-1] {
		if n := text.Tokens(p.Text); strings.Contains(p.HeadingPath(), "Leave") && (n < 100 || n > maxTokens+overlapTokens+5) {
			t.Errorf("passage %d has %d tokens", i, n)
		}
	}
	if p := passages[1]; !strings.HasPrefix(p.Text, "This sentence") || p.Start >= passages[0].End {
		t.Errorf("no overlap: %d after %d: %q", p.Start, passages[0].End, cutAt(p.Text, 60))
	}
	small := slices.IndexFunc(passages, func(p assay.Passage) bool { return strings.Contains(p.Text, "## Pay") })
	if p := passages[small]; p.HeadingPath() != "Handbook" || p.Text != "## Pay\n\nShort.\n\n## Cars\n\nAlso short." && !strings.HasPrefix(p.Text, "## Pay\n\nShort.\n\n## Cars\n\nAlso short.\n\n## Empty") {
		t.Errorf("small sections: %q %q", p.HeadingPath(), cutAt(p.Text, 200))
	}
	for i, p := range passages {
		if strings.HasPrefix(p.Text, "#") && !strings.Contains(p.Text, "\n") {
			t.Errorf("passage %d is only a heading: %q", i, p.Text)
		}
	}
}

func TestChunkLargeTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Prices\n\nThe prices are these:\n\n| Plan | Price |\n|---|---|\n")
	for i := range 300 {
		fmt.Fprintf(&b, "| Plan number %d | %d EUR |\n", i, i*10)
	}
	doc, blocks := mustParse(t, "a.md", b.String())
	passages := Chunk(doc, blocks)
	checkPassages(t, doc, passages)
	if p := passages[0]; !strings.Contains(p.Text, "The prices are these:\n\n| Plan | Price |\n| --- | --- |\n| Plan number 0 |") || p.HeadingPath() != "Prices" {
		t.Errorf("first passage %q %q", p.HeadingPath(), cutAt(p.Text, 200))
	}
	for i, p := range passages[1:] {
		if p.HeadingPath() != "Prices › Plan | Price" || !strings.HasPrefix(p.Text, "| Plan number") || !strings.HasSuffix(p.Text, "EUR |") {
			t.Errorf("passage %d %q %q", i+1, p.HeadingPath(), cutAt(p.Text, 80))
		}
	}
}

func TestChunkKeepsWhole(t *testing.T) {
	list := strings.Repeat("- an item of the list with some words\n", 25)
	code := "```sh\n" + strings.Repeat("run --with some --flags\n", 30) + "```"
	doc, blocks := mustParse(t, "a.md", strings.Repeat("Words before it. ", 50)+"\n\nDo this:\n\n"+list+"\n"+strings.Repeat("Words between. ", 50)+"\n\n"+code+"\n")
	passages := Chunk(doc, blocks)
	checkPassages(t, doc, passages)
	whole := func(s string) bool {
		return slices.ContainsFunc(passages, func(p assay.Passage) bool { return strings.Contains(p.Text, s) })
	}
	if !whole("Do this:\n\n" + strings.TrimSpace(list)) {
		t.Error("the list was cut, or parted from what announces it")
	}
	if !whole(code) {
		t.Error("the code was cut")
	}
}

func TestChunkOnlyHeadings(t *testing.T) {
	for _, s := range []string{"# Only", "", "   \n\n ", "# A\n\n# B\n\n## C"} {
		doc, blocks := mustParse(t, "a.md", s)
		passages := Chunk(doc, blocks)
		checkPassages(t, doc, passages)
		if len(passages) > 1 {
			t.Errorf("%q: %d passages", s, len(passages))
		}
	}
}

func TestChunkLongLine(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", 3<<20), strings.Repeat("word ", 600_000), strings.Repeat("語", 1<<20), strings.Repeat("A sentence. ", 200_000)} {
		for _, name := range []string{"a.txt", "a.md", "a.html"} {
			doc, blocks := mustParse(t, name, s)
			if len(strings.TrimSpace(s)) != len(doc.Text) {
				t.Errorf("%s: %d bytes of %d", name, len(doc.Text), len(s))
			}
			passages := Chunk(doc, blocks)
			checkPassages(t, doc, passages)
			if (len(passages) == 0) != (s[0] == 'x') {
				t.Errorf("%s: %d passages of %q", name, len(passages), s[:12])
			}
		}
	}
}
