package assay

import (
	"time"

	"github.com/assay-rag/assay/llm"
)

// usageReport is what a run has used, with its bill.
func usageReport(m *llm.Meter, elapsed time.Duration) UsageReport {
	u := m.Used()
	report := UsageReport{
		Searches: u.Searches, Drafts: u.Drafts, Calls: u.Calls, Tokens: u.Tokens, Cost: cost(u.Money, u.Unpriced == 0),
		Elapsed: milliseconds(elapsed), Bill: []BillLine{}, ModelCalls: []CallReport{},
	}
	line := map[string]int{}
	for _, c := range m.Calls() {
		at, ok := line[c.Step]
		if !ok {
			at = len(report.Bill)
			line[c.Step] = at
			report.Bill = append(report.Bill, BillLine{Step: c.Step, Cost: cost(0, true)})
		}
		report.Bill[at].add(c)
		report.ModelCalls = append(report.ModelCalls, CallReport{
			Step: c.Step, Model: c.Model, Elapsed: milliseconds(c.Elapsed), Cached: c.Cached, Tokens: Tokens(c.Tokens),
			Cost: cost(c.Money, c.Priced || c.Cached), Error: c.Error, Raw: c.Raw,
		})
	}
	return report
}

// add adds a call to a line. One call without a price makes the cost unknown.
func (l *BillLine) add(c llm.Call) {
	l.Elapsed += milliseconds(c.Elapsed)
	if c.Cached {
		l.Cached++
		return
	}
	l.Calls++
	l.In += c.Tokens.In
	l.Out += c.Tokens.Out
	if l.Cost != nil {
		l.Cost = cost(*l.Cost+c.Money, c.Priced)
	}
}

// cost is an amount of money, or nil where it isn't known.
func cost(money float64, known bool) *float64 {
	if !known {
		return nil
	}
	return &money
}
