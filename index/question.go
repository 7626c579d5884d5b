package index

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-rag/assay/text"
)

const (
	// maxLanguages bounds in how many languages a question is analysed: the most
	// frequent of the collection.
	maxLanguages = 4
	// maxLookups and maxTerms bound the terms of a question: looked up, and, the
	// rarest of them, searched for.
	maxLookups = 1024
	maxTerms   = 64
)

// question is what a search looks for in one collection.
type question struct {
	terms []queryTerm // rarest first, each in at least one passage
	// phrase is the question in folded words, where it has nothing but stop words.
	phrase string
	// means says that it has other words too, in the index or not.
	means bool
	// codes says that these are numbers and codes, all of them.
	codes bool
}

type queryTerm struct {
	id  int64
	df  int
	idf float64
}

// parse makes terms of the words, in each language of the collection: a
// document is indexed by the rules of its own language, and which one a
// question will find isn't known beforehand.
func parse(ctx context.Context, s *session, c collection, words string) (question, error) {
	languages, err := languagesOf(ctx, s, c)
	if err != nil {
		return question{}, err
	}
	var q question
	own := ownLanguage(words, languages)
	terms := questionTerms(words, own, languages)
	q.means, q.codes = len(terms) > 0, ofCodes(words, own)
	if !q.means {
		q.phrase = foldWords(words)
		for _, w := range text.Words(words) {
			terms = append(terms, clip(stopMark+text.Fold(w.Of(words))))
		}
	}
	seen := map[string]bool{}
	for _, t := range terms {
		if seen[t] || len(seen) == maxLookups {
			continue
		}
		seen[t] = true
		var qt queryTerm
		err := s.row(ctx, []any{&qt.id, &qt.df}, `SELECT id, df FROM terms WHERE collection = ? AND term = ? AND df > 0`, c.id, t)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return question{}, err
		}
		qt.idf = idf(c.passages, qt.df)
		q.terms = append(q.terms, qt)
	}
	slices.SortFunc(q.terms, func(a, b queryTerm) int {
		if a.df != b.df {
			return a.df - b.df
		}
		return int(a.id - b.id)
	})
	q.terms = q.terms[:min(len(q.terms), maxTerms)]
	return q, nil
}

// idf is the weight of a term (Robertson and Zaragoza, "The Probabilistic
// Relevance Framework", 2009, §3.4.1), in the form that is never negative.
func idf(passages, df int) float64 {
	return math.Log(1 + (float64(passages-df)+0.5)/(float64(df)+0.5))
}

// languagesOf lists the languages of the collection, the most frequent first,
// and English.
func languagesOf(ctx context.Context, s *session, c collection) ([]string, error) {
	var out []string
	err := s.rows(ctx, func(scan func(...any) error) error {
		var language string
		if err := scan(&language); err != nil {
			return err
		}
		out = append(out, language)
		return nil
	}, `SELECT language FROM languages WHERE collection = ? AND documents > 0 ORDER BY documents DESC, language LIMIT ?`, c.id, maxLanguages)
	// What has no known language was analysed as English where it could be.
	if !slices.Contains(out, "en") && !slices.Contains(out, "") {
		out = append(out, "en")
	}
	return out, err
}

// ownLanguage is the question's, or where it can't be told the most frequent.
func ownLanguage(words string, languages []string) string {
	if d := text.Detect(words); slices.Contains(languages, d) {
		return d
	}
	return languages[0]
}

// questionTerms returns the terms of the words in all languages. A stop word of
// the question's own language is left out in the others too: "the" is no rare
// word of German.
func questionTerms(words, own string, languages []string) []string {
	var out []string
	for _, language := range languages {
		for _, t := range text.Analyze(words, language) {
			if language != own && text.IsStop(text.Fold(t.Of(words)), own) {
				continue
			}
			out = append(out, clip(t.Term))
		}
	}
	return out
}

// ofCodes tells whether the words, stop words of the language apart, are all numbers
// or codes, such as "EST-4031": they have a digit, and letters only of scripts that
// part words with spaces.
func ofCodes(words, language string) bool {
	codes := false
	for w := range strings.FieldsSeq(words) {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if w == "" || text.IsStop(text.Fold(w), language) {
			continue
		}
		if !strings.ContainsFunc(w, unicode.IsDigit) || strings.ContainsFunc(w, func(r rune) bool {
			return unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
		}) {
			return false
		}
		codes = true
	}
	return codes
}

// foldWords joins the folded words of s with spaces; a hyphen parts words too.
func foldWords(s string) string {
	var b strings.Builder
	for i, w := range text.Words(s) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.ReplaceAll(text.Fold(w.Of(s)), "-", " "))
	}
	return b.String()
}
