package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

// Report is what a task returns: something to read. WriteJSON writes it for a
// program.
type Report interface {
	// WriteTable writes the report as aligned plain text.
	WriteTable(w io.Writer) error
}

// WriteJSON writes the report as indented JSON.
func WriteJSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// fewGroups is where the percentile interval of a bootstrap over groups begins
// to be trustworthy.
const fewGroups = 20

// table writes aligned rows and remembers the first error.
type table struct {
	tabs  *tabwriter.Writer
	cells cellWriter // gets the rows instead, where the writer is one
	err   error
}

func newTable(w io.Writer) *table {
	cells, _ := w.(cellWriter)
	return &table{tabs: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), cells: cells}
}

// line writes text without columns, which ends a block: what follows is aligned
// anew.
func (t *table) line(format string, args ...any) { t.row(fmt.Sprintf(format, args...)) }

func (t *table) row(cells ...string) {
	if t.cells != nil {
		t.cells.writeCells(cells)
		return
	}
	if t.err == nil {
		_, t.err = io.WriteString(t.tabs, strings.TrimRight(strings.Join(cells, "\t"), "\t")+"\n")
	}
}

func (t *table) close() error {
	if t.err != nil {
		return fmt.Errorf("eval report: %w", t.err)
	}
	if err := t.tabs.Flush(); err != nil {
		return fmt.Errorf("eval report: %w", err)
	}
	return nil
}

// String formats the estimate as "0.812 [0.790, 0.834]".
func (e Estimate) String() string {
	if !e.Low.Defined() {
		return e.Value.String()
	}
	return fmt.Sprintf("%v [%v, %v]", e.Value, e.Low, e.High)
}

// String formats the difference with its sign, as "+0.020 [0.010, 0.030] p 0.004".
func (d Difference) String() string {
	s := d.Estimate.String()
	if d.Value.Defined() && d.Value >= 0 {
		s = "+" + s
	}
	if d.P.Defined() {
		s += " p " + d.P.String()
	}
	return s
}

// failures reports what went wrong in the system under test.
func (t *table) failures(what string, f Failures) {
	if f.Count == 0 {
		return
	}
	t.line("%s: %d, in no figure. Errors:", what, f.Count)
	for _, m := range f.Messages {
		t.line("  %s", oneLine(m, 200))
	}
}

// groups explains the intervals.
func (t *table) groups(n int) {
	switch {
	case n < 2:
		t.line("all items are of one group: no intervals")
	case n < fewGroups:
		t.line("[ ] are 95 %% intervals over %d groups: so few that they are rough", n)
	default:
		t.line("[ ] are 95 %% intervals over %d groups", n)
	}
}

// WriteTable implements Report.
func (r *GateReport) WriteTable(w io.Writer) error {
	t := newTable(w)
	t.line("gate · %s%s · %d questions with passages, %d positive", r.Set, r.Part.title(), r.Items, r.Positives)
	var columns []column
	for _, s := range r.Systems {
		columns = append(columns, s.column())
	}
	t.sideBySide(columns, "ms a passage", r.Items, r.Measured, r.Groups)
	t.line("")
	t.row("", "verdict", "positive", "negative")
	for _, s := range r.Systems {
		for i, v := range s.Verdicts {
			t.row(only(i == 0, s.Name), string(v.Verdict), strconv.Itoa(v.Positives), strconv.Itoa(v.Negatives))
		}
	}
	t.kinds(r.Systems[0].Name, r.Kinds)
	t.undetermined(columns)
	t.examples(r.Worst, "question")
	return t.close()
}

// WriteTable implements Report.
func (r *SupportReport) WriteTable(w io.Writer) error {
	t := newTable(w)
	t.line("support · %s%s · %d claims, %d supported", r.Set, r.Part.title(), r.Items, r.Positives)
	var columns []column
	for _, s := range r.Systems {
		columns = append(columns, s.column(
			row{"balanced accuracy of its labels", s.Labelled.BalancedAccuracy}, row{"accuracy of its labels", s.Labelled.Accuracy}))
	}
	t.sideBySide(columns, "ms a claim", r.Items, r.Measured, r.Groups)
	t.line("")
	t.row("", "found", "supported", "not")
	for _, s := range r.Systems {
		for i, f := range s.Findings {
			t.row(only(i == 0, s.Name), string(f.Support), strconv.Itoa(f.Positives), strconv.Itoa(f.Negatives))
		}
	}
	t.kinds(r.Systems[0].Name, r.Kinds)
	t.undetermined(columns)
	t.examples(r.Worst, "claim")
	return t.close()
}

