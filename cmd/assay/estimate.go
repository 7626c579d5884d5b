package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
)

// estimateReport is the JSON form of "ask --estimate".
type estimateReport struct {
	Steps  []estimateLine `json:"steps"`
	Calls  int            `json:"calls"`
	Tokens int            `json:"tokens"`
	Cost   *float64       `json:"cost"` // US dollars; null where a price isn't known
}

type estimateLine struct {
	assay.EstimateLine
	Model string   `json:"model"`
	Cost  *float64 `json:"cost"`
}

// estimate prints what an answer may cost at the worst. Nothing is asked for it.
func (e env) estimate(d *desk, c *config, q assay.Query, asJSON bool) error {
	found, err := d.engine.Estimate(q)
	if err != nil {
		return err
	}
	total := 0.0
	report := estimateReport{Steps: []estimateLine{}, Cost: &total}
	if c.has(embeds) {
		searches, size := found.Budget.Searches, llm.EstimateTokens(q.Question)
		found.Steps = append(found.Steps, assay.EstimateLine{Step: string(assay.StepRetrieve), Uses: searches, Calls: searches, In: searches * size})
	}
	for _, l := range found.Steps {
		line := estimateLine{EstimateLine: l, Model: d.models.nameFor(l.Step, c)}
		thoughts, err := c.thoughts(line.Model)
		if err != nil {
			return err
		}
		if l.Out > 0 {
			line.Out += l.Calls * thoughts
		}
		line.Cost = d.models.dearest(line.Model, line.EstimateLine)
		if line.Cost == nil {
			report.Cost = nil
		} else {
			total += *line.Cost
		}
		report.Steps = append(report.Steps, line)
		report.Calls, report.Tokens = report.Calls+line.Calls, report.Tokens+line.In+line.Out
	}
	report.Calls, report.Tokens = min(report.Calls, found.Budget.Calls), min(report.Tokens, found.Budget.Tokens)
	if report.Cost != nil {
		total = min(total, found.Budget.Money)
	}
	if asJSON {
		return writeJSON(e.stdout, report, true)
	}
	e.writeEstimate(report, found.Budget)
	return nil
}

// nameFor is the model that a step asks.
func (m *models) nameFor(step string, c *config) string {
	switch step {
	case string(assay.StepGrade), string(assay.StepRefine), assay.BillCheck, assay.BillUseful:
		return m.judgeName
	case string(assay.StepRetrieve):
		return c.get(embeds.name)
	}
	return m.answerName
}

// dearest is what a step costs at the worst, also where a second model stands in; nil
// where a price isn't known.
func (m *models) dearest(name string, l assay.EstimateLine) *float64 {
	names := []string{name}
	if name == m.answerName && m.secondName != "" {
		names = append(names, m.secondName)
	}
	worst := 0.0
	for _, name := range names {
		price := m.prices.For(name)
		if price == nil {
			return nil
		}
		worst = max(worst, price.Of(llm.Tokens{In: l.In, Out: l.Out}))
	}
	return &worst
}

// writeEstimate writes an estimate for a person.
func (e env) writeEstimate(r estimateReport, b assay.Budget) {
	s := e.outScreen()
	if len(r.Steps) == 0 {
		s.line(plain("No model is asked for an answer: it costs nothing."))
		return
	}
	s.line(bold(fmt.Sprintf("%-9s %5s %6s %9s %9s %10s", "step", "uses", "calls", "in", "out", "cost")), bold("  model"))
	for _, l := range r.Steps {
		s.line(plainf("%-9s %5d %6d %9d %9d %10s", l.Step, l.Uses, l.Calls, l.In, l.Out, money(l.Cost)), dim("  "+cleanLine(cmp.Or(l.Model, anyModel))))
	}
	s.line()
	s.line(bold("at the worst"), plainf(" %s, %d tokens, %s", count(r.Calls, "call"), r.Tokens, money(r.Cost)),
		dimf(" · the budget ends it at %d calls, %d tokens, %s, %s", b.Calls, b.Tokens, money(&b.Money), b.Time))
	if r.Cost == nil {
		s.line(dim("A price isn't known: set prices in assay.yaml, see assay config --help"))
	}
}

// money is an amount in US dollars; nil is one that isn't known.
func money(amount *float64) string {
	switch {
	case amount == nil:
		return "price unknown"
	case *amount != 0 && *amount < 0.01:
		return "$" + strings.TrimRight(fmt.Sprintf("%.6f", *amount), "0")
	}
	return fmt.Sprintf("$%.2f", *amount)
}
