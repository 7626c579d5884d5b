package ingest

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assay-rag/assay"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// checkDocument reports what Parse promises and doesn't keep.
func checkDocument(t testing.TB, doc assay.Document, blocks []Block) {
	t.Helper()
	if !utf8.ValidString(doc.Text) {
		t.Fatalf("the text isn't UTF-8: %q", cutAt(doc.Text, 200))
	}
	if i := strings.IndexFunc(doc.Text, func(r rune) bool { return unwanted(r) }); i >= 0 {
		t.Fatalf("a control character at %d: %q", i, doc.Text[i:min(len(doc.Text), i+20)])
	}
	at := 0
	for i, b := range blocks {
		if b.Start < at || b.End <= b.Start || b.End > len(doc.Text) {
			t.Fatalf("block %d is %d to %d, after %d", i, b.Start, b.End, at)
		}
		if gap := strings.TrimSpace(doc.Text[at:b.Start]); gap != "" {
			t.Fatalf("%q is in no block", gap)
		}
		at = b.End
	}
	if rest := strings.TrimSpace(doc.Text[at:]); rest != "" {
		t.Fatalf("%q is in no block", cutAt(rest, 100))
	}
}

// dump writes a document, its blocks and its passages as a golden shows them.
func dump(doc assay.Document, blocks []Block) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title: %s\ndate: %s (%s)\nversion: %s\nlanguage: %s\n", doc.Title, doc.Date.Format("2006-01-02"), doc.DateFrom, doc.Version, doc.Language)
	for _, k := range slices.Sorted(maps.Keys(doc.Meta)) {
		fmt.Fprintf(&b, "meta %s: %s\n", k, doc.Meta[k])
	}
	fmt.Fprintf(&b, "--- text\n%s\n--- blocks\n", doc.Text)
	for _, x := range blocks {
		fmt.Fprintf(&b, "%s %d %d-%d\n", x.Kind, x.Level, x.Start, x.End)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*.*")
	if err != nil || len(inputs) < 8 {
		t.Fatalf("%d inputs, %v", len(inputs), err)
	}
	for _, in := range inputs {
		t.Run(filepath.Base(in), func(t *testing.T) {
			data, err := os.ReadFile(in)
			if err != nil {
				t.Fatal(err)
			}
			doc, blocks := mustParse(t, filepath.Base(in), string(data))
			checkPassages(t, doc, Chunk(doc, blocks))
			// What language a text is in, package text tells and tests.
			doc.Language = ""
			got := dump(doc, blocks)
			golden := filepath.Join("testdata", "golden", filepath.Base(in)+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs; run with -update and look at the difference:\n%s", golden, got)
			}
		})
	}
}

func encoded(t *testing.T, e encoding.Encoding, s string) string {
	t.Helper()
	out, err := e.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCharsets(t *testing.T) {
	const western, cjk, korean_ = "Größe “Maß” naïve – 5 €", "日本語の文書です。", "한국어 문서입니다."
	page := func(charset, body string) string {
		return `<html><head><meta http-equiv="Content-Type" content="text/html; charset=` + charset + `"></head><body><p>` + body + `</p></body></html>`
	}
	w1252 := encoded(t, charmap.Windows1252, western)
	tests := []struct{ name, file, data, want string }{
		{"utf-8", "a.md", western, western},
		{"utf-8 with mark", "a.md", "\ufeff" + western, western},
		{"windows-1252 undeclared, text", "a.txt", w1252, western},
		{"windows-1252 undeclared, page", "a.html", "<p>" + w1252, western},
		{"windows-1252 declared utf-8", "a.html", page("utf-8", w1252), western},
		{"windows-1252 declared unicode", "a.html", page("unicode", w1252), western},
		{"windows-1252 declared utf-16", "a.html", page("utf-16", w1252), western},
		{"windows-1252 declared nonsense", "a.html", page("x-none-such", w1252), western},
		{"utf-8 declared windows-1252", "a.html", page("windows-1252", western), western},
		{"utf-8 declared unicode", "a.html", page("unicode", cjk), cjk},
		{"shift_jis", "a.html", page("Shift_JIS", encoded(t, japanese.ShiftJIS, cjk)), cjk},
		{"euc-jp", "a.html", page("euc-jp", encoded(t, japanese.EUCJP, cjk)), cjk},
		{"iso-2022-jp", "a.html", page("iso-2022-jp", encoded(t, japanese.ISO2022JP, cjk)), cjk},
		{"gbk", "a.html", `<meta charset="gbk"><p>` + encoded(t, simplifiedchinese.GBK, "中文文档"), "中文文档"},
		{"euc-kr", "a.html", page("euc-kr", encoded(t, korean.EUCKR, korean_)), korean_},
		{"xml declaration", "a.xhtml", `<?xml version="1.0" encoding="iso-8859-1"?><html><body><p>` + encoded(t, charmap.ISO8859_1, "Größe") + `</p></body></html>`, "Größe"},
		{"utf-16 le", "a.txt", encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), western), western},
		{"utf-16 be", "a.html", encoded(t, unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "<p>"+cjk), cjk},
		{"damaged utf-8", "a.txt", cjk + "\xff" + cjk, cjk + "\uFFFD" + cjk},
		{"cut utf-8", "a.txt", cjk + "\xe6\x97", cjk + "\uFFFD"},
		{"line ends and control characters", "a.txt", "one\r\n\r\ntwo\r\rthr\x01ee\x7f", "one\n\ntwo\n\nthree"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, _ := mustParse(t, tt.file, tt.data)
			if doc.Text != tt.want {
				t.Errorf("text %q, want %q", doc.Text, tt.want)
			}
		})
	}
}

