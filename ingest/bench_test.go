package ingest

import (
	"fmt"
	"strings"
	"testing"
)

// handbookPage makes a page of a handbook of about 3 kB.
func handbookPage(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: Page %d\nlast_updated: 2024-05-%02d\ntags: [a, b]\n---\n# Page %d\n\n", i, i%28+1, i)
	for s := range 4 {
		fmt.Fprintf(&b, "## Section %d\n\nEmployees in office %d get **%d days** of [leave](https://example.com/%d) a year,\nand may carry over `%d` of them. Ask your manager before the month begins.\n\n", s, i, 20+s, i, s)
		b.WriteString("The policy holds for all contracts that began after January. It was agreed with the works council, and is reviewed twice a year by the people team.\n\n")
		b.WriteString("- Ask in the portal.\n- Wait for the reply.\n- Tell your team.\n\n")
		b.WriteString("| Grade | Days |\n|---|---|\n| A | 20 |\n| B | 25 |\n\n")
	}
	b.WriteString("```sh\nleave request --days 5\n```\n")
	return b.String()
}

func BenchmarkMarkdown(b *testing.B) {
	data := []byte(handbookPage(7))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		doc, blocks, err := Parse("page.md", data)
		if err != nil {
			b.Fatal(err)
		}
		if len(Chunk(doc, blocks)) == 0 {
			b.Fatal("no passages")
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "docs/s")
}

func BenchmarkHTML(b *testing.B) {
	section := "<h2>Section</h2><p>Employees get <b>20 days</b> of <a href=x>leave</a> a year, and may carry over five of them.</p><ul><li>one</li><li>two</li></ul>"
	data := []byte("<html><head><title>T</title></head><body><nav>Menu</nav><main><h1>T</h1>" + strings.Repeat(section, 18) + "</main></body></html>")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		doc, blocks, err := Parse("page.html", data)
		if err != nil {
			b.Fatal(err)
		}
		if len(Chunk(doc, blocks)) == 0 {
			b.Fatal("no passages")
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "docs/s")
}

func BenchmarkAdd(b *testing.B) {
	files := make(map[string]string)
	for i := range 1000 {
		files[fmt.Sprintf("%d/page%d.md", i%10, i)] = handbookPage(i)
	}
	dir := folder(b, files)
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			mustAdd(b, newMemStore(), dir, nil)
		}
		b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
	})
	b.Run("unchanged", func(b *testing.B) {
		s := newMemStore()
		mustAdd(b, s, dir, nil)
		for b.Loop() {
			if r := mustAdd(b, s, dir, nil); r.Unchanged != 1000 {
				b.Fatal(counts(r))
			}
		}
		b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
	})
}
