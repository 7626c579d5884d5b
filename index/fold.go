package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

const (
	// foldBeyond is how many passages beyond those wanted are looked at, so that a
	// newer copy that scores less is seen: as many as are wanted where nobody says.
	foldBeyond = 50
	// foldMore is by how much the longer of two copies may be longer: one word in so
	// many, as room for a note or a spelling, and for no sentence.
	foldMore = 20
)

// folder folds copies: passages that say the same as one that scores higher. What
// might be a contradiction is never folded, since it must be seen: copies have the
// same words in the same order, and what one of them has more is neither a number
// nor a word such as "not" or "must".
type folder struct {
	asked  map[string]bool // the words of the question
	same   map[string][]int
	folded []folded
}

// folded is passages that are copies of the first.
type folded struct {
	kept    assay.Passage // the newest of them
	words   []string      // of the first
	context []string      // the words of the first's title and headings
	others  []string      // their documents
}

func newFolder(question string) *folder {
	f := &folder{asked: map[string]bool{}, same: map[string][]int{}}
	for _, w := range wordsAndSigns(question) {
		f.asked[w] = true
	}
	return f
}

// add takes the passage with the next lower score.
func (f *folder) add(p assay.Passage) {
	words, context := wordsAndSigns(p.Text), wordsAndSigns(p.Title+"\n"+strings.Join(p.Heading, "\n"))
	key := strings.Join(words, " ")
	for _, i := range f.same[key] {
		if f.meant(context, f.folded[i].context) {
			f.folded[i].take(p)
			return
		}
	}
	for i := range f.folded {
		if g := &f.folded[i]; copies(g.words, words, p.Language) && f.meant(context, g.context) {
			g.take(p)
			return
		}
	}
	f.same[key] = append(f.same[key], len(f.folded))
	f.folded = append(f.folded, folded{kept: p, words: words, context: context, others: []string{p.Document}})
}

// meant tells whether two copies stand in places that are the same to the question:
// "Germany" and "France" above the same sentence are not, if it asks about France.
func (f *folder) meant(a, b []string) bool {
	differs := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(w string) bool { return f.asked[w] && !slices.Contains(b, w) })
	}
	return !differs(a, b) && !differs(b, a)
}

// take folds p in. Of all copies the one with the latest date that its document
// states is kept, in the place of the first.
func (g *folded) take(p assay.Passage) {
	if p.StatedDate().After(g.kept.StatedDate()) {
		p.Score = g.kept.Score
		g.kept = p
	}
	if !slices.Contains(g.others, p.Document) {
		g.others = append(g.others, p.Document)
	}
}

// passages returns those that were kept.
func (f *folder) passages() []assay.Passage {
	out := make([]assay.Passage, len(f.folded))
	for i, g := range f.folded {
		out[i] = g.kept
		for _, d := range g.others {
			if d != g.kept.Document {
				out[i].Copies = append(out[i].Copies, d)
			}
		}
	}
	return out
}

// copies tells whether the words of one text all stand in the other in the same
// order, with few more among them that change nothing.
func copies(a, b []string, language string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	more := len(b) - len(a)
	if more*foldMore > len(a) {
		return false
	}
	i, left := 0, more
	for _, w := range b {
		if i < len(a) && a[i] == w {
			i++
			continue
		}
		if left--; left < 0 || turns(w, language) {
			return false
		}
	}
	return true
}

// turns tells whether a word more may change what a text says: a number, a sign, or
// a word that denies, permits, demands or limits. Of languages other than English
// it takes every stop word for one that may.
func turns(word, language string) bool {
	single := utf8.RuneCountInString(word) == 1 // the mark of a ticked box, a unit, a Chinese word
	if single && !text.IsStop(word, language) || strings.ContainsFunc(word, unicode.IsNumber) || turning[word] || strings.HasSuffix(word, "n't") {
		return true
	}
	return language != "en" && language != "" && text.IsStop(text.Fold(word), language)
}

var turning = setOf(`no not never nor none nobody nothing neither nowhere without cannot unable except excepting excluding excluded unless
	if only but however instead formerly otherwise
	must shall should may might can could will would ought need needs required optional forbidden prohibited allowed
	zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million billion
	half quarter third double twice once first second last all any every each both either some most many few several least more less
	fewer than up over under above below before after until since from within about almost nearly exactly always sometimes rarely`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// wordsAndSigns returns the words of s in small letters and, between them, the signs
// that are part of what it says: those of money and of per cent, and beside a number
// those that compare, add or subtract.
func wordsAndSigns(s string) []string {
	spans := text.Words(s)
	out := make([]string, 0, len(spans))
	end := 0
	for _, w := range append(spans, text.Span{Start: len(s), End: len(s)}) {
		if w.Start > end {
			out = appendSigns(out, s, end, w.Start)
		}
		if w.End > w.Start {
			out = append(out, strings.ReplaceAll(strings.ToLower(w.Of(s)), "’", "'"))
		}
		end = max(end, w.End)
	}
	return out
}

// appendSigns appends the signs in s from start to end, where no word is.
func appendSigns(out []string, s string, start, end int) []string {
	for i, r := range s[start:end] {
		if r == ' ' || r == '\n' || r == '.' || r == ',' {
			continue
		}
		if unicode.Is(unicode.Sc, r) || strings.ContainsRune("%‰°", r) ||
			(unicode.Is(unicode.Sm, r) && !strings.ContainsRune("|~^", r) || r == '-') && beforeNumber(s[start+i+utf8.RuneLen(r):]) {
			out = append(out, string(r))
		}
	}
	return out
}

// beforeNumber tells whether a number follows, after a space at the most.
func beforeNumber(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimPrefix(s, " "))
	return unicode.IsNumber(r)
}
