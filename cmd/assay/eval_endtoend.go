package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/eval"
	"github.com/assay-rag/assay/index"
)

type evalEndToEndCmd struct {
	Flags      evalFlags    `embed:""`
	Lasting    evalRunFlags `embed:""`
	Uncovered  float64      `placeholder:"P" default:"0.5" help:"Leave documents out until this share of the questions has none that answers (default ${default}; 0 leaves all in)."`
	Limit      int          `placeholder:"N" help:"Ask N of the questions, drawn by the seed."`
	Mode       []assay.Mode `sep:"none" placeholder:"MODE" help:"What to measure: standard (one search, one answer, nothing graded or checked), auto, corrective, reflective, full. May be given again; the others are compared with the first (default standard, auto)."`
	Vectors    string       `placeholder:"FILE" complete:"file" help:"Keep the vectors of the passages in this file, so that the next run need not make them."`
	Encoding   encoding     `embed:"" group:"models"`
	Judging    judging      `embed:"" group:"models"`
	Grades     calibrating  `embed:""`
	Model      string       `type:"given" group:"models" placeholder:"NAME" help:"Let this language model write the answers of all (else $$ASSAY_MODEL; without one they are quoted)."`
	Judge      string       `type:"given" group:"models" placeholder:"WHEN" help:"Let a model grade and check too: off (default), unsure (where the built-in evaluator is), always."`
	JudgeModel string       `type:"given" group:"models" placeholder:"NAME" help:"The model that does (else the one that writes)."`
	Spending   spending     `embed:"" group:"models"`
}

// Help teaches by example.
func (evalEndToEndCmd) Help() string {
	return `Standard RAG and the loop answer the same questions over the same index: one search and one answer without any check, beside what "assay ask" does. The documents of half of the questions are left out of the index, so that it shows who answers all the same. Without --model both quote the documents; with it, both have the model write.

The end of the table says, question by question, what the loop corrected and what it broke, and what its labels are worth. --worst N shows N examples of each change.

Examples:

    assay eval end-to-end popqa.jsonl
    assay eval end-to-end --worst 3 --limit 200 dev-v2.0.json
    assay eval end-to-end --model gpt-4.1-mini --journal run.jsonl --limit 100 popqa.jsonl
    assay eval end-to-end --mode standard --mode corrective --mode full clapnq
    assay eval end-to-end --json popqa.jsonl | jq '.changes[0].wrong_cut'`
}

// Run measures engines.
func (c *evalEndToEndCmd) Run(ctx context.Context, e env) error {
	if err := c.fits(); err != nil {
		return err
	}
	return c.Flags.measure(e, c.Lasting, func(set *eval.Set, o *eval.Options) (eval.Report, error) {
		return c.on(ctx, e, set, o)
	})
}

// on measures engines over an index of the set's passages in a folder of its own that
// goes afterwards.
func (c *evalEndToEndCmd) on(ctx context.Context, e env, set *eval.Set, o *eval.Options) (eval.Report, error) {
	config, err := e.configure(c.given())
	if err != nil {
		return nil, err
	}
	how, err := e.sense(ctx, config, source{})
	if err != nil {
		return nil, err
	}
	if c.Vectors != "" && how.embedder != nil {
		kept, err := eval.KeepVectors(c.Vectors, how.embedder)
		if err != nil {
			return nil, err
		}
		defer kept.Close()
		how.embedder = kept
	}
	dir, err := os.MkdirTemp("", "assay-eval-")
	if err != nil {
		return nil, fmt.Errorf("eval end-to-end: %w", err)
	}
	defer os.RemoveAll(dir)
	d, err := e.openEmpty(ctx, dir, how, config)
	if err != nil {
		return nil, err
	}
	defer d.close()
	build := func(ctx context.Context, docs []assay.Document, passages [][]assay.Passage) ([]eval.AnswerSystem, error) {
		return c.systems(d, versionOf(config, how, d)), e.shelve(ctx, d.shelves[0], dir, docs, passages, how.embedder != nil)
	}
	return eval.EndToEnd(ctx, set, eval.Setting{Uncovered: c.Uncovered, Limit: c.Limit}, build, o)
}

