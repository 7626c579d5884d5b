package eval

import (
	"encoding/json"
	"fmt"
	"io"
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

// signed formats a difference with its sign.
func (e Estimate) signed() string {
	if e.Value.Defined() && e.Value >= 0 {
		return "+" + e.String()
	}
	return e.String()
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
	t.line("gate · %s · %d questions with passages, %d positive · %.2f ms a passage",
		r.Set, r.Items, r.Positives, r.PassageTime)
	t.line("")
	t.row("", "grader", "BM25", "difference")
	t.row("AUROC", r.Quality.AUROC.String(), r.BM25.AUROC.String(), r.BM25.AUROCDifference.signed())
	t.row("AUPRC", r.Quality.AUPRC.String(), r.BM25.AUPRC.String(), r.BM25.AUPRCDifference.signed())
	t.quality(r.Quality)
	t.groups(r.Groups)
	t.line("")
	t.row("verdict", "positive", "negative")
	for _, v := range r.Verdicts {
		t.row(string(v.Verdict), strconv.Itoa(v.Positives), strconv.Itoa(v.Negatives))
	}
	t.failures("undetermined", r.Undetermined)
	t.examples(r.Worst, "question")
	return t.close()
}

// WriteTable implements Report.
func (r *SupportReport) WriteTable(w io.Writer) error {
	t := newTable(w)
	t.line("support · %s · %d claims, %d supported · %.2f ms a claim", r.Set, r.Items, r.Positives, r.ClaimTime)
	t.line("")
	t.row("", "checker")
	t.row("AUROC", r.Quality.AUROC.String())
	t.row("AUPRC", r.Quality.AUPRC.String())
	t.quality(r.Quality)
	t.row("balanced accuracy of its labels", r.Labelled.BalancedAccuracy.String())
	t.row("accuracy of its labels", r.Labelled.Accuracy.String())
	t.groups(r.Groups)
	t.line("")
	t.row("found", "supported", "not")
	for _, f := range r.Findings {
		t.row(string(f.Support), strconv.Itoa(f.Positives), strconv.Itoa(f.Negatives))
	}
	t.failures("undetermined", r.Undetermined)
	t.examples(r.Worst, "claim")
	return t.close()
}

// quality writes the rows below AUROC and AUPRC.
func (t *table) quality(q Quality) {
	t.row("Brier", q.Brier.String())
	for _, d := range q.At {
		t.row(fmt.Sprintf("balanced accuracy at %.2f", d.Threshold), d.BalancedAccuracy.String())
		t.row(fmt.Sprintf("accuracy at %.2f", d.Threshold), d.Accuracy.String())
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
		t.row("", "", "  "+oneLine(e.Text, 160))
	}
}

// WriteTable implements Report.
func (r *RetrievalReport) WriteTable(w io.Writer) error {
	t := newTable(w)
	t.line("retrieval · %s · %d questions over %d passages of %d documents", r.Set, r.Questions, r.Passages, r.Documents)
	t.line("")
	r.figures(t, r.Systems, func(c Compared) string { return c.String() }, true)
	t.groups(r.Groups)
	t.line("")
	if len(r.Systems) > 1 {
		t.line("what it has more than %s", r.Systems[0].Name)
		r.figures(t, r.Systems[1:], func(c Compared) string { return c.Difference.signed() }, false)
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
	row := func(name string, of func(RetrievalFigures) string) {
		cells := []string{name}
		for _, f := range systems {
			cells = append(cells, of(f))
		}
		t.row(cells...)
	}
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
