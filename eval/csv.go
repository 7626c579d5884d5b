package eval

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

func (f *file) isCSV() bool { return strings.EqualFold(filepath.Ext(f.path), ".csv") }

// rowsOfCSV rewrites a table of one's own as JSON Lines, each row on the line on which
// it began, so that errors name the line of the table. The first row names the keys. A
// cell is text; one that begins with [ or { is JSON; labels and ratings are taken as
// they stand. An empty cell is a key left out.
func rowsOfCSV(f *file) ([]byte, error) {
	reader := csv.NewReader(bytes.NewReader(f.data))
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("eval load: %s is empty", f.path)
	}
	var out bytes.Buffer
	for lines := 1; err == nil; {
		var cells []string
		if cells, err = reader.Read(); err != nil {
			break
		}
		at, _ := reader.FieldPos(0)
		for ; lines < at; lines++ {
			out.WriteByte('\n')
		}
		row := map[string]any{}
		for i, cell := range cells {
			if strings.TrimSpace(cell) != "" {
				row[strings.TrimSpace(header[i])] = cellOf(strings.TrimSpace(header[i]), cell)
			}
		}
		line, err := json.Marshal(row)
		if err != nil {
			return nil, f.errorf(at, "not a row of JSON: %w", err)
		}
		out.Write(line)
	}
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return nil, f.errorf(parse.Line, "not a row of the table: %w", parse.Err)
	}
	if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("eval load: %s: %w", f.path, err)
	}
	return out.Bytes(), nil
}

// cellOf is a cell's value.
func cellOf(column, cell string) any {
	trimmed := strings.TrimSpace(cell)
	bare := slices.Contains([]string{"label", "retrieve", "rating"}, column)
	if (bare || strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "{")) && json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed)
	}
	if lower := strings.ToLower(trimmed); bare && (lower == "true" || lower == "false") {
		return json.RawMessage(lower) // as spreadsheets write it
	}
	return cell
}
