package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
)

// squad is SQuAD 2.0 (Rajpurkar et al. 2018): one JSON document of articles.
type squad struct {
	Data []struct {
		Title      string
		Paragraphs []struct {
			Context string
			QAs     []struct {
				ID         string
				Question   string
				Impossible bool `json:"is_impossible"`
			} `json:"qas"`
		}
	}
}

// readSQuAD: the gate takes each question with its own paragraph, which is on
// the subject in any case; answerable is positive. Retrieval searches all
// paragraphs for the one of each answerable question. The group is the article.
func readSQuAD(l *loader, f *file) error {
	var set squad
	if err := json.Unmarshal(f.data, &set); err != nil {
		return f.errorf(lineAt(f.data, 0, err), "not SQuAD 2.0: %w", err)
	}
	for n, article := range set.Data {
		title := strings.ReplaceAll(article.Title, "_", " ")
		if title == "" {
			return f.errorf(f.lineOf(article.Title), "article %d has no title", n+1)
		}
		contexts := make([]string, len(article.Paragraphs))
		for i, p := range article.Paragraphs {
			if contexts[i] = p.Context; strings.TrimSpace(p.Context) == "" {
				return f.errorf(f.lineOf(article.Title), "article %q: paragraph %d has no context", title, i+1)
			}
		}
		passages := l.pool.add(title, title, contexts...)
		for i, p := range article.Paragraphs {
			for _, q := range p.QAs {
				if strings.TrimSpace(q.Question) == "" {
					return f.errorf(f.lineOf(q.ID), "article %q: question %q has no text", title, q.ID)
				}
				own := passages[i : i+1]
				l.set.Gate = append(l.set.Gate, GateItem{Question: q.Question, Passages: own, Positive: !q.Impossible, Group: title})
				if !q.Impossible {
					l.pool.ask(RetrievalItem{q.Question, own, title})
				}
			}
		}
	}
	return nil
}

// lineOf is the line on which the string first stands as a JSON string, 1 where
// it doesn't.
func (f *file) lineOf(s string) int {
	quoted, err := json.Marshal(s)
	if err != nil {
		return 1
	}
	at := max(bytes.Index(f.data, quoted), 0)
	return 1 + bytes.Count(f.data[:at], []byte("\n"))
}

func (b *poolBuilder) ask(q RetrievalItem) { b.pool.Questions = append(b.pool.Questions, q) }

// clapnqRow is a row of CLAPNQ (Rosenthal et al. 2025).
type clapnqRow struct {
	Input    string
	Passages []struct{ Title, Text string }
	Output   []struct{ Answer string }
}

// readCLAPNQ: the gate takes a question with the passage that annotators were
// shown. Those without an answer are on the subject all the same: hard negatives.
// Retrieval searches the passages of all questions for those of each answerable
// one. The group is the passage's title.
func readCLAPNQ(l *loader, f *file) error {
	return rows(f, func(line int, row clapnqRow) error {
		if strings.TrimSpace(row.Input) == "" || len(row.Passages) == 0 || len(row.Output) == 0 {
			return f.errorf(line, "a row of CLAPNQ needs input, passages and output")
		}
		item := GateItem{Question: row.Input, Group: row.Passages[0].Title}
		for i, p := range row.Passages {
			if strings.TrimSpace(p.Text) == "" {
				return f.errorf(line, "passage %d has no text", i+1)
			}
			item.Passages = append(item.Passages, l.pool.add(p.Title, p.Title, p.Text)...)
		}
		for _, o := range row.Output {
			item.Positive = item.Positive || strings.TrimSpace(o.Answer) != ""
		}
		l.set.Gate = append(l.set.Gate, item)
		if item.Positive {
			l.pool.ask(RetrievalItem{item.Question, item.Passages, item.Group})
		}
		return nil
	})
}

// popqaRow is a row of PopQA (Mallen et al. 2023) with paragraphs, as the
// multi-hop benchmarks carry it.
type popqaRow struct {
	Subject    string `json:"subj"`
	Relation   string `json:"prop"`
	Question   string
	Paragraphs []struct {
		Title, Text string
		Supporting  bool `json:"is_supporting"`
	}
}

// own is the position of the paragraph that answers: the one about the subject.
// The others describe the answer, and are no help without it.
func (r popqaRow) own() int {
	for i, p := range r.Paragraphs {
		if p.Title == r.Subject {
			return i
		}
	}
	for i, p := range r.Paragraphs {
		if p.Supporting {
			return i
		}
	}
	return 0
}

