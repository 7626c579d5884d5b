package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
)

// maxTerm is the longest term in bytes of a word as it stands in the text. Longer
// ones are data, such as base64, that nobody searches for.
const maxTerm = 100

// Analyze returns the tokens of s for searching: stemmed by the rules of the
// language (an ISO 639-1 code; unknown or empty: English for Latin script,
// Russian for Cyrillic), folded, without stop words, Chinese, Japanese, Korean
// and Thai runs as overlapping bigrams of characters, a lone character as
// itself. Where everything is a stop word, nothing is returned.
//
// A word of several parts gives a token for the whole and one for each part of
// two characters or more, at its own place: http.Handler gives http.handler,
// http and handler. Tokens are ordered by Start; the whole stands before its
// parts.
//
// It may be called concurrently.
func Analyze(s, language string) []Token {
	a := analyzers.Get().(*analyzer)
	defer analyzers.Put(a)
	a.s, a.lang, a.out = s, languageOf(language), make([]Token, 0, len(s)/8+4)
	a.scan()
	out := a.out
	a.s, a.out = "", nil
	return out
}

// analyzers keeps what one analysis needs and the next can use again.
var analyzers = sync.Pool{New: func() any { return &analyzer{env: snowballstem.NewEnv("")} }}

// analyzer analyses one text at a time.
type analyzer struct {
	s    string
	lang *language
	out  []Token
	env  *snowballstem.Env
	// cache holds the terms of words seen, each at its hash: a stemmer takes a
	// microsecond a word, and few words make most of a text.
	cache [1 << 12]cached
	buf   [maxTerm]byte
}

// cached is what became of a word; the term is empty for a stop word.
type cached struct {
	lang       *language
	word, term string
}

func (a *analyzer) scan() {
	sc := scanner{s: a.s}
	for sc.next() {
		switch {
		case sc.script.unspaced():
			a.bigrams(sc.Span)
		case sc.shape&(shapeJoined|shapeForeign|shapeQuote) == 0:
			a.plain(sc.Span, sc.shape)
		default:
			a.compound(sc.Span, sc.shape)
		}
	}
}

// add appends a token unless its term is empty.
func (a *analyzer) add(p Span, term string) {
	if term != "" {
		a.out = append(a.out, Token{p, term})
	}
}

// plain adds a word of ASCII letters and digits.
func (a *analyzer) plain(p Span, sh shape) {
	if p.Len() > maxTerm {
		return
	}
	if sh&(shapeInitial|shapeUpper) != 0 && sh&(shapeLower|shapeDigit) == 0 && abbreviation(p.Of(a.s)) {
		a.add(p, strings.ToLower(p.Of(a.s)))
		return
	}
	a.add(p, a.term(p.Of(a.s), sh&shapeDigit == 0))
	if sh&(shapeDigit|shapeLower) == shapeDigit|shapeLower || sh&shapeDigit != 0 && sh&(shapeUpper|shapeInitial) != 0 {
		a.quantity(p)
	} else if sh&(shapeUpper|shapeLower) == shapeUpper|shapeLower {
		a.humps(p, sh&shapeInitial != 0)
	}
}

// abbreviation tells whether the capitals are a name although they spell a
// stop word in small letters.
func abbreviation(w string) bool { return w == "US" || w == "IT" || w == "WHO" }

// quantity adds the number and the unit of "10GB", but nothing for "10th".
func (a *analyzer) quantity(p Span) {
	i := p.Start
	for i < p.End && (digit(a.s[i]) || a.s[i] == '.' || a.s[i] == ',') {
		i++
	}
	if i == p.Start || i == p.End || p.End-i > 3 {
		return
	}
	for j := i; j < p.End; j++ {
		if !letter(a.s[j]) {
			return
		}
	}
	unit := strings.ToLower(a.s[i:p.End])
	if unit == "st" || unit == "nd" || unit == "rd" || unit == "th" {
		return
	}
	a.add(Span{p.Start, i}, number(a.s[p.Start:i]))
	a.add(Span{i, p.End}, unit)
}

// humps adds the parts of maxConnections and NullPointerException. JavaScript
// and GitHub are names, of which nobody wants the parts.
func (a *analyzer) humps(p Span, initial bool) {
	var cuts [16]int
	n := 0
	for i := p.Start + 1; i < p.End && n < len(cuts); i++ {
		c := a.s[i]
		up := isClass(c, shapeUpper)
		if up && !isClass(a.s[i-1], shapeUpper) || up && i+1 < p.End && isClass(a.s[i+1], shapeLower) {
			cuts[n] = i
			n++
		}
	}
	if n == 0 || initial && n == 1 {
		return
	}
	from := p.Start
	for _, to := range append(cuts[:n:n], p.End) {
		if to-from >= 2 {
			a.add(Span{from, to}, a.term(a.s[from:to], true))
		}
		from = to
	}
}

// term returns the term of an ASCII word, empty for a stop word.
func (a *analyzer) term(w string, stem bool) string {
	const offset, prime = 2166136261, 16777619
	h := uint32(offset)
	for i := 0; i < len(w); i++ {
		c := w[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		a.buf[i] = c
		h = (h ^ uint32(c)) * prime
	}
	e := &a.cache[(h^h>>15)%uint32(len(a.cache))]
	if e.lang == a.lang && e.word == string(a.buf[:len(w)]) {
		return e.term
	}
	return a.fill(e, string(a.buf[:len(w)]), stem)
}

// fill computes the term of a word in small letters and remembers it.
func (a *analyzer) fill(e *cached, word string, stem bool) string {
	lang := a.lang
	if !cyrillic(word) && (lang.code == "ru" || lang.code == "ar" || lang.code == "ta") && word[0] < utf8.RuneSelf {
		lang = languages["en"]
	} else if cyrillic(word) && lang.code != "ru" {
		lang = languages["ru"]
	}
	*e = cached{lang: a.lang, word: word}
	folded := foldWord(word)
	if _, stop := lang.stops()[folded]; stop {
		return ""
	}
	e.term = folded
	if stem && lang.stem != nil {
		a.env.SetCurrent(lang.accented(word))
		lang.stem(a.env)
		if t := foldWord(a.env.Current()); t != "" {
			e.term = strings.Clone(t)
		}
		a.env.SetCurrent("")
	}
	return e.term
}

// foldWord folds a word. The few letters whose compatible form has a space, such
// as those that stand for a phrase, lose it.
func foldWord(w string) string {
	w = Fold(w)
	if strings.IndexFunc(w, unicode.IsSpace) >= 0 {
		w = strings.Join(strings.Fields(w), "")
	}
	return w
}

func cyrillic(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return 0x400 <= r && r <= 0x52F
}

// foreign returns the term of a word that is not all ASCII letters and digits.
func (a *analyzer) foreign(w string, stem bool) string {
	lower := strings.Map(func(r rune) rune {
		switch {
		case r == '\u2019' || r == '\u02BC':
			return '\''
		case ignorable(r):
			return -1
		}
		return unicode.ToLower(r)
	}, w)
	if lower == "" {
		return ""
	}
	var h uint32 = 2166136261
	for i := 0; i < len(lower); i++ {
		h = (h ^ uint32(lower[i])) * 16777619
	}
	e := &a.cache[(h^h>>15)%uint32(len(a.cache))]
	if e.lang == a.lang && e.word == lower {
		return e.term
	}
	return a.fill(e, strings.Clone(lower), stem)
}
