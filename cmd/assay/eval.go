package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/assay-rag/assay/eval"
)

// evalCmd measures on labelled data.
type evalCmd struct {
	Gate      evalGateCmd      `cmd:"" help:"Does the grader tell passages that help from passages that don't?"`
	Support   evalSupportCmd   `cmd:"" help:"Does the checker tell claims that the evidence carries from those that it doesn't?"`
	Retrieval evalRetrievalCmd `cmd:"" help:"Does the search find the passage that answers?"`
}

// Help teaches by example.
func (evalCmd) Help() string {
	return `The format of a file is recognised by its content: SQuAD 2.0, CLAPNQ, PopQA, WiCE, BEGIN, or rows of your own, one JSON object a line:

    gate:      {"question": "…", "passages": [{"text": "…", "label": true}]}
    support:   {"claim": "…", "evidence": ["…"], "label": "supported"}
    retrieval: {"question": "…", "documents": [{"id": "a", "text": "…"}], "gold": ["a"]}

Figures come with 95 % intervals. Examples:

    assay eval gate dev-v2.0.json
    assay eval gate --grader builtin --grader cosine --grader always clapnq
    assay eval support --worst 5 wice.jsonl
    assay eval retrieval --json clapnq.jsonl | jq '.systems[].mrr'`
}

// evalFlags are those of all tasks.
type evalFlags struct {
	Set       string `arg:"" complete:"file" help:"A file with labelled data, or a folder of such files."`
	Part      string `default:"all" enum:"all,validation,test" help:"Which part of the set, divided by what rows have in common (an article, a customer): ${enum}. Tune on one, report the other (default ${default})."`
	Seed      uint64 `default:"1" help:"What chance is seeded with (default ${default})."`
	Worst     int    `placeholder:"N" help:"Show the N items judged worst too."`
	Resamples int    `placeholder:"N" help:"How many resamples the intervals rest on (default 1000)."`
	JSON      bool   `name:"json" help:"Print the report as JSON, with the points of its curves."`
}

// evalRunFlags are those of the tasks that ask systems, which may take long.
type evalRunFlags struct {
	Journal string `type:"given" placeholder:"FILE" complete:"file" help:"Keep in this file what was measured, and go on from there after an interruption."`
	Workers int    `placeholder:"N" help:"Measure N items at a time (default 1, with which times are cleanest)."`
}

// measure loads the set, runs the task and prints its report.
func (f evalFlags) measure(e env, r evalRunFlags, task func(*eval.Set, *eval.Options) (eval.Report, error)) error {
	if f.Worst < 0 || f.Resamples < 0 || r.Workers < 0 {
		return misusef("leave the flag out for the default", "eval: --worst, --resamples and --workers must not be negative")
	}
	set, err := eval.Load(f.Set, f.Seed)
	if err == nil {
		set, err = set.Part(eval.Part(f.Part))
	}
	if err != nil {
		return failf("see: assay eval --help", "%w", err)
	}
	bar := e.newProgress(filepath.Base(f.Set))
	options := &eval.Options{
		Seed: f.Seed, Worst: f.Worst, Resamples: f.Resamples, Workers: r.Workers,
		Progress: func(done, total int) { bar.update(int64(done), int64(total), fmt.Sprintf("%d/%d", done, total)) },
	}
	if r.Journal != "" {
		if options.Journal, err = eval.OpenJournal(r.Journal); err != nil {
			return err
		}
		defer options.Journal.Close()
	}
	report, err := task(set, options)
	bar.end()
	if err != nil {
		return err
	}
	if f.JSON {
		return writeJSON(e.stdout, report, true)
	}
	return report.WriteTable(cleanWriter{e.stdout})
}

type evalGateCmd struct {
	Flags   evalFlags    `embed:""`
	Lasting evalRunFlags `embed:""`
	Systems systemFlags  `embed:""`
}

// Help teaches by example.
func (evalGateCmd) Help() string {
	return `Each question is graded with its passages, and the best grade is set against the label. Graders stand side by side; the first is what the others are compared with.

Examples:

    assay eval gate dev-v2.0.json
    assay eval gate --grader builtin --grader cosine --grader always clapnq
    assay eval gate --grader builtin --grader judge --model gpt-4.1-mini --journal judge.jsonl rows.jsonl
    assay eval gate --json rows.jsonl | jq '.systems[] | {name, auroc: .auroc.value}'`
}

// Run measures graders.
func (c *evalGateCmd) Run(ctx context.Context, e env) error {
	field, err := e.field(ctx, c.Systems)
	if err != nil {
		return err
	}
	defer field.close()
	return c.Flags.measure(e, c.Lasting, func(set *eval.Set, o *eval.Options) (eval.Report, error) {
		return eval.Gate(ctx, set, field.gate(set), o)
	})
}

type evalSupportCmd struct {
	Flags   evalFlags    `embed:""`
	Lasting evalRunFlags `embed:""`
	Systems systemFlags  `embed:""`
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
	field, err := e.field(ctx, c.Systems)
	if err != nil {
		return err
	}
	defer field.close()
	return c.Flags.measure(e, c.Lasting, func(set *eval.Set, o *eval.Options) (eval.Report, error) {
		return eval.Support(ctx, set, field.support(set), o)
	})
}
