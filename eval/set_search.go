package eval

import (
	"fmt"
	"strings"

	"github.com/assay-rag/assay"
)

// ramdocsRow is a row of RAMDocs (Wang et al. 2025).
type ramdocsRow struct {
	Question  string
	Documents []struct{ Text, Type string }
	Gold      []string `json:"gold_answers"`
	Wrong     []string `json:"wrong_answers"`
}

// readRAMDocs: the gate takes each document by itself. What is "noise" doesn't help.
// "misinfo" is the right text with another answer put in, which no single document
// reveals: left out here, and among the documents end to end. The group is the
// question.
func readRAMDocs(l *loader, f *file) error {
	return rows(f, func(line int, row ramdocsRow) error {
		if strings.TrimSpace(row.Question) == "" || len(row.Documents) == 0 {
			return f.errorf(line, "a row of RAMDocs needs question and documents")
		}
		answer := AnswerItem{Question: row.Question, Right: row.Gold, Wrong: row.Wrong, Group: row.Question}
		for i, d := range row.Documents {
			if strings.TrimSpace(d.Text) == "" {
				return f.errorf(line, "document %d has no text", i+1)
			}
			passages := l.pool.add(fmt.Sprintf("line %d, document %d", line, i+1), "", d.Text)
			if d.Type == "correct" {
				answer.Documents = append(answer.Documents, passages[0].Document)
			} else {
				answer.Beside = append(answer.Beside, passages[0].Document)
			}
			switch d.Type {
			case "misinfo":
				continue
			case "correct", "noise":
			default:
				return f.errorf(line, "type %q of document %d is none of correct, noise, misinfo", d.Type, i+1)
			}
			l.set.Gate = append(l.set.Gate, GateItem{
				Question: row.Question, Passages: passages,
				Positive: d.Type == "correct", Group: row.Question,
			})
		}
		l.set.Answers = append(l.set.Answers, answer)
		return nil
	})
}

// retrievalqaRow is a row of RetrievalQA (Zhang et al. 2024).
type retrievalqaRow struct {
	Question string
	Source   string `json:"data_source"`
}

// readRetrievalQA: questions that a model doesn't know by heart, so that all of them
// need retrieval. The group is the question, the kind its source.
func readRetrievalQA(l *loader, f *file) error {
	return rows(f, func(line int, row retrievalqaRow) error {
		if strings.TrimSpace(row.Question) == "" {
			return f.errorf(line, "a row of RetrievalQA needs a question")
		}
		l.set.Route = append(l.set.Route, RouteItem{row.Question, true, row.Question, row.Source})
		return nil
	})
}

// mtragRow is a turn of a conversation of MTRAG-UN (Rosenthal et al. 2026).
type mtragRow struct {
	Conversation  string `json:"conversation_id"`
	Collection    string
	Answerability []string
	Contexts      []struct {
		Document string `json:"document_id"`
		Title    string
		Text     string
	}
	Input   []struct{ Speaker, Text string }
	Targets []struct{ Text string }
}

// borrowed is how many passages a turn gets that came without any: the median of
// those that have some.
const borrowed = 3

// readMTRAG: the gate takes the last question of a conversation, with the turns
// before it, and the passages that came with it; those that answer in part help too.
// The unanswerable have none, which would give them away: they get those of other
// turns of the same collection that BM25 finds for all that the user has asked.
// Nothing in the collection answers them, so that these are hard negatives. Turns
// that are underspecified are left out: what is wrong there is the question. End to
// end the passages of all collections are in one index. The group is the conversation,
// the kind the answerability.
func readMTRAG(l *loader, f *file) error {
	type lacking struct {
		item       int // in the set
		collection string
		words      string
	}
	var without []lacking
	pools := map[string][]assay.Passage{}
	err := rows(f, func(line int, row mtragRow) error {
		if len(row.Input) == 0 || len(row.Answerability) == 0 || strings.TrimSpace(row.Input[len(row.Input)-1].Text) == "" {
			return f.errorf(line, "a row of MTRAG-UN needs input, which ends with a question, and answerability")
		}
		var passages []assay.Passage
		for i, c := range row.Contexts {
			if strings.TrimSpace(c.Text) == "" {
				return f.errorf(line, "context %d has no text", i+1)
			}
			passages = append(passages, l.pool.add(c.Document, c.Title, c.Text)...)
		}
		pools[row.Collection] = append(pools[row.Collection], passages...)
		item := GateItem{Passages: passages, Group: row.Conversation, Kind: strings.ToLower(row.Answerability[0])}
		switch row.Answerability[0] {
		case "ANSWERABLE", "PARTIAL":
			item.Positive = true
		case "UNANSWERABLE":
		case "UNDERSPECIFIED":
			return nil
		default:
			return f.errorf(line, "answerability %q is none of ANSWERABLE, PARTIAL, UNDERSPECIFIED, UNANSWERABLE", row.Answerability[0])
		}
		var words string
		for i, t := range row.Input {
			switch {
			case i == len(row.Input)-1:
				item.Question = t.Text
			case t.Speaker == "user":
				item.History = append(item.History, assay.Turn{Question: t.Text})
			case len(item.History) > 0:
				item.History[len(item.History)-1].Answer = t.Text
			}
			if t.Speaker == "user" {
				words += " " + t.Text
			}
		}
		if len(passages) == 0 {
			without = append(without, lacking{len(l.set.Gate), row.Collection, words})
		}
		l.set.Gate = append(l.set.Gate, item)
		answer := AnswerItem{Question: item.Question, History: item.History, Documents: documentsOf(passages), Group: item.Group, Kind: item.Kind}
		for _, t := range row.Targets {
			if item.Positive {
				answer.Right = append(answer.Right, t.Text)
			}
		}
		l.set.Answers = append(l.set.Answers, answer)
		return nil
	})
	if err != nil {
		return err
	}
	for _, w := range without {
		found := newRanker(pools[w.collection]).best(w.words, borrowed, nil)
		if len(found) == 0 {
			return fmt.Errorf("eval load: %s: no passage of the collection %q can be lent to a question without any", f.path, w.collection)
		}
		l.set.Gate[w.item].Passages = found
	}
	return nil
}
