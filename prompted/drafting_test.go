package prompted

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

// reading is what a drafting made of a text.
type reading struct {
	segments []assay.Segment
	told     []assay.Segment // of the segments, those that were told
	text     string
	refusal  string
	evasion  bool
}

// readPieces reads a text that comes in pieces.
func readPieces(cut bool, pieces ...string) reading {
	var r reading
	d := newDrafting(assay.DraftRequest{
		OnText:    func(piece string) { r.text += piece },
		OnSegment: func(s assay.Segment) { r.told = append(r.told, s) },
	}, nil)
	for _, p := range pieces {
		d.write(p)
	}
	d.end(cut)
	r.refusal, r.evasion = d.sieve.evasion()
	r.segments = slices.Clone(d.sieve.segments)
	return r
}

// lay is segments as a test writes them: one a line, with what they cite, and "/" before
// one that begins a line.
func lay(segments []assay.Segment) string {
	var lines []string
	for _, s := range segments {
		line := s.Text
		if s.Line {
			line = "/" + line
		}
		if s.Cites != nil {
			line += fmt.Sprint(" ", s.Cites)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "¦")
}

func TestDrafting(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a sentence", "Leave is 26 weeks [1].", "Leave is 26 weeks. [0]"},
		{"marks after the stop", "Leave is 26 weeks. [1] It is paid.[2] Ask HR.", "Leave is 26 weeks. [0]¦It is paid. [1]¦Ask HR."},
		{"several marks", "One [1][2]. Two [1] [3]. Three [1, 2]. Four [2-4]. Five [1], [3]. Six [1; 2 and 4].", "One. [0 1]¦Two. [0 2]¦Three. [0 1]¦Four. [1 2 3]¦Five. [0 2]¦Six. [0 1 3]"},
		{"the same mark twice", "Leave [1] is 26 weeks [1].", "Leave is 26 weeks. [0]"},
		{"wide brackets", "休暇は26週間です【1】。有給です。【2†source】", "休暇は26週間です。 [0]¦有給です。 [1]"},
		{"Chinese", "年假为20天[1]。需提前申请[2]。", "年假为20天。 [0]¦需提前申请。 [1]"},
		{"words in marks", "A is so [Source 1]. B is so [evidence: 2]. C is so [^3].", "A is so. [0]¦B is so. [1]¦C is so. [2]"},
		{"in parentheses", "A is so ([1]). B is so ([1], [2]).", "A is so. [0]¦B is so. [0 1]"},
		{"a link", "A is so [1](#source-1). B [2](https://example.org/x).", "A is so. [0]¦B. [1]"},
		{"of nothing", "A is so [9]. B is so [n]. C is so [0].", "A is so. [8]¦B is so. [-1]¦C is so. [-1]"},
		{"no marks", "See [below]. In [2024] it was [a, b]. [1", "See [below].¦In [2024] it was [a, b].¦[1"},
		{"in code", "Use `a[1]` here [2].\n\n```go\nx := a[1]\n\ny[2] = 3\n```\n[1]\nDone.", "Use `a[1]` here. [1]¦/```go\nx := a[1]\n\ny[2] = 3\n``` [0]¦/Done."},
		{"after a fence", "```\na[0]\n``` [1]", "/```\na[0]\n``` [0]"},
		{"a list", "Do this:\n1. Open the lid [1].\n2. Press it. Wait. [2]\n\n- A\n- B [3]", "Do this:¦/1. Open the lid. [0]¦/2. Press it.¦Wait. [1]¦/- A¦/- B [2]"},
		{"a table that is indented as in the prompt", "| a | b |\n    |---|---|\n    | 1 | 2 |\n", "/| a | b |\n|---|---|\n| 1 | 2 |"},
		{"a table", "Plans:\n| Plan | Price |\n|---|---|\n| Basic [1] | $5 |\n| Pro | $9 [2] |\n\nThat is all.", "Plans:¦/| Plan | Price |\n|---|---|\n| Basic | $5 |\n| Pro | $9 | [0 1]¦/That is all."},
		{"a wrapped paragraph", "Leave is 26\nweeks [1]. It is\npaid [2].", "Leave is 26 weeks. [0]¦It is paid. [1]"},
		{"paragraphs", "A is so [1].\n\nB is so [2].", "A is so. [0]¦/B is so. [1]"},
		{"a mark on its own line", "A is so.\n[1]\n\n[2]\n\nB is so.", "A is so. [0 1]¦/B is so."},
		{"a mark before its sentence", "[1] A is so.\n[2] B is so.", "A is so. [0]¦/B is so. [1]"},
		{"headings", "## Answer\n\nA is so [1].\n\n### More\n\nB is so [2].\n\n---\n", "A is so. [0]¦/B is so. [1]"},
		{"a label", "**Answer:** A is so [1].", "A is so. [0]"},
		{"a label in its line", "Answer:\n\nA is so [1].", "A is so. [0]"},
		{"sources", "A is so [1].\n\nSources:\n[1] Handbook, Leave\n[2] Other", "A is so. [0]"},
		{"sources without marks", "A is so [1]\nSources:\nHandbook, Leave\n\nMore", "A is so [0]"},
		{"sources in a line", "A is so [1].\n\n**Sources:** [1], [2]", "A is so. [0]"},
		{"sources as a heading", "A is so [1].\n## References\n- [1] Handbook", "A is so. [0]"},
		{"sources as an answer", "Sources: wind and sun [1].", "Sources: wind and sun. [0]"},
		{"no answer", "NO_ANSWER", ""},
		{"no answer, dressed", "Answer: \"no_answer\".\n", ""},
		{"no answer, explained", "NO_ANSWER. The evidence says nothing of it.", ""},
		{"no answer in bold", "**NO_ANSWER**", ""},
		{"an answer and then none", "A is so [1].\n\nNO_ANSWER", "A is so. [0]"},
		{"an answer about it", "The reply is then NO_ANSWER [1].", "The reply is then NO_ANSWER. [0]"},
		{"thoughts", "<think>The answer [2]. Is it?</think>\n\nA is so [1].", "A is so. [0]"},
		{"thoughts without a beginning", "Well. Let me see.\n</think>\nA is so [1].", "Well.¦/A is so. [0]"},
		{"thoughts without an end", "<think>The answer is 26 weeks.", ""},
		{"thoughts after a sentence", "A is so [1]. <think>Is it? [2]</think> B is so [3].", "A is so. [0]¦B is so. [2]"},
		{"thoughts within a sentence", "A is <think>Well.</think>so [1].", "A is so. [0]"},
		{"thoughts between lines", "A is so [1].\n<think>\nIs it?\n</think>\nB is so [2].", "A is so. [0]¦/B is so. [1]"},
		{"thoughts at the end", "A is so [1]. <think>Is it? B is", "A is so. [0]"},
		{"thoughts without a beginning after others", "<think>Hm.</think> A is so.\n</think>\nB is so [1].", "B is so. [0]"},
		{"a tag that is text", "Use the `<think>` tag [1]. Or </thing> [2].", "Use the `<think>` tag. [0]¦Or </thing>. [1]"},
		{"a sentence twice", "A is so [1]. B is so. A is so [1]. A is so [1].", "A is so. [0]¦B is so."},
		{"abbreviations", "E.g. the U.S. Government pays $3.50 in Sept. 2025 [1]. See No. 5.", "E.g. the U.S. Government pays $3.50 in Sept. 2025. [0]¦See No. 5."},
		{"the prompt again", "BEGIN 006e41e9d5c636ef2c08d966\nPASSAGE | Leave | 2025-06-02\n[1] A is so.\nEND 006e41e9d5c636ef2c08d966", "A is so. [0]"},
		{"the example again", "In winter the first Zennick ferry leaves at 9 [1]. Your bicycle travels on it free of charge [2].", ""},
		{"only stops", "... [1] !", ""},
	} {
		got := readPieces(false, c.in)
		if lay(got.segments) != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, lay(got.segments), c.want)
		}
	}
}

