package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// style is how a span looks, as the parameters of a terminal's SGR sequence.
type style string

const (
	styleNone   style = ""
	styleBold   style = "1"
	styleDim    style = "2"
	styleRed    style = "31"
	styleGreen  style = "32"
	styleYellow style = "33"
	styleCyan   style = "36"
)

// span is text in one style. The text may come from anywhere: a screen cleans it.
type span struct {
	text  string
	style style
}

func plain(text string) span            { return span{text, styleNone} }
func bold(text string) span             { return span{text, styleBold} }
func dim(text string) span              { return span{text, styleDim} }
func cyan(text string) span             { return span{text, styleCyan} }
func plainf(f string, args ...any) span { return plain(fmt.Sprintf(f, args...)) }
func dimf(f string, args ...any) span   { return dim(fmt.Sprintf(f, args...)) }

// screen writes for a person. Everything goes through clean, so that only the
// screen's own sequences reach the terminal.
type screen struct {
	w      io.Writer
	width  int // lines longer than this are wrapped; 0: never
	colour bool
}

func (e env) outScreen() *screen {
	return &screen{e.stdout, e.width, e.colours(e.outTerminal)}
}

// errScreen doesn't wrap: a terminal does that itself, and a log wants whole lines.
func (e env) errScreen() *screen {
	return &screen{e.stderr, 0, e.colours(e.errTerminal)}
}

// colours follows https://no-color.org.
func (e env) colours(terminal bool) bool {
	return terminal && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"
}

// line writes spans as one line, or as several where the text has newlines or is
// too wide.
func (s *screen) line(spans ...span) { s.indented("", spans...) }

// indented writes spans as lines, the second and later ones behind the indent.
func (s *screen) indented(indent string, spans ...span) {
	var b bytes.Buffer
	rows := rowsOf(spans)
	for i, row := range rows {
		room := 0
		if s.width > 0 {
			room = max(s.width-len(indent), 20)
		}
		for j, part := range wrap(row, room) {
			if i > 0 || j > 0 {
				b.WriteString(indent)
			}
			s.put(&b, part)
			b.WriteByte('\n')
		}
	}
	// Of standard output run looks whether all came through; where standard error
	// can't be written to, there is nobody to tell.
	_, _ = s.w.Write(b.Bytes())
}

// put writes cells, with the sequences of their styles where there are colours.
func (s *screen) put(b *bytes.Buffer, row []cell) {
	current := styleNone
	for _, c := range row {
		if s.colour && c.style != current {
			if current != styleNone {
				b.WriteString("\x1b[0m")
			}
			if c.style != styleNone {
				fmt.Fprintf(b, "\x1b[%sm", c.style)
			}
			current = c.style
		}
		b.WriteRune(c.r)
	}
	if current != styleNone {
		b.WriteString("\x1b[0m")
	}
}

// cell is one character on the screen.
type cell struct {
	r     rune
	style style
}

// rowsOf cleans the spans and cuts them at newlines.
func rowsOf(spans []span) [][]cell {
	rows := [][]cell{nil}
	for _, sp := range spans {
		for _, r := range clean(sp.text) {
			if r == '\n' {
				rows = append(rows, nil)
				continue
			}
			last := len(rows) - 1
			rows[last] = append(rows[last], cell{r, sp.style})
		}
	}
	return rows
}

// wrap cuts a row into parts no wider than width, at spaces and after wide
// characters (Chinese, Japanese and Korean break anywhere), or within a word that
// is wider itself. A table's row stays whole.
func wrap(row []cell, width int) [][]cell {
	if width <= 0 || len(row) == 0 || row[0].r == '|' {
		return [][]cell{row}
	}
	var parts [][]cell
	start, next, used := 0, 0, 0 // next: where the following part may begin
	for i := 0; i < len(row); {
		w := runewidth.RuneWidth(row[i].r)
		if used+w > width && i > start && row[i].r != ' ' {
			if next <= start {
				next = i
			}
			parts = append(parts, trimmed(row[start:next]))
			start, i, used = next, next, 0
			continue
		}
		used += w
		i++
		if row[i-1].r == ' ' || w > 1 {
			next = i
		}
	}
	return append(parts, trimmed(row[start:]))
}

// trimmed cuts spaces at the end.
func trimmed(row []cell) []cell {
	for len(row) > 0 && row[len(row)-1].r == ' ' {
		row = row[:len(row)-1]
	}
	return row
}

// shorten cuts a text to n characters for a list.
func shorten(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	cut := string(runes[:n-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return cut + "…"
}
