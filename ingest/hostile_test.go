package ingest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// hostileSize is the size of each hostile input in bytes, and hostileTime what
// tells a reader that hangs: all take less than two seconds, and some thirty under
// the race detector on a busy machine.
const (
	hostileSize = 256 << 10
	hostileTime = 3 * time.Minute
)

// hostile are inputs that are deep, long or unclosed, by file name and content
// to repeat. All of them are quadratic in some reader, or were.
var hostile = []struct{ file, once, again string }{
	{"quotes.md", "", "> "}, {"quotes.md", ">", "a\n"}, {"lists.md", "", "- "}, {"ordered.md", "", "1. "}, {"items.md", "", "- a\n"},
	{"links.md", "", "[a]("}, {"brackets.md", "", "["}, {"images.md", "", "!["}, {"stars.md", "", "*a **b _c "}, {"ticks.md", "", "`a ``b "},
	{"link paragraphs.md", "", strings.Repeat("[a](", 900) + "\n\n"}, {"bracket paragraphs.md", "", strings.Repeat("[", 60000) + "\n\n"},
	{"lines.md", "", "a\n"}, {"blank.md", "- a\n  - b\n    - c\n", "\n"}, {"indent.md", "", "        "}, {"html.md", "", "<div>\n\n"}, {"tags.md", "", "<b>"},
	{"comments.md", "", "<!-- "}, {"table.md", "|a|b|\n|-|-|\n", "|x|y|\n"}, {"cell.md", "|a|b|\n|-|-|\n", "x"}, {"references.md", "", "[a]: b\n"},
	{"footnotes.md", "", "[^a]: b\n\n[^a]\n\n"}, {"fences.md", "", "```\na\n```\n"}, {"open fence.md", "```\n", "a\n"}, {"headings.md", "", "# a\n"},
	{"braces.md", "", "{{<"}, {"word.md", "", "x"}, {"sentences.md", "", "A word is. "}, {"nested.md", "", "- a\n" + strings.Repeat(" ", 5000) + "- b\n"},
	{"flow.md", "---\na: ", "["}, {"div.html", "", "<div>"}, {"formatting.html", "", "<p><b>x"}, {"stray.html", "", "a</x>"}, {"foster.html", "<table>", "a<tr>"},
	{"tables.html", "", "<table><tr><td>"}, {"comments.html", "", "<!--"}, {"attributes.html", "<a ", "a=1 "}, {"entities.html", "", "&a"}, {"lists.html", "", "<ul><li>"},
	{"definitions.html", "", "<dl><dt>a<dd>"}, {"superscripts.html", "", "<sup>1"}, {"cells.html", "<table><tr>", "<td>x"}, {"rows.html", "<table>", "<tr><td>x<td>y"},
	{"spans.html", "<table>", "<tr><td rowspan=99 colspan=99>x<td>y"}, {"pre.html", "", "<pre>`"}, {"select.html", "", "<select><option>"}, {"scripts.html", "", "<script>"},
	{"small.html", "", "<div><p>hello, world, and others</p>"}, {"deep.html", "", strings.Repeat("<div>", 190) + "text, and " + strings.Repeat("</div>", 190)},
	{"word.txt", "", "x"}, {"bullets.txt", "", "- "}, {"underlines.txt", "", "a\n===\n"}, {"han.txt", "", "漢字"}, {"literal.rst", "", "a::\n\n  b\n\n"}, {"marks.rst", "", "*a `b :c:`"},
	{"listing.adoc", "", "----\n"},
}

func TestHostileInputIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of hostile input")
	}
	for _, h := range hostile {
		t.Run(h.file, func(t *testing.T) {
			t.Parallel()
			checkHostile(t, h.file, h.once+strings.Repeat(h.again, hostileSize/len(h.again)+1))
		})
	}
	var notes strings.Builder
	for i := 0; notes.Len() < hostileSize; i++ {
		fmt.Fprintf(&notes, "a[^%d]\n\n[^%d]: x\n\n", i, i)
	}
	checkHostile(t, "many footnotes.md", notes.String())
	for _, front := range []string{"- ", "? ", "!a ", "a.", "{", "[", "a:\n "} {
		for _, fence := range []string{"---\n", "+++\n"} {
			checkHostile(t, "front matter.md", fence+"a: "+strings.Repeat(front, maxFront/len(front)/2)+"\n"+fence)
			checkHostile(t, "front matter.md", fence+strings.Repeat(front, maxFront/len(front)/2)+"=1\n"+fence)
		}
	}
}

func checkHostile(t *testing.T, name, s string) {
	t.Helper()
	began := time.Now()
	doc, blocks := mustParse(t, name, s)
	checkPassages(t, doc, Chunk(doc, blocks))
	if d := time.Since(began); d > hostileTime {
		t.Errorf("%s, %d bytes: %v", name, len(s), d)
	}
}
