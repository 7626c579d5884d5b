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
	tabs *tabwriter.Writer
	err  error
}

func newTable(w io.Writer) *table {
	return &table{tabs: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
}

// line writes text without columns, which ends a block: what follows is aligned
// anew.
func (t *table) line(format string, args ...any) { t.row(fmt.Sprintf(format, args...)) }

func (t *table) row(cells ...string) {
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
	var figures []Figures
	for _, s := range r.Systems {
		figures = append(figures, s.Figures)
	}
	t.systems(figures, r.Counts, "ms a passage", nil)
	t.line("")
	t.row("", "verdict", "positive", "negative")
	for _, s := range r.Systems {
		for i, v := range s.Verdicts {
			t.row(only(i == 0, s.Name), string(v.Verdict), strconv.Itoa(v.Positives), strconv.Itoa(v.Negatives))
		}
	}
	t.end(figures, r.Kinds, r.Worst, "question")
	return t.close()
}

// WriteTable implements Report.
func (r *SupportReport) WriteTable(w io.Writer) error {
	t := newTable(w)
	t.line("support · %s%s · %d claims, %d supported", r.Set, r.Part.title(), r.Items, r.Positives)
	var figures []Figures
	var labelled []Decision
	for _, s := range r.Systems {
		figures, labelled = append(figures, s.Figures), append(labelled, s.Labelled)
	}
	t.systems(figures, r.Counts, "ms a claim", labelled)
	t.line("")
	t.row("", "found", "supported", "not")
	for _, s := range r.Systems {
		for i, f := range s.Findings {
			t.row(only(i == 0, s.Name), string(f.Support), strconv.Itoa(f.Positives), strconv.Itoa(f.Negatives))
		}
	}
	t.end(figures, r.Kinds, r.Worst, "claim")
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

// systems writes a column for each system, and below it what each has more than the
// first. labelled are decisions by labels of the systems' own, where they have them.
func (t *table) systems(systems []Figures, counts Counts, time string, labelled []Decision) {
	t.line("")
	t.columns(systems, labelled, func(c Compared) string { return c.Estimate.String() })
	t.row(cells(time, systems, func(f Figures) string { return fmt.Sprintf("%.2f", f.Time) })...)
	t.usage(systems, counts.Items)
	t.groups(counts.Groups)
	if counts.Measured < counts.Items {
		t.line("figures are of the %d items that no system failed on", counts.Measured)
	}
	if len(systems) < 2 {
		return
	}
	t.line("")
	t.line("what it has more than %s, with p-values", systems[0].Name)
	t.columns(systems[1:], tail(labelled), func(c Compared) string { return c.Difference.String() })
}

func tail(d []Decision) []Decision {
	if len(d) == 0 {
		return nil
	}
	return d[1:]
}

// columns writes the figures of quality, as cell writes them.
func (t *table) columns(systems []Figures, labelled []Decision, cell func(Compared) string) {
	row := func(name string, of func(Figures) Compared) {
		t.row(cells(name, systems, func(f Figures) string { return cell(of(f)) })...)
	}
	t.row(cells("", systems, func(f Figures) string { return f.Name })...)
	row("AUROC", func(f Figures) Compared { return f.AUROC })
	row("AUPRC", func(f Figures) Compared { return f.AUPRC })
	row("Brier", func(f Figures) Compared { return f.Brier })
	row("calibration error", func(f Figures) Compared { return f.CalibrationError })
	row("area under risk–coverage", func(f Figures) Compared { return f.AURC })
	for i, name := range []string{"lower threshold", "upper threshold"} {
		t.row(cells(name, systems, func(f Figures) string { return fmt.Sprintf("%.2f", f.At[i].Threshold) })...)
		row("  balanced accuracy", func(f Figures) Compared { return f.At[i].BalancedAccuracy })
		row("  accuracy", func(f Figures) Compared { return f.At[i].Accuracy })
		row("  F1", func(f Figures) Compared { return f.At[i].F1 })
	}
	t.row(cells("fitted threshold", systems, func(Figures) string { return "on the other half" })...)
	row("  balanced accuracy", func(f Figures) Compared { return f.Fitted.BalancedAccuracy })
	row("  accuracy", func(f Figures) Compared { return f.Fitted.Accuracy })
	row("  F1", func(f Figures) Compared { return f.Fitted.F1 })
	if len(labelled) == 0 {
		return
	}
	t.row(cells("its own labels", labelled, func(Decision) string { return "supported or not" })...)
	own := func(name string, of func(Decision) Compared) {
		t.row(cells(name, labelled, func(d Decision) string { return cell(of(d)) })...)
	}
	own("  balanced accuracy", func(d Decision) Compared { return d.BalancedAccuracy })
	own("  accuracy", func(d Decision) Compared { return d.Accuracy })
	own("  F1", func(d Decision) Compared { return d.F1 })
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
func (t *table) usage(systems []Figures, items int) {
	if !slices.ContainsFunc(systems, func(f Figures) bool { return f.Usage != nil }) {
		return
	}
	row := func(name string, of func(Usage) string) {
		t.row(cells(name, systems, func(f Figures) string {
			if f.Usage == nil {
				return "–"
			}
			return of(*f.Usage)
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

// end writes what follows the figures: kinds, failures and the worst examples.
func (t *table) end(systems []Figures, kinds []KindFigures, worst []Example, subject string) {
	if len(kinds) > 0 {
		t.line("")
		t.row("kind, with "+systems[0].Name, "items", "positive", "AUROC", "accuracy at the fitted threshold")
		for _, k := range kinds {
			t.row(oneLine(k.Kind, 60), strconv.Itoa(k.Items), strconv.Itoa(k.Positives), k.AUROC.String(), k.Accuracy.String())
		}
	}
	for _, f := range systems {
		t.failures(f.Name+", undetermined", f.Undetermined)
	}
	t.examples(worst, subject)
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
		t.row("", "", "  "+oneLine(e.Text, 160))
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