func TestFormats(t *testing.T) {
	const unread = "unread"
	tests := []struct{ name, data, want string }{
		{"a.md", "*x*", "x"}, {"A.MARKDOWN", "*x*", "x"}, {"a.mdx", "import A from 'a'\n\n*x*", "x"}, {"a.html", "<p>x", "x"}, {"a.htm", "<b>x", "x"},
		{"README", "x", "x"}, {"LICENSE", "x", "x"}, {"README.Debian", "x", "x"}, {"page", "<!DOCTYPE html><p>x", "x"}, {"a.txt", "<html><p>x", "x"},
		{"a.go", "x", unread}, {"a.json", "{}", unread}, {"Makefile", "x", unread}, {"run", "#!/bin/sh", unread}, {"a.md", "x\x00", unread}, {"blob", "\x01\x02\x03\x04", unread},
		{"a.txt", "%PDF-1.7 x", unread}, {"a.rst", "``x``", "x"}, {"a.adoc", "x", "x"}, {"empty.md", "", ""},
	}
	for _, tt := range tests {
		doc, _, err := Parse(tt.name, []byte(tt.data))
		if got := doc.Text; tt.want == unread != errors.Is(err, ErrFormat) || err == nil && got != tt.want {
			t.Errorf("%s %q: %q, %v", tt.name, tt.data, got, err)
		}
	}
}

