package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-rag/assay/text"
)

const (
	// maxRelatedWords bounds the words of a question that Related looks at, and
	// maxPhrase how many of them it takes for one name.
	maxRelatedWords = 64
	maxPhrase       = 8
	// maxRelated bounds what it returns for one word.
	maxRelated = 3
)

// Frequencies tells how many passages the collection holds and in how many of
// them each term occurs; nothing for a collection that isn't there.
func (x *Index) Frequencies(ctx context.Context, collection string, terms []string) (passages int, counts []int, err error) {
	defer x.wrap("frequencies", &err)
	counts = make([]int, len(terms))
	err = x.read(ctx, func(s *session) error {
		c, ok, err := lookup(ctx, s, collection)
		if err != nil || !ok {
			return err
		}
		passages = c.passages
		for i, t := range terms {
			err := s.row(ctx, []any{&counts[i]}, `SELECT df FROM terms WHERE collection = ? AND term = ?`, c.id, clip(t))
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		return nil
	})
	return passages, counts, err
}

// Related returns what the collection itself shows to stand for the words, the
// most frequent first and three at the most for each: expansions of acronyms
// and the acronyms of expansions, other names ("also known as"), and, for a word
// that occurs nowhere, the words that differ from it in a letter or two or in
// their ending. The key is the word or phrase as it stands in words, lower-cased.
func (x *Index) Related(ctx context.Context, collection, words string) (related map[string][]string, err error) {
	defer x.wrap("related", &err)
	related = map[string][]string{}
	err = x.read(ctx, func(s *session) error {
		c, ok, err := lookup(ctx, s, collection)
		if err != nil || !ok {
			return err
		}
		if err := relatedNames(ctx, s, c, words, related); err != nil {
			return err
		}
		return relatedForms(ctx, s, c, words, related)
	})
	return related, err
}

// relatedNames adds what documents say in so many words.
func relatedNames(ctx context.Context, s *session, c collection, words string, related map[string][]string) error {
	shown := phrases(words)
	keys, err := json.Marshal(slices.Sorted(maps.Keys(shown)))
	if err != nil {
		return err
	}
	return s.rows(ctx, func(scan func(...any) error) error {
		var key, other string
		if err := scan(&key, &other); err != nil {
			return err
		}
		if k := shown[key]; len(related[k]) < maxRelated && !slices.Contains(related[k], other) {
			related[k] = append(related[k], other)
		}
		return nil
	}, `SELECT a.key, min(a.other) FROM json_each(?) j CROSS JOIN aliases a ON a.collection = ? AND a.key = j.value
		GROUP BY a.key, a.other_key ORDER BY a.key, count(*) DESC, a.other_key`, string(keys), c.id)
}

// phrases lists the runs of words of a question by their key in the aliases,
// with their form in the question.
func phrases(words string) map[string]string {
	spans := text.Words(words)
	spans = spans[:min(len(spans), maxRelatedWords)]
	out := map[string]string{}
	for i := range spans {
		for j := i; j < min(i+maxPhrase, len(spans)); j++ {
			phrase := words[spans[i].Start:spans[j].End]
			key := foldWords(phrase)
			if i == j {
				key = foldWords(singular(phrase))
			}
			if _, ok := out[key]; !ok {
				out[key] = strings.ToLower(phrase)
			}
		}
	}
	return out
}

// relatedForms adds, for words that occur nowhere, words that do.
func relatedForms(ctx context.Context, s *session, c collection, words string, related map[string][]string) error {
	languages, err := languagesOf(ctx, s, c)
	if err != nil {
		return err
	}
	spans := text.Words(words)
	for _, w := range spans[:min(len(spans), maxRelatedWords)] {
		form := strings.ToLower(w.Of(words))
		if len(related[form]) > 0 || !correctable(form) {
			continue
		}
		terms := questionTerms(form, ownLanguage(form, languages), languages)
		if known, err := anyKnown(ctx, s, c, terms); err != nil {
			return err
		} else if known || len(terms) == 0 {
			continue
		}
		near, err := nearForms(ctx, s, c, text.Fold(form), terms[0])
		if err != nil {
			return err
		}
		if len(near) > 0 {
			related[form] = near
		}
	}
	return nil
}

// correctable tells whether a word may be a misspelling: it has four letters or
// more and nothing else. A number or a product's code is not to be guessed at.
func correctable(form string) bool {
	n := 0
	for _, r := range form {
		if !unicode.IsLetter(r) || r >= 0x2e80 {
			return false
		}
		n++
	}
	return n >= 4
}

func anyKnown(ctx context.Context, s *session, c collection, terms []string) (bool, error) {
	for _, t := range terms {
		var one int
		err := s.row(ctx, []any{&one}, `SELECT 1 FROM terms WHERE collection = ? AND term = ? AND df > 0`, c.id, t)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return false, err
		}
	}
	return false, nil
}

// nearForms finds words of the collection near to one that it doesn't hold. A
// first letter is rarely wrong (Pollock and Zamora, CACM 27(4), 1984, found it in
// 8 % of misspellings), so only words with the same one are looked at.
func nearForms(ctx context.Context, s *session, c collection, form, term string) ([]string, error) {
	first := string([]rune(term)[:1])
	type near struct {
		form string
		rank int
		df   int
	}
	var found []near
	err := s.rows(ctx, func(scan func(...any) error) error {
		var t, f string
		var df int
		if err := scan(&t, &f, &df); err != nil {
			return err
		}
		if r, ok := kinship(form, term, text.Fold(f), t); ok {
			found = append(found, near{f, r, df})
		}
		return nil
	}, `SELECT term, form, df FROM terms WHERE collection = ?1 AND term >= ?2 AND term < ?3 AND df > 0
		AND length(term) BETWEEN ?4 - 4 AND ?4 + 4`, c.id, first, prefixEnd(first), len([]rune(term)))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b near) int {
		switch {
		case a.rank != b.rank:
			return a.rank - b.rank
		case a.df != b.df:
			return b.df - a.df
		}
		return strings.Compare(a.form, b.form)
	})
	var out []string
	for _, n := range found[:min(len(found), maxRelated)] {
		// What is farther off than the nearest is rather another word.
		if n.rank > found[0].rank {
			break
		}
		out = append(out, n.form)
	}
	return out, nil
}

// kinship tells whether a word of the collection may be what was meant, the
// nearer the smaller the rank: one edit in words of up to seven letters, two in
// longer ones, or a stem that goes on by up to four letters.
func kinship(form, term, otherForm, other string) (rank int, ok bool) {
	limit := 1
	if len([]rune(form)) >= 8 {
		limit = 2
	}
	if d := min(distance(form, otherForm, limit+1), distance(form, other, limit+1)); d <= limit {
		return d, true
	}
	if n := len([]rune(term)); n >= 5 {
		if distance(term, other, 2) <= 1 {
			return 2, true
		}
		if strings.HasPrefix(other, term) && len(other)-len(term) <= 4 {
			return 3, true
		}
		if len([]rune(other)) >= 5 && strings.HasPrefix(term, other) && len(term)-len(other) <= 4 {
			return 3, true
		}
	}
	return 0, false
}

// distance is how many letters must be put in, left out, changed, or swapped
// with the next to make b of a (Damerau, CACM 7(3), 1964; each letter is touched
// once), or limit where it is that many or more.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d >= limit || -d >= limit {
		return limit
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], limit)
}
