package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/assay-rag/assay/eval"
)

// evalOutput is where the report of a measurement goes beside the terminal, and what it
// is compared with.
type evalOutput struct {
	HTML     string   `name:"html" type:"given" placeholder:"FILE" complete:"file" help:"Write the report to this file too, as a page with plots that needs nothing else."`
	Save     string   `type:"given" placeholder:"FILE" complete:"file" help:"Write the report to this file too, as JSON, for a later --baseline."`
	Baseline string   `type:"given" placeholder:"FILE" complete:"file" help:"Compare with the report that an earlier run saved, and end with exit code 4 where a figure is worse by more than --max-drop, is missing, or is of other items."`
	MaxDrop  *float64 `placeholder:"D" help:"By how much a figure may be worse than in --baseline (default 0.02)."`
}

// maxDrop is by how much a figure may be worse.
func (o *evalOutput) maxDrop() float64 {
	if o.MaxDrop == nil {
		return 0.02
	}
	return *o.MaxDrop
}

// fit refuses before anything is measured what can't be written or compared with.
func (o evalOutput) fit() error {
	if o.MaxDrop != nil && o.Baseline == "" {
		return misusef("name the report that an earlier run saved: --baseline FILE", "eval: --max-drop says nothing without --baseline")
	}
	if d := o.maxDrop(); !(0 <= d && d <= 1) { // written so that NaN fails
		return misusef("give a number from 0 to 1", "eval: --max-drop %v", d)
	}
	if o.Save != "" && o.Baseline != "" && filepath.Clean(o.Save) == filepath.Clean(o.Baseline) {
		return misusef("save under another name, and replace the baseline when you accept the figures", "eval: --save and --baseline are the same file")
	}
	for _, out := range []struct{ flag, path string }{{"--html", o.HTML}, {"--save", o.Save}} {
		if out.path == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(out.path)); err != nil || !info.IsDir() {
			return failf("make the folder, or choose another", "eval: %s: there is no folder %s", out.flag, filepath.Dir(out.path))
		}
	}
	if o.Baseline == "" {
		return nil
	}
	_, err := o.baseline()
	return err
}

// scores tells whether those of each item are wanted: a comparison in pairs needs them
// of both runs.
func (o evalOutput) scores() bool { return o.Save != "" || o.Baseline != "" }

// write writes the files that are wanted.
func (o evalOutput) write(report eval.Report) error {
	if o.HTML != "" {
		if err := keep("--html", o.HTML, func(w io.Writer) error { return eval.WriteHTML(w, report) }); err != nil {
			return err
		}
	}
	if o.Save != "" {
		return keep("--save", o.Save, func(w io.Writer) error { return writeJSON(w, report, false) })
	}
	return nil
}

// keep writes a file beside its place first, so that an old one is not lost to a full
// disk.
func keep(flag, path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	fresh := path + ".new"
	err := os.WriteFile(fresh, b.Bytes(), 0o644)
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return failf("check who may write there, or choose another place", "eval: %s: %w", flag, err)
	}
	return nil
}

// baseline reads what was saved.
func (o evalOutput) baseline() (eval.Report, error) {
	f, err := os.Open(o.Baseline)
	if err != nil {
		return nil, failf("save one first: --save FILE", "eval: --baseline: %w", err)
	}
	defer f.Close()
	report, err := eval.ReadReport(f)
	if err != nil {
		return nil, failf("name a file that --save wrote", "eval: --baseline: %s: %w", o.Baseline, err)
	}
	return report, nil
}

// compare prints how the report stands beside the baseline. The error is the exit code
// where it is worse.
func (o evalOutput) compare(w io.Writer, report eval.Report) error {
	if o.Baseline == "" {
		return nil
	}
	before, err := o.baseline()
	if err != nil {
		return err
	}
	c := eval.Compare(before, report, o.maxDrop())
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	if err := c.WriteTable(w); err != nil {
		return err
	}
	if !c.OK() {
		return exitCode(exitWorse)
	}
	return nil
}
