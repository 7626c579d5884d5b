package main

import (
	"context"
	"slices"

	"github.com/assay-rag/assay/eval"
)

type evalAllCmd struct {
	evalAsked `embed:""`
	Vectors   string `placeholder:"FILE" complete:"file" help:"Keep the vectors of passages in this file, so that the next run need not make them."`
	Limit     int    `placeholder:"N" help:"Ask N of the questions of a set end to end, drawn by the seed (default all)."`
}

// Help teaches by example.
func (evalAllCmd) Help() string {
	return `Every task that a set fits is measured on every set below a folder. All tables are printed, and a summary with one figure of each. End to end no model writes: answers are quoted, and half of the questions are uncovered. Files of no known format are named and passed over.

Examples:

    assay eval all DATA
    assay eval all --html report.html --limit 200 DATA
    assay eval all --part test --grader builtin --grader bm25 --grader cosine DATA
    assay eval all --journal run.jsonl --json DATA >report.json    # goes on where it was killed`
}

// Run measures all there is.
func (c *evalAllCmd) Run(ctx context.Context, e env) error {
	if err := c.Flags.fit(c.Lasting); err != nil {
		return err
	}
	if err := c.endToEnd().fits(); err != nil {
		return err
	}
	sets, skipped, err := eval.LoadAll(c.Flags.Set, c.Flags.Seed)
	if err != nil {
		return failf("see: assay eval --help", "%w", err)
	}
	for _, path := range skipped {
		e.warn(path + " is passed over: it is of no known format")
	}
	if len(sets) == 0 {
		return failf("see: assay eval --help", "eval: there is no labelled data in %s", c.Flags.Set)
	}
	f, err := e.field(ctx, c.Systems, "")
	if err != nil {
		return err
	}
	defer f.close()
	o, close, err := c.Flags.options(c.Lasting)
	if err != nil {
		return err
	}
	defer close()
	reports := []eval.Report{}
	for _, whole := range sets {
		set, err := whole.Part(eval.Part(c.Flags.Part))
		if err != nil {
			e.warn(err.Error())
			continue
		}
		for _, task := range c.tasks(set) {
			report, err := e.watched(string(task)+" "+set.Name, o, func() (eval.Report, error) { return c.run(ctx, e, f, task, set, o) })
			if err != nil {
				return err
			}
			if report != nil {
				reports = append(reports, report)
			}
		}
	}
	return c.Flags.print(e, eval.Summarise(reports))
}

// taskPooled is the gate on passages pooled.
const taskPooled eval.Task = "gate, pooled"

// tasks are those that the set fits.
func (c *evalAllCmd) tasks(set *eval.Set) []eval.Task {
	out := set.Tasks()
	if slices.Contains(out, eval.TaskRetrieval) {
		out = append(out, taskPooled)
	}
	return out
}

// endToEnd is that command with the flags of this one.
func (c *evalAllCmd) endToEnd() *evalEndToEndCmd {
	return &evalEndToEndCmd{Uncovered: 0.5, Limit: c.Limit, Vectors: c.Vectors, Encoding: c.Systems.Encoding}
}

// run measures one task. Without a system that can do it there is no report.
func (c *evalAllCmd) run(ctx context.Context, e env, f *field, task eval.Task, set *eval.Set, o *eval.Options) (eval.Report, error) {
	switch task {
	case eval.TaskRetrieval:
		return e.retrieval(ctx, c.Systems.Encoding, c.Vectors, nil, set, o)
	case eval.TaskEndToEnd:
		return c.endToEnd().on(ctx, e, set, o)
	case taskPooled:
		pooled, err := set.Pooled()
		if err != nil {
			return nil, err
		}
		return c.run(ctx, e, f, eval.TaskGate, pooled, o)
	}
	if len(f.in(task)) == 0 {
		return nil, nil
	}
	switch task {
	case eval.TaskGate:
		return eval.Gate(ctx, set, f.gate(set), o)
	case eval.TaskStrips:
		return eval.Strips(ctx, set, f.strips(set), o)
	case eval.TaskSupport:
		return eval.Support(ctx, set, f.support(set), o)
	case eval.TaskUseful:
		return eval.Useful(ctx, set, f.useful(), o)
	default:
		return eval.Route(ctx, set, f.route(), o)
	}
}
