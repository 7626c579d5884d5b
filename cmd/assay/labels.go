package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assay-rag/assay/calibrate"
)

// labelRow is a line of a file with labels: a grade with what a person says of it.
// "assay label" writes such, "assay calibrate" reads them, and without the grade
// "assay eval gate" does too.
type labelRow struct {
	Question string              `json:"question,omitempty"`
	Passages []labelPassage      `json:"passages,omitempty"`
	Label    *yesNo              `json:"label"`
	Score    *float64            `json:"score"`
	Grader   *calibrate.Identity `json:"grader,omitempty"` // nil: not said
	Group    string              `json:"group,omitempty"`
}

type labelPassage struct {
	Document string `json:"document,omitempty"`
	Title    string `json:"title,omitempty"`
	Text     string `json:"text"`
}

// key tells one labelled passage from another.
func (r labelRow) key() labelKey {
	k := labelKey{question: r.Question}
	if len(r.Passages) > 0 {
		k.text = r.Passages[0].Text
	}
	return k
}

type labelKey struct{ question, text string }

// yesNo is true or false, also written 1 or 0.
type yesNo bool

// UnmarshalJSON reads a label.
func (l *yesNo) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "true", "1":
		*l = true
	case "false", "0":
		*l = false
	default:
		return fmt.Errorf("the label is %s and must be true or false", data)
	}
	return nil
}

// hasScores tells whether a file holds rows with grades. What can't be read as such
// has none.
func hasScores(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var first map[string]json.RawMessage
	if json.NewDecoder(f).Decode(&first) != nil {
		return false
	}
	_, ok := first["score"]
	return ok
}

// readLabelRows reads rows with grades and labels, one JSON object a line.
func readLabelRows(ctx context.Context, name string, r io.Reader) ([]labelRow, error) {
	in := bufio.NewReader(r)
	var rows []labelRow
	for n := 1; ; n++ {
		line, end := readLine(in)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if end != nil && !errors.Is(end, io.EOF) {
			return nil, fmt.Errorf("%s:%d: %w", name, n, end)
		}
		if n == 1 {
			line = strings.TrimPrefix(line, "\uFEFF")
		}
		if strings.TrimSpace(line) != "" {
			var row labelRow
			err := json.Unmarshal([]byte(line), &row)
			if err == nil && (row.Label == nil || row.Score == nil) {
				err = errors.New(`a row needs "label" and "score"`)
			}
			if err == nil && !(0 <= *row.Score && *row.Score <= 1) {
				err = fmt.Errorf("the score is %v and must lie in [0, 1]", *row.Score)
			}
			if err != nil {
				return nil, failf("mend that line or take it out", "%s:%d: %w", name, n, err)
			}
			rows = append(rows, row)
		}
		if errors.Is(end, io.EOF) {
			return rows, nil
		}
	}
}

// graderOf is the one grader whose grades rows hold; the zero Identity where none is
// said.
func graderOf(name string, rows []labelRow) (calibrate.Identity, error) {
	var one calibrate.Identity
	for i, r := range rows {
		var id calibrate.Identity
		if r.Grader != nil {
			id = *r.Grader
		}
		if i > 0 && id != one {
			return one, failf("grade all anew: assay calibrate --regrade "+quoted(name), "%s holds grades of %s and of %s", name, named(one), named(id))
		}
		one = id
	}
	return one, nil
}

// named is a grader for a person.
func named(id calibrate.Identity) string {
	if id.Name == "" {
		return "a grader without a name"
	}
	return id.String()
}