// title names a part that is not all.
func (p Part) title() string { return only(p != PartAll, ", "+string(p)+" part") }

// only is the text where the condition holds, else empty.
func only(when bool, text string) string {
	if when {
		return text
	}
	return ""
}

// column is one system in a table: its figures, the same rows in each.
type column struct {
	name   string
	failed Failures
	time   float64 // milliseconds a piece
	usage  *Usage
	rows   []row
}

// row is a figure by its name. One without a difference in any column, such as that of
// a threshold of the system's own, is not compared.
type row struct {
	name   string
	figure Compared
}

// sideBySide writes a column for each system, and below it what each has more than the
// first.
func (t *table) sideBySide(columns []column, time string, items, measured, groups int) {
	t.line("")
	t.figures(columns, func(c Compared) string { return c.Estimate.String() })
	t.row(cells(time, columns, func(c column) string { return fmt.Sprintf("%.2f", c.time) })...)
	t.usage(columns, items)
	t.groups(groups)
	if measured < items {
		t.line("figures are of the %d items that no system failed on", measured)
	}
	if len(columns) < 2 {
		return
	}
	t.line("")
	t.line("what it has more than %s, with p-values", columns[0].name)
	t.figures(columns[1:], func(c Compared) string {
		if c.Difference == nil {
			return ""
		}
		return c.Difference.String()
	})
}

// figures writes the rows, as cell writes them, without those that it leaves empty.
func (t *table) figures(columns []column, cell func(Compared) string) {
	t.row(cells("", columns, func(c column) string { return c.name })...)
	for i, r := range columns[0].rows {
		line := cells(r.name, columns, func(c column) string { return cell(c.rows[i].figure) })
		if slices.ContainsFunc(line[1:], func(s string) bool { return s != "" }) {
			t.row(line...)
		}
	}
}

// cells are a row: its name, and a cell for each of the columns.
func cells[T any](name string, columns []T, cell func(T) string) []string {
	out := []string{name}
	for _, c := range columns {
		out = append(out, cell(c))
	}
	return out
}

// usage writes what language models were asked, where any was.
func (t *table) usage(columns []column, items int) {
	if !slices.ContainsFunc(columns, func(c column) bool { return c.usage != nil }) {
		return
	}
	row := func(name string, of func(Usage) string) {
		t.row(cells(name, columns, func(c column) string {
			if c.usage == nil {
				return "–"
			}
			return of(*c.usage)
		})...)
	}
	row("calls of models, an item", func(u Usage) string { return fmt.Sprintf("%.2f", float64(u.Calls)/float64(items)) })
	row("tokens, an item", func(u Usage) string { return fmt.Sprintf("%.0f", float64(u.Tokens)/float64(items)) })
	row("cost of 1000 items", func(u Usage) string {
		if u.Unpriced > 0 {
			return "price not known"
		}
		return fmt.Sprintf("$%.2f", 1000*u.Money/float64(items))
	})
}

// column is the figures as a table shows them. The decisions at thresholds of the
// system's own are not compared there: each system's mean something else.
func (f Figures) column(more ...row) column {
	rows := []row{
		{"AUROC", f.AUROC}, {"AUPRC", f.AUPRC}, {"Brier", f.Brier},
		{"calibration error", f.CalibrationError}, {"area under risk–coverage", f.AURC},
		{"balanced accuracy, fitted", f.Fitted.BalancedAccuracy}, {"accuracy, fitted", f.Fitted.Accuracy}, {"F1, fitted", f.Fitted.F1},
	}
	for i, name := range []string{"lower", "upper"} {
		d := f.At[i]
		rows = append(rows,
			row{name + " threshold", Compared{Estimate: Estimate{d.Threshold, undefined, undefined}}},
			row{"  balanced accuracy", Compared{Estimate: d.BalancedAccuracy.Estimate}},
			row{"  accuracy", Compared{Estimate: d.Accuracy.Estimate}},
			row{"  F1", Compared{Estimate: d.F1.Estimate}})
	}
	return column{f.Name, f.Undetermined, f.Time, f.Usage, append(rows, more...)}
}

