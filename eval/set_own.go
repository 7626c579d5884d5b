package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

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
		whole := GateItem{Question: row.Question, Group: cmp.Or(row.Group, row.Question), Kind: row.Kind}
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
	Answers   []string // nil: the question is not for end to end
	Group     string
	Kind      string
}

// readOwnRetrieval: the documents of all rows are pooled, and "gold" names by
// their IDs, in whichever row they stand, those that answer. With "answers", the right
// ones, the question is asked end to end too; without "gold" none of the documents
// answers it. Without "group", the question is the group.
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
		case len(row.Answers) > 0 && len(row.Gold) == 0:
			return f.errorf(line, `"answers" need "gold", the IDs of the documents that they stand in; give none ("answers": []) where no document answers`)
		case strings.TrimSpace(row.Question) != "" && (len(row.Gold) > 0 || row.Answers != nil):
			questions = append(questions, asked{row, line})
		case row.Question != "" || len(row.Gold) > 0 || len(row.Documents) == 0:
			return f.errorf(line, `a row for retrieval needs "question" and "gold" (IDs of documents), "question" and "answers", or "documents" alone`)
		}
		return nil
	})
	if err != nil {
		return err
	}
	resolve := func() error {
		for _, q := range questions {
			item := RetrievalItem{Question: q.row.Question, Group: cmp.Or(q.row.Group, q.row.Question), Kind: q.row.Kind}
			slices.Sort(q.row.Gold)
			for _, id := range slices.Compact(q.row.Gold) {
				at, ok := l.pool.at[id]
				if !ok {
					return f.errorf(q.line, "gold %q is not the id of any document of the set", id)
				}
				item.Gold = append(item.Gold, l.pool.pool.Passages[at]...)
			}
			if len(item.Gold) > 0 {
				l.pool.ask(item)
			}
			if q.row.Answers != nil {
				l.set.Answers = append(l.set.Answers, AnswerItem{
					Question: item.Question, Right: q.row.Answers, Documents: documentsOf(item.Gold), Group: item.Group, Kind: item.Kind,
				})
			}
		}
		return nil
	}
	l.finish = append(l.finish, resolve) // documents may stand in a later file
	return nil
}

// ownStripsRow is a row of one's own for strips.
type ownStripsRow struct {
	Question string
	Strips   []struct {
		Text  string
		Label json.RawMessage
	}
	Group string
	Kind  string
}

// readOwnStrips: the strips stand in their order in the text. Without "group", the
// question is the group.
func readOwnStrips(l *loader, f *file) error {
	return rows(f, func(line int, row ownStripsRow) error {
		if strings.TrimSpace(row.Question) == "" || len(row.Strips) == 0 {
			return f.errorf(line, `a row for strips needs "question" and "strips"`)
		}
		item := StripItem{Question: row.Question, Group: cmp.Or(row.Group, row.Question), Kind: row.Kind}
		var texts []string
		for i, s := range row.Strips {
			if strings.TrimSpace(s.Text) == "" {
				return f.errorf(line, `strip %d has no "text"`, i+1)
			}
			helps, err := readLabel(s.Label, nil)
			if err != nil {
				return f.errorf(line, "strip %d: %w", i+1, err)
			}
			texts, item.Helps = append(texts, s.Text), append(item.Helps, helps)
		}
		if !slices.Contains(item.Helps, true) {
			return f.errorf(line, "no strip helps: there is nothing to find")
		}
		item.Strips = strips(fmt.Sprintf("%s:%d", f.name(), line), "", texts)
		l.set.Strips = append(l.set.Strips, item)
		return nil
	})
}

// ownUsefulRow is a row of one's own for ratings.
type ownUsefulRow struct {
	Question, Answer string
	Rating           int
	Group, Kind      string
}

// readOwnUseful: without "group", the question is the group.
func readOwnUseful(l *loader, f *file) error {
	return rows(f, func(line int, row ownUsefulRow) error {
		if strings.TrimSpace(row.Question) == "" || strings.TrimSpace(row.Answer) == "" || row.Rating < 1 || row.Rating > 5 {
			return f.errorf(line, `a row for ratings needs "question", "answer" and "rating", from 1 (no help) to 5 (complete)`)
		}
		l.set.Useful = append(l.set.Useful, UsefulItem{row.Question, row.Answer, row.Rating, cmp.Or(row.Group, row.Question), row.Kind})
		return nil
	})
}

// ownRouteRow is a row of one's own for the route.
type ownRouteRow struct {
	Question    string
	Retrieve    json.RawMessage
	Group, Kind string
}

// readOwnRoute: without "group", the question is the group.
func readOwnRoute(l *loader, f *file) error {
	return rows(f, func(line int, row ownRouteRow) error {
		if strings.TrimSpace(row.Question) == "" {
			return f.errorf(line, `a row for the route needs "question" and "retrieve"`)
		}
		retrieve, err := readLabel(row.Retrieve, nil)
		if err != nil {
			return f.errorf(line, `"retrieve": %w`, err)
		}
		l.set.Route = append(l.set.Route, RouteItem{row.Question, retrieve, cmp.Or(row.Group, row.Question), row.Kind})
		return nil
	})
}
