package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// compound adds a word with punctuation in it, or with letters beyond ASCII.
func (a *analyzer) compound(p Span, sh shape) {
	if sh&shapeQuote != 0 && a.lang.elides {
		p = a.elided(p)
	}
	w := p.Of(a.s)
	if sh&shapeJoined == 0 {
		if len(w) <= maxTerm {
			a.add(p, a.foreign(w, sh&shapeDigit == 0))
		}
		return
	}
	switch {
	case len(w) > maxTerm:
		a.parts(p)
		return
	case digit(w[0]) && w[len(w)-1] == ')':
		a.add(p, strings.ToLower(strings.NewReplacer("(", "", ")", "").Replace(w)))
		a.parts(p)
		return
	case sh&(shapeLower|shapeUpper|shapeInitial|shapeForeign) == 0:
		a.add(p, number(w))
		a.numberParts(p)
		return
	case dotted(w):
		a.add(p, a.acronym(w))
		return
	}
	a.add(p, whole(w))
	if digit(w[0]) {
		n := len(a.out)
		if a.quantity(p); len(a.out) > n {
			return
		}
	}
	a.parts(p)
}

// whole returns the term of a compound as a whole: "--dry-run" is searched for
// as dry-run, "e-mail" as email, "v1.2.3" as 1.2.3.
func whole(w string) string {
	t := strings.Trim(foldWord(w), "-_")
	if len(t) > 2 && t[1] == '-' {
		return t[:1] + t[2:]
	}
	if len(t) > 3 && t[0] == 'v' && digit(t[1]) {
		return t[1:]
	}
	return t
}

// elided returns p without the article or pronoun that was written in one with
// the word: l'eau, qu'il, dell'arte.
func (a *analyzer) elided(p Span) Span {
	w := p.Of(a.s)
	i := strings.IndexAny(w, "'\u2019")
	if i < 1 || i > 7 {
		return p
	}
	switch Fold(w[:i]) {
	case "l", "d", "j", "m", "t", "s", "c", "n", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "quelqu",
		"un", "all", "dell", "nell", "dall", "sull", "coll", "quell", "quest", "dov", "com", "cos":
		_, n := utf8.DecodeRuneInString(w[i:])
		if p.Start+i+n < p.End {
			p.Start += i + n
		}
	}
	return p
}

// dotted tells whether w is single letters with full stops between: U.S.A, e.g.
func dotted(w string) bool {
	if len(w) < 3 {
		return false
	}
	for i := 0; i < len(w); i++ {
		if i%2 == 0 && !letter(w[i]) || i%2 == 1 && w[i] != '.' {
			return false
		}
	}
	return len(w)%2 == 1
}

// acronym returns the term of U.S.A, which is usa, or empty for e.g and i.e.
// A pronoun is not what U.S spells.
func (a *analyzer) acronym(w string) string {
	t := strings.ReplaceAll(w, ".", "")
	lower := strings.ToLower(t)
	if t != lower {
		return lower
	}
	return a.term(t, false)
}

// number returns the term of a number: without the commas between thousands.
func number(w string) string {
	i := strings.IndexByte(w, ',')
	if i < 1 || i > 3 {
		return w
	}
	for j := i; j < len(w) && w[j] != '.'; j += 4 {
		if w[j] != ',' || j+4 > len(w) || strings.ContainsAny(w[j+1:j+4], ",.") {
			return w
		}
	}
	return strings.ReplaceAll(w, ",", "")
}

// numberParts adds the year of a date, and the first two numbers of a version
// of three: who asks for 1.22 wants 1.22.3 as well.
func (a *analyzer) numberParts(p Span) {
	w := p.Of(a.s)
	switch {
	case len(w) >= 7 && w[4] == '-':
		a.add(Span{p.Start, p.Start + 4}, w[:4])
	case strings.Count(w, ".") == 2 && !strings.ContainsAny(w, ",:"):
		i := strings.LastIndexByte(w, '.')
		a.add(Span{p.Start, p.Start + i}, w[:i])
	}
}

// parts adds the parts of a compound between its punctuation.
func (a *analyzer) parts(p Span) {
	w := p.Of(a.s)
	if len(w) > 3 && w[0]|0x20 == 'v' && strings.Trim(w[1:], "0123456789.") == "" {
		a.numberParts(Span{p.Start + 1, p.End})
		return
	}
	from := -1
	for i, r := range w {
		part := r < utf8.RuneSelf && class[r] != 0 || r >= utf8.RuneSelf && scriptOf(r) != scriptNone
		if part && from < 0 {
			from = i
		} else if !part && from >= 0 {
			a.part(Span{p.Start + from, p.Start + i})
			from = -1
		}
	}
	if from > 0 {
		a.part(Span{p.Start + from, p.End})
	}
}

func (a *analyzer) part(p Span) {
	w := p.Of(a.s)
	if len(w) < 2 || len(w) > maxTerm {
		return
	}
	var sh shape
	for i := 0; i < len(w); i++ {
		if w[i] >= utf8.RuneSelf {
			a.add(p, a.foreign(w, strings.IndexFunc(w, unicode.IsDigit) < 0))
			return
		}
		if i == 0 && class[w[0]] == shapeUpper {
			sh |= shapeInitial
		} else {
			sh |= class[w[i]]
		}
	}
	a.plain(p, sh)
}

// bigrams adds the overlapping pairs of characters of a run.
func (a *analyzer) bigrams(run Span) {
	var prev Token
	pairs := 0
	for i := run.Start; i < run.End; {
		this := Token{Span: Span{i, min(cluster(a.s, i), run.End)}}
		i = this.End
		if this.Term = this.Of(a.s); !foldsToItself(this.Term) {
			this.Term = foldWord(this.Term)
		}
		if this.Term == "" {
			continue
		}
		if prev.Term != "" {
			both := Span{prev.Start, this.End}
			if w := both.Of(a.s); len(w) == len(prev.Term)+len(this.Term) && w[:len(prev.Term)] == prev.Term && w[len(prev.Term):] == this.Term {
				a.add(both, w)
			} else {
				a.add(both, prev.Term+this.Term)
			}
			pairs++
		}
		prev = this
	}
	if pairs == 0 {
		a.add(prev.Span, prev.Term)
	}
}

// foldsToItself tells whether w is one of the common characters that folding
// doesn't change.
func foldsToItself(w string) bool {
	r, n := utf8.DecodeRuneInString(w)
	return n == len(w) && unchanged(r)
}
