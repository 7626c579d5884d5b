package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

// fuzzParse fuzzes the reader of a format, with the chunker behind it.
func fuzzParse(f *testing.F, ext string, seeds ...string) {
	files, err := filepath.Glob("testdata/*" + ext)
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, blocks, err := Parse("x"+ext, data)
		if err != nil {
			return
		}
		checkDocument(t, doc, blocks)
		checkPassages(t, doc, Chunk(doc, blocks))
	})
}

func FuzzMarkdown(f *testing.F) {
	fuzzParse(f, ".md", "> - 1. ```\nx", "|a|\n|-|\n|b|c|", "[^1]\n\n[^1]: x\n    ```\n", "<div>\n<b>x\n\n:::note\n", "a\\\n&#0;&nbsp;b  \nc", "1. ```\n   x\n2. > y")
}

func FuzzHTML(f *testing.F) {
	fuzzParse(f, ".html", "<table><tr><td>a<td rowspan=3>b<tr>x", "<ul><li>a<ol><li>b</ul>c", "<p>a<sup><a href=#f>1</a></sup><pre>x<br>y", "<dl><dt>a<dd>b<p>c</dl>", "<main><p>x</main><title>t", "<plaintext>x")
}

func FuzzPlain(f *testing.F) {
	fuzzParse(f, ".rst", "a::\n\n  b\n", ".. note:: x\n   y", "A\n==\n\n- b\n  c\n* d")
}

func FuzzFrontMatter(f *testing.F) {
	for _, s := range []string{"---\na: b\n---\nx", "---\na: [b, {c: d}]\n---\n", "+++\na = 1\n+++\n", "---\na: &b c\nd: *b\n---\n", "---\n? a\n: b\n---\n", "---\na: |\n b\n---\n", "---\n- a\n---\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		meta, rest := frontMatter(s)
		if !strings.HasSuffix(s, rest) {
			t.Errorf("the rest %q is no end of %q", rest, s)
		}
		if meta == nil && rest != s {
			t.Errorf("no front matter, and %q was cut to %q", s, rest)
		}
	})
}

func FuzzChunk(f *testing.F) {
	f.Add("# A\n\nText of it. More.\n\n- a\n- b", 0, 3, 5, 12, uint8(1), uint8(2))
	f.Add(strings.Repeat("| a | b |\n", 200), 0, 2000, 0, 0, uint8(3), uint8(0))
	f.Add(strings.Repeat("語", 3000), 1, 5000, 4, 100, uint8(0), uint8(4))
	f.Fuzz(func(t *testing.T, s string, a, b, c, d int, k, l uint8) {
		doc := assay.Document{Text: strings.ToValidUTF8(s, "\uFFFD")}
		blocks := []Block{{Kind: Kind(k % 6), Level: 1, Start: a, End: b}, {Kind: Kind(l % 6), Level: 2, Start: c, End: d}}
		checkPassages(t, doc, Chunk(doc, blocks))
	})
}
