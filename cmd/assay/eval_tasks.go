package main

import (
	"context"

	"github.com/assay-rag/assay/eval"
)

// evalAsked is what the tasks have that ask systems by name.
type evalAsked struct {
	Flags   evalFlags    `embed:""`
	Lasting evalRunFlags `embed:""`
	Systems systemFlags  `embed:""`
}

// measure opens the systems and measures them.
func (c *evalAsked) measure(ctx context.Context, e env, task eval.Task, run func(*field, *eval.Set, *eval.Options) (eval.Report, error)) error {
	f, err := e.field(ctx, c.Systems, task)
	if err != nil {
		return err
	}
	defer f.close()
	return c.Flags.measure(e, c.Lasting, func(set *eval.Set, o *eval.Options) (eval.Report, error) { return run(f, set, o) })
}

type evalGateCmd struct {
	evalAsked `embed:""`
	Pooled    bool `help:"Instead of the passages of each question, grade the ten that BM25 finds for it among all of the set, once with its own among them and once without."`
}

// Help teaches by example.
func (evalGateCmd) Help() string {
	return `Each question is graded with its passages, and the best grade is set against the label. Graders stand side by side; the first is what the others are compared with.

Beside the grader's own thresholds the table has figures with a fitted one: chosen for each half of the groups on the other half, so that systems of any scale can be compared.

Examples:

    assay eval gate dev-v2.0.json
    assay eval gate --pooled --part test popqa.jsonl
    assay eval gate --grader builtin --grader cosine --grader always clapnq
    assay eval gate --grader builtin --grader judge --model gpt-4.1-mini --journal judge.jsonl rows.jsonl
    assay eval gate --json rows.jsonl | jq '.systems[] | {name, auroc: .auroc.value}'`
}

// Run measures graders.
func (c *evalGateCmd) Run(ctx context.Context, e env) error {
	return c.measure(ctx, e, eval.TaskGate, func(f *field, set *eval.Set, o *eval.Options) (eval.Report, error) {
		if c.Pooled {
			pooled, err := set.Pooled()
			if err != nil {
				return nil, err
			}
			set = pooled
		}
		return eval.Gate(ctx, set, f.gate(set), o)
	})
}

type evalStripsCmd struct {
	evalAsked `embed:""`
}

// Help teaches by example.
func (evalStripsCmd) Help() string {
	return `The sentences of a text are graded for a question, or for a claim, and the grades are set against the labels. Recall at half the text is how much of what helps is kept when the rest of the text is cut.

Examples:

    assay eval strips wice.jsonl
    assay eval strips --grader builtin --grader bm25 --grader cosine clapnq`
}

// Run measures graders.
func (c *evalStripsCmd) Run(ctx context.Context, e env) error {
	return c.measure(ctx, e, eval.TaskStrips, func(f *field, set *eval.Set, o *eval.Options) (eval.Report, error) {
		return eval.Strips(ctx, set, f.strips(set), o)
	})
}

type evalSupportCmd struct {
	evalAsked `embed:""`
}

// Help teaches by example.
func (evalSupportCmd) Help() string {
	return `Each claim is checked against its evidence alone, and the finding is set against the label. Checkers stand side by side; the first is what the others are compared with.

Examples:

    assay eval support wice.jsonl
    assay eval support --grader builtin --grader cosine wice.jsonl
    assay eval support --worst 10 rows.jsonl`
}

// Run measures checkers.
func (c *evalSupportCmd) Run(ctx context.Context, e env) error {
	return c.measure(ctx, e, eval.TaskSupport, func(f *field, set *eval.Set, o *eval.Options) (eval.Report, error) {
		return eval.Support(ctx, set, f.support(set), o)
	})
}

type evalUsefulCmd struct {
	evalAsked `embed:""`
}

// Help teaches by example.
func (evalUsefulCmd) Help() string {
	return `Each answer is rated for its question, from 1 (no help) to 5 (complete), and the rating is set against that of a person.

Examples:

    assay eval useful rated.jsonl
    assay eval useful --grader builtin --grader judge --model gpt-4.1-mini rated.jsonl`
}

// Run measures raters.
func (c *evalUsefulCmd) Run(ctx context.Context, e env) error {
	return c.measure(ctx, e, eval.TaskUseful, func(f *field, set *eval.Set, o *eval.Options) (eval.Report, error) {
		return eval.Useful(ctx, set, f.useful(), o)
	})
}

type evalRouteCmd struct {
	evalAsked `embed:""`
}

// Help teaches by example.
func (evalRouteCmd) Help() string {
	return `Each message is routed, and the decision to search or not is set against the label.

Examples:

    assay eval route messages.jsonl
    assay eval route --grader builtin --grader judge --model gpt-4.1-mini messages.jsonl`
}

// Run measures routers.
func (c *evalRouteCmd) Run(ctx context.Context, e env) error {
	return c.measure(ctx, e, eval.TaskRoute, func(f *field, set *eval.Set, o *eval.Options) (eval.Report, error) {
		return eval.Route(ctx, set, f.route(), o)
	})
}
