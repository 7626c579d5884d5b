package evaluator

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay/text"
)

// entities returns the names in s, in order and without overlap: quoted terms,
// identifiers (snake_case, CamelCase, ALLCAPS, --flags, paths, words with
// digits) and runs of capitalised words. The first word of a sentence is a name
// only where its form says so, or where another name follows it directly.
func entities(s string) []text.Span {
	found := quoted(s)
	found = append(found, identifiers(s)...)
	for _, sentence := range text.Sentences(s) {
		found = append(found, names(s, sentence)...)
	}
	sort.SliceStable(found, func(i, j int) bool {
		if found[i].Start != found[j].Start {
			return found[i].Start < found[j].Start
		}
		return found[i].End > found[j].End
	})
	var out []text.Span
	for _, f := range found {
		if len(out) == 0 || f.Start >= out[len(out)-1].End {
			out = append(out, f)
		}
	}
	return out
}

// maxQuoted is the longest quoted term, in bytes; longer quotes are speech (a
// judgement).
const maxQuoted = 60

var quotes = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '`': '`', '「': '」'}

// quoted returns what stands between quotation marks or in backquotes, without
// them.
func quoted(s string) []text.Span {
	var out []text.Span
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		at += size
		closing, ok := quotes[r]
		if !ok {
			continue
		}
		length := strings.IndexRune(s[at:min(len(s), at+maxQuoted+1)], closing)
		if length <= 0 || strings.TrimSpace(s[at:at+length]) != s[at:at+length] || strings.Contains(s[at:at+length], "\n") {
			continue
		}
		out = append(out, text.Span{Start: at, End: at + length})
		at += length + utf8.RuneLen(closing)
	}
	return out
}

// identifiers returns the chunks between white space whose form no ordinary word
// has, without the punctuation around them.
func identifiers(s string) []text.Span {
	var out []text.Span
	at := 0
	for _, chunk := range strings.FieldsFunc(s, unicode.IsSpace) {
		start := at + strings.Index(s[at:], chunk)
		at = start + len(chunk)
		left := strings.TrimLeft(chunk, "([{<\"'“‘„«`*,;:")
		body := strings.TrimRight(left, ")]}>\"'”’»`*.,;:!?…")
		from := start + len(chunk) - len(left)
		if body != "" && isIdentifier(body) {
			out = append(out, text.Span{Start: from, End: from + len(body)})
		}
	}
	return out
}

// isIdentifier tells whether the form of w marks a name by itself.
func isIdentifier(w string) bool {
	if !strings.ContainsFunc(w, unicode.IsLetter) {
		return false
	}
	switch {
	case strings.HasPrefix(w, "--") && len(w) > 2, strings.HasPrefix(w, "$") && len(w) > 1,
		strings.HasPrefix(w, "/") && len(w) > 1, strings.Contains(w, "://"), strings.Contains(w, "_"),
		strings.Contains(w, "@") && strings.Contains(w, "."):
		return true
	case strings.HasPrefix(w, "-") && len(w) == 2:
		return true
	}
	if i := strings.LastIndexByte(w, '.'); i > 0 && i < len(w)-1 && isLetters(w[i+1:]) && !abbreviation(w) {
		return true // main.go, os.Open
	}
	return camel(w) || capitals(w) || (letterBesideDigit(w) && !measured(w))
}

// abbreviation tells "e.g" and "U.S" from a file name.
func abbreviation(w string) bool {
	for _, part := range strings.Split(w, ".") {
		if utf8.RuneCountInString(part) > 1 {
			return false
		}
	}
	return true
}

func isLetters(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
}

// camel tells whether a capital follows a small letter within w.
func camel(w string) bool {
	small := false
	for _, r := range w {
		if small && unicode.IsUpper(r) {
			return true
		}
		small = unicode.IsLower(r)
	}
	return false
}

// capitals tells whether w has two capitals or more and no small letter, but for
// the plural in "APIs".
func capitals(w string) bool {
	n := 0
	for _, r := range strings.TrimSuffix(w, "s") {
		switch {
		case unicode.IsUpper(r):
			n++
		case unicode.IsLetter(r):
			return false
		}
	}
	return n >= 2
}

func letterBesideDigit(w string) bool {
	var before rune
	for _, r := range w {
		if (unicode.IsDigit(r) && unicode.IsLetter(before)) || (unicode.IsLetter(r) && unicode.IsDigit(before)) {
			return true
		}
		before = r
	}
	return false
}

// measured tells "26weeks", "5th" and "v2.3" from a name.
func measured(w string) bool {
	vs := values(w)
	lex := lexemes(w)
	return (len(vs) == 1 && vs[0].Span == text.Span{Start: 0, End: len(w)}) || (len(lex) == 2 && ordinal(lex[1]))
}

// names returns the runs of capitalised words in one sentence of s.
func names(s string, sentence text.Span) []text.Span {
	words := text.Words(sentence.Of(s))
	for i := range words {
		words[i].Start += sentence.Start
		words[i].End += sentence.Start
	}
	var out []text.Span
	for i := 0; i < len(words); i++ {
		if !capitalised(words[i].Of(s)) || (i == 0 && text.IsStop(text.Fold(words[i].Of(s)), "en")) || opener(words[i].Of(s)) {
			continue
		}
		last := i
		for next := i + 1; next < len(words); next++ {
			if !nameGap(s[words[next-1].End:words[next].Start]) {
				break
			}
			w := words[next].Of(s)
			if capitalised(w) && !opener(w) {
				last = next
			} else if next-last > 1 || !oneOf(strings.ToLower(w), []string{"of", "de", "von", "van", "der", "du", "la", "del", "the", "for"}) {
				break
			}
		}
		if i > 0 || last > i {
			out = append(out, text.Span{Start: words[i].Start, End: words[last].End})
		}
		i = last
	}
	return out
}

// nameGap tells whether what stands between two words may stand within a name.
func nameGap(between string) bool {
	return between == " " || between == "-" || between == "'" || between == "’" || between == ". " || between == " & "
}

func capitalised(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsUpper(r)
}

// opener tells whether the word begins questions and sentences, whatever its
// case: it is never the beginning of a name.
func opener(w string) bool {
	return openers[strings.ToLower(w)]
}

var openers = set("i i'm i'd i've i'll what what's who who's whom whose where when why how which is are was were do does did can could may might must " +
	"should shall will would has have had if in on at for from to by the a an and or but it its this that these those there please hi hello hey " +
	"wie was wer wo wann warum welche ist sind hat kann comment qui quand pourquoi combien quel quelle")