func TestFrontMatter(t *testing.T) {
	tests := []struct {
		name, in string
		meta     map[string]string
		rest     string
	}{
		{"yaml", "---\nTitle: A b\nversion: 1.10\ntags: [x, y]\nlist:\n  - p\n  - q\nnested:\n  deep: v\nyes: true\nempty:\n---\nText", map[string]string{"title": "A b", "version": "1.10", "tags": "x, y", "list": "p, q", "nested.deep": "v", "yes": "true"}, "Text"},
		{"dots end it", "---\na: b\n...\nText", map[string]string{"a": "b"}, "Text"},
		{"date stays as written", "---\ndate: 2024-05-12\n---\n", map[string]string{"date": "2024-05-12"}, ""},
		{"toml", "+++\ntitle = \"A\"\ndate = 2024-05-12T00:00:00Z\ntags = [\"x\", \"y\"]\n[extra]\nk = 3\n+++\nText", map[string]string{"title": "A", "date": "2024-05-12T00:00:00Z", "tags": "x, y", "extra.k": "3"}, "Text"},
		{"literal", "---\na: |\n  one\n  two\n---\n", map[string]string{"a": "one\ntwo"}, ""},
		{"thematic break", "---\n\nText: with a colon\n\n---\nMore", nil, ""},
		{"never closed", "---\ntitle: A\n\nText", nil, ""},
		{"not yaml", "---\ntitle: [A\n---\nText", nil, ""},
		{"template", "---\ntitle: {{ page.title }}\n---\nText", nil, ""},
		{"prose", "---\nPlease note: this is text.\n---\nText", nil, ""},
		{"list", "---\n- a\n- b\n---\nText", nil, ""},
		{"scalar", "---\nJust words\n---\nText", nil, ""},
		{"alias", "---\na: &x [1]\nb: *x\n---\nText", nil, ""},
		{"empty", "---\n---\nText", nil, ""},
		{"bad toml", "+++\na = \n+++\nText", nil, ""},
		{"none", "Text\n---\na: b\n---\n", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			meta, rest := frontMatter(tt.in)
			if tt.meta == nil {
				tt.rest = tt.in
			}
			if !maps.Equal(meta, tt.meta) || rest != tt.rest {
				t.Errorf("meta %q rest %q, want %q and %q", meta, rest, tt.meta, tt.rest)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"a.md", "---\ntitle: Front\n---\n# First", "Front"},
		{"a.md", "Text\n\n# First *heading*\n", "First heading"},
		{"dir/a.md", "Text", "a.md"},
		{"a.md", "## Lone\n\nText\n\n### Below", "Lone"},
		{"a.md", "## One\n\nText\n\n## Two", "a.md"},
		{"a.html", "<title>Leave - Handbook</title><h1>Leave</h1><p>x", "Leave"},
		{"a.html", "<title>Handbook</title><h1>Leave</h1><p>x", "Handbook"},
		{"a.html", "<meta property='og:title' content='Open'><p>x", "Open"},
		{"a.txt", "Title\n=====\n\nText", "Title"},
		{"a.txt", "\n=====\nTitle\n=====\n\nText", "Title"},
		{"a.txt", "libthing 2 for beginners\n------------------------\nText", "libthing 2 for beginners"},
		{"a.txt", "  3D printing at home\n\nText", "3D printing at home"},
		{"a.txt", "# Opening hours\n\nText", "Opening hours"},
		{"LICENSE", "MIT License\n\n\n\nCopyright", "MIT License"},
		{"a.txt", "旅費規程\n\n本文", "旅費規程"},
		{"a.txt", "A line alone", "a.txt"},
		{"a.txt", "A line\nthat goes on\n\nText", "a.txt"},
		{"a.txt", "begins in the middle\n\nText", "a.txt"},
		{"a.txt", "This is what it is about.\n\nText", "a.txt"},
		{"a.txt", "Contents:\n\nText", "a.txt"},
		{"a.txt", "Tag\tchar\taction ~\n\nText", "a.txt"},
		{"a.txt", "Name    size\n------------\nText", "a.txt"},
		{"a.txt", "Text of the first paragraph,\nwrapped.\n\nCommon\n------\n\nText", "a.txt"},
		{"a.txt", "# one\nx = 1\n\n# Common\n\ny = 2", "a.txt"},
		{"a.txt", strings.Repeat("A long line ", 9) + "\n\nText", "a.txt"},
		{"a.txt", "From: ada@example.org\n\nText", "a.txt"},
		{"a.rst", "Text.\n\nTitle\n=====\n\nText", "Title"},
	}
	for _, tt := range tests {
		if doc, _ := mustParse(t, tt.name, tt.data); doc.Title != tt.want {
			t.Errorf("%s %q: title %q, want %q", tt.name, tt.data, doc.Title, tt.want)
		}
	}
}

// TestUnderlines tells headings of plain text from what is underlined for
// another reason.
func TestUnderlines(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"a.txt", "Some text.\n\nOpening hours\n-------------\n\nFrom nine.", "# Opening hours"},
		{"a.txt", "Some text.\n\nTimes, dates etc.\n-----------------\nFrom nine.", "# Times, dates etc."},
		{"a.txt", "Some text.\n\nWhat is it?\n-----------\nFrom nine.", "# What is it?"},
		{"a.txt", "Some text.\n\ntag\tchar\taction in Insert mode\t~\n-----------------------------------\nx", ""},
		{"a.txt", "Some text.\n\nname    size    colour\n----------------------\napple   3       red", ""},
		{"a.txt", "Made by many people, but only\nthrough the help of others.\n-----------------------------\nx", ""},
		{"a.txt", "Some text.\n\nmode ~\n------\nx", ""},
		{"a.rst", "Some text.\n\nWhat is etc.\n------------\n\nFrom nine.", "# What is etc."},
	}
	for _, tt := range tests {
		doc, blocks := mustParse(t, tt.name, tt.data)
		got := ""
		for _, b := range blocks {
			if b.Kind == Heading {
				got += doc.Text[b.Start:b.End]
			}
		}
		if got != tt.want {
			t.Errorf("%s %q: headings %q, want %q", tt.name, tt.data, got, tt.want)
		}
	}
}

