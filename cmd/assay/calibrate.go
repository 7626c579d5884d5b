package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/calibrate"
	"github.com/assay-rag/assay/eval"
)

// calibrateCmd fits probabilities and thresholds to labels.
type calibrateCmd struct {
	Labels     string   `arg:"" complete:"file" help:"A file with labels, or a folder of such files."`
	Wrong      float64  `default:"5" placeholder:"COST" help:"What a wrong Correct costs: an answer shown as good that rests on insufficient evidence (default ${default})."`
	Fallback   float64  `default:"1" placeholder:"COST" help:"What a needless fallback costs: sufficient evidence thrown away (default ${default})."`
	Ambiguous  *float64 `placeholder:"COST" help:"What an Ambiguous costs, whatever the evidence: a flagged answer, and a look at another source (default half of --fallback)."`
	Risk       float64  `default:"0.1" placeholder:"SHARE" help:"Promise that at the most this share of what is passed as Correct rests on insufficient evidence (default ${default})."`
	Confidence float64  `default:"95" placeholder:"PERCENT" help:"How sure the promise is to be (default ${default})."`
	Out        string   `type:"given" placeholder:"FILE" complete:"file" help:"Write the calibration to this file, for --calibration of ask and search."`
	Judging    judging  `embed:""`
	Regrade    bool     `help:"Grade the passages anew, though the rows hold grades."`
	Seed       uint64   `default:"1" help:"What chance is seeded with (default ${default})."`
	JSON       bool     `name:"json" help:"Print the calibration as JSON."`
}

// Help teaches by example.
func (calibrateCmd) Help() string {
	return `From at least 30 labels: a map that turns the evaluator's grades into probabilities on your documents, the two thresholds that cost least, and a promise that can be checked. It holds while new questions resemble the labelled ones.

LABELS are rows of "assay label"; or rows as "assay eval gate" reads them, which are graded first; or grades of your own, one JSON object a line, where rows that share a group (a document, a customer) are not taken for independent:

    {"score": 0.83, "label": true, "group": "handbook/leave.md"}

Examples:

    assay label --docs ./handbook --out labels.jsonl questions.txt
    assay calibrate --out handbook.json labels.jsonl
    assay calibrate --wrong 20 --risk 0.05 labels.jsonl      # where a wrong answer is expensive
    assay ask --calibration handbook.json --docs ./handbook "Who approves travel?"`
}

// Run calibrates.
func (c *calibrateCmd) Run(ctx context.Context, e env) error {
	options, err := c.options()
	if err != nil {
		return err
	}
	labels, grader, err := c.read(ctx, e)
	if err != nil {
		return err
	}
	calibration, err := calibrate.Fit(labels, options)
	if err != nil {
		return c.advise(err)
	}
	calibration.Grader = grader
	calibration.Made = time.Now().UTC().Format(time.RFC3339)
	if c.Out != "" {
		if err := writeCalibration(c.Out, calibration); err != nil {
			return err
		}
	}
	if c.JSON {
		return writeJSON(e.stdout, calibration, true)
	}
	calibrationView{e.outScreen()}.write(calibration)
	if c.Out != "" {
		e.errScreen().line(plain("Use it: assay ask --calibration " + quoted(c.Out) + ` "…"`))
	}
	return nil
}

// options are those of the fit, as the flags want them.
func (c *calibrateCmd) options() (*calibrate.Options, error) {
	ambiguous := c.Fallback / 2
	if c.Ambiguous != nil {
		ambiguous = *c.Ambiguous
	}
	switch {
	case !(c.Wrong > 0 && c.Fallback > 0 && ambiguous > 0):
		return nil, misusef("give costs above 0, in any unit: only their ratios count", "calibrate: --wrong %v, --fallback %v, --ambiguous %v", c.Wrong, c.Fallback, ambiguous)
	case !(0 < c.Risk && c.Risk < 1):
		return nil, misusef("give a share between 0 and 1, such as 0.1", "calibrate: --risk %v", c.Risk)
	case !(0 < c.Confidence && c.Confidence < 100):
		return nil, misusef("give percent between 0 and 100, such as 95", "calibrate: --confidence %v", c.Confidence)
	}
	return &calibrate.Options{
		Costs: calibrate.Costs{Wrong: c.Wrong, Fallback: c.Fallback, Ambiguous: ambiguous},
		Risk:  c.Risk, Confidence: c.Confidence / 100, Seed: c.Seed,
	}, nil
}

