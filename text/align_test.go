package text

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

const handbook = `# Leave

Employees receive 26 weeks of parental leave, of which 12 may be taken
part-time. Requests go to the People Team at least eight weeks ahead.

Contractors do not receive parental leave. "Ask early," the team says.
休暇は二十日です。未使用の休暇は翌年に繰り越せます。
Die Elternzeit beträgt höchstens drei Jahre.`

func TestAlign(t *testing.T) {
	for _, c := range []struct {
		quote, want string
		low, high   float64
	}{
		{"26 weeks of parental leave", "26 weeks of parental leave", 1, 1},
		{"  of which 12 may be taken part-time. ", "of which 12 may be taken\npart-time.", 1, 1},
		{"EMPLOYEES RECEIVE 26 WEEKS", "Employees receive 26 weeks", 0.99, 0.99},
		{"requests go to the people team, at least eight weeks ahead!", "Requests go to the People Team at least eight weeks ahead", 0.99, 0.99},
		{"Employees receive 26 weeks parental leave", "Employees receive 26 weeks of parental leave", 0.9, 0.99},
		{"Employees receive up to 26 weeks of paid parental leave", "Employees receive 26 weeks of parental leave", 0.8, 0.95},
		{"Employee recieves 26 weeks of parental leave", "Employees receive 26 weeks of parental leave", 0.8, 0.95},
		{"Employees receive 16 weeks of parental leave", "Employees receive 26 weeks of parental leave", 0.5, 0.8},
		{"Contractors do receive parental leave.", "Contractors do not receive parental leave.", 0.5, 0.85},
		{"\"ask early\" the team says.", "\"Ask early,\" the team says.", 0.99, 0.99},
		{"休暇は二十日。", "休暇は二十日", 0.99, 0.99},
		{"未使用休暇は翌年に繰り越せます。", "未使用の休暇は翌年に繰り越せます。", 0.9, 0.99},
		{"die elternzeit betragt höchstens drei Jahre", "Die Elternzeit beträgt höchstens drei Jahre", 0.99, 0.99},
		{"penguins live antarctic", "", 0, 0},
		{"", "", 0, 0},
		{"?!", "", 0, 0},
	} {
		for _, text := range []string{handbook, strings.Repeat("Other words of no use stand here. ", 300) + handbook + strings.Repeat(" Nor is the rest of use.", 300)} {
			span, similarity := Align(c.quote, text)
			if got := span.Of(text); got != c.want || similarity < c.low || similarity > c.high {
				t.Errorf("Align(%q) = %q, %.3f; want %q, %.2f to %.2f", c.quote, got, similarity, c.want, c.low, c.high)
			}
		}
	}
}

// TestAlignFindsWhatWasTaken drops words of each sentence and finds it again.
func TestAlignFindsWhatWasTaken(t *testing.T) {
	text := strings.Repeat(proseChinese, 9) + strings.ReplaceAll(prose, "26", "17") + handbook
	for _, p := range Sentences(handbook) {
		words := strings.Fields(p.Of(handbook))
		if len(words) < 5 {
			continue
		}
		quote := strings.Join(append(words[:2:2], words[3:]...), " ")
		span, similarity := Align(quote, text)
		if similarity < 0.7 || !strings.Contains(handbook, span.Of(text)) {
			t.Errorf("Align(%q) = %q, %.2f", quote, span.Of(text), similarity)
		}
	}
}

func FuzzAlign(f *testing.F) {
	f.Add("26 weeks", handbook)
	f.Add("休暇は", handbook)
	f.Add("a \xff b", "b a\xff")
	f.Fuzz(func(t *testing.T, quote, text string) {
		span, similarity := Align(quote, text)
		if span.Start < 0 || span.End > len(text) || span.End < span.Start {
			t.Fatalf("span %v of %d bytes", span, len(text))
		}
		if math.IsNaN(similarity) || similarity < 0 || similarity > 1 || (similarity == 0) != (span.Len() == 0) {
			t.Fatalf("similarity %v of %q", similarity, span.Of(text))
		}
		if similarity == 1 && strings.Join(strings.Fields(quote), " ") != strings.Join(strings.Fields(span.Of(text)), " ") {
			t.Fatalf("%q is not %q", quote, span.Of(text))
		}
		if utf8.ValidString(text) && utf8.ValidString(quote) && !utf8.ValidString(span.Of(text)) {
			t.Fatalf("a rune is cut in %q", span.Of(text))
		}
		if _, s := Align(text, text); strings.TrimSpace(text) != "" && s != 1 {
			t.Fatalf("a text is like itself only by %v", s)
		}
	})
}

func BenchmarkAlign(b *testing.B) {
	text := strings.Repeat(prose, 20) + handbook
	for _, c := range []struct{ name, quote string }{
		{"exact", "26 weeks of parental leave, of which 12"},
		{"inexact", "employees receive up to 26 weeks parental leave of which 12 may be part-time"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Align(c.quote, text)
			}
		})
	}
}
