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
	Flags    evalFlags `embed:""`
	Encoding encoding  `embed:""`
	Vectors  string    `placeholder:"FILE" complete:"file" help:"Keep the vectors of the passages in this file, so that the next run need not make them."`
	K        []int     `short:"k" placeholder:"N" help:"Depths of recall (default 1,5,10,20,50)."`
}

// Help teaches by example.
func (evalRetrievalCmd) Help() string {
	return `The passages of the set are put into an index of their own, and each question is looked up in it: by words (BM25), by meaning (dense), and by both (hybrid), which is how "assay ask" searches.

Examples:

    assay eval retrieval dev-v2.0.json
    assay eval retrieval --vectors squad.vectors dev-v2.0.json   # quick the second time
    assay eval retrieval --encoder off dev-v2.0.json             # words alone
    assay eval retrieval --json clapnq.jsonl | jq '.systems[] | {name, recall}'`
}

// Run measures the index, in a folder of its own that goes afterwards.
func (c *evalRetrievalCmd) Run(ctx context.Context, e env) (err error) {
	how, err := e.senseOf(ctx, c.Encoding, source{})
	if err != nil {
		return err
	}
	if c.Vectors != "" && how.embedder != nil {
		kept, err := eval.KeepVectors(c.Vectors, how.embedder)
		if err != nil {
			return err
		}
		defer kept.Close()
		how.embedder = kept
	}
	dir, err := os.MkdirTemp("", "assay-eval-")
	if err != nil {
		return fmt.Errorf("eval retrieval: %w", err)
	}
	defer os.RemoveAll(dir)
	systems, err := retrievers(ctx, dir, how.embedder)
	if err != nil {
		return err
	}
	for _, s := range systems {
		defer s.Close()
	}
	build := func(ctx context.Context, docs []assay.Document, passages [][]assay.Passage) ([]eval.System, error) {
		shelf := systems[len(systems)-1].Index
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
		if how.embedder != nil {
			if _, err := e.embed(ctx, shelf); err != nil {
				return nil, err
			}
		}
		var out []eval.System
		for _, s := range systems {
			out = append(out, eval.System{Name: s.name, Retriever: s})
		}
		return out, nil
	}
	return c.Flags.measure(e, func(set *eval.Set, o *eval.Options) (eval.Report, error) {
		return eval.Retrieval(ctx, set, build, c.K, o)
	})
}

// searched is an index as it is searched in one of the ways there are.
type searched struct {
	*index.Index
	name string
}

// retrievers opens an index in all ways in which it can be searched, the usual one last.
func retrievers(ctx context.Context, dir string, embedder index.Embedder) ([]searched, error) {
	ways := []struct {
		name string
		opts index.Options
	}{
		{"BM25", index.Options{}},
		{"dense", index.Options{Embedder: embedder, Fusion: index.Convex(1)}},
		{"hybrid", index.Options{Embedder: embedder}},
	}
	if embedder == nil {
		ways = ways[:1]
	}
	var out []searched
	for _, w := range ways {
		x, err := index.Open(ctx, dir, &w.opts)
		if err != nil {
			for _, s := range out {
				s.Close()
			}
			return nil, err
		}
		out = append(out, searched{x, w.name})
	}
	return out, nil
}