func TestDateAndVersion(t *testing.T) {
	tests := []struct{ name, data, date, from, version string }{
		{"a.md", "---\nlast_reviewed: 2024-05-12\ndate: 2020-01-01\nversion: 2.0\n---\nx", "2024-05-12", "document", "2.0"},
		{"a.md", "# T\n\nLast updated: 12 May 2024\n\nVersion 2.3\n", "2024-05-12", "document", "2.3"},
		{"a.md", "# T\n\n*Last updated on May 3rd, 2023*\n", "2023-05-03", "document", ""},
		{"a.md", "# T\n\nText.\n\n---\nZuletzt aktualisiert: 03. März 2022", "2022-03-03", "document", ""},
		{"a.md", "Stand: 05.03.2022", "2022-03-05", "document", ""},
		{"a.md", "| Version | 4.1 |\n|---|---|\n| Effective date | 2021/07/01 |", "2021-07-01", "document", "4.1"},
		{"a.md", "最終更新日：2023年4月5日", "2023-04-05", "document", ""},
		{"a.md", "Updated: 03/04/2024", "0001-01-01", "", ""},
		{"a.md", "Updated: 25/04/2024", "2024-04-25", "document", ""},
		{"a.md", "Date: June 2021", "2021-06-01", "document", ""},
		{"a.md", "The date: nothing. Updated the thing.", "0001-01-01", "", ""},
		{"a.md", "(As of 2015-04-19, and with release 2.0, names may have a scope.)", "0001-01-01", "", ""},
		{"a.md", "As of March 2015 there are two of them.", "0001-01-01", "", ""},
		{"a.md", "Stand 05.03.2022 war der Preis höher.", "0001-01-01", "", ""},
		{"a.md", "Last updated: 2021-05-03 was when the index was built", "0001-01-01", "", ""},
		{"a.md", "(As of 2015-04-19)", "2015-04-19", "document", ""},
		{"a.md", "Last modified: 2021-05-03T10:00:00Z", "2021-05-03", "document", ""},
		{"a.md", "Last edited on 3 May 2021 at 10:05 pm (UTC).", "2021-05-03", "document", ""},
		{"a.md", "Last edited on 3 May 2021, 10:05 UTC", "2021-05-03", "document", ""},
		{"notes/2024-05-12-release.md", "x", "2024-05-12", "name", ""},
		{"guide_v2.md", "x", "0001-01-01", "", "2"},
		{"a.md", "Version 2 of the plan is better.", "0001-01-01", "", ""},
		{"a.md", "- [Version 1.0.0 Release](#x)", "0001-01-01", "", ""},
		{"a.html", `<meta property="article:modified_time" content="2022-02-03T10:00:00Z"><meta name="date" content="2001-01-01"><p>x`, "2022-02-03", "document", ""},
		{"a.html", `<article><header><time datetime="2021-09-08">last year</time></header><p>x</article>`, "2021-09-08", "document", ""},
	}
	for _, tt := range tests {
		doc, _ := mustParse(t, tt.name, tt.data)
		if got := doc.Date.Format("2006-01-02"); got != tt.date || doc.DateFrom != assay.DateFrom(tt.from) || doc.Version != tt.version {
			t.Errorf("%s %q: %s from %q, version %q; want %s, %q, %q", tt.name, tt.data, got, doc.DateFrom, doc.Version, tt.date, assay.DateFrom(tt.from), tt.version)
		}
	}
}

func TestStatus(t *testing.T) {
	tests := []struct{ data, status, by string }{
		{"---\nstatus: archived\n---\nx", "archived", ""},
		{"# T\n\nStatus: superseded by [Leave 2025](leave-2025.md)\n\nx", "superseded", "Leave 2025"},
		{"# T\n\n**Status:** Draft\n", "draft", ""},
		{"# T\n\n> **Warning:** This document is deprecated. See the new handbook.\n", "deprecated", ""},
		{"This page has been replaced by the travel guide.", "superseded", "the travel guide"},
		{"---\ndeprecated: true\n---\nx", "deprecated", ""},
		{"---\nsuperseded_by: b.md\n---\nx", "superseded", "b.md"},
		{"The function is deprecated.", "", ""},
	}
	for _, tt := range tests {
		doc, _ := mustParse(t, "a.md", tt.data)
		if doc.Meta["status"] != tt.status || doc.Meta["superseded_by"] != tt.by {
			t.Errorf("%q: %q by %q, want %q by %q", tt.data, doc.Meta["status"], doc.Meta["superseded_by"], tt.status, tt.by)
		}
	}
}
