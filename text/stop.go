package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// stop is a full stop, or several, with the quotes and brackets that close
// after it.
type stop struct {
	start, end int
	mark       rune // the first
	dots       int  // how many full stops stand side by side
	exclaims   bool // there is an ! or ? among them
	closed     bool // a quote or bracket closes after it
}

// fullStop tells whether a rune beyond ASCII ends sentences in its script.
func fullStop(r rune) bool {
	switch r {
	case '。', '！', '？', '｡', '．', '…', '؟', '۔', '।', '॥', '։', '။', '។', '‼', '⁇', '⁈', '⁉':
		return true
	}
	return false
}

// stopAt reads the full stop at i.
func stopAt(s string, i int) stop {
	t := stop{start: i, end: i}
	t.mark, _ = utf8.DecodeRuneInString(s[i:])
	for t.end < len(s) {
		r, n := utf8.DecodeRuneInString(s[t.end:])
		switch {
		case r == '.':
			t.dots++
		case r == '!', r == '?', r == '！', r == '？':
			t.exclaims = true
		case !fullStop(r):
			t.close(s)
			return t
		}
		t.end += n
	}
	return t
}

// close takes what closes after the stop: quotes, brackets, emphasis, and the
// number of a footnote.
func (t *stop) close(s string) {
	for t.end < len(s) {
		r, n := utf8.DecodeRuneInString(s[t.end:])
		switch r {
		case '"', '\'', ')', ']', '}', '”', '’', '»', '›', '）', '」', '』', '】', '〉', '》', '］', '｝':
			t.closed = true
		case '*', '_':
		case '[':
			for n < 5 && t.end+n < len(s) && digit(s[t.end+n]) {
				n++
			}
			if n == 1 || t.end+n >= len(s) || s[t.end+n] != ']' {
				return
			}
			n++
		default:
			return
		}
		t.end += n
	}
}

// ends decides whether the stop ends a sentence.
func (p *splitter) ends(t stop) bool {
	s := p.s
	if t.end == len(s) {
		return true
	}
	gap := spaces(s[t.end:])
	if t.end+gap == len(s) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(s[t.end+gap:])
	wide := t.mark >= utf8.RuneSelf && t.mark != '…' && t.mark != '．'
	switch {
	case wide:
		// 「……。」と言った goes on.
		return !t.closed || scriptOf(next) != scriptHira
	case gap == 0:
		// Without a space a sentence ends only between characters that have none.
		r, _ := utf8.DecodeLastRuneInString(s[:t.start])
		return r >= utf8.RuneSelf && scriptOf(r).unspaced() && next >= utf8.RuneSelf && scriptOf(next).unspaced() && !t.closed
	case strings.ContainsRune(",;:)]}", next):
		return false
	case t.exclaims:
		return !t.closed || !unicode.IsLower(next)
	case t.dots != 1:
		return !unicode.IsLower(next)
	}
	return p.dotEnds(t, s[t.end+gap:], next)
}

// spaces returns the length of the white space that s begins with.
func spaces(s string) int {
	for i, r := range s {
		if !unicode.IsSpace(r) {
			return i
		}
	}
	return len(s)
}

// dotEnds decides on a single full stop with a space after it; rest begins with
// the next word.
func (p *splitter) dotEnds(t stop, rest string, next rune) bool {
	word := wordBefore(p.s[p.start:t.start])
	kind, known := abbreviations[strings.ToLower(word)]
	if unicode.IsLower(next) {
		return !known && !t.closed && len(word) >= 5 && !strings.ContainsAny(word, ".0123456789")
	}
	if t.closed && !known {
		return true
	}
	first := strings.TrimSpace(p.s[p.start:t.start]) == word
	numbered := unicode.IsDigit(next)
	switch {
	case first && len(word) <= 3 && (word == "" || digit(word[0]) || len(word) == 1):
		return false // "1. Open the door", "A. Introduction"
	case word == "":
		return true
	case known && kind == abbrTitle:
		return false
	case known && kind == abbrNumber:
		return !numbered && !roman(rest)
	case known && kind == abbrDate:
		return !numbered && starts(rest)
	case known && kind == abbrName, dotted(word), utf8.RuneCountInString(word) == 1 && !digit(word[0]):
		return starts(rest)
	case len(word) <= 2 && digit(word[0]):
		return starts(rest) || !ordinal(p.s[p.start:t.start-len(word)], rest)
	}
	return true
}

// wordBefore returns the letters, digits and inner full stops that s ends with,
// 32 bytes at the most.
func wordBefore(s string) string {
	i := len(s)
	for i > 0 && len(s)-i < 32 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			break
		}
		i -= n
	}
	return strings.TrimLeft(s[i:], ".")
}

// wordAfter returns the letters that s begins with, after an opening quote or
// bracket.
func wordAfter(s string) string {
	s = s[:min(len(s), 48)]
	s = strings.TrimLeft(s, "\"'([*_“‘„«¿¡")
	n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	if n < 0 {
		return s
	}
	return s[:n]
}

// starts tells whether the text begins with a word that begins sentences.
func starts(rest string) bool {
	w := wordAfter(rest)
	if len(w) == 1 && len(rest) > 1 && rest[1] == '.' {
		return false
	}
	if i := strings.IndexAny(w, "'’"); i > 0 {
		w = w[:i]
	}
	_, ok := starters[strings.ToLower(w)]
	return ok
}

// roman tells whether the text begins with a Roman number or a single letter:
// "Fig. B", "Vol. XII".
func roman(rest string) bool {
	w := wordAfter(rest)
	return w != "" && (len(w) == 1 || strings.Trim(w, "IVXLCM") == "")
}

// ordinal tells whether the number between before and rest is rather a German or
// Danish "3." than the end of a sentence: "am 3. Oktober", "der 2. Weltkrieg".
func ordinal(before, rest string) bool {
	if _, month := months[strings.ToLower(wordAfter(rest))]; month {
		return true
	}
	switch strings.ToLower(wordBefore(strings.TrimRight(before, " "))) {
	case "am", "der", "die", "das", "den", "dem", "des", "im", "vom", "zum", "zur", "beim", "ab", "seit", "bis", "und", "kl":
		return true
	}
	return false
}
