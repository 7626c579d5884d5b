package eval

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"unicode"
)

// WriteHTML writes the report as one page of HTML that needs nothing else: no script,
// no font, no network. It has the tables of WriteTable, and plots of what has curves.
// The same report gives the same page.
func WriteHTML(w io.Writer, r Report) error {
	reports := []Report{r}
	if s, ok := r.(*Summary); ok {
		reports = s.Reports
	}
	var p page
	for i, r := range reports {
		s, err := sectionOf(fmt.Sprintf("report-%d", i+1), r)
		if err != nil {
			return err
		}
		p.Sections = append(p.Sections, s)
		if l, ok := r.(interface{ line() SummaryLine }); ok {
			p.Lines = append(p.Lines, pageLine{s.ID, l.line()})
		}
	}
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("eval report: %w", err)
	}
	return nil
}

//go:embed html.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"x": across, "y": down}).Parse(pageText))

// page is what the template shows.
type page struct {
	Lines    []pageLine
	Sections []section
}

// pageLine is a line of the summary, with the section that it leads to.
type pageLine struct {
	ID string
	SummaryLine
}

// Where names the set and its part.
func (l pageLine) Where() string { return l.Set + l.Part.title() }

// section is one report.
type section struct {
	ID      string
	Heading string
	Blocks  []block
	Plots   [][]plot // in rows
}

func sectionOf(id string, r Report) (section, error) {
	var b blocks
	if err := r.WriteTable(&b); err != nil {
		return section{}, err
	}
	s := section{ID: id, Heading: b.list[0].Text, Blocks: b.list[1:]}
	if p, ok := r.(interface{ plots() [][]plot }); ok {
		s.Plots = p.plots()
	}
	return s, nil
}

// block is a line of text, or a table whose first row is its head.
type block struct {
	Text string
	Head []string
	Rows [][]string
}

// cellWriter takes the rows of a table cell by cell. Other writers get aligned text.
type cellWriter interface{ writeCells(cells []string) }

// blocks takes down what a report writes. Text of data sets is cleaned here; the
// template escapes it.
type blocks struct{ list []block }

// Write makes blocks a writer. What is written past the tables is blank lines.
func (b *blocks) Write(p []byte) (int, error) { return len(p), nil }

// writeCells implements cellWriter: one cell is a line, which ends a table.
func (b *blocks) writeCells(cells []string) {
	cells = slices.Clone(cells)
	for i := range cells {
		cells[i] = strings.Map(visible, cells[i])
	}
	last := len(b.list) - 1
	switch {
	case len(cells) == 1:
		b.list = append(b.list, block{Text: cells[0]})
	case last >= 0 && len(b.list[last].Head) > 0:
		b.list[last].Rows = append(b.list[last].Rows, cells)
	default:
		b.list = append(b.list, block{Head: cells})
	}
}

// visible drops characters that show nothing, among them those that turn the
// direction of text around.
func visible(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return -1
}
