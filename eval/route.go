package eval

import (
	"context"
	"fmt"
	"io"

	"github.com/assay-rag/assay"
)

// RouteReport is how well routers tell questions that need documents from messages
// that don't.
type RouteReport struct {
	Task   Task   `json:"task"`
	Set    string `json:"set"`
	Seed   uint64 `json:"seed"`
	Counts        // the items are questions, the positive ones need retrieval
	// Systems are in the order in which they were given.
	Systems []RouteFigures `json:"systems"`
	// Kinds has the kinds with twenty items or more.
	Kinds []KindFigures `json:"kinds"`
	Worst []Example     `json:"worst"`
}

// RouteFigures are those of one router, see Figures.
type RouteFigures struct {
	Name         string   `json:"name"`
	Version      string   `json:"version"`
	Undetermined Failures `json:"undetermined"`
	Accuracy     Compared `json:"accuracy"`
	// BalancedAccuracy is not defined (null) where all questions need retrieval, or
	// none does.
	BalancedAccuracy Compared `json:"balanced_accuracy"`
	// Retrieved is the share retrieved for of those that need it: what is missing of it
	// is answered without evidence.
	Retrieved Compared `json:"retrieved"`
	// Spared is the share not retrieved for of those that don't need it.
	Spared Compared `json:"spared"`
	// Time is the mean time a question in milliseconds.
	Time  float64 `json:"ms"`
	Usage *Usage  `json:"usage"`
}

// RouteSystem is a router under test, see GateSystem.
type RouteSystem struct {
	Name    string
	Version string
	Router  assay.Router
}

// AlwaysRoute retrieves for everything.
func AlwaysRoute() RouteSystem { return RouteSystem{Name: "always", Router: alwaysRetrieve{}} }

type alwaysRetrieve struct{}

// Route implements assay.Router.
func (alwaysRetrieve) Route(context.Context, assay.Query) (assay.Route, error) {
	return assay.Route{Retrieve: true}, nil
}

// Route measures routers on a set, side by side. Failures and errors are as with Gate.
func Route(ctx context.Context, set *Set, systems []RouteSystem, opts *Options) (*RouteReport, error) {
	m, o, err := begin(TaskRoute, set, opts, len(systems), func(i int) (string, string, *assay.Thresholds) {
		return systems[i].Name, systems[i].Version, nil
	})
	if err != nil {
		return nil, err
	}
	m.items, m.key = len(set.Route), func(i int) string { return itemKey(set.Route[i].Question) }
	all, err := replies(ctx, o, m, func(ctx context.Context, s, i int) (bool, error) {
		q := assay.Query{Question: set.Route[i].Question, Asked: set.Route[i].Question}
		route, err := systems[s].Router.Route(ctx, q)
		return route.Retrieve, err
	})
	if err != nil {
		return nil, fmt.Errorf("eval route: %w", err)
	}
	return routeReport(m, all, o), nil
}

func routeReport(m measurement, all [][]reply[bool], o Options) *RouteReport {
	items := make([]labelled, m.items)
	for i, it := range m.set.Route {
		items[i] = labelled{it.Retrieve, it.Group, it.Kind}
	}
	c := newContest(m, items, all, indicator, o)
	r := &RouteReport{
		Task: TaskRoute, Set: m.set.Name, Seed: o.Seed, Counts: c.counts, Kinds: c.kinds(c.scored[0]),
		Worst: c.worst(o.Worst, func(i int) (string, string) { return m.set.Route[i].Question, "" }),
	}
	share := func(positive bool) func(system int) metric { // that is decided rightly
		return func(s int) metric {
			return func(w []int) float64 { return rightOf(c.scored[s], positive, w) }
		}
	}
	for s, system := range m.systems {
		took, used := spent(all[s])
		d := c.decision(s, func(s int) []Scored { return c.scored[s] }, func(int) float64 { return taken })
		r.Systems = append(r.Systems, RouteFigures{
			Name: system.Name, Version: system.Version, Undetermined: gatherFailures(errorsOf(all[s])),
			Accuracy: d.Accuracy, BalancedAccuracy: d.BalancedAccuracy,
			Retrieved: c.compared(s, share(true)), Spared: c.compared(s, share(false)),
			Time: milliseconds(took) / float64(m.items), Usage: used,
		})
	}
	return r
}

// rightOf is the share of the items of one label that are decided rightly. NaN without
// one.
func rightOf(items []Scored, positive bool, weights []int) float64 {
	var right, all float64
	for i, it := range items {
		if it.Positive == positive {
			all += weight(weights, i)
			right += weight(weights, i) * indicator((it.Score == taken) == positive)
		}
	}
	return right / all
}

// WriteTable implements Report.
func (r *RouteReport) WriteTable(w io.Writer) error {
	t := newTable(w)
	t.line("route · %s%s · %d questions, %d need retrieval", r.Set, r.Part.title(), r.Items, r.Positives)
	var columns []column
	for _, f := range r.Systems {
		columns = append(columns, column{f.Name, f.Undetermined, f.Time, f.Usage, []row{
			{"accuracy", f.Accuracy}, {"balanced accuracy", f.BalancedAccuracy},
			{"retrieved for, of those that need it", f.Retrieved}, {"spared, of those that don't", f.Spared},
		}})
	}
	t.sideBySide(columns, "ms a question", r.Items, r.Measured, r.Groups)
	t.kinds(r.Systems[0].Name, r.Kinds)
	t.undetermined(columns)
	t.examples(r.Worst, "question")
	return t.close()
}
