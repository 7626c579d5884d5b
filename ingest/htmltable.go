package ingest

import (
	"strconv"

	"golang.org/x/net/html"
)

// Bounds of a table: cells that a span may cover, and cells in all that spans
// may add.
const (
	maxSpan       = 50
	maxSpanGrowth = 100_000
)

// table writes a table. One that only lays out the page (it has a table,
// headings or lists in its cells, or one column) is written as what is in its
// cells.
func (h *htmlReader) table(n *html.Node) {
	var rows []*html.Node
	tableRows(n, &rows)
	if layout(n, rows) {
		h.children(n)
		return
	}
	grid, header := h.grid(rows)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if element(c) == "caption" {
			h.w.paragraph(h.phrase(c))
		}
	}
	h.w.table(dropEmpty(grid), header)
}

// dropEmpty removes the columns in which all cells are empty, which only make
// space.
func dropEmpty(grid [][]string) [][]string {
	var used []bool
	for _, row := range grid {
		for len(used) < len(row) {
			used = append(used, false)
		}
		for i, c := range row {
			used[i] = used[i] || c != ""
		}
	}
	for i, row := range grid {
		kept := row[:0]
		for k, c := range row {
			if used[k] {
				kept = append(kept, c)
			}
		}
		grid[i] = kept
	}
	return grid
}

// tableRows collects the rows of a table, without those of tables inside.
func tableRows(n *html.Node, rows *[]*html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type != html.ElementNode || c.Data == "table" || hidden(c):
		case c.Data == "tr":
			*rows = append(*rows, c)
		default:
			tableRows(c, rows)
		}
	}
}

func layout(n *html.Node, rows []*html.Node) bool {
	if attribute(n, "role") == "presentation" || attribute(n, "role") == "none" || strayText(n) {
		return true
	}
	wide := false
	for _, r := range rows {
		cells := 0
		for c := r.FirstChild; c != nil; c = c.NextSibling {
			if e := element(c); e != "td" && e != "th" {
				continue
			}
			cells++
			if structured(c) {
				return true
			}
		}
		wide = wide || cells > 1
	}
	return !wide
}

// strayText tells whether a table holds text outside of its cells, which the
// grid would lose.
func strayText(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			if squeeze(c.Data) != "" {
				return true
			}
		case c.Type != html.ElementNode || unread[c.Data]:
		case c.Data == "td" || c.Data == "th" || c.Data == "caption" || c.Data == "colgroup":
		case c.Data == "tr" || c.Data == "tbody" || c.Data == "thead" || c.Data == "tfoot":
			if strayText(c) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// structured tells whether a cell has more structure than a line can show.
func structured(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch element(c) {
		case "table", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "section", "article", "dl":
			return true
		}
		if structured(c) {
			return true
		}
	}
	return false
}

// carry is a cell that reaches into rows below.
type carry struct {
	rows int
	text string
}

// grid returns the cells of rows, in columns: a cell over several rows or
// columns is repeated in each, so that each row can be read alone. One that is
// its row's only cell is a title, and isn't.
func (h *htmlReader) grid(rows []*html.Node) (grid [][]string, header bool) {
	var carried []carry
	growth := 0
	for i, r := range rows {
		var row []string
		heads, cells := 0, 0
		fill := func() {
			for len(row) < len(carried) && carried[len(row)].rows > 0 {
				carried[len(row)].rows--
				row = append(row, carried[len(row)].text)
			}
		}
		for c := r.FirstChild; c != nil; c = c.NextSibling {
			if e := element(c); e != "td" && e != "th" || hidden(c) {
				continue
			}
			fill()
			cells++
			if c.Data == "th" {
				heads++
			}
			text := h.phrase(c)
			across, down := span(c, "colspan"), span(c, "rowspan")
			if growth += across*down - 1; growth > maxSpanGrowth {
				across, down = 1, 1
			}
			for k := range across {
				if k > 0 && alone(c) {
					text = ""
				}
				for len(carried) <= len(row) {
					carried = append(carried, carry{})
				}
				carried[len(row)] = carry{rows: down - 1, text: text}
				row = append(row, text)
			}
		}
		fill()
		if i == 0 {
			header = cells > 0 && (heads == cells || r.Parent.Data == "thead")
		}
		if cells > 0 {
			grid = append(grid, row)
		}
	}
	return grid, header
}

// alone tells whether a cell is the only one in its row.
func alone(c *html.Node) bool { return onlyElement(c.Parent) == c }

func span(n *html.Node, name string) int {
	v, err := strconv.Atoi(attribute(n, name))
	if err != nil || v < 1 {
		return 1
	}
	return min(v, maxSpan)
}
