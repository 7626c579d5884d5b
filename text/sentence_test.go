package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestSentences marks where a sentence is to end with ¦.
func TestSentences(t *testing.T) {
	for _, marked := range []string{
		"It works.¦ It is fast!¦ Is it?¦ Yes",
		"Dr. Smith met Mr. J. R. Jones at 5 p.m. on Monday.¦ He was late.",
		"Some fruit, e.g. apples, i.e. red ones, cost $3.50 each.¦ See p. 12 and Fig. 3.",
		"The U.S. Government acts.¦ He lives in the U.S.¦ The end.",
		"Apple Inc. Chairman Cook spoke.¦ He works at Apple Inc.¦ The company grew.",
		"Buy apples, pears, etc.¦ Users can pay later.",
		"She said no.¦ Then she left.¦ See No. 5 for more.",
		"Smith et al. (2020) and Jones et al. 2021 disagree.¦ We don't.",
		"Version 1.2.3 of foo.Bar is at https://go.dev/x.html?q=1.¦ Get file.txt. now",
		"\"Stop!\" he cried.¦ \"Go away.\"¦ She went.",
		"(It is so.)¦ It was [so].¦ He asked “why?”¦ Nobody knew.",
		"Wait...¦ What?!¦ Well... maybe not.¦ So… yes.",
		"He knew it.[12]¦ Others did not.[3][4]¦ End.",
		"Text is **bold.**¦ More text.",
		"We went home. it was late",
		"The upload failed during startup.¦ kubectl shows why.",
		"Take vitamin C.¦ It helps.¦ Plan B. Smith agrees.",
		"A paragraph that is\nwrapped over lines.¦ It\ngoes on.¦\n\nA new one",
		"# Heading 1. Intro¦\nText here¦\n- item one¦\n- item two.¦ More¦\n\n1. First. ¦Then¦\n2. Second¦\n\nEnd",
		"Intro:¦\n* one\n  continued¦\n* two¦\nback again",
		"We were there in\n2024. ¦The rest was\n5. not a list",
		"| a. B | b |¦\n|---|---|¦\n| 1. C | 2 |¦\nText",
		"Title\n=====¦\nText.¦\n\n```go¦\nx := f(a. B)¦\ny¦\n```¦\nAfter.",
		"Use `a. B` here.¦ Then `c",
		"1. Open the door.¦ 2. Close it.¦ A. Go.",
		"Am 3. Oktober ist frei.¦ Der 2. Weltkrieg endete 1945.¦ Es gilt z. B. für Kinder, d. h. alle.¦ Ja, bzw. Nein.",
		"M. Dupont arrive à 8 h.¦ Il part p. ex. demain.¦ C'est l'art. 5 du code.",
		"El Sr. García llegó.¦ ¿Cómo está?¦ ¡Bien!¦ Gracias.",
		"今日は晴れです。¦明日は雨ですか？¦「はい。」と言った。¦終わり",
		"他说：“好。”¦然后走了。¦价格是3.5元。¦真的吗？！¦是",
		"안녕하세요. ¦반갑습니다. ¦버전 1.2입니다.",
		"Это г. Москва. ¦Он живёт там и т.д. ¦Да!",
		"هل هذا صحيح؟¦ نعم.¦ شكرا",
		"यह सच है।¦ वह गया।",
		"What a day!¦ and yet?¦ how are you?¦ i am fine",
		"Yes! ¦\r\n\r\nNo.\r\n",
		"Ends at Sept. 5 in the year 2020.¦ In Sept.¦ The rest",
		"", "  \n ", ".", "...",
	} {
		text := strings.ReplaceAll(marked, "¦", "")
		var want []string
		for w := range strings.SplitSeq(marked, "¦") {
			if w = strings.TrimSpace(w); w != "" {
				want = append(want, w)
			}
		}
		var got []string
		for _, s := range Sentences(text) {
			got = append(got, s.Of(text))
		}
		if g, w := strings.Join(got, "¦"), strings.Join(want, "¦"); g != w {
			t.Errorf("Sentences(%q)\n got %q\nwant %q", text, g, w)
		}
	}
}

// checkSentences fails unless the sentences of s are as their contract says.
func checkSentences(t *testing.T, s string) {
	t.Helper()
	at, valid := 0, utf8.ValidString(s)
	for _, p := range Sentences(s) {
		if p.Start < at || p.End <= p.Start || p.End > len(s) {
			t.Fatalf("sentence %v after byte %d of %d", p, at, len(s))
		}
		if gap := strings.TrimSpace(s[at:p.Start]); gap != "" {
			t.Fatalf("%q at %d is in no sentence", gap, at)
		}
		if strings.TrimSpace(p.Of(s)) != p.Of(s) {
			t.Fatalf("white space around %q", p.Of(s))
		}
		if p.Len() > maxSentence {
			t.Fatalf("a sentence of %d bytes", p.Len())
		}
		if valid && !utf8.ValidString(p.Of(s)) {
			t.Fatalf("a rune is cut in %q", p.Of(s))
		}
		at = p.End
	}
	if rest := strings.TrimFunc(s[at:], unicode.IsSpace); rest != "" {
		t.Fatalf("%q at the end is in no sentence", rest)
	}
}

func TestLongSentences(t *testing.T) {
	for _, s := range []string{
		strings.Repeat("x", 5000), strings.Repeat("é", 3000), strings.Repeat("word ", 1000),
		strings.Repeat("\xff", 3000), strings.Repeat("\x80", 3000), strings.Repeat("many words, and ", 300), "a" + strings.Repeat("漢", 2000),
		strings.Repeat(" ", 2000) + "x" + strings.Repeat(" ", 2000),
		strings.Repeat("y", 999) + strings.Repeat(" ", 1500) + "z",
	} {
		checkSentences(t, s)
	}
	for _, p := range Sentences(strings.Repeat("many words, and ", 300)) {
		if s := p.Of(strings.Repeat("many words, and ", 300)); p.End < 4700 && !strings.HasSuffix(s, ",") {
			t.Errorf("broken within a clause: …%q", s[len(s)-20:])
		}
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"A b. C d.\n\n- e\n  f", "「。」と。e.g. x", "```\na. B\n```\n1. x", "\xff\xfe. A", "| a |\n---\nb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkSentences(t, s)
		checkSentences(t, strings.Repeat(s, 1+2000/(len(s)+1)))
	})
}
