package main

import (
	"fmt"
	"path/filepath"

	"github.com/assay-rag/assay/eval"
)

// evalCmd measures on labelled data.
type evalCmd struct {
	Gate      evalGateCmd      `cmd:"" help:"Does the grader tell passages that help from passages that don't?"`
	Strips    evalStripsCmd    `cmd:"" help:"Does the grader find the sentences that help?"`
	Support   evalSupportCmd   `cmd:"" help:"Does the checker tell claims that the evidence carries from those that it doesn't?"`
	Useful    evalUsefulCmd    `cmd:"" help:"Are answers rated as people rate them?"`
	Route     evalRouteCmd     `cmd:"" help:"Is it known which messages need documents?"`
	Retrieval evalRetrievalCmd `cmd:"" help:"Does the search find the passage that answers?"`
	All       evalAllCmd       `cmd:"" help:"Every task on every set below a folder."`
	EndToEnd  evalEndToEndCmd  `cmd:"" name:"end-to-end" help:"Are answers right, and does it abstain where the documents hold none? Beside standard RAG."`
	Make      evalMakeCmd      `cmd:"" help:"Make an adversarial set from your documents, and ask its questions."`
}

// Help teaches by example.
func (evalCmd) Help() string {
	return `The format of a file is recognised by its content: SQuAD 2.0, CLAPNQ, PopQA, WiCE, BEGIN, ExpertQA, RAMDocs, MTRAG-UN, RetrievalQA, or rows of your own, one JSON object a line (or a .csv with the same columns, lists as JSON):

    gate:      {"question": "…", "passages": [{"text": "…", "label": true}]}
    strips:    {"question": "…", "strips": [{"text": "…", "label": true}]}
    support:   {"claim": "…", "evidence": ["…"], "label": "supported"}
    useful:    {"question": "…", "answer": "…", "rating": 4}
    route:     {"question": "…", "retrieve": false}
    retrieval: {"question": "…", "documents": [{"id": "a", "text": "…"}], "gold": ["a"]}
    end-to-end: the same, with "answers": ["…"]; [] and no "gold" where no document answers

A row may have a "group" (the document or customer that rows share) and a "kind" (figures are broken down by it).

Figures come with 95 % intervals. Examples:

    assay eval gate dev-v2.0.json
    assay eval gate --grader builtin --grader cosine --grader always clapnq
    assay eval support --worst 5 wice.jsonl
    assay eval retrieval --json clapnq.jsonl | jq '.systems[].mrr'
    assay eval end-to-end --uncovered 0.5 popqa.jsonl
    assay eval all --part test --html report.html DATA

For a gate in your CI, save a run that you are content with, and compare later ones with it. The exit code is 4 where a figure is worse by more than --max-drop, is missing, or was measured on other items; times and costs are not compared:

    assay eval all --save good.json DATA
    assay eval all --baseline good.json --max-drop 0.02 DATA`
}

// evalFlags are those of all tasks.
type evalFlags struct {
	Set       string `arg:"" complete:"file" help:"A file with labelled data, or a folder of such files."`
	Part      string `default:"all" enum:"all,validation,test" help:"Which part of the set, divided by what rows have in common (an article, a customer): ${enum}. Tune on one, report the other (default ${default})."`
	Seed      uint64 `default:"1" help:"What chance is seeded with (default ${default})."`
	Worst     int    `placeholder:"N" help:"Show the N items judged worst too."`
	Resamples int    `placeholder:"N" help:"How many resamples the intervals rest on (default 1000)."`
	JSON      bool   `name:"json" help:"Print the report as JSON, with the points of its curves."`

	Output evalOutput `embed:""`
}

// evalRunFlags are those of the tasks that ask systems, which may take long.
type evalRunFlags struct {
	Journal string `type:"given" placeholder:"FILE" complete:"file" help:"Keep in this file what was measured, and go on from there after an interruption."`
	Workers int    `placeholder:"N" help:"Measure N items at a time (default 1, with which times are cleanest)."`
}

// measure loads the set, runs the task and prints its report.
func (f evalFlags) measure(e env, r evalRunFlags, task func(*eval.Set, *eval.Options) (eval.Report, error)) error {
	if err := f.fit(r); err != nil {
		return err
	}
	set, err := eval.Load(f.Set, f.Seed)
	if err == nil {
		set, err = set.Part(eval.Part(f.Part))
	}
	if err != nil {
		return failf("see: assay eval --help", "%w", err)
	}
	options, close, err := f.options(r)
	if err != nil {
		return err
	}
	defer close()
	report, err := e.watched(filepath.Base(f.Set), options, func() (eval.Report, error) { return task(set, options) })
	if err != nil {
		return err
	}
	return f.print(e, report)
}

// fit refuses what can't be, before anything is measured.
func (f evalFlags) fit(r evalRunFlags) error {
	if f.Worst < 0 || f.Resamples < 0 || r.Workers < 0 {
		return misusef("leave the flag out for the default", "eval: --worst, --resamples and --workers must not be negative")
	}
	return f.Output.fit()
}

// options are those of the flags, with the journal open until close.
func (f evalFlags) options(r evalRunFlags) (o *eval.Options, close func(), err error) {
	o = &eval.Options{Seed: f.Seed, Worst: f.Worst, Resamples: f.Resamples, Workers: r.Workers, Scores: f.Output.scores()}
	if r.Journal == "" {
		return o, func() {}, nil
	}
	if o.Journal, err = eval.OpenJournal(r.Journal); err != nil {
		return nil, nil, err
	}
	return o, func() { o.Journal.Close() }, nil
}

// watched shows how far a task has come.
func (e env) watched(label string, o *eval.Options, task func() (eval.Report, error)) (eval.Report, error) {
	bar := e.newProgress(label)
	defer bar.end()
	o.Progress = func(done, total int) { bar.update(int64(done), int64(total), fmt.Sprintf("%d/%d", done, total)) }
	return task()
}

// print prints a report in the form that is wanted, writes it to files, and compares it
// with an earlier one; what that says is not among JSON.
func (f evalFlags) print(e env, report eval.Report) error {
	if err := f.Output.write(report); err != nil {
		return err
	}
	if f.JSON {
		if err := writeJSON(e.stdout, report, true); err != nil {
			return err
		}
		return f.Output.compare(cleanWriter{e.stderr}, report)
	}
	if err := report.WriteTable(cleanWriter{e.stdout}); err != nil {
		return err
	}
	return f.Output.compare(cleanWriter{e.stdout}, report)
}