// openEmpty builds an engine over an index in a folder that is empty yet.
func (e env) openEmpty(ctx context.Context, dir string, how sense, c *config) (_ *desk, err error) {
	m, err := e.models(c)
	if err != nil {
		return nil, err
	}
	d := &desk{models: m}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	shelf, err := index.Open(ctx, dir, &index.Options{Embedder: how.embedder})
	if err != nil {
		return nil, err
	}
	d.shelves = append(d.shelves, shelf)
	judge, err := e.evaluator(c, shelf, how.embedder)
	if err != nil {
		return nil, err
	}
	return d, d.build(judge.Parts(how.over(shelf)), c, &assay.Options{Log: slog.New(warnings{e.errScreen()})})
}

// given are the settings that the flags give. What models say is asked and never taken
// from the cache: their time and cost are measured too.
func (c *evalEndToEndCmd) given() map[string]string {
	given := c.Judging.given(c.Grades.given(c.Spending.given(c.Encoding.given())))
	given["model"], given["judge"], given["judge_model"], given["cache"] = c.Model, c.Judge, c.JudgeModel, "off"
	return given
}

// endToEndModes are what can be measured.
var endToEndModes = []assay.Mode{assay.ModeStandard, assay.ModeAuto, assay.ModeCorrective, assay.ModeReflective, assay.ModeFull}

// fits refuses what can't be measured before anything is opened.
func (c *evalEndToEndCmd) fits() error {
	if !(0 <= c.Uncovered && c.Uncovered <= 1) || c.Limit < 0 {
		return misusef("give --uncovered a share from 0 to 1, and --limit a number of questions", "eval: --uncovered %v, --limit %d", c.Uncovered, c.Limit)
	}
	for i, m := range c.Mode {
		if !slices.Contains(endToEndModes, m) {
			return misusef("choose of: standard, auto, corrective, reflective, full", "eval: there is no mode %q", m)
		}
		if slices.Contains(c.Mode[:i], m) {
			return misusef("name it once", "eval: --mode %s is given twice", m)
		}
	}
	return nil
}

// systems are the engine in the modes that are measured.
func (c *evalEndToEndCmd) systems(d *desk, version string) []eval.AnswerSystem {
	modes := c.Mode
	if len(modes) == 0 {
		modes = []assay.Mode{assay.ModeStandard, assay.ModeAuto}
	}
	names := map[assay.Mode]string{assay.ModeStandard: "standard RAG", assay.ModeAuto: "loop"}
	var out []eval.AnswerSystem
	for _, m := range modes {
		out = append(out, eval.AnswerSystem{Name: cmp.Or(names[m], string(m)), Version: version, Asker: inMode{d.engine, m}})
	}
	return out
}

// versionOf names all that an answer depends on besides the mode and the documents.
func versionOf(c *config, how sense, d *desk) string {
	m := d.models
	parts := []string{buildVersion(), d.judges, m.answerName, c.get("calibration")}
	if m.judge != nil {
		parts = append(parts, "judge "+c.get("judge"), m.judgeName)
	}
	if how.embedder != nil {
		parts = append(parts, how.embedder.Model())
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// inMode asks an engine in one mode.
type inMode struct {
	engine *assay.Engine
	mode   assay.Mode
}

// Ask implements eval.Asker.
func (a inMode) Ask(ctx context.Context, q assay.Query) (*assay.Answer, error) {
	q.Mode = a.mode
	return a.engine.Ask(ctx, q)
}

// shelve puts documents into an index, and makes their vectors where that is wanted.
func (e env) shelve(ctx context.Context, shelf *index.Index, dir string, docs []assay.Document, passages [][]assay.Passage, embed bool) error {
	root, err := shelf.Root(ctx, assay.DefaultCollection, dir)
	if err != nil {
		return err
	}
	const batch = 200
	for i := 0; i < len(docs); i += batch {
		end := min(i+batch, len(docs))
		if err := shelf.Put(ctx, assay.DefaultCollection, root, docs[i:end], passages[i:end]); err != nil {
			return err
		}
	}
	if embed {
		_, err = e.embed(ctx, shelf)
	}
	return err
}
