package ingest

import (
	"fmt"
	"strings"
	"testing"
)

// many joins n lines.
func many(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

// TestLargeMarkdown reads files that are parsed in parts: the text is what it
// would be in one.
func TestLargeMarkdown(t *testing.T) {
	const n = 4 * maxTree / 20
	row := func(i int) string { return fmt.Sprintf("| row %d | value %d |\n", i, i*7) }
	item := func(i int) string { return fmt.Sprintf("- item %d of the list\n", i) }
	nested := func(i int) string { return fmt.Sprintf("- item %d\n  - one below it\n", i) }
	step := func(i int) string { return fmt.Sprintf("%d. step of the work\n", i+1) }
	line := func(i int) string { return fmt.Sprintf("    line %d of code\n", i) }
	para := func(i int) string { return fmt.Sprintf("Paragraph %d about it.\n\n", i) }
	linked := func(i int) string { return fmt.Sprintf("See [page %d][ref] or [ref].\n\n", i) }
	for name, c := range map[string]struct {
		source, want string
		kinds        []Kind // of the first blocks; all, where there are fewer than four
	}{
		"table":    {"# T\n\n| a | b |\n|---|---|\n" + many(n, row) + "\nEnd.", "# T\n\n| a | b |\n| --- | --- |\n" + many(n, row) + "\nEnd.", []Kind{Heading, Table, Paragraph}},
		"list":     {many(n, item), many(n, item), []Kind{Item, Item, Item, Item}},
		"nested":   {many(n, nested), many(n, nested), []Kind{Item, Item, Item, Item}},
		"numbered": {strings.ReplaceAll(many(n, step), "\n", "\n\n"), many(n, step), []Kind{Item, Item, Item, Item}},
		"prose":    {many(n, para), many(n, para), []Kind{Paragraph, Paragraph, Paragraph, Paragraph}},
		"links":    {many(n, linked) + "[ref]: https://example.com\n", strings.NewReplacer("[ref]", "ref", "][", "").Replace(many(n, func(i int) string { return fmt.Sprintf("See page %d or [ref].\n\n", i) })), []Kind{Paragraph, Paragraph, Paragraph, Paragraph}},
		"notes":    {"It is[^1].\n\n" + many(n, para) + "[^1]: so", "It is[^1].\n\n" + many(n, para) + "[^1]: so", []Kind{Paragraph, Paragraph, Paragraph, Paragraph}},
		"no table": {"| a | b |\n|---|\n" + many(n, row), "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			doc, blocks := mustParse(t, "a.md", c.source)
			if c.kinds == nil {
				if got := strings.Count(doc.Text, "| a | b |"); got != 1 || strings.Count(doc.Text, "| row ") != n {
					t.Errorf("what looks like a header is there %d times, %d rows of %d", got, strings.Count(doc.Text, "| row "), n)
				}
				return
			}
			if want := strings.TrimSpace(c.want); doc.Text != want {
				at := 0
				for at < min(len(want), len(doc.Text)) && doc.Text[at] == want[at] {
					at++
				}
				t.Errorf("%d bytes, want %d; at %d: %q, want %q", len(doc.Text), len(want), at, cutAt(doc.Text[max(0, at-40):], 100), cutAt(want[max(0, at-40):], 100))
			}
			for i, k := range c.kinds {
				if blocks[i].Kind != k {
					t.Errorf("block %d is %v, want %v", i, blocks[i].Kind, k)
				}
			}
			if len(c.kinds) < 4 && len(blocks) != len(c.kinds) {
				t.Errorf("%d blocks", len(blocks))
			}
			checkPassages(t, doc, Chunk(doc, blocks))
		})
	}
	t.Run("code", func(t *testing.T) {
		doc, blocks := mustParse(t, "a.md", "```go\n"+many(n, line)+"```\n\nAfter it.")
		if got := strings.Count(doc.Text, " of code\n"); got != n || !strings.HasSuffix(doc.Text, "```\n\nAfter it.") {
			t.Errorf("%d lines of %d, the end %q", got, n, doc.Text[len(doc.Text)-60:])
		}
		for i, b := range blocks[:len(blocks)-1] {
			if b.Kind != Code {
				t.Errorf("block %d is %v", i, b.Kind)
			}
		}
	})
}

// TestTreesAreBounded looks at what is parsed together.
func TestTreesAreBounded(t *testing.T) {
	for _, h := range hostile {
		if !strings.HasSuffix(h.file, ".md") {
			continue
		}
		tame(h.once+strings.Repeat(h.again, 6*maxTree/len(h.again)), false, func(p piece) {
			if !p.raw && len(p.text) > 3*maxTree {
				t.Errorf("%s: %d bytes are parsed together", h.file, len(p.text))
			}
		})
	}
}

func TestStrayBytes(t *testing.T) {
	for data, want := range map[string]string{
		"lavender \U0001FABB and \xe9":     "lavender \U0001FABB and \uFFFD",
		"lavender \U0001FABB \xf0\x9f":     "lavender \U0001FABB \uFFFD",
		"Café \xff":                        "Café \uFFFD",
		"caf\xe9 na\xefve":                 "café naïve",
		"CAF\xc9\x94 \xe9t\xe9 d\xe9j\xe0": "CAFÉ” été déjà",
		"\xff":                             "ÿ",
	} {
		if got := decode([]byte(data), false); got != want {
			t.Errorf("%q is %q, want %q", data, got, want)
		}
	}
}
