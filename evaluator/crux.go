package evaluator

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay/text"
)

// crux is a part of a claim that can't be reworded: the evidence has it, or
// it says something else.
type crux struct {
	text.Span
	kind cruxKind
	// value is the position of a figure among the claim's values.
	value int
	// terms are those of the claim within the part.
	terms []int
	// pieces are the words of a code, as they must stand.
	pieces []string
}

type cruxKind int

const (
	figureCrux cruxKind = iota // a number, an amount, a date, a version
	codeCrux                   // a quoted word, a flag, a variable, a path, an identifier
	nameCrux                   // a proper name
	saidCrux                   // what "X is …" says of X
)

// tell finds the telling parts of what a claim asserts, which begins at byte
// from.
func (s *statement) tell(from int) {
	for i, v := range s.values {
		s.cruxes = append(s.cruxes, crux{Span: v.Span, kind: figureCrux, value: i, terms: s.valueTerms[i]})
	}
	for _, c := range codes(s.text) {
		if c.Start < from || slices.ContainsFunc(s.values, func(v value) bool { return v.Start < c.End && c.Start < v.End }) {
			continue
		}
		for _, pieces := range apart(piecesOf(c.Of(s.text))) {
			span := c
			if len(pieces) == 1 {
				span.Start += strings.Index(c.Of(s.text), pieces[0])
				span.End = span.Start + len(pieces[0])
			}
			s.cruxes = append(s.cruxes, crux{Span: span, kind: codeCrux, terms: s.termsIn(span), pieces: pieces})
		}
	}
	told := s.cruxes
	add := func(span text.Span, kind cruxKind) {
		terms := s.termsIn(span)
		apart := !slices.ContainsFunc(told, func(t crux) bool { return t.Start < span.End && span.Start < t.End })
		if span.Start >= from && len(terms) > 0 && apart {
			s.cruxes = append(s.cruxes, crux{Span: span, kind: kind, terms: terms})
		}
	}
	for _, n := range entities(s.text) {
		if !oneOf(strings.ToLower(n.Of(s.text)), []string{"yes", "no"}) {
			add(n, nameCrux)
		}
	}
	if span, ok := complementOf(s.text); ok && !s.short {
		told = s.cruxes
		add(span, saidCrux)
	}
}

// termsIn returns the claim's terms within a span of it.
func (s *statement) termsIn(span text.Span) []int {
	var out []int
	for i, p := range s.places {
		if span.Start <= p.Start && p.End <= span.End && !slices.Contains(out, s.order[i]) {
			out = append(out, s.order[i])
		}
	}
	return out
}

// codes returns the quoted words of s and the words whose form is a program's:
// flags, variables, paths, file names and other identifiers, in reading order.
// Capitals alone are a name's.
func codes(s string) []text.Span {
	out := quoted(s)
	add := func(c text.Span) {
		if !slices.ContainsFunc(out, func(o text.Span) bool { return o.Start < c.End && c.Start < o.End }) {
			out = append(out, c)
		}
	}
	for _, c := range shaped(s) {
		add(c)
	}
	for _, c := range identifiers(s) {
		if w := c.Of(s); strings.ContainsAny(w, "$/_@.0123456789") || w[0] == '-' || camel(w) {
			add(c)
		}
	}
	slices.SortFunc(out, func(a, b text.Span) int { return a.Start - b.Start })
	return out
}

// shaped returns the variables of a shell that have a sign for a name ("$?"),
// paths, and single words in single quotes.
func shaped(s string) []text.Span {
	var out []text.Span
	at := 0
	for _, chunk := range strings.Fields(s) {
		start := at + strings.Index(s[at:], chunk)
		at = start + len(chunk)
		w := strings.Trim(chunk, "()[]{}<>\"“”«»`*,;:.")
		if strings.HasPrefix(chunk, ".") && !strings.HasPrefix(w, ".") {
			w = "." + w
		}
		from := start + strings.Index(chunk, w)
		switch {
		case len(w) >= 2 && w[0] == '$' && strings.IndexByte("?!#@*$", w[1]) >= 0:
			out = append(out, text.Span{Start: from, End: from + 2})
		case isPath(w):
			out = append(out, text.Span{Start: from, End: from + len(w)})
		case len(w) > 3 && w[0] == '\'' && strings.IndexByte(w[1:], '\'') == len(w)-2:
			out = append(out, text.Span{Start: from + 1, End: from + len(w) - 1})
		}
	}
	return out
}