// advise says what to do about labels that nothing can be fitted to.
func (c *calibrateCmd) advise(err error) error {
	for _, known := range []struct {
		err error
		do  string
	}{
		{calibrate.ErrFewLabels, "label more: assay label --docs DIR --out FILE QUESTIONS"},
		{calibrate.ErrOneKind, "label questions of the other kind too: some that the documents answer, and some that they don't"},
		{calibrate.ErrOneGroup, `leave "group" out where the questions are independent, or label some on other documents`},
		{calibrate.ErrUnrelated, "see whether true and false are the right way round; if they are, these grades say nothing about these questions"},
	} {
		if errors.Is(err, known.err) {
			return failf(known.do, "%w", err)
		}
	}
	return err
}

// read reads the labels, and says whose grades they are.
func (c *calibrateCmd) read(ctx context.Context, e env) ([]calibrate.Label, calibrate.Identity, error) {
	if c.Regrade || !hasScores(c.Labels) {
		return c.grade(ctx, e)
	}
	f, err := os.Open(c.Labels)
	if err != nil {
		return nil, calibrate.Identity{}, err
	}
	defer f.Close()
	rows, err := readLabelRows(ctx, c.Labels, f)
	if err != nil {
		return nil, calibrate.Identity{}, err
	}
	grader, err := graderOf(c.Labels, rows)
	if err != nil {
		return nil, grader, err
	}
	_, own, err := e.builtIn(c.Judging)
	if err != nil {
		return nil, grader, err
	}
	if grader.Name == own.Name && grader != own {
		err = failf("grade them anew: assay calibrate --regrade "+quoted(c.Labels), "%s holds grades of %s, and this program has %s", c.Labels, grader, own)
	}
	grader.Name = cmp.Or(grader.Name, "unnamed")
	labels := make([]calibrate.Label, len(rows))
	for i, r := range rows {
		labels[i] = calibrate.Label{Score: *r.Score, Positive: bool(*r.Label), Group: r.Group, Question: r.Question}
	}
	return labels, grader, err
}

// ownRows is the name that package eval gives to rows of one's own. Its items may be
// passages of one question, labelled one by one.
const ownRows = "own-gate"

// grade has a set graded by the built-in evaluator. Items on which it failed are left
// out, and counted.
func (c *calibrateCmd) grade(ctx context.Context, e env) ([]calibrate.Label, calibrate.Identity, error) {
	set, err := eval.Load(c.Labels, c.Seed)
	if err != nil {
		return nil, calibrate.Identity{}, failf("see: assay calibrate --help", "%w", err)
	}
	if len(set.Gate) == 0 {
		return nil, calibrate.Identity{}, failf("see: assay calibrate --help", "calibrate: %s (%s) has no questions with passages and labels", c.Labels, set.Name)
	}
	grader, id, err := e.builtIn(c.Judging)
	if err != nil {
		return nil, id, err
	}
	bar := e.newProgress(filepath.Base(c.Labels))
	defer bar.end()
	var labels []calibrate.Label
	for i, it := range set.Gate {
		score, ok, err := bestGrade(ctx, grader, it)
		if err != nil {
			return nil, id, err
		}
		if ok {
			label := calibrate.Label{Score: score, Positive: it.Positive, Group: it.Group}
			if set.Name == ownRows {
				label.Question = it.Question
			}
			labels = append(labels, label)
		}
		bar.update(int64(i+1), int64(len(set.Gate)), fmt.Sprintf("%d/%d", i+1, len(set.Gate)))
	}
	if failed := len(set.Gate) - len(labels); failed > 0 {
		e.warn(fmt.Sprintf("the grader failed on %d of %d; they are left out", failed, len(set.Gate)))
	}
	return labels, id, nil
}

