package eval

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-rag/assay"
)

// WriteTable implements Report.
func (r *EndToEndReport) WriteTable(w io.Writer) error {
	t := newTable(w)
	t.line("end-to-end · %s%s · %d questions of %d documents, %d uncovered", r.Set, r.Part.title(), r.Questions, r.Documents, r.Uncovered)
	if r.LeftOut > 0 {
		t.line("%d documents are left out of the index, so that their questions are uncovered", r.LeftOut)
	}
	t.line("")
	r.shares(t, r.Systems, func(c Compared) string { return c.Estimate.String() })
	r.costs(t)
	t.groups(r.Groups)
	if r.Measured < r.Questions {
		t.line("figures are of the %d questions that no system failed on", r.Measured)
	}
	if len(r.Systems) > 1 {
		t.line("")
		t.line("what it has more than %s, with p-values", r.Systems[0].Name)
		r.shares(t, r.Systems[1:], func(c Compared) string { return c.Difference.String() })
	}
	for _, c := range r.Changes {
		c.write(t, r.Systems[0].Name)
	}
	r.labels(t)
	for _, f := range r.Systems {
		t.failures(f.Name+" failed", f.Failed)
	}
	for _, c := range r.Changes {
		c.examples(t, r.Systems[0].Name)
	}
	return t.close()
}

// shares writes a column for each system, as cell writes its figures. Rows that are
// not defined for any system are left out.
func (r *EndToEndReport) shares(t *table, systems []AnswerFigures, cell func(Compared) string) {
	row := func(name string, of func(AnswerFigures) Compared) {
		defined := false
		for _, f := range r.Systems {
			defined = defined || of(f).Value.Defined()
		}
		if defined {
			t.row(cells(name, systems, func(f AnswerFigures) string { return cell(of(f)) })...)
		}
	}
	t.row(cells("", systems, func(f AnswerFigures) string { return f.Name })...)
	row("wrong answer shown", func(f AnswerFigures) Compared { return f.Wrong })
	row("covered: answer shown", func(f AnswerFigures) Compared { return f.Coverage })
	row("  right", func(f AnswerFigures) Compared { return f.Right })
	row("  wrong", func(f AnswerFigures) Compared { return f.WrongCovered })
	row("  exact match", func(f AnswerFigures) Compared { return f.ExactMatch })
	row("  token F1", func(f AnswerFigures) Compared { return f.F1 })
	row("  a quote cited says it, if shown", func(f AnswerFigures) Compared { return f.Cited })
	row("  misled", func(f AnswerFigures) Compared { return f.Misled })
	row("uncovered: abstained", func(f AnswerFigures) Compared { return f.Abstained })
	row("  documents left out", func(f AnswerFigures) Compared { return f.AbstainedLeftOut })
	row("  documents that don't say it", func(f AnswerFigures) Compared { return f.AbstainedOnTopic })
	row("  right by luck", func(f AnswerFigures) Compared { return f.Lucky })
	row("all claims supported, if shown", func(f AnswerFigures) Compared { return f.Grounded })
	row("right, if labelled answered", func(f AnswerFigures) Compared { return f.Answered })
}

// costs writes what a question took.
func (r *EndToEndReport) costs(t *table) {
	row := func(name string, of func(AnswerFigures) string) { t.row(cells(name, r.Systems, of)...) }
	calls := false
	for _, f := range r.Systems {
		calls = calls || f.Calls > 0
	}
	if calls {
		row("calls of models", func(f AnswerFigures) string { return fmt.Sprintf("%.2f", f.Calls) })
		row("tokens", func(f AnswerFigures) string { return fmt.Sprintf("%.0f", f.Tokens) })
		row("cost of 1000 questions", func(f AnswerFigures) string {
			if !f.USD.Defined() {
				return "price not known"
			}
			return fmt.Sprintf("$%.2f", 1000*f.USD)
		})
	}
	row("ms a question, p50", func(f AnswerFigures) string { return fmt.Sprintf("%.1f", f.Time.P50) })
	row("ms a question, p95", func(f AnswerFigures) string { return fmt.Sprintf("%.1f", f.Time.P95) })
}

// write says what changed, question by question.
func (c AnswerChanges) write(t *table, first string) {
	t.line("")
	t.line("%s beside %s: wrong answers cut by %s, coverage lost %s", c.System, first, inHundredths(c.WrongCut, "%"), inHundredths(c.CoverageLost, "points"))
	t.row("", "", "covered", "uncovered")
	for _, way := range []struct {
		name    string
		changes []AnswerChange
	}{{"corrected", c.Corrected}, {"broken", c.Broken}, {"kept", []AnswerChange{c.Kept}}} {
		for i, change := range way.changes {
			t.row(only(i == 0, way.name), fmt.Sprintf("%s → %s", change.From, change.To),
				strconv.Itoa(change.Covered), strconv.Itoa(change.Uncovered))
		}
	}
}

// inHundredths formats a share as "36.3 [31.6, 41.2] %".
func inHundredths(e Estimate, unit string) string {
	if !e.Value.Defined() {
		return "–"
	}
	s := fmt.Sprintf("%.1f", 100*e.Value)
	if e.Low.Defined() {
		s += fmt.Sprintf(" [%.1f, %.1f]", 100*e.Low, 100*e.High)
	}
	return s + " " + unit
}

// labels writes what each system's labels are worth.
func (r *EndToEndReport) labels(t *table) {
	t.line("")
	t.row("", "label", "right", "wrong", "silent", "uncovered")
	for _, f := range r.Systems {
		for i, l := range f.Labels {
			counts := []string{strconv.Itoa(l.Right), strconv.Itoa(l.Wrong), strconv.Itoa(l.Silent), strconv.Itoa(l.Uncovered)}
			t.row(append([]string{only(i == 0, f.Name), string(l.Outcome)}, counts...)...)
		}
	}
}

// examples writes what broke, what stayed wrong, and what was corrected.
func (c AnswerChanges) examples(t *table, first string) {
	for _, change := range slices.Concat(c.Broken, []AnswerChange{c.Kept}, c.Corrected) {
		if len(change.Examples) == 0 {
			continue
		}
		t.line("")
		t.line("%s → %s with %s", change.From, change.To, c.System)
		for _, e := range change.Examples {
			t.row("  "+oneLine(e.Question, 160), "")
			gold := strings.Join(e.Right, " / ")
			t.row("    right", oneLine(cmp.Or(gold, "(no document answers)"), 160))
			t.row("    "+first, oneLine(cmp.Or(e.First, assay.Abstention), 160))
			t.row("    "+c.System, oneLine(cmp.Or(e.Second, assay.Abstention), 160))
		}
	}
}