// A wrapping is taken off where it is around the whole answer, and nothing else is.
func TestDraftingUnwraps(t *testing.T) {
	const bare = "A is so. [0]¦B is so. [1]"
	for _, c := range []struct{ name, in, want string }{
		{"an object", `{"answer": "A is so [1]. B is so [2]."}`, bare},
		{"an object on several lines", "\n{\n  \"answer\": \"A is\nso [1]. B is so [2].\"\n}\n", bare},
		{"with other keys", `{"thoughts": "\"answer\": no", "sources": [1, 2], "Final_Answer": "A is so [1]. B is so [2].", "sure": true}`, bare},
		{"an object with a text", `{"title": "C", "text": "A is so [1]. B is so [2]."}`, bare},
		{"an object with a text and an answer", `{"text": "C", "answer": "A is so [1]. B is so [2]."}`, bare},
		{"in another object", `{"result": {"answer": "A is so [1]. B is so [2]."}}`, bare},
		{"with escapes", `{"answer": "A is \u201cso\u201d [1].\n\n- \"B\""}`, "A is “so”. [0]¦/- \"B\""},
		{"an object in a fence", "```json\n{\"answer\": \"A is so [1]. B is so [2].\", \"citations\": [1]}\n```", bare},
		{"an object in a fence without a name", "~~~\n{\"answer\": \"A is so [1]. B is so [2].\"}\n~~~\n", bare},
		{"a fence", "```\nA is so [1]. B is so [2].\n```", bare},
		{"a fence with a name", "```markdown\n- A is so [1].\n- B is so. [2]\n```\n", "/- A is so. [0]¦/- B is so. [1]"},
		{"a fence called json", "```json\nA is so [1]. B is so [2].\n```", bare},
		{"a fence of tildes", "~~~\nA is so [1]. B is so [2].\n~~~", bare},
		{"after thoughts", "<think>{</think>\n\n```json\n{\"answer\": \"A is so [1]. B is so [2].\"}\n```", bare},
		{"after thoughts without a beginning", "{\"x\"</think>{\"answer\": \"A is so [1]. B is so [2].\"}", bare},
		{"no answer", `{"answer": "NO_ANSWER"}`, ""},
		{"no answer in a fence", "```\nNO_ANSWER\n```", ""},
		{"an empty answer", `{"answer": ""}`, ""},
		{"null", `{"answer": null, "citations": []}`, ""},

		{"another object", `{"port": 8080}`, `{"port": 8080}`},
		{"an object that is spoken of", `{"id": 1, "answer": "x"} is what it returns [1].`, `{"id": 1, "answer": "x"} is what it returns. [0]`},
		{"a brace", `{x} is a set [1].`, `{x} is a set. [0]`},
		{"code in another language", "```go\n// It runs.\n```", "/```go\n// It runs.\n```"},
		{"code in none", "```\ngo run .\ngo test ./...\ngo build\n```", "/```\ngo run .\ngo test ./...\ngo build\n```"},
		{"JSON", "```json\n[1, 2]\n```", "/```json\n[1, 2]\n```"},
		{"code and a mark", "```\na[0].\n``` [1]", "/```\na[0].\n``` [0]"},
		{"code and a sentence", "```\na is so.\n```\nA is so [1].", "/```\na is so.\n```¦/A is so. [0]"},
		{"code within an answer", "A is so [1].\n\n~~~\n{\"answer\": \"x. y.\"}\n\nz[1]\n~~~\n[2]", "A is so. [0]¦/~~~\n{\"answer\": \"x. y.\"}\n\nz[1]\n~~~ [1]"},
	} {
		if got := lay(readPieces(false, c.in).segments); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
		if got := lay(readPieces(false, strings.Split(c.in, "")...).segments); got != c.want {
			t.Errorf("%s, letter by letter:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
	for in, want := range map[string]string{
		`{"answer": "A is so [1]. B is so`:             "A is so. [0]",
		`{"answer": "A is so [1]. \"B\" \`:             "A is so. [0]",
		`{"answer": "A is so [1].", "citations": [1, `: "A is so. [0]",
		"```json\n{\"answer\": \"A is so [1]. B is":    "A is so. [0]",
		"```\nA is so [1]. B is so [2].\n":             "A is so. [0]¦B is so. [1]",
	} {
		if got := lay(readPieces(true, in).segments); got != want {
			t.Errorf("%q, cut there: %q, want %q", in, got, want)
		}
	}
}

// What begins like a wrapping is told as soon as it is clear that it is none.
func TestDraftingHoldsNoMoreThanAWrapping(t *testing.T) {
	for _, c := range []struct{ in, told string }{
		{"Leave is 26 weeks", "Leave is 26 weeks"},
		{`{"answer": "Leave is 26 weeks. It is`, ""},
		{"{x} is", "{x} is"},
		{"`x` is", "`x` is"},
		{"```", ""},
		{"```json\n{\"answer\": \"Leave is 26 weeks", ""},
		{"```js", ""},
		{"```sh\nls", "```sh\nls"},
		{"```\nls\n```\n", ""},
		{"```\nls\n```\nIt", "```\nls\n```\nIt"},
	} {
		var told strings.Builder
		d := newDrafting(assay.DraftRequest{OnText: func(piece string) { told.WriteString(piece) }}, nil)
		d.write(c.in)
		if got := told.String(); got != c.told {
			t.Errorf("of %q it tells %q, want %q", c.in, got, c.told)
		}
	}
}

func TestDraftingShort(t *testing.T) {
	for _, c := range []struct {
		in    string
		short bool
	}{
		{"28 days [1]", true}, {"**28 days.** [1]", true}, {"Yes. [1]", true}, {"€220 in London, Sydney and Tokyo [1]", true}, {"20 Minuten [2]. Danach ist sie bereit [2].", true},
		{"It is 28 days.", false}, {"- 28 days", false}, {"It takes 28 days from the day on which the form arrived", false}, {"休暇は28日です。", false},
	} {
		got := readPieces(false, c.in).segments
		if got[0].Short != c.short || len(got) > 1 && got[1].Short {
			t.Errorf("%q: %+v", c.in, got)
		}
	}
}

func TestDraftingText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Leave is 26 weeks [1]. It is paid. [2] Ask.", "Leave is 26 weeks. It is paid. Ask."},
		{"A [1], [2] and b [3]; c [x].", "A and b; c [x]."},
		{"<think>no</think>\nYes [1].\n", "Yes."},
		{"Yes [1]. <think>no</think>It is so.", "Yes. It is so."},
		{"Answer: Yes.", "Yes."},
		{"**Answer:** Yes.", "Yes."},
		{"NO_ANSWER", ""},
		{"\"NO_ANSWER.\"", ""},
		{"Non, dit-il.", "Non, dit-il."},
		{"No. It isn't.", "No. It isn't."},
		{"A.\n\nSources:\n[1] B\n", "A."},
		{"A.\n\nSources of it are these.", "A.\n\nSources of it are these."},
		{"- a\n- b [2]\n\nc", "- a\n- b\n\nc"},
		{"[1] A.\n[2] B.\n", "A.\nB."},
		{"x `a[1]` y [1", "x `a[1]` y [1"},
		{"```json\n{\"answer\": \"A is so [1].\\nB [2].\"}\n```", "A is so.\nB."},
		{"~~~\nA is so [1].\n~~~", "A is so."},
	} {
		if got := readPieces(false, c.in); got.text != c.want {
			t.Errorf("%q is told as %q, want %q", c.in, got.text, c.want)
		}
	}
}

// A segment is told as soon as the next one has begun.
func TestDraftingIsPrompt(t *testing.T) {
	var told []string
	d := newDrafting(assay.DraftRequest{OnSegment: func(s assay.Segment) { told = append(told, s.Text) }}, nil)
	for _, c := range []struct{ piece, want string }{
		{"Leave is 26 weeks", ""}, {". [1]", ""}, {" It", ""}, {" is", "Leave is 26 weeks."},
		{" paid.\n\n", ""}, {"-", "It is paid."}, {" item\n- ", ""}, {"other b", "- item"}, {"\n| a", ""}, {" | b |\n| c | d |\n", "- other b"}, {"\nEnd", "| a | b |\n| c | d |"},
		{"。", ""}, {"是", "End。"},
	} {
		before := len(told)
		d.write(c.piece)
		if got := strings.Join(told[before:], "¦"); got != c.want {
			t.Errorf("after %q it tells %q, want %q", c.piece, got, c.want)
		}
	}
}

func TestDraftingCut(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"A is so [1]. B is", "A is so. [0]"},
		{"A is so [1]. B is so.", "A is so. [0]¦B is so."},
		{"A is so [1]. B is so [2]", "A is so. [0]¦B is so [1]"},
		{"A is", ""},
		{"- a\n- b\n- c and", "- a¦/- b"},
		{"A.\n```\nx = 1\ny", "A."},
		{"| a | b |\n| c |", "/| a | b |\n| c |"},
		{"A.\n| a | b |\n| c", "A."},
	} {
		if got := lay(readPieces(true, c.in).segments); strings.TrimPrefix(got, "/") != strings.TrimPrefix(c.want, "/") {
			t.Errorf("%q, cut there: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestEvasions(t *testing.T) {
	for _, c := range []struct {
		in      string
		evasion bool
		refusal string
	}{
		{"I'm sorry, but I can't help with that.", true, "I'm sorry, but I can't help with that."},
		{"I’m sorry. That is not possible.", true, "I’m sorry."},
		{"I'm sorry, but the evidence does not mention the price.", true, ""},
		{"The provided evidence doesn't contain any information about the price. You could ask the seller.", true, ""},
		{"There is no information about that.", true, ""},
		{"The price is not mentioned in the given documents.", true, ""},
		{"Die Belege enthalten dazu keine Angaben.", true, ""},
		{"Es tut mir leid, dabei kann ich nicht helfen.", true, "Es tut mir leid, dabei kann ich nicht helfen."},
		{"The evidence does not mention the price [1].", true, ""},
		{"No vacation days are mentioned in the passage [1].", true, ""},
		{"The evidence does not mention the price [1]. It is $5 [2].", false, ""},
		{"The warranty document does not cover water damage [2].", false, ""},
		{"I'm sorry for the delay. The price is $5 [1].", false, ""},
		{"No, the source is not open.", false, ""},
		{"The document must not leave the house.", false, ""},
		{"There is no charge.", false, ""},
	} {
		got := readPieces(false, c.in)
		if got.evasion != c.evasion || got.refusal != c.refusal {
			t.Errorf("%q: evasion %v, refusal %q", c.in, got.evasion, got.refusal)
		}
		if got.evasion && len(got.told) > 0 {
			t.Errorf("%q: told %q", c.in, lay(got.told))
		}
	}
}

func FuzzDrafting(f *testing.F) {
	for _, seed := range []string{
		"Leave is 26 weeks [1]. It is paid. [2] Ask.", "<think>x</think>\nA [1, 2].\n\nSources:\n[1] B", "| a [1] |\n| b |\n\n```\nx[1]\n\n```\n[2]\nEnd.",
		"NO_ANSWER. x", "I'm sorry, I can't.", "今日は晴れです【1】。明日は([2])。", "1. A. B\n2. C\n[3]\n\n- d\n", "a ([1], [2]) [x [1] y](z)", "x</think>\ny [1](#a)", "# H\n**Answer:** \xff\xe2\x80",
		"```json\n{\"answer\": \"A [1]. B\\n\", \"c\": [1]}\n```", "```\nA is so.\n``` [1]\nB", "~~~md\nA.\n~~~", `{"answer": "A [1].</think> {`,
	} {
		f.Add(seed, uint16(3), uint16(7), false)
	}
	f.Fuzz(func(t *testing.T, s string, a, b uint16, cut bool) {
		whole := readPieces(cut, s)
		i := int(a) % (len(s) + 1)
		j := i + int(b)%(len(s)-i+1)
		for _, pieces := range [][]string{{s[:i], s[i:]}, {s[:i], s[i:j], s[j:]}, strings.Split(s, "")} {
			got := readPieces(cut, pieces...)
			if lay(got.segments) != lay(whole.segments) || got.text != whole.text || lay(got.told) != lay(whole.told) {
				t.Fatalf("in pieces %q:\n got %q told %q\nwant %q told %q", pieces, lay(got.segments), got.text, lay(whole.segments), whole.text)
			}
		}
		for k, s := range whole.told {
			if lay(whole.segments[k:k+1]) != lay([]assay.Segment{s}) {
				t.Fatalf("told %q, but the draft has %q", lay(whole.told), lay(whole.segments))
			}
		}
		for _, s := range whole.segments {
			if strings.TrimSpace(s.Text) == "" {
				t.Fatalf("an empty segment in %q", lay(whole.segments))
			}
		}
	})
}

// The reading of a draft of 1,500 bytes, in pieces of a token each.
func BenchmarkDrafting(b *testing.B) {
	draft := strings.Repeat("Parental leave is 26 weeks for the primary carer [1]. ", 14) + "\n\n" + strings.Repeat("- The second carer gets 8 weeks ([2], [3]).\n", 16)
	pieces := strings.SplitAfter(draft, " ")
	b.SetBytes(int64(len(draft)))
	for b.Loop() {
		d := newDrafting(assay.DraftRequest{OnText: func(string) {}, OnSegment: func(assay.Segment) {}}, nil)
		for _, p := range pieces {
			d.write(p)
		}
		d.end(false)
	}
}
