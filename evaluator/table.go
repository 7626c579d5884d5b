package evaluator

import (
	"strings"
	"unicode"

	"github.com/assay-rag/assay/text"
)

// tableRow is one row of a table: its bytes in the strip and those of its cells.
type tableRow struct {
	text.Span
	cells []text.Span
}

// tableRows reads the head and the rows of a table in Markdown. The head is
// empty where the strip does not begin with one.
func tableRows(s string) (head tableRow, rows []tableRow) {
	at := 0
	for line := range strings.Lines(s) {
		start := at
		at += len(line)
		line = strings.TrimRight(line, "\r\n")
		if strings.Trim(line, "|-: \t") == "" {
			if len(rows) == 1 {
				head, rows = rows[0], nil
			}
			continue
		}
		row := tableRow{Span: text.Span{Start: start, End: start + len(line)}}
		cell := 0
		escaped := false
		for i := 0; i <= len(line); i++ {
			if i < len(line) && (line[i] != '|' || escaped) {
				escaped = line[i] == '\\' && !escaped
				continue
			}
			if i > 0 { // what stands before the first bar is no cell
				row.cells = append(row.cells, spanWithin(s, start+cell, start+i))
			}
			cell = i + 1
		}
		if n := len(row.cells); n > 0 && row.cells[n-1].Start >= start+len(line) {
			row.cells = row.cells[:n-1]
		}
		rows = append(rows, row)
	}
	return head, rows
}

// spanWithin is s[start:end] without the white space around it.
func spanWithin(s string, start, end int) text.Span {
	for start < end && unicode.IsSpace(rune(s[start])) {
		start++
	}
	for end > start && unicode.IsSpace(rune(s[end-1])) {
		end--
	}
	return text.Span{Start: start, End: end}
}

// longestCell is the longest cell, in bytes, that is an answer as it stands.
const longestCell = 60

// cell returns the one cell of a table that answers: in the one row whose first
// cell holds most of the question, the one column with a value of the kind asked
// for, or of several the one whose head the question names. A question for
// nothing in particular wants a row and a column that it names both.
func (q *question) cell(table string) (answer, norm string, ok bool) {
	head, rows := tableRows(table)
	row, ok := q.rowFor(table, rows)
	if !ok || len(row.cells) < 2 || len(head.cells) == 0 {
		return "", "", false
	}
	valued := q.kind == kindNumber || q.kind == kindDate
	w := wantedBy(q)
	found, most, tied := -1, -1.0, false
	var value value
	for i := 1; i < min(len(row.cells), len(head.cells)); i++ { // the first cell names the row
		heading := head.cells[i].Of(table)
		vs := q.fitting(w, row.cells[i].Of(table), heading)
		if valued && len(vs) == 0 {
			continue
		}
		switch weight := q.covered(heading); {
		case weight > most:
			found, most, tied = i, weight, valued && len(vs) > 1
			if valued {
				value = vs[0]
			}
		case weight == most:
			tied = true
		}
	}
	if found < 0 || tied || q.elsewhere(table, head, row, found) {
		return "", "", false
	}
	body := row.cells[found].Of(table)
	if !valued {
		named := q.covered(row.cells[0].Of(table) + "\n" + head.cells[found].Of(table))
		return body, normalised(body), most > 0 && named >= cellCover && body != "" && len(body) <= longestCell
	}
	if len(body) > longestCell {
		body = widened(value, body, w).Of(body)
	}
	return body, value.Norm, true
}

// cellCover is the share of a question that a row and a column must name for
// their cell to be the answer.
const cellCover = 0.8

// elsewhere tells whether another cell of the row holds a term of the question
// that neither the row's name nor the column's holds: "€160, but €220 in
// London".
func (q *question) elsewhere(table string, head, row tableRow, found int) bool {
	named := q.termsIn(row.cells[0].Of(table) + "\n" + head.cells[found].Of(table) + "\n" + row.cells[found].Of(table))
	for i, c := range row.cells {
		if i > 0 && i != found && !contains(named, q.termsIn(c.Of(table))) {
			return true
		}
	}
	return false
}

// rowFor returns the row that holds more of the question than any other.
func (q *question) rowFor(table string, rows []tableRow) (tableRow, bool) {
	found, most, tied := -1, 0.0, false
	for i, r := range rows {
		if len(r.cells) == 0 {
			continue
		}
		switch weight := q.covered(r.cells[0].Of(table)); {
		case weight > most:
			found, most, tied = i, weight, false
		case weight == most && weight > 0:
			tied = true
		}
	}
	if found < 0 || tied {
		return tableRow{}, false
	}
	return rows[found], true
}
