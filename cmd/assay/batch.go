package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/assay-rag/assay"
)

// maxLine is the longest line of "ask -", in bytes: a question with a pasted text.
const maxLine = 4 << 20

// batchLine is a line of "ask -" in its JSON form.
type batchLine struct {
	Question string     `json:"question"`
	Mode     assay.Mode `json:"mode"`
	Pasted   string     `json:"pasted"`
	// History are the turns before the question, oldest first.
	History []assay.Turn `json:"history"`
}

// batchError is the result for a line that failed.
type batchError struct {
	Line     int    `json:"line"` // from 1
	Question string `json:"question"`
	Error    string `json:"error"`
}

// batch answers a question a line and writes a result a line, in their order. A
// line that fails stops nothing.
func (c *askCmd) batch(ctx context.Context, e env, engine *assay.Engine, base assay.Query) error {
	in := bufio.NewReader(e.stdin)
	failed := 0
	for n := 1; ; n++ {
		line, end := readLine(in)
		if end != nil && !errors.Is(end, io.EOF) && !errors.Is(end, errLongLine) {
			return fmt.Errorf("ask -: read line %d: %w", n, end)
		}
		if n == 1 {
			var err error
			if line, err = withoutMark("ask -: standard input", line); err != nil {
				return err
			}
		}
		if text := strings.TrimSpace(line); text != "" || errors.Is(end, errLongLine) {
			q, err := base, end
			if !errors.Is(end, errLongLine) {
				q, err = lineQuery(text, base)
			}
			var a *assay.Answer
			if err == nil {
				_, a, err = c.answer(ctx, e, engine, q)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			var result any = a
			if err != nil {
				failed++
				result = batchError{n, shorten(q.Question, 200), message(err)}
			}
			if err := writeJSON(e.stdout, result, false); err != nil {
				return err
			}
		}
		if errors.Is(end, io.EOF) {
			break
		}
	}
	if failed > 0 {
		return failf(`look for "error" in the results`, "ask -: %d of the lines failed", failed)
	}
	return nil
}

// lineQuery reads one line: a question, or JSON.
func lineQuery(text string, q assay.Query) (assay.Query, error) {
	if !strings.HasPrefix(text, "{") {
		q.Question = text
		return q, nil
	}
	var line batchLine
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&line); err != nil {
		return q, fmt.Errorf("the line is not JSON as it should be: %w", err)
	}
	if dec.More() {
		return q, errors.New("the line holds more than one JSON value")
	}
	q.Question, q.Pasted, q.History = line.Question, line.Pasted, line.History
	if line.Mode != "" {
		q.Mode = line.Mode
	}
	return q, nil
}

var errLongLine = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// readLine reads a line without its newline. The error is io.EOF on the last
// line, which may be empty, or errLongLine for a line that was skipped.
func readLine(in *bufio.Reader) (string, error) {
	var line bytes.Buffer
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || line.Len()+len(part) > maxLine; !long {
			line.Write(part)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && (err == nil || errors.Is(err, io.EOF)):
			return "", errLongLine // an end of input is met again by the next call
		default:
			return strings.TrimRight(line.String(), "\r\n"), err
		}
	}
}
