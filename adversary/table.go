package adversary

import (
	"strings"
)

// cells reads the facts of a section's tables: what is at a row and a column.
func (c *corpus) cells(i int) []fact {
	s := c.sections[i]
	body := c.docs[s.doc].Text
	var out []fact
	var header []string
	labels := map[string]bool{} // one that comes again doesn't tell its row
	last := -1
	for _, u := range s.units {
		if u.shape != row {
			continue
		}
		cells := cellsOf(u.Of(body))
		if u.Start != last+1 { // another table
			header = cells
			labels = map[string]bool{}
		} else if !strings.HasPrefix(cells[0], "---") && !labels[cells[0]] {
			labels[cells[0]] = true
			out = append(out, c.rowFacts(i, u, header, cells)...)
		}
		last = u.End
	}
	return out
}

func cellsOf(line string) []string {
	cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// rowSubject calls a row by its label: "the pH probe" where the column is headed
// "Probe".
func (c *corpus) rowSubject(kind, label string) string {
	switch {
	case strings.Contains(kind, " ") || strings.HasSuffix(kind, "s") || things[kind] || strings.Contains(strings.ToLower(label), kind):
		if c.proper(label) {
			return label
		}
		return "the " + c.inside(label)
	default:
		return "the " + c.inside(label) + " " + kind
	}
}

// things head a first column and say nothing of what is in it.
var things = wordSet("part item thing name component product solution option file package what module os system tool company")

// anything heads a first column that names properties: the subjects are then the
// other columns.
var anything = wordSet("property specification feature what parameter item characteristic")

// maxCell is the longest cell that is one value and little else, in bytes.
const maxCell = 40

// rowFacts reads the facts of a row.
func (c *corpus) rowFacts(i int, u unit, header, cells []string) []fact {
	if len(cells) != len(header) || cells[0] == "" {
		return nil
	}
	var out []fact
	kind := strings.ToLower(header[0])
	for j := 1; j < len(cells); j++ {
		v, ok := cellValue(cells[j])
		if !ok {
			continue
		}
		f := fact{section: i, place: c.place(c.sections[i], u), value: v, table: true}
		attribute := header[j]
		if kind == "" || anything[kind] {
			attribute, f.subject, f.label = cells[0], header[j], header[j]
			if !c.proper(f.subject) && !hasDigitOrInnerCapital(f.subject) {
				continue
			}
			if kind != "" {
				f.kind = "property of"
			}
		} else {
			f.subject, f.label, f.kind = c.rowSubject(kind, cells[0]), cells[0], kind
		}
		if !hasAttribute(attribute) || strings.Contains(attribute, " of ") || !nounPhrase(f.subject) || strings.ContainsAny(f.subject, "`*<>=") {
			continue
		}
		f.attribute = "the " + c.inside(attribute)
		f.ask = "what is " + f.attribute + " of {}?"
		f.why = "why is " + f.attribute + " of {} {=}?"
		f.terms = stems(f.question())
		out = append(out, f)
	}
	return out
}

// cellValue is the value of a cell that has one and little else.
func cellValue(cell string) (value, bool) {
	found := values(cell)
	if len(cell) > maxCell || len(found) != 1 || strings.ContainsAny(cell, ";(±–×") || strings.Contains(cell, ", ") || strings.Contains(cell, " to ") {
		return value{}, false
	}
	return found[0], true
}
