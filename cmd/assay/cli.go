package main

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/dustin/go-humanize"

	"github.com/assay-rag/assay"
)

// grammar is the command line.
type grammar struct {
	Version versionFlag `short:"V" help:"Print the version and end."`
	Config  string      `type:"given" placeholder:"FILE" complete:"file" help:"Read the settings from this file (else $$ASSAY_CONFIG, else the user's own and ./assay.yaml)."`

	Ask    askCmd    `cmd:"" group:"ask" help:"Answer a question from documents, with citations, or say that they don't."`
	Search searchCmd `cmd:"" group:"ask" help:"Show the passages for a question with their grades; generate nothing."`
	Check  checkCmd  `cmd:"" group:"ask" help:"Check a text against documents, claim by claim."`
	Show   showCmd   `cmd:"" group:"ask" help:"Print a document, or the part of it that a citation points to."`

	Add    addCmd    `cmd:"" group:"index" help:"Index folders and files, or bring the index up to date."`
	Remove removeCmd `cmd:"" group:"index" help:"Take folders or documents out of the index."`
	List   listCmd   `cmd:"" group:"index" help:"List what is indexed."`
	Index  indexCmd  `cmd:"" group:"index" help:"Look after an index: verify, repair, embed, compact, export, import."`

	Doctor     doctorCmd     `cmd:"" group:"more" help:"Test the language models that the settings name."`
	Settings   configCmd     `cmd:"" name:"config" group:"more" help:"Print the settings in force, and where each comes from."`
	Eval       evalCmd       `cmd:"" group:"more" help:"Measure the gate, the checks or the search on labelled data."`
	Calibrate  calibrateCmd  `cmd:"" group:"more" help:"Fit probabilities and thresholds to labels, with a promise that can be checked."`
	Label      labelCmd      `cmd:"" group:"more" help:"Label passages, one key each, to calibrate and measure with."`
	Graph      graphCmd      `cmd:"" group:"more" help:"Print the loop as a Mermaid drawing."`
	Completion completionCmd `cmd:"" group:"more" help:"Print a completion script for a shell."`
	Help       helpCmd       `cmd:"" group:"more" help:"Explain a command."`
}

const description = `Assay answers questions from your documents, checks its own retrieval and answers, and says so when it can't answer.

    assay ask --docs ./handbook "How many days of parental leave do I get?"
    assay add ./handbook && assay ask "How do I book a desk?"

Answers go to stdout, everything else to stderr. Exit codes: 0 an answer or an honest abstention, 1 an error, 2 misuse, 130 interrupted; 3 and 4 say what "check --fail-ungrounded" and "eval --baseline" find.`

// newParser builds the parser of the grammar.
func newParser(e env) *kong.Kong {
	return kong.Must(&grammar{},
		kong.Name("assay"), kong.Description(description),
		kong.Writers(e.stdout, e.stderr),
		kong.NamedMapper("given", kong.MapperFunc(given)),
		kong.Exit(func(code int) { panic(parserExit(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.ExplicitGroups([]kong.Group{
			{Key: "ask", Title: "Ask:"},
			{Key: "index", Title: "Keep an index:"},
			{Key: "more", Title: "More:"},
			{Key: "models", Title: "Models:"},
		}),
	)
}

// given reads the value of a flag that is not to be empty (type:"given"). An
// empty one comes from a variable that isn't set, and to go on without the flag
// would use other documents than those meant.
func given(ctx *kong.DecodeContext, target reflect.Value) error {
	var value string
	if err := ctx.Scan.PopValueInto("string", &value); err != nil {
		return err
	}
	if strings.TrimSpace(value) == "" {
		return errors.New("the value is empty; leave the flag out, or see whether a variable is set")
	}
	target.SetString(value)
	return nil
}

// versionFlag prints the version and ends.
type versionFlag bool

// IgnoreDefault lets the flag's hook run only where the flag is given.
func (versionFlag) IgnoreDefault() {}

// BeforeReset prints the version before anything else is asked for.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	fmt.Fprintln(app.Stdout, version())
	app.Exit(exitOK)
	return nil
}

// version says which build this is, as the Go tool recorded it.
func version() string {
	number := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		number = info.Main.Version
	}
	return fmt.Sprintf("assay %s (%s, %s/%s)", number, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// helpCmd is "assay help ask" for "assay ask --help".
type helpCmd struct {
	Command []string `arg:"" optional:"" complete:"command" help:"The command to explain."`
}

// Run shows the help of the command.
func (c *helpCmd) Run(e env) error {
	_, err := e.parse(append(c.Command, "--help"))
	return err
}

// graphCmd prints the loop.
type graphCmd struct{}

// Help teaches by example.
func (graphCmd) Help() string {
	return `The drawing is made from the same table of steps and edges that runs the loop, so it can't be out of date.

Example:

    assay graph > loop.mmd`
}

// Run prints the drawing.
func (c *graphCmd) Run(e env) error {
	_, err := io.WriteString(e.stdout, assay.Mermaid())
	return err
}

// narrowing are the flags that narrow the documents to be used.
type narrowing struct {
	Filter map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"Use only documents with this in their front matter. May be given again; all must hold."`
	Under  string            `type:"given" placeholder:"PREFIX" complete:"document" help:"Use only documents whose name begins so, e.g. handbook/hr/."`
	Group  []string          `sep:"none" placeholder:"NAME" help:"Use only documents that are for this group or for all: 'groups' in their front matter says so. May be given again."`
	Since  day               `placeholder:"DATE" help:"Use only documents of this day (YYYY-MM-DD) or later."`
	Until  day               `placeholder:"DATE" help:"Use only documents of this day (YYYY-MM-DD) or earlier."`
}

// filter is what the flags come to.
func (n narrowing) filter() (assay.Filter, error) {
	f := assay.Filter{Equal: n.Filter, PathPrefix: n.Under, After: n.Since.Time, Before: n.Until.Time, Groups: n.Group}
	if !f.Before.IsZero() {
		f.Before = f.Before.AddDate(0, 0, 1) // the day itself counts
		if !f.Before.After(f.After) {
			return f, misusef("swap the two dates", "--until %s is before --since %s", n.Until, n.Since)
		}
	}
	return f, nil
}

// day is a date on the command line.
type day struct{ time.Time }

// UnmarshalText reads YYYY-MM-DD.
func (d *day) UnmarshalText(text []byte) (err error) {
	d.Time, err = time.Parse(time.DateOnly, string(text))
	if err != nil || !d.After(time.Time{}) { // the zero time would be no bound at all
		return fmt.Errorf("%q is not a date such as 2025-03-31", text)
	}
	return nil
}

func (d day) String() string { return d.Format(time.DateOnly) }

// size is a number of bytes on the command line.
type size int64

// UnmarshalText reads "20MB", "512KiB" or a plain number.
func (s *size) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n == 0 || n > 1<<40 {
		return fmt.Errorf("%q is not a size such as 20MB", text)
	}
	*s = size(n)
	return nil
}

// byteRange is START:END on the command line.
type byteRange struct{ start, end int }

// UnmarshalText reads two offsets in bytes.
func (r *byteRange) UnmarshalText(text []byte) error {
	from, to, ok := strings.Cut(string(text), ":")
	start, err1 := strconv.Atoi(from)
	end, err2 := strconv.Atoi(to)
	if !ok || err1 != nil || err2 != nil || start < 0 || end <= start {
		return fmt.Errorf("%q is not a range such as 120:260", text)
	}
	*r = byteRange{start, end}
	return nil
}
