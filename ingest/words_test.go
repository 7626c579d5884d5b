package ingest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// noise returns n random bytes.
func noise(n int, seed byte) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// folded breaks s into lines of n letters.
func folded(s string, n int) string {
	var b strings.Builder
	for ; len(s) > n; s = s[n:] {
		b.WriteString(s[:n] + "\n")
	}
	return b.String() + s + "\n"
}

func TestWordlessTextHasNoPassages(t *testing.T) {
	std, url := base64.StdEncoding.EncodeToString, base64.RawURLEncoding.EncodeToString
	for seed := range byte(4) {
		raw := noise(200_000, seed)
		for name, s := range map[string]string{
			"base64": std(raw), "base64 lines": folded(std(raw), 76), "base64 for URLs": folded(url(raw), 64), "short base64": std(raw[:300]),
			"hex": hex.EncodeToString(raw), "hex lines": folded(hex.EncodeToString(raw), 60), "hex dump": hex.Dump(raw[:20_000]),
			"a": strings.Repeat("a", 300_000), "ж": strings.Repeat("ж", 100_000), "rules": strings.Repeat("-=", 5000),
			"numbers": strings.Repeat("8", 5000), "deva": strings.Repeat("क", 50_000),
		} {
			for _, ext := range []string{".txt", ".md", ".html"} {
				doc, blocks := mustParse(t, "a"+ext, s)
				if p := Chunk(doc, blocks); len(p) > 0 && (name != "hex dump" || len(p) > 3) { // letters beside a dump may look like words
					t.Errorf("%s%s: %d passages, the first %q", name, ext, len(p), cutAt(p[0].Text, 200))
				}
			}
		}
	}
}

func TestUnusualTextKeepsItsPassages(t *testing.T) {
	line := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i) + "\n")
		}
		return b.String()
	}
	sum := func(i int) string { return hex.EncodeToString(noise(32, byte(i))) }
	for name, s := range map[string]string{
		"sums":    line(90, func(i int) string { return sum(i) + "  package-" + fmt.Sprint(i) + ".tar.gz" }),
		"urls":    line(90, func(i int) string { return "https://example.com/docs/commit/" + sum(i)[:40] }),
		"paths":   line(90, func(i int) string { return fmt.Sprintf("/usr/share/doc/python3-something/examples/number-%d.cfg", i) }),
		"changes": line(90, func(i int) string { return "- " + sum(i)[:40] + " parse: links are skipped" }),
		"numbers": line(90, func(i int) string { return fmt.Sprintf("%d,%d,%d,%d,%d,%d", i*7919, i*i, i, i*3, i*999, 1e9+i) }),
		"macs": line(90, func(i int) string {
			s := sum(i)
			return "host" + fmt.Sprint(i) + " " + s[:2] + ":" + s[2:4] + ":" + s[4:6] + ":" + s[6:8] + ":" + s[8:10]
		}),
		"uuids": line(90, func(i int) string {
			s := sum(i)
			return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:32]
		}),
		"code": line(90, func(i int) string {
			return fmt.Sprintf("\tif(x[%d]!=nil){return(getElementByIdentifier(x[%d]))}", i, i)
		}),
		"names": line(90, func(i int) string {
			return fmt.Sprintf("MTLRenderPassColorAttachment_%d VK_FORMAT_R32G32B32A32_SFLOAT", i)
		}),
		"compounds": line(90, func(int) string {
			return "Rechtsschutzversicherungsgesellschaften Kraftfahrzeughaftpflichtversicherung"
		}),
		"japanese": strings.Repeat("これは日本語の文章です", 300), "thai": strings.Repeat("ภาษาไทยไม่มีช่องว่าง", 300), "korean": strings.Repeat("한국어는 띄어쓰기를 합니다 ", 200),
		"diagram": strings.Repeat("+-----------------+      +----------------+\n|     Client      | ---> |     Server     |\n", 40),
	} {
		for _, ext := range []string{".txt", ".md"} {
			doc, blocks := mustParse(t, "a"+ext, s)
			covered := 0
			for _, p := range Chunk(doc, blocks) {
				covered += len(p.Text)
			}
			if covered < len(doc.Text)*9/10 {
				t.Errorf("%s%s: %d of %d bytes are covered", name, ext, covered, len(doc.Text))
			}
		}
	}
}

func TestWordlessStretchesAreLeftOut(t *testing.T) {
	prose := strings.Repeat("The leave policy says how many days there are. ", 10)
	blob := folded(base64.StdEncoding.EncodeToString(noise(30_000, 1)), 76)
	key := "ssh-ed25519 " + base64.StdEncoding.EncodeToString(noise(51, 2)) + " root@host"
	doc, blocks := mustParse(t, "a.md", "# A\n\n"+prose+"\n\n```\n"+key+"\n```\n\n## B\n\n```\n"+blob+"```\n\n"+prose)
	passages := Chunk(doc, blocks)
	checkPassages(t, doc, passages)
	var all bytes.Buffer
	for _, p := range passages {
		all.WriteString(p.Text)
	}
	if got := all.String(); strings.Count(got, "The leave") < 20 || !strings.Contains(got, key) || !strings.Contains(got, "## B") || len(got) > 4*len(prose) {
		t.Errorf("%d passages, %d bytes", len(passages), all.Len())
	}
}