// bestGrade is the best grade of an item's passages; not ok where the grader failed.
// An error means that the context ended.
func bestGrade(ctx context.Context, g assay.Grader, it eval.GateItem) (best float64, ok bool, err error) {
	a, err := g.Grade(ctx, assay.Query{Question: it.Question, Asked: it.Question}, it.Passages)
	if ctx.Err() != nil {
		return 0, false, ctx.Err()
	}
	if err != nil || len(a.Grades) != len(it.Passages) {
		return 0, false, nil
	}
	for _, grade := range a.Grades {
		if grade.Undetermined {
			return 0, false, nil
		}
		best = max(best, grade.Score)
	}
	return best, true, nil
}

// writeCalibration writes the file beside its place first, so that an old one is not
// lost to a full disk.
func writeCalibration(path string, c *calibrate.Calibration) error {
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		return err
	}
	fresh := path + ".new"
	err := os.WriteFile(fresh, b.Bytes(), 0o644)
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return failf("check who may write there, or choose another place", "calibrate: --out: %w", err)
	}
	return nil
}

// calibrationView writes a calibration for a person.
type calibrationView struct{ *screen }

func (v calibrationView) write(c *calibrate.Calibration) {
	v.line(plainf("%s, %d of them sufficient, in %s; graded by %s", count(c.Labels, "label"), c.Positives, count(c.Groups, "group"), cleanLine(c.Grader.String())))
	v.part("Probabilities", c.Map.String())
	v.row("Brier", fmt.Sprintf("%s, as graded %s; better by %s", spelled(c.Brier.After), spelled(c.Brier.Before), spelled(c.Brier.Gain)))
	v.part("Thresholds", fmt.Sprintf("a wrong Correct costs %g, a needless fallback %g, an Ambiguous %g", c.Costs.Wrong, c.Costs.Fallback, c.Costs.Ambiguous))
	v.threshold("Correct", c.Upper, c.Labels)
	v.threshold("not Incorrect", c.Lower, c.Labels)
	if c.Upper.Passed == 0 {
		v.row("", "at these costs no grade is sure enough for Correct: every answer would be flagged; a grader that tells more apart would help, or a lower --wrong")
	}
	if c.Groups < fewGroups {
		v.row("", fmt.Sprintf("with %d groups the intervals are rough, and mostly too narrow", c.Groups))
	}
	v.row("", fmt.Sprintf("about %d labels would make these intervals half as wide (an estimate: a width goes with 1/√n)", c.HalfTheWidth()))
	v.row("a question costs", fmt.Sprintf("%s on average; as graded, at %g and %g, %s; less by %s", spelled(c.Cost.After), assay.DefaultThresholds.Upper, assay.DefaultThresholds.Lower, spelled(c.Cost.Before), spelled(c.Cost.Gain)))
	v.part("Promise", c.Promise.String())
	v.part("In force", fmt.Sprintf("Correct from probability %.3f, Incorrect below %.3f", c.Thresholds.Upper, c.Thresholds.Lower))
}

// fewGroups is below what number an interval that draws groups is rough.
const fewGroups = 20

// margin is where the right column begins.
const margin = "                   "

func (v calibrationView) part(name, text string) {
	v.line()
	v.indented(margin, bold(fmt.Sprintf("%-*s", len(margin), name)), plain(text))
}

func (v calibrationView) row(name, text string) {
	v.indented(margin, plainf("  %-*s", len(margin)-2, name), plain(text))
}

func (v calibrationView) threshold(name string, t calibrate.Threshold, labels int) {
	v.row(name, fmt.Sprintf("from probability %.3f, at grade %s: %d of %d pass, %d of them wrong", t.Probability, spelled(t.Score), t.Passed, labels, t.Wrong))
}

// spelled is an estimate with its interval.
func spelled(e eval.Estimate) string {
	return fmt.Sprintf("%s [%s, %s]", e.Value, e.Low, e.High)
}
