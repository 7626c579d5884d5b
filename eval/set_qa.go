package eval

import (
	"bytes"
	"encoding/json"
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
				Answers    []struct{ Text string }
			} `json:"qas"`
		}
	}
}

// readSQuAD: the gate takes each question with its own paragraph, which is on
// the subject in any case; answerable is positive. Retrieval searches all
// paragraphs for the one of each answerable question; end to end all are asked. The
// group is the article.
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
		if len(article.Paragraphs) == 0 {
			continue // it holds nothing to search for
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
				answer := AnswerItem{Question: q.Question, Group: title}
				if !q.Impossible {
					l.pool.ask(RetrievalItem{Question: q.Question, Gold: own, Group: title})
					answer.Documents = documentsOf(own)
					for _, a := range q.Answers {
						answer.Right = append(answer.Right, a.Text)
					}
				}
				l.set.Answers = append(l.set.Answers, answer)
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
	Passages []struct {
		Title, Text string
		Sentences   []string
	}
	Output []struct {
		Answer   string
		Selected []string `json:"selected_sentences"`
	}
}

// readCLAPNQ: the gate takes a question with the passage that annotators were
// shown. Those without an answer are on the subject all the same: hard negatives.
// Retrieval searches the passages of all questions for those of each answerable
// one; end to end all are asked. The group is the passage's title.
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
		answer := AnswerItem{Question: item.Question, Group: item.Group}
		for _, o := range row.Output {
			if strings.TrimSpace(o.Answer) != "" {
				answer.Right = append(answer.Right, o.Answer)
			}
		}
		item.Positive = len(answer.Right) > 0
		l.set.Gate = append(l.set.Gate, item)
		if item.Positive {
			l.pool.ask(RetrievalItem{Question: item.Question, Gold: item.Passages, Group: item.Group})
			if s := clapnqStrips(row); slices.Contains(s.Helps, true) {
				l.set.Strips = append(l.set.Strips, s)
			}
			answer.Documents = documentsOf(item.Passages)
		}
		l.set.Answers = append(l.set.Answers, answer)
		return nil
	})
}

func clapnqStrips(row clapnqRow) StripItem {
	p := row.Passages[0]
	item := StripItem{Question: row.Input, Strips: strips(p.Title, p.Title, p.Sentences), Group: p.Title}
	for _, sentence := range p.Sentences {
		helps := false
		for _, o := range row.Output {
			helps = helps || slices.Contains(o.Selected, sentence)
		}
		item.Helps = append(item.Helps, helps)
	}
	return item
}

// popqaRow is a row of PopQA (Mallen et al. 2023) with paragraphs, as the
// multi-hop benchmarks carry it.
type popqaRow struct {
	Subject  string `json:"subj"`
	Relation string `json:"prop"`
	Question string
	// Popularity is how often the page of the subject is read in a month.
	Popularity float64 `json:"s_pop"`
	// Answers is a list that is written as a string.
	Answers    string `json:"possible_answers"`
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

// known is how well the subject is known.
func (r popqaRow) known() string {
	if r.Popularity < 1000 {
		return "rare subject"
	}
	return "popular subject"
}

// readPopQA: the gate sets each question's own passage against that of another
// entity of the same relation, drawn by the seed: right in kind, wrong in
// subject. (Where no other entity has the relation, there is no negative.)
// Retrieval searches all paragraphs for the own one; end to end all questions are
// asked. All need retrieval, those on subjects that many know too: the documents are
// what is asked. The group is the subject; the kind is the relation, and for the route
// how well the subject is known.
func readPopQA(l *loader, f *file) error {
	var questions []popqaRow
	var own []assay.Passage
	var pool [][]assay.Passage // of each question
	err := rows(f, func(line int, row popqaRow) error {
		if strings.TrimSpace(row.Question) == "" || row.Subject == "" || len(row.Paragraphs) == 0 {
			return f.errorf(line, "a row of PopQA needs question, subj and paragraphs")
		}
		answer := AnswerItem{Question: row.Question, Group: row.Subject, Kind: row.Relation}
		if row.Answers != "" {
			if err := json.Unmarshal([]byte(row.Answers), &answer.Right); err != nil {
				return f.errorf(line, "possible_answers is not a list of strings: %w", err)
			}
		}
		var all []assay.Passage
		for i, p := range row.Paragraphs {
			if p.Title == "" || strings.TrimSpace(p.Text) == "" {
				return f.errorf(line, "paragraph %d has no title or no text", i+1)
			}
			passages := l.pool.add(p.Title, p.Title, p.Text)
			all = append(all, passages...)
			if i == row.own() {
				own = append(own, passages[0])
				answer.Documents = documentsOf(passages)
			} else {
				answer.Beside = append(answer.Beside, documentsOf(passages)...)
			}
		}
		questions, pool = append(questions, row), append(pool, all)
		if len(answer.Right) > 0 {
			l.set.Answers = append(l.set.Answers, answer)
		}
		return nil
	})
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(l.seed, negativeStream))
	for i, row := range questions {
		mine := own[i : i+1]
		l.set.Gate = append(l.set.Gate, GateItem{Question: row.Question, Passages: mine, Positive: true, Group: row.Subject, Kind: row.Relation})
		l.pool.ask(RetrievalItem{Question: row.Question, Gold: mine, Own: pool[i], Group: row.Subject, Kind: row.Relation})
		l.set.Route = append(l.set.Route, RouteItem{row.Question, true, row.Subject, row.known()})
		var others []int
		for j, other := range questions {
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
