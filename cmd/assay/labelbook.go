package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/assay-rag/assay/calibrate"
)

// labelBook is a file of labels that grows by a line at a time.
type labelBook struct {
	path string
	file *os.File
	rows []labelRow
	ends []int64 // where the file ended before each row of this session
	done map[labelKey]bool
}

// openBook opens the file, or makes it. One with the grades of another grader is
// refused: they don't go together.
func openBook(ctx context.Context, path string, grader calibrate.Identity) (_ *labelBook, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, failf("choose another place: --out FILE", "label: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	data, err := io.ReadAll(input{ctx, f})
	if err != nil {
		return nil, fmt.Errorf("label: read %s: %w", path, err)
	}
	b := &labelBook{path: path, file: f, done: map[labelKey]bool{}}
	if b.rows, err = readLabelRows(ctx, path, bytes.NewReader(data)); err != nil {
		return nil, err
	}
	held, err := graderOf(path, b.rows)
	if err != nil {
		return nil, err
	}
	if len(b.rows) > 0 && held != grader {
		return nil, failf("write to another file, or use those labels as they are: assay calibrate --regrade "+quoted(path),
			"label: %s holds grades of %s, and this program has %s", path, named(held), grader)
	}
	for _, r := range b.rows {
		b.done[r.key()] = true
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		_, err = f.WriteString("\n")
	}
	return b, err
}

// has tells whether the passage is labelled.
func (b *labelBook) has(r labelRow) bool { return b.done[r.key()] }

// add writes a row at the end.
func (b *labelBook) add(r labelRow) error {
	var line bytes.Buffer
	if err := writeJSON(&line, r, false); err != nil {
		return err
	}
	end, err := b.file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = b.file.Write(line.Bytes())
	}
	if err != nil {
		_ = b.file.Truncate(end) // half a line would be in the way of what is there
		return failf("see whether there is room; what was labelled before is kept", "label: write %s: %w", b.path, err)
	}
	b.ends = append(b.ends, end)
	b.rows = append(b.rows, r)
	b.done[r.key()] = true
	return nil
}

// takeBack takes out the row that was added last.
func (b *labelBook) takeBack() error {
	n, last := len(b.rows)-1, len(b.ends)-1
	if err := b.file.Truncate(b.ends[last]); err != nil {
		return fmt.Errorf("label: take back the last row of %s: %w", b.path, err)
	}
	delete(b.done, b.rows[n].key())
	b.rows, b.ends = b.rows[:n], b.ends[:last]
	return nil
}

func (b *labelBook) close() error { return b.file.Close() }