// isPath tells "~/.npm" and "src/main.rs" from "and/or".
func isPath(w string) bool {
	if !strings.Contains(w, "/") || !strings.ContainsFunc(w, unicode.IsLetter) {
		return false
	}
	return strings.IndexByte("~./%", w[0]) >= 0 || strings.Contains(w, "://") || strings.ContainsAny(w, "._") || strings.Count(w, "/") > 1
}

// apart returns the flags and variables among the words of a code one by one,
// since each has its own meaning ("set -x"), or else all words together.
func apart(pieces []string) [][]string {
	var out [][]string
	for _, p := range pieces {
		if p[0] == '-' || p[0] == '$' {
			out = append(out, []string{p})
		}
	}
	if len(out) == 0 && len(pieces) > 0 {
		out = append(out, pieces)
	}
	return out
}

// piecesOf returns the words of a code; signs between words are left out.
func piecesOf(c string) []string {
	var out []string
	all := strings.Fields(c)
	for _, w := range all {
		if len(all) == 1 || strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			out = append(out, w)
		}
	}
	return out
}

// place finds a word of code in s where no longer word goes on around it. A flag
// of one letter is told by its case, all else is not.
func place(s, word string) int {
	if len(word) != 2 || word[0] != '-' {
		s, word = lowered(s), lowered(word)
	}
	for from := 0; ; {
		at := strings.Index(s[from:], word)
		if at < 0 {
			return -1
		}
		at += from
		if bounded(s, at, at+len(word)) {
			return at
		}
		from = at + 1
	}
}

// lowered is s in lower case with every byte in its place: where a small letter
// is longer or shorter than its capital, only ASCII is changed.
func lowered(s string) string {
	if low := strings.ToLower(s); len(low) == len(s) {
		return low
	}
	low := []byte(s)
	for i, c := range low {
		if 'A' <= c && c <= 'Z' {
			low[i] = c + 'a' - 'A'
		}
	}
	return string(low)
}

// bounded tells whether the word at [start, end) ends there on both sides.
func bounded(s string, start, end int) bool {
	first, _ := utf8.DecodeRuneInString(s[start:])
	last, _ := utf8.DecodeLastRuneInString(s[:end])
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, size := utf8.DecodeRuneInString(s[end:])
	beyond, _ := utf8.DecodeRuneInString(s[end+size:])
	switch {
	case wordRune(first) && (wordRune(before) || strings.HasSuffix(s[:start], "non-")):
		return false
	case first == '-' && (before == '-' || wordRune(before)):
		return false
	case wordRune(last) && (wordRune(after) || (first == '-' || first == '/') && strings.ContainsRune("-./", after) && wordRune(beyond)):
		return false
	}
	return true
}

func wordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// stands tells whether all words of the part stand in s.
func (t *crux) stands(s string) bool {
	for _, p := range t.pieces {
		if place(s, p) < 0 {
			return false
		}
	}
	return true
}

// codeClass says what a code stands for, so that one can stand in another's
// place: a variable, a flag, a path, a dotted name, or a word.
func codeClass(c string) byte {
	switch {
	case strings.HasPrefix(c, "$"), strings.HasPrefix(c, "-"):
		return c[0]
	case strings.Contains(c, "/"):
		return '/'
	case strings.Contains(strings.TrimRight(c, "."), "."):
		return '.'
	}
	return 'w'
}

// copula are the verbs that say what something is.
var copula = lazily(`(?i)\b(?:is|are|was|were|remains|became|becomes|defaults)\b`)

// longestComplement is how many words "X is …" may have after the verb for the
// last of them to be what is said of X: a judgement.
const longestComplement = 4

// complementOf returns what follows the verb in a claim that only says what
// something is ("The door is green"). A pronoun names nothing to look for it by.
func complementOf(claim string) (text.Span, bool) {
	words := text.Words(claim)
	for i := len(words) - 2; i > 0 && i >= len(words)-1-longestComplement; i-- {
		if copula().MatchString(words[i].Of(claim)) {
			subject := text.Fold(words[i-1].Of(claim))
			return text.Span{Start: words[i+1].Start, End: words[len(words)-1].End}, !text.IsStop(subject, "en")
		}
	}
	return text.Span{}, false
}
