package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// ReadReport reads what WriteJSON wrote: the report of any task, or a Summary.
func ReadReport(r io.Reader) (Report, error) {
	var all json.RawMessage
	if err := json.NewDecoder(r).Decode(&all); err != nil {
		return nil, fmt.Errorf("eval read report: %w", err)
	}
	var summary struct {
		Reports []json.RawMessage `json:"reports"`
	}
	if err := json.Unmarshal(all, &summary); err != nil {
		return nil, fmt.Errorf("eval read report: %w", err)
	}
	if summary.Reports == nil {
		return readOne(all)
	}
	reports := []Report{}
	for _, raw := range summary.Reports {
		report, err := readOne(raw)
		if err != nil {
			return nil, err
		}
		reports = append(reports, report)
	}
	return Summarise(reports), nil
}

// readOne reads the report of one task.
func readOne(raw json.RawMessage) (Report, error) {
	var head struct {
		Task Task `json:"task"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("eval read report: %w", err)
	}
	var r Report
	switch head.Task {
	case TaskGate:
		r = new(GateReport)
	case TaskStrips:
		r = new(StripsReport)
	case TaskSupport:
		r = new(SupportReport)
	case TaskUseful:
		r = new(UsefulReport)
	case TaskRoute:
		r = new(RouteReport)
	case TaskRetrieval:
		r = new(RetrievalReport)
	case TaskEndToEnd:
		r = new(EndToEndReport)
	default:
		return nil, fmt.Errorf("eval read report: this is no report: there is no task %q", head.Task)
	}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("eval read report: %s: %w", head.Task, err)
	}
	return r, nil
}

// Comparison is how a run stands beside an earlier one, its baseline.
type Comparison struct {
	// MaxDrop is by how much a figure may be worse.
	MaxDrop float64
	// Compared counts the figures that both runs have.
	Compared int
	// Worse are those that are worse by more than MaxDrop.
	Worse []Drop
	// Lost says what the baseline has and can't be compared: it is missing, or was
	// measured on other items. New says what only the later run has.
	Lost, New []string
}

// Drop is a figure that is worse than it was.
type Drop struct {
	Task        Task
	Set         string
	System      string
	Figure      string
	Before, Now Estimate
	By          float64 // how much worse, whichever way is better
	// Paired is what it is more than before, from the scores of the same items in both
	// runs; nil where a run was saved without them (see Options.Scores) or the figure
	// is not one of scores.
	Paired *Difference
}

// Compare sets the figures of quality of a run beside those of an earlier one. Times
// and costs are not compared: they are of a machine. Reports belong together by task
// and set, systems and figures by name.
func Compare(before, now Report, maxDrop float64) *Comparison {
	c := &Comparison{MaxDrop: maxDrop}
	later := runsOf(now)
	for _, b := range runsOf(before) {
		at := slices.IndexFunc(later, func(r run) bool { return r.title() == b.title() })
		if at < 0 {
			c.Lost = append(c.Lost, b.title()+": missing")
			continue
		}
		c.run(b, later[at])
		later = slices.Delete(later, at, at+1) // the next of the same name is another
	}
	for _, r := range later {
		c.New = append(c.New, r.title())
	}
	return c
}

// OK tells that nothing is worse and nothing is lost.
func (c *Comparison) OK() bool { return len(c.Worse)+len(c.Lost) == 0 }

// run compares two reports on one set.
func (c *Comparison) run(before, now run) {
	if before.on != now.on {
		c.Lost = append(c.Lost, fmt.Sprintf("%s: measured on other items: %s; before: %s", now.title(), now.on, before.on))
		return
	}
	for _, b := range before.systems {
		at := slices.IndexFunc(now.systems, func(s runSystem) bool { return s.name == b.name })
		if at < 0 {
			c.Lost = append(c.Lost, fmt.Sprintf("%s, %s: missing", before.title(), b.name))
			continue
		}
		c.system(now, b, now.systems[at])
	}
	for _, n := range now.systems {
		if !slices.ContainsFunc(before.systems, func(s runSystem) bool { return s.name == n.name }) {
			c.New = append(c.New, now.title()+", "+n.name)
		}
	}
}

// system compares the figures of one system.
func (c *Comparison) system(r run, before, now runSystem) {
	for _, b := range before.figures {
		if !b.Value.Defined() {
			continue
		}
		at := slices.IndexFunc(now.figures, func(f runFigure) bool { return f.name == b.name })
		if at < 0 || !now.figures[at].Value.Defined() {
			c.Lost = append(c.Lost, fmt.Sprintf("%s, %s, %s: missing", r.title(), now.name, b.name))
			continue
		}
		c.Compared++
		n := now.figures[at]
		by := float64(b.Value - n.Value)
		if b.lowerIsBetter {
			by = -by
		}
		if by <= c.MaxDrop+rounding {
			continue
		}
		c.Worse = append(c.Worse, Drop{
			Task: r.task, Set: r.set, System: now.name, Figure: b.name,
			Before: b.Estimate, Now: n.Estimate, By: by, Paired: paired(before, now, b, n, r.seed),
		})
	}
}

// rounding keeps a drop of just as much as is allowed from being more.
const rounding = 1e-9

// paired estimates the difference on resamples of the same items.
func paired(before, now runSystem, b, n runFigure, seed uint64) *Difference {
	alike := func(x, y Scored) bool { return x.Positive == y.Positive && x.Group == y.Group }
	if b.again == nil || n.again == nil || len(now.scores) == 0 || !slices.EqualFunc(before.scores, now.scores, alike) {
		return nil
	}
	groups := make([]string, len(now.scores))
	for i, it := range now.scores {
		groups[i] = it.Group
	}
	d := NewBootstrap(groups, 0, seed).Compare(n.again(now.scores), b.again(before.scores))
	return &d
}

// WriteTable implements Report.
func (c *Comparison) WriteTable(w io.Writer) error {
	t := newTable(w)
	t.line("beside the baseline: %d figures compared, %d worse by more than %s", c.Compared, len(c.Worse), strconv.FormatFloat(c.MaxDrop, 'g', -1, 64))
	if len(c.Worse) > 0 {
		t.line("")
		t.row("task", "set", "system", "figure", "before", "now", "worse by", "paired difference")
	}
	for _, d := range c.Worse {
		difference := "–"
		if d.Paired != nil {
			difference = d.Paired.String()
		}
		t.row(string(d.Task), d.Set, d.System, d.Figure, d.Before.String(), d.Now.String(), Figure(d.By).String(), difference)
	}
	t.list("in the baseline, and not to be compared:", c.Lost)
	t.list("not in the baseline:", c.New)
	return t.close()
}

// list writes lines below a title, where there are any.
func (t *table) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	t.line("")
	t.line("%s", title)
	for _, l := range lines {
		t.line("  %s", l)
	}
}
