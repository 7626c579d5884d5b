package evaluator

import (
	"strings"
	"unicode"

	"github.com/assay-rag/assay/text"
)

// tableRow is the cells of one row of a table, by their bytes in the strip.
type tableRow []text.Span

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
		var row tableRow
		cell := 0
		escaped := false
		for i := 0; i <= len(line); i++ {
			if i < len(line) && (line[i] != '|' || escaped) {
				escaped = line[i] == '\\' && !escaped
				continue
			}
			if i > 0 { // what stands before the first bar is no cell
				row = append(row, spanWithin(s, start+cell, start+i))
			}
			cell = i + 1
		}
		if n := len(row); n > 0 && row[n-1].Start >= start+len(line) {
			row = row[:n-1]
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

// longestCell is the longest cell, in bytes, that is an answer as it stands: a
// judgement, a line at most.
const longestCell = 60

// cell returns the one cell of a table that answers: in the one row whose first
// cell holds most of the question, the one column with a value of the kind asked
// for, or of several the one whose head the question names. A question for
// nothing in particular wants a row and a column that it names both.
func (q *question) cell(table string) (answer, norm string, ok bool) {
	head, rows := tableRows(table)
	row, ok := q.rowFor(table, rows)
	if !ok || len(row) < 2 || len(head) == 0 {
		return "", "", false
	}
	valued := q.kind == kindNumber || q.kind == kindDate
	w := wantedBy(q)
	found, most, tied := -1, -1.0, false
	var value value
	for i := 1; i < min(len(row), len(head)); i++ { // the first cell names the row
		heading := head[i].Of(table)
		vs := q.fitting(w, row[i].Of(table), heading)
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
	body := row[found].Of(table)
	if !valued {
		named := q.covered(row[0].Of(table) + "\n" + head[found].Of(table))
		return body, normalised(body), most > 0 && named >= cellCover && body != "" && len(body) <= longestCell
	}
	if len(body) > longestCell {
		body = widened(value, body, w).Of(body)
	}
	return body, value.Norm, true
}

// cellCover is the share of a question that a row and a column must name for
// their cell to be the answer: a judgement.
const cellCover = 0.8

// elsewhere tells whether another cell of the row holds a term of the question
// that neither the row's name nor the column's holds: "€160, but €220 in
// London".
func (q *question) elsewhere(table string, head, row tableRow, found int) bool {
	named := q.termsIn(row[0].Of(table) + "\n" + head[found].Of(table) + "\n" + row[found].Of(table))
	for i, c := range row {
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
		if len(r) == 0 {
			continue
		}
		switch weight := q.covered(r[0].Of(table)); {
		case weight > most:
			found, most, tied = i, weight, false
		case weight == most && weight > 0:
			tied = true
		}
	}
	if found < 0 || tied {
		return nil, false
	}
	return rows[found], true
}