// undetermined writes what the systems failed on.
func (t *table) undetermined(columns []column) {
	for _, c := range columns {
		t.failures(c.name+", undetermined", c.failed)
	}
}

// kinds breaks the figures of a system down.
func (t *table) kinds(system string, kinds []KindFigures) {
	if len(kinds) == 0 {
		return
	}
	t.line("")
	t.row("kind, with "+system, "items", "positive", "AUROC", "accuracy")
	for _, k := range kinds {
		t.row(oneLine(k.Kind, 60), strconv.Itoa(k.Items), strconv.Itoa(k.Positives), k.AUROC.String(), k.Accuracy.String())
	}
}

func (t *table) examples(worst []Example, subject string) {
	if len(worst) == 0 {
		return
	}
	t.line("")
	t.row("score", "label", "worst "+subject)
	for _, e := range worst {
		label := "negative"
		if e.Positive {
			label = "positive"
		}
		t.row(Figure(e.Score).String(), label, oneLine(e.Subject, 160))
		if e.Text != "" {
			t.row("", "", "  "+oneLine(e.Text, 160))
		}
	}
}

// WriteTable implements Report.
func (r *RetrievalReport) WriteTable(w io.Writer) error {
	t := newTable(w)
	t.line("retrieval · %s%s · %d questions over %d passages of %d documents", r.Set, r.Part.title(), r.Questions, r.Passages, r.Documents)
	t.line("")
	r.figures(t, r.Systems, func(c Compared) string { return c.Estimate.String() }, true)
	t.groups(r.Groups)
	t.line("")
	if len(r.Systems) > 1 {
		t.line("what it has more than %s, with p-values", r.Systems[0].Name)
		r.figures(t, r.Systems[1:], func(c Compared) string { return c.Difference.String() }, false)
		t.line("")
	}
	t.line("built in %.0f ms", r.BuildTime)
	for _, f := range r.Systems {
		t.failures(f.Name+" failed", f.Failed)
		if f.Short.Count > 0 {
			t.line("%s fell short in %d searches: %s", f.Name, f.Short.Count, oneLine(f.Short.Messages[0], 200))
		}
	}
	r.worst(t)
	return t.close()
}

// figures writes a column for each system: the figures, as cell writes them, and
// the times.
func (r *RetrievalReport) figures(t *table, systems []RetrievalFigures, cell func(Compared) string, times bool) {
	row := func(name string, of func(RetrievalFigures) string) { t.row(cells(name, systems, of)...) }
	row("", func(f RetrievalFigures) string { return f.Name })
	for i, k := range systems[0].Recall {
		row(fmt.Sprintf("recall@%d", k.K), func(f RetrievalFigures) string { return cell(f.Recall[i].Recall) })
	}
	row(fmt.Sprintf("MRR@%d", r.Depth), func(f RetrievalFigures) string { return cell(f.MRR) })
	row("nDCG@10", func(f RetrievalFigures) string { return cell(f.NDCG10) })
	if times {
		row("ms a query, p50", func(f RetrievalFigures) string { return fmt.Sprintf("%.2f", f.QueryTime.P50) })
		row("ms a query, p95", func(f RetrievalFigures) string { return fmt.Sprintf("%.2f", f.QueryTime.P95) })
	}
}

// worst writes at which ranks the systems found what the last of them found late.
func (r *RetrievalReport) worst(t *table) {
	if len(r.Worst) == 0 {
		return
	}
	t.line("")
	head := []string{"rank"}
	if len(r.Systems) > 1 {
		head = nil
		for _, f := range r.Systems {
			head = append(head, f.Name)
		}
	}
	t.row(append(head, "worst question", "gold document")...)
	for _, l := range r.Worst {
		var cells []string
		for _, rank := range l.Ranks {
			cell := strconv.Itoa(rank)
			if rank == 0 {
				cell = "–"
			}
			cells = append(cells, cell)
		}
		t.row(append(cells, oneLine(l.Question, 160), oneLine(l.Gold, 80))...)
	}
}

// oneLine makes text of a data set fit for a terminal: one line without control
// characters, cut at a number of letters.
func oneLine(s string, most int) string {
	var out []rune
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if len(out) == most {
			return string(out) + "…"
		}
		if unicode.IsPrint(r) {
			out = append(out, r)
		}
	}
	return string(out)
}
