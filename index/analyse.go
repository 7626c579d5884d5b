package index

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// The weight of a term's occurrences by field, before saturation (BM25F:
// Robertson, Zaragoza and Taylor, CIKM 2004, §3). A passage mostly repeats what
// its headings say; a title says it of all passages of the document.
const (
	bodyWeight    = 1.0
	headingWeight = 1.5
	titleWeight   = 1.5
)

// stopMark stands before a stop word where it is indexed as a term, so that it
// can't be taken for a stem. Stop words are looked for only in a question that
// has no other words.
const stopMark = "="

// maxTerm bounds a term; what is longer is no word, and is cut.
const maxTerm = 64

// count says how often a term occurs in a passage, in one byte of the file: the
// occurrences in the text up to 63, and whether it is in the heading and in the title.
type count byte

const (
	inTitle   count = 1 << 7
	inHeading count = 1 << 6
	bodyCount count = 1<<6 - 1
)

// tf is the weighted term frequency.
func (c count) tf() float64 {
	tf := bodyWeight * float64(c&bodyCount)
	if c&inHeading != 0 {
		tf += headingWeight
	}
	if c&inTitle != 0 {
		tf += titleWeight
	}
	return tf
}

// merge adds the occurrences of o, up to the limit.
func (c count) merge(o count) count {
	body := min(int(c&bodyCount)+int(o&bodyCount), int(bodyCount))
	return (c|o)&^bodyCount | count(body)
}

// word is a term of a passage. form is how the text writes it, lower-cased.
type word struct {
	term, form string
	count      count
}

// analysed is a passage as it is indexed.
type analysed struct {
	words  []word
	length int // terms of the text, stop words left out
}

// analyser makes passages of one document into words. It keeps what the title
// and the last heading gave, as passages share them.
type analyser struct {
	language string
	title    []word
	path     []string
	heading  []word
}

func newAnalyser(d *assay.Document) *analyser {
	a := &analyser{language: d.Language}
	a.title, _ = a.field(d.Title, inTitle)
	return a
}

func (a *analyser) passage(p *assay.Passage) analysed {
	if !slices.Equal(a.path, p.Heading) {
		a.path, a.heading = p.Heading, nil
		for _, h := range p.Heading {
			words, _ := a.field(h, inHeading)
			a.heading = append(a.heading, words...)
		}
	}
	words, length := a.field(p.Text, 1)
	words = append(words, a.heading...)
	words = append(words, a.title...)
	return analysed{words: mergeWords(words), length: length}
}

// field returns the terms of s and, marked, its stop words: the words between
// the terms. length counts the terms alone.
func (a *analyser) field(s string, each count) (words []word, length int) {
	tokens := text.Analyze(s, a.language)
	words = make([]word, 0, len(tokens)*3/2)
	end := 0
	for _, t := range tokens {
		if t.Start > end {
			words = appendStops(words, s[end:t.Start], each)
		}
		words = append(words, word{clip(t.Term), t.Of(s), each})
		end = max(end, t.End)
	}
	return appendStops(words, s[end:], each), len(tokens)
}

func appendStops(words []word, gap string, each count) []word {
	for _, w := range text.Words(gap) {
		form := w.Of(gap)
		words = append(words, word{clip(stopMark + text.Fold(form)), form, each})
	}
	return words
}

// clip cuts a term to maxTerm bytes, at the border of a letter.
func clip(term string) string {
	if len(term) <= maxTerm {
		return term
	}
	end := maxTerm
	for end > 0 && !utf8.RuneStart(term[end]) {
		end--
	}
	return term[:end]
}

// mergeWords adds up the counts of each term, keeping the first form.
func mergeWords(words []word) []word {
	at := make(map[string]int, len(words))
	out := words[:0]
	for _, w := range words {
		if i, ok := at[w.term]; ok {
			out[i].count = out[i].count.merge(w.count)
			continue
		}
		at[w.term] = len(out)
		out = append(out, w)
	}
	return out
}

// bag is the terms of a passage in the file: for each, in the order of their
// numbers, the difference to the number before as a varint, and a count. It is
// what lets BM25 be finished outside SQLite without reading any text again, at
// about three bytes a term.
type bag []byte

// entry is a term of a bag.
type entry struct {
	id    int64
	count count
}

func makeBag(entries []entry) bag {
	slices.SortFunc(entries, func(a, b entry) int { return int(a.id - b.id) })
	out := make(bag, 0, 3*len(entries))
	last := int64(0)
	for _, e := range entries {
		out = binary.AppendUvarint(out, uint64(e.id-last))
		out = append(out, byte(e.count))
		last = e.id
	}
	return out
}

// next returns the first entry, given the number before it, and the rest. ok is
// false at the end and where the bag is cut short.
func (b bag) next(last int64) (e entry, rest bag, ok bool) {
	d, n := binary.Uvarint(b)
	if n <= 0 || n >= len(b) || d == 0 {
		return entry{}, nil, false
	}
	return entry{last + int64(d), count(b[n])}, b[n+1:], true
}

// entries reads the whole bag.
func (b bag) entries() ([]entry, error) {
	var out []entry
	last, rest := int64(0), b
	for len(rest) > 0 {
		e, r, ok := rest.next(last)
		if !ok {
			return nil, fmt.Errorf("%w: the terms of a passage are cut short", ErrDamaged)
		}
		out = append(out, e)
		last, rest = e.id, r
	}
	return out, nil
}
