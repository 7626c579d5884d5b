package index

import (
	"database/sql"
	"errors"
	"strings"
)

// maxKnownTerms bounds the memory of termIDs, to about 30 MB.
const maxKnownTerms = 300_000

// termIDs remembers the numbers of terms between writes. The number of a term
// changes only when the words are rebuilt, which raises the generation.
type termIDs struct {
	generation int64
	known      map[termKey]int64
}

type termKey struct {
	collection int64
	term       string
}

// follow starts a write of the given generation. Where the last write was not
// ours, what we remember may be wrong.
func (t *termIDs) follow(generation int64) {
	if generation != t.generation+1 || len(t.known) > maxKnownTerms {
		t.forget()
	}
	t.generation = generation
}

func (t *termIDs) forget() { *t = termIDs{} }

// of returns the number of the word's term, and gives it one if it has none.
func (t *termIDs) of(s *session, collection int64, w word) (int64, error) {
	key := termKey{collection, w.term}
	if id, ok := t.known[key]; ok {
		return id, nil
	}
	// The key outlives the document whose text the term may be a part of.
	key.term = strings.Clone(key.term)
	var id int64
	err := s.row(bare, []any{&id}, `SELECT id FROM terms WHERE collection = ? AND term = ?`, collection, key.term)
	if errors.Is(err, sql.ErrNoRows) {
		err = s.row(bare, []any{&id}, `INSERT INTO terms (collection, term, form, df) VALUES (?, ?, ?, 0) RETURNING id`,
			collection, key.term, clip(strings.ToLower(w.form)))
	}
	if err != nil {
		return 0, err
	}
	if t.known == nil {
		t.known = map[termKey]int64{}
	}
	t.known[key] = id
	return id, nil
}
