package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/eval"
	"github.com/assay-rag/assay/evaluator"
	"github.com/assay-rag/assay/index"
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
    assay eval support --worst 5 wice.jsonl
    assay eval retrieval --json clapnq.jsonl | jq '.systems[].mrr'`
}

// evalFlags are those of all tasks.
type evalFlags struct {
	Set       string `arg:"" complete:"file" help:"A file with labelled data, or a folder of such files."`
	Seed      uint64 `default:"1" help:"What chance is seeded with (default ${default})."`
	Worst     int    `placeholder:"N" help:"Show the N items judged worst too."`
	Resamples int    `placeholder:"N" help:"How many resamples the intervals rest on (default 1000)."`
	JSON      bool   `name:"json" help:"Print the report as JSON."`
}

// measure loads the set, runs the task and prints its report.
func (f evalFlags) measure(e env, task func(*eval.Set, *eval.Options) (eval.Report, error)) error {
	if f.Worst < 0 || f.Resamples < 0 {
		return misusef("leave the flag out for the default", "eval: --worst and --resamples must not be negative")
	}
	set, err := eval.Load(f.Set, f.Seed)
	if err != nil {
		return failf("see: assay eval --help", "%w", err)
	}
	bar := e.newProgress(filepath.Base(f.Set))
	report, err := task(set, &eval.Options{
		Seed: f.Seed, Worst: f.Worst, Resamples: f.Resamples,
		Progress: func(done, total int) { bar.update(int64(done), int64(total), fmt.Sprintf("%d/%d", done, total)) },
	})
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
	Flags evalFlags `embed:""`
}

// Help teaches by example.
func (evalGateCmd) Help() string {
	return `Each question is graded with its passages, and the best grade is set against the label. Beside it stands plain BM25 as the gate.

Examples:

    assay eval gate dev-v2.0.json
    assay eval gate --json rows.jsonl | jq .quality.auroc`
}

// Run measures the built-in grader.
func (c *evalGateCmd) Run(ctx context.Context, e env) error {
	return c.Flags.measure(e, func(set *eval.Set, o *eval.Options) (eval.Report, error) {
		grader, err := evaluator.New(nil, nil)
		if err != nil {
			return nil, err
		}
		return eval.Gate(ctx, set, grader, o)
	})
}

type evalSupportCmd struct {
	Flags evalFlags `embed:""`
}

// Help teaches by example.
func (evalSupportCmd) Help() string {
	return `Each claim is checked against its evidence alone, and the finding is set against the label.

Examples:

    assay eval support wice.jsonl
    assay eval support --worst 10 rows.jsonl`
}

// Run measures the built-in checker.
func (c *evalSupportCmd) Run(ctx context.Context, e env) error {
	return c.Flags.measure(e, func(set *eval.Set, o *eval.Options) (eval.Report, error) {
		checker, err := evaluator.New(nil, nil)
		if err != nil {
			return nil, err
		}
		return eval.Support(ctx, set, checker, o)
	})
}

type evalRetrievalCmd struct {
	Flags evalFlags `embed:""`
	K     []int     `short:"k" placeholder:"N" help:"Depths of recall (default 1,5,10,20,50)."`
}

// Help teaches by example.
func (evalRetrievalCmd) Help() string {
	return `The passages of the set are put into an index of their own, and each question is looked up in it.

Examples:

    assay eval retrieval dev-v2.0.json
    assay eval retrieval -k 1 -k 50 clapnq.jsonl`
}

// Run measures the index, in a folder of its own that goes afterwards.
func (c *evalRetrievalCmd) Run(ctx context.Context, e env) (err error) {
	dir, err := os.MkdirTemp("", "assay-eval-")
	if err != nil {
		return fmt.Errorf("eval retrieval: %w", err)
	}
	defer os.RemoveAll(dir)
	shelf, err := index.Open(ctx, dir, nil)
	if err != nil {
		return err
	}
	defer shelf.Close()
	build := func(ctx context.Context, docs []assay.Document, passages [][]assay.Passage) ([]eval.System, error) {
		root, err := shelf.Root(ctx, assay.DefaultCollection, dir)
		if err != nil {
			return nil, err
		}
		const batch = 200
		for i := 0; i < len(docs); i += batch {
			end := min(i+batch, len(docs))
			if err := shelf.Put(ctx, assay.DefaultCollection, root, docs[i:end], passages[i:end]); err != nil {
				return nil, err
			}
		}
		return []eval.System{{Name: "BM25", Retriever: shelf}}, nil
	}
	return c.Flags.measure(e, func(set *eval.Set, o *eval.Options) (eval.Report, error) {
		return eval.Retrieval(ctx, set, build, c.K, o)
	})
}