// readPopQA: the gate sets each question's own passage against that of another
// entity of the same relation, drawn by the seed: right in kind, wrong in
// subject. (Where no other entity has the relation, there is no negative.)
// Retrieval searches all paragraphs for the own one. The group is the subject.
func readPopQA(l *loader, f *file) error {
	var all []popqaRow
	var own []assay.Passage
	err := rows(f, func(line int, row popqaRow) error {
		if strings.TrimSpace(row.Question) == "" || row.Subject == "" || len(row.Paragraphs) == 0 {
			return f.errorf(line, "a row of PopQA needs question, subj and paragraphs")
		}
		for i, p := range row.Paragraphs {
			if p.Title == "" || strings.TrimSpace(p.Text) == "" {
				return f.errorf(line, "paragraph %d has no title or no text", i+1)
			}
			passages := l.pool.add(p.Title, p.Title, p.Text)
			if i == row.own() {
				own = append(own, passages[0])
			}
		}
		all = append(all, row)
		return nil
	})
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(l.seed, negativeStream))
	for i, row := range all {
		mine := own[i : i+1]
		l.set.Gate = append(l.set.Gate, GateItem{Question: row.Question, Passages: mine, Positive: true, Group: row.Subject, Kind: row.Relation})
		l.pool.ask(RetrievalItem{row.Question, mine, row.Subject})
		var others []int
		for j, other := range all {
			if other.Relation == row.Relation && other.Subject != row.Subject {
				others = append(others, j)
			}
		}
		if len(others) > 0 {
			j := others[random.IntN(len(others))]
			l.set.Gate = append(l.set.Gate, GateItem{Question: row.Question, Passages: own[j : j+1], Group: row.Subject, Kind: row.Relation})
		}
	}
	return nil
}

// ownGateRow is a row of one's own for the gate.
type ownGateRow struct {
	Question string
	Passages []struct {
		Title, Text string
		Label       json.RawMessage
	}
	Label json.RawMessage
	Group string
	Kind  string
}

// readOwnGate: a label on every passage makes an item of each; a label on the
// row says whether the passages together answer the question, and makes one item
// of them all. Without "group", the question is the group.
func readOwnGate(l *loader, f *file) error {
	return rows(f, func(line int, row ownGateRow) error {
		if strings.TrimSpace(row.Question) == "" || len(row.Passages) == 0 {
			return f.errorf(line, `a row for the gate needs "question" and "passages"`)
		}
		whole := GateItem{Question: row.Question, Group: row.Group, Kind: row.Kind}
		if whole.Group == "" {
			whole.Group = row.Question
		}
		labelled := 0
		for i, p := range row.Passages {
			if strings.TrimSpace(p.Text) == "" {
				return f.errorf(line, `passage %d has no "text"`, i+1)
			}
			id := p.Title
			if id == "" {
				id = fmt.Sprintf("line %d, passage %d", line, i+1)
			}
			passages := cut(id, p.Title, []string{p.Text})
			whole.Passages = append(whole.Passages, passages...)
			if p.Label == nil {
				continue
			}
			positive, err := readLabel(p.Label, nil)
			if err != nil {
				return f.errorf(line, "passage %d: %w", i+1, err)
			}
			labelled++
			l.set.Gate = append(l.set.Gate, GateItem{Question: row.Question, Passages: passages, Positive: positive, Group: whole.Group, Kind: row.Kind})
		}
		if (row.Label == nil) != (labelled == len(row.Passages)) || (row.Label != nil && labelled > 0) {
			return f.errorf(line, `label either the row or every one of its %d passages ("label": true or false)`, len(row.Passages))
		}
		if row.Label == nil {
			return nil
		}
		var err error
		if whole.Positive, err = readLabel(row.Label, nil); err != nil {
			return f.errorf(line, "%w", err)
		}
		l.set.Gate = append(l.set.Gate, whole)
		return nil
	})
}

// ownRetrievalRow is a row of one's own for retrieval: documents for the pool, a
// question, or both.
type ownRetrievalRow struct {
	Question  string
	Documents []struct{ ID, Title, Text string }
	Gold      []string
	Group     string
}

// readOwnRetrieval: the documents of all rows are pooled, and "gold" names by
// their IDs, in whichever row they stand, those that answer. Without "group",
// the question is the group.
func readOwnRetrieval(l *loader, f *file) error {
	type asked struct {
		row  ownRetrievalRow
		line int
	}
	var questions []asked
	err := rows(f, func(line int, row ownRetrievalRow) error {
		for i, d := range row.Documents {
			if d.ID == "" || strings.TrimSpace(d.Text) == "" {
				return f.errorf(line, `document %d needs "id" and "text"`, i+1)
			}
			if l.pool.add(d.ID, d.Title, d.Text)[0].Document != d.ID {
				return f.errorf(line, "document %q was given before with another text", d.ID)
			}
		}
		switch {
		case strings.TrimSpace(row.Question) != "" && len(row.Gold) > 0:
			questions = append(questions, asked{row, line})
		case row.Question != "" || len(row.Gold) > 0 || len(row.Documents) == 0:
			return f.errorf(line, `a row for retrieval needs "question" and "gold" (IDs of documents), or "documents" alone`)
		}
		return nil
	})
	if err != nil {
		return err
	}
	resolve := func() error {
		for _, q := range questions {
			item := RetrievalItem{Question: q.row.Question, Group: q.row.Group}
			if item.Group == "" {
				item.Group = q.row.Question
			}
			slices.Sort(q.row.Gold)
			for _, id := range slices.Compact(q.row.Gold) {
				at, ok := l.pool.at[id]
				if !ok {
					return f.errorf(q.line, "gold %q is not the id of any document of the set", id)
				}
				item.Gold = append(item.Gold, l.pool.pool.Passages[at]...)
			}
			l.pool.ask(item)
		}
		return nil
	}
	l.finish = append(l.finish, resolve) // documents may stand in a later file
	return nil
}
