package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/adversary"
)

// evalMakeCmd makes an adversarial set from documents, and runs it.
type evalMakeCmd struct {
	Docs    string `arg:"" complete:"dir" help:"The folder with the documents."`
	Out     string `short:"o" type:"given" placeholder:"FILE" complete:"file" xor:"out" help:"Write the cases to this file, one JSON object a line. A file that is there stays as it is."`
	PerKind int    `default:"5" placeholder:"N" help:"Make at the most so many cases of each kind (default ${default})."`
	Seed    uint64 `default:"1" help:"What chance is seeded with (default ${default})."`
	RunFile string `name:"run" type:"given" placeholder:"FILE" complete:"file" xor:"out" help:"Make nothing; ask the questions of this file, and count how many come out as expected."`
	JSON    bool   `name:"json" help:"Print the cases as JSON, one a line; with --run the report."`

	Encoding encoding  `embed:"" group:"models"`
	Judging  judging   `embed:"" group:"models"`
	Models   modelling `embed:"" group:"models"`
	Spending spending  `embed:"" group:"models"`
}

// Help teaches by example.
func (evalMakeCmd) Help() string {
	return `Questions that tempt a system to answer what your documents don't say, made from what they do say, by rules and without a model:

    ambiguous      several things are meant: the documents give each its own value
    deprecated     about what is said to be deprecated, removed or replaced
    not_covered    about something that occurs in no document
    stale          an older document says otherwise
    contradictory  two documents of like standing disagree
    near_miss      what is only said of a sibling ("Heron 2", asked of "Heron 5")
    false_premise  why something is so that isn't
    control        plain ones, so that abstaining always doesn't pay

Each says in "why" where it comes from. Look through the file and set "accepted" to true or false; what is false is not asked. The rules read English, and make few cases rather than doubtful ones: a kind that your documents give nothing for stays empty.

Examples:

    assay eval make ./handbook
    assay eval make ./handbook --out cases.jsonl --per-kind 10
    assay eval make ./handbook --run cases.jsonl             # the worst kind first
    assay eval make ./handbook --run cases.jsonl --model gpt-4.1-mini
    assay eval make ./handbook --run cases.jsonl --json | jq '.kinds[] | {kind, right, asked}'`
}

// Run makes cases, or runs them.
func (c *evalMakeCmd) Run(ctx context.Context, e env) error {
	if c.PerKind < 1 {
		return misusef("leave the flag out for the default", "eval make: --per-kind must be positive, not %d", c.PerKind)
	}
	if c.RunFile != "" {
		return c.run(ctx, e)
	}
	docs, err := e.documents(ctx, source{Docs: c.Docs})
	if err != nil {
		return err
	}
	cases, err := adversary.Make(docs, &adversary.Options{PerKind: c.PerKind, Seed: c.Seed})
	if err != nil {
		return err
	}
	if c.Out != "" {
		if err := writeCases(c.Out, cases); err != nil {
			return err
		}
	}
	if c.JSON {
		for _, made := range cases {
			if err := writeJSON(e.stdout, made, false); err != nil {
				return err
			}
		}
	} else {
		showCases(e.outScreen(), cases)
	}
	c.next(e, cases)
	return nil
}

// documents are all documents of an index, with their texts.
func (e env) documents(ctx context.Context, s source) ([]assay.Document, error) {
	shelf, err := e.openShelf(ctx, s, sense{})
	if err != nil {
		return nil, err
	}
	defer shelf.Close()
	entries, err := shelf.Documents(ctx, s.collection())
	if err != nil {
		return nil, err
	}
	docs := make([]assay.Document, 0, len(entries))
	for _, entry := range entries {
		d, err := shelf.Document(ctx, s.collection(), entry.ID)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// writeCases writes a new file: one that is there may hold a person's decisions.
func writeCases(path string, cases []adversary.Case) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return failf("name another file, or remove it", "--out: %s is there already, and may have been edited", path)
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return errors.Join(adversary.Write(f, cases), f.Close())
}

// showCases prints the cases for a person to judge.
func showCases(out *screen, cases []adversary.Case) {
	width := 0
	for _, kind := range adversary.Kinds() {
		width = max(width, len(kind))
	}
	indent := strings.Repeat(" ", width+2)
	for _, c := range cases {
		out.indented(indent, cyan(fmt.Sprintf("%-*s  ", width, c.Kind)), bold(c.Question), plain(" → "+expected(c)))
		out.indented(indent, plain(indent), dim(c.Why))
	}
}

// expected says what a right answer is.
func expected(c adversary.Case) string {
	s := string(c.Expect)
	for _, o := range c.AlsoOK {
		s += " or " + string(o)
	}
	if len(c.MustContain) > 0 {
		s += fmt.Sprintf(", with “%s”", strings.Join(c.MustContain, "”, “"))
	}
	if len(c.MustNotContain) > 0 {
		s += fmt.Sprintf(", without “%s”", strings.Join(c.MustNotContain, "”, “"))
	}
	return s
}

// next says what was made, and what to do with it.
func (c *evalMakeCmd) next(e env, cases []adversary.Case) {
	made := map[adversary.Kind]bool{}
	for _, one := range cases {
		made[one.Kind] = true
	}
	var without []string
	for _, kind := range adversary.Kinds() {
		if !made[kind] {
			without = append(without, string(kind))
		}
	}
	err := e.errScreen()
	if len(without) > 0 {
		err.line(plainf("Nothing in the documents gives a case of: %s.", strings.Join(without, ", ")))
	}
	switch {
	case len(cases) == 0:
	case c.Out == "":
		err.line(plainf("%d cases. Keep them with --out FILE.", len(cases)))
	default:
		err.line(plainf("%d cases in %s. Look through them, then: assay eval make %s --run %s", len(cases), c.Out, quoted(c.Docs), quoted(c.Out)))
	}
}

// run asks the questions of a file.
func (c *evalMakeCmd) run(ctx context.Context, e env) error {
	f, err := os.Open(c.RunFile)
	if err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	defer f.Close()
	cases, err := adversary.Read(f)
	if err != nil {
		return failf("a row is what --out writes; see: assay eval make --help", "--run: %s: %w", c.RunFile, err)
	}
	config, err := e.configure(c.Judging.given(c.Spending.given(c.Models.given(c.Encoding.given()))))
	if err != nil {
		return err
	}
	desk, err := e.open(ctx, source{Docs: c.Docs}, config, "", &assay.Options{})
	if err != nil {
		return err
	}
	defer desk.close()
	bar := e.newProgress(filepath.Base(c.RunFile))
	report, err := adversary.Run(ctx, desk.engine, assay.Query{}, cases, func(done, total int) {
		bar.update(int64(done), int64(total), fmt.Sprintf("%d/%d", done, total))
	})
	bar.end()
	if err != nil {
		return err
	}
	if len(report.Results) == 0 {
		return failf("set \"accepted\" to true or null in the rows that are to be asked", "--run: %s has no case to ask", c.RunFile)
	}
	if c.JSON {
		return writeJSON(e.stdout, report, true)
	}
	return report.WriteTable(io.Writer(cleanWriter{e.stdout}))
}
