package eval

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
)

// AnswerItem is a question with its right answers.
type AnswerItem struct {
	Question string
	// History are the turns before the question, oldest first.
	History []assay.Turn
	// Right are the right answers, any of which will do; none where no document holds
	// one.
	Right []string
	// Wrong are answers that documents give and that are wrong: whoever repeats one is
	// misled.
	Wrong []string
	// Documents are the IDs of those that are meant to answer. The question is covered
	// where one of them does say a right answer (see HoldsAnswer) and all of them are
	// there.
	Documents []string
	// Beside are the IDs of those that may answer too, such as the page of an author
	// for who wrote a book. They are left out with Documents.
	Beside []string
	Group  string
	Kind   string // see GateItem
}

// Setting says which questions of a set are asked end to end, and of which documents.
// The zero value asks all, of all.
type Setting struct {
	// Uncovered is the share of the questions, in [0, 1], that no document is to
	// answer. Questions are drawn by the seed, and their documents left out, until it
	// is reached; those that no document answers anyway count.
	Uncovered float64
	// Limit is how many questions are asked at the most, drawn by the seed; 0 means
	// all. The documents of the others stay.
	Limit int
}

func (s Setting) validate() error {
	if !(0 <= s.Uncovered && s.Uncovered <= 1) { // written so that NaN fails
		return fmt.Errorf("the share of uncovered questions is %v and must be in [0, 1]", s.Uncovered)
	}
	if s.Limit < 0 {
		return fmt.Errorf("the limit is %d and must not be negative", s.Limit)
	}
	return nil
}

// uncoveredStream is that of the questions drawn, see bootstrapStream.
const uncoveredStream = 3

// asking is a setting made of a set.
type asking struct {
	questions []AnswerItem
	said      []bool // by question: its documents say a right answer
	gone      []bool // the same: some of them are left out
	documents []assay.Document
	passages  [][]assay.Passage
	leftOut   int // documents
	key       string
}

// of makes the setting of a set. Documents that go are those of whole questions.
func (s Setting) of(set *Set, seed uint64) asking {
	random := rand.New(rand.NewPCG(seed, uncoveredStream))
	a := asking{questions: set.Answers}
	if order := random.Perm(len(set.Answers)); s.Limit > 0 && s.Limit < len(order) {
		a.questions = nil
		for _, i := range slices.Sorted(slices.Values(order[:s.Limit])) {
			a.questions = append(a.questions, set.Answers[i])
		}
	}
	a.said = a.saidIn(set.Retrieval.Documents)
	gone := map[string]bool{}
	for _, i := range random.Perm(len(a.questions)) {
		if a.leave(gone); float64(a.uncovered()) >= s.Uncovered*float64(len(a.questions)) {
			break
		}
		if a.covered(i) {
			for _, id := range slices.Concat(a.questions[i].Documents, a.questions[i].Beside) {
				gone[id] = true
			}
		}
	}
	a.leave(gone)
	for i, d := range set.Retrieval.Documents {
		if gone[d.ID] {
			a.leftOut++
			continue
		}
		a.documents, a.passages = append(a.documents, d), append(a.passages, set.Retrieval.Passages[i])
	}
	a.key = a.fingerprint()
	return a
}

// saidIn tells of each question whether its documents say a right answer.
func (a *asking) saidIn(documents []assay.Document) []bool {
	texts := map[string]string{}
	for _, d := range documents {
		texts[d.ID] = d.Text
	}
	said := make([]bool, len(a.questions))
	for i, q := range a.questions {
		said[i] = slices.ContainsFunc(q.Documents, func(id string) bool { return HoldsAnswer(texts[id], q.Right) })
	}
	return said
}

// leave notes which questions lose documents with those that are gone.
func (a *asking) leave(gone map[string]bool) {
	a.gone = make([]bool, len(a.questions))
	for i, q := range a.questions {
		a.gone[i] = slices.ContainsFunc(q.Documents, func(id string) bool { return gone[id] })
	}
}

// covered tells whether the documents answer the question.
func (a *asking) covered(i int) bool { return a.said[i] && !a.gone[i] }

func (a *asking) uncovered() int {
	n := 0
	for i := range a.questions {
		n += int(indicator(!a.covered(i)))
	}
	return n
}

// fingerprint names the documents, on which every answer depends.
func (a *asking) fingerprint() string {
	var parts []string
	for _, d := range a.documents {
		parts = append(parts, d.ID, d.Text)
	}
	return itemKey(parts...)
}

// keyOf names a question together with the documents it is asked of.
func (a *asking) keyOf(i int) string {
	q := a.questions[i]
	parts := []string{a.key, q.Question}
	for _, t := range q.History {
		parts = append(parts, t.Question, t.Answer)
	}
	return itemKey(parts...)
}

// documentsOf are the IDs of the documents of passages, each once.
func documentsOf(passages []assay.Passage) []string {
	var ids []string
	for _, p := range passages {
		if !slices.Contains(ids, p.Document) {
			ids = append(ids, p.Document)
		}
	}
	return ids
}

// query is the question as an engine is asked it.
func (q AnswerItem) query() assay.Query {
	return assay.Query{Question: strings.TrimSpace(q.Question), History: q.History, Collection: assay.DefaultCollection}
}
