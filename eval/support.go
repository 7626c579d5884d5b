package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-rag/assay"
)

// SupportReport is how well checkers tell claims that the evidence carries from
// those that it doesn't.
type SupportReport struct {
	Task   Task   `json:"task"`
	Set    string `json:"set"`
	Seed   uint64 `json:"seed"`
	Counts        // the items are claims with evidence
	// Systems are in the order in which they were given.
	Systems []SupportFigures `json:"systems"`
	// Kinds has the kinds with twenty items or more.
	Kinds []KindFigures `json:"kinds"`
	Worst []Example     `json:"worst"`
}

// SupportFigures are those of one checker.
type SupportFigures struct {
	Figures // of the scores
	// Labelled is of the checker's own labels: "supported" taken for positive,
	// all others not.
	Labelled Decision `json:"labelled"`
	// Findings counts all claims by the checker's label.
	Findings []FindingCount `json:"findings"`
}

// FindingCount is how many claims of each label got a finding.
type FindingCount struct {
	Support   assay.Support `json:"support"`
	Positives int           `json:"positives"`
	Negatives int           `json:"negatives"`
}

// SupportSystem is a checker under test, see GateSystem.
type SupportSystem struct {
	Name       string
	Version    string
	Checker    assay.Checker
	Thresholds *assay.Thresholds
}

// found is what a checker said of a claim.
type found struct {
	Support assay.Support `json:"support"`
	Score   float64       `json:"score"`
}

// Support measures checkers on a set, side by side, a claim a call. Failures and
// errors are as with Gate.
func Support(ctx context.Context, set *Set, systems []SupportSystem, opts *Options) (*SupportReport, error) {
	m, o, err := begin(TaskSupport, set, opts, len(systems), func(i int) (string, string, *assay.Thresholds) {
		return systems[i].Name, systems[i].Version, systems[i].Thresholds
	})
	if err != nil {
		return nil, err
	}
	m.items, m.key = len(set.Support), func(i int) string { return set.Support[i].key() }
	all, err := replies(ctx, o, m, func(ctx context.Context, s, i int) (found, error) {
		return checkItem(ctx, systems[s].Checker, set.Support[i])
	})
	if err != nil {
		return nil, fmt.Errorf("eval support: %w", err)
	}
	return supportReport(m, all, o), nil
}

func supportReport(m measurement, all [][]reply[found], o Options) *SupportReport {
	items := make([]labelled, m.items)
	for i, it := range m.set.Support {
		items[i] = labelled{it.Positive, it.Group, it.Kind}
	}
	c := newContest(m, items, all, func(f found) float64 { return f.Score }, o)
	r := &SupportReport{
		Task: TaskSupport, Set: m.set.Name, Seed: o.Seed, Counts: c.counts, Kinds: c.kinds(c.fitted(0)),
		Worst: c.worst(o.Worst, func(i int) (string, string) {
			return m.set.Support[i].Claim, joinStrips(m.set.Support[i].Evidence)
		}),
	}
	labels := func(s int) []Scored {
		return c.scores(func(i int) float64 { return indicator(all[s][i].value.Support == assay.Supported) })
	}
	for s := range m.systems {
		took, used := spent(all[s])
		f := SupportFigures{
			Figures:  c.figures(s, gatherFailures(errorsOf(all[s])), took, m.items, used),
			Labelled: c.decision(s, labels, func(int) float64 { return taken }),
			Findings: countFindings(m.set.Support, all[s]),
		}
		f.Labelled.Threshold = undefined
		r.Systems = append(r.Systems, f)
	}
	return r
}

// key is of what a checker is shown.
func (it SupportItem) key() string {
	parts := []string{it.Claim}
	for _, s := range it.Evidence {
		parts = append(parts, s.Text)
	}
	return itemKey(parts...)
}

// checkItem asks the checker and refuses a finding that is not one.
func checkItem(ctx context.Context, checker assay.Checker, it SupportItem) (found, error) {
	findings, err := checker.Check(ctx, []string{it.Claim}, it.Evidence)
	if err != nil {
		return found{}, err
	}
	if len(findings) != 1 {
		return found{}, fmt.Errorf("%d findings for one claim", len(findings))
	}
	switch f := findings[0]; f.Support {
	case assay.Supported, assay.PartiallySupported, assay.Unsupported, assay.Contradicted:
		return found{f.Support, f.Score}, checkScore(f.Score)
	case assay.SupportUndetermined:
		return found{}, errors.New("found undetermined")
	default:
		return found{}, fmt.Errorf("unknown support %q", f.Support)
	}
}

func countFindings(items []SupportItem, of []reply[found]) []FindingCount {
	out := []FindingCount{
		{Support: assay.Supported}, {Support: assay.PartiallySupported}, {Support: assay.Unsupported},
		{Support: assay.Contradicted}, {Support: assay.SupportUndetermined},
	}
	for i, r := range of {
		label := r.value.Support
		if r.err != nil {
			label = assay.SupportUndetermined
		}
		for k := range out {
			switch {
			case out[k].Support != label:
			case items[i].Positive:
				out[k].Positives++
			default:
				out[k].Negatives++
			}
		}
	}
	return out
}

func joinStrips(strips []assay.Strip) string {
	parts := make([]string, len(strips))
	for i, s := range strips {
		parts[i] = s.Text
	}
	return strings.Join(parts, " ")
}
