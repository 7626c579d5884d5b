package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index"
)

// The exit codes.
const (
	exitOK          = 0   // an answer, or an honest abstention
	exitError       = 1   // an error
	exitMisuse      = 2   // the command line can't be meant
	exitUngrounded  = 3   // check --fail-ungrounded: the text is not grounded
	exitWorse       = 4   // eval --baseline: a figure is worse, or can't be compared
	exitInterrupted = 130 // Ctrl-C
)

// fault is an error for a person: what went wrong, what to do about it, and the
// exit code.
type fault struct {
	err  error
	do   string // empty: there is nothing to advise
	code int
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// failf is an error with advice.
func failf(do, format string, args ...any) error {
	return &fault{fmt.Errorf(format, args...), do, exitError}
}

// misusef is a command line that can't be meant, with advice.
func misusef(do, format string, args ...any) error {
	return &fault{fmt.Errorf(format, args...), do, exitMisuse}
}

// misuse is a command line that the parser refused.
func misuse(err error) error {
	f := &fault{err: err, do: "see: assay --help", code: exitMisuse}
	if text := err.Error(); negative.MatchString(text) {
		f.err = errors.New(negative.ReplaceAllString(text, "must not be negative, and is $1"))
	}
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil && parse.Context.Selected() != nil {
		f.do = fmt.Sprintf("see: assay %s --help", parse.Context.Selected().Path())
		f.do = strings.Replace(f.do, "assay assay", "assay", 1)
	}
	return f
}

// negative is what the parser says of a negative number that stands by itself,
// which it takes for a flag.
var negative = regexp.MustCompile(`expected (?:int|float|duration) value but got "(-[0-9.][^"]*)" \(short flag\).*`)

// exitCode ends a command that has said all there is to say.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// report writes an error in two lines, what happened and what to do, and returns
// the exit code.
func (e env) report(ctx context.Context, err error) int {
	if code := exitCode(0); errors.As(err, &code) {
		return int(code)
	}
	s := e.errScreen()
	f := e.diagnose(ctx, err)
	s.line(bold("assay: "), plain(message(f.err)))
	if f.do != "" {
		s.line(plain("       " + f.do))
	}
	return f.code
}

// diagnose adds to an error what a person can do about it.
func (e env) diagnose(ctx context.Context, err error) *fault {
	var f *fault
	var failed *index.Error
	switch {
	case ctx.Err() != nil:
		f = &fault{errors.New("interrupted"), "", exitInterrupted}
		var known *fault
		if errors.As(err, &known) {
			f.do = known.do
		}
	case errors.As(err, &f):
		f = &fault{err, f.do, f.code} // what was wrapped around it is part of what happened
	case errors.As(err, &failed):
		f = e.diagnoseIndex(ctx, failed)
	case errors.Is(err, assay.ErrBadQuery):
		f = &fault{err, "see: assay ask --help", exitMisuse}
	case errors.Is(err, fs.ErrPermission):
		f = &fault{err, "check who may read and write there, or choose another place", exitError}
	default:
		f = &fault{err, "", exitError}
	}
	return f
}

// diagnoseIndex says in terms of the command line what to do about a failure of
// an index. One that lies in the cache can be thrown away.
func (e env) diagnoseIndex(ctx context.Context, failed *index.Error) *fault {
	if errors.Is(failed, index.ErrNotFound) {
		return &fault{failed.Kind, failed.Hint + " (all names: assay list, with the same --docs, --index and --collection)", exitError}
	}
	dir := filepath.Dir(failed.Path)
	cache, err := e.cacheDir()
	cached := err == nil && strings.HasPrefix(dir, filepath.Join(cache, "assay")+string(filepath.Separator))
	f := &fault{fmt.Errorf("%s: %w", failed.Path, failed.Kind), failed.Hint, exitError}
	if failed.Err != nil {
		f.err = fmt.Errorf("%w (%w)", f.err, failed.Err)
	}
	switch {
	case errors.Is(failed, index.ErrVersion) && cached, errors.Is(failed, index.ErrDamaged) && cached:
		f.do = "throw it away, it is made again: rm -r " + quoted(dir)
	case errors.Is(failed, index.ErrVersion):
		f.do = "use that version of assay, or another folder: --index DIR"
	case errors.Is(failed, index.ErrDamaged):
		f.do = "save what can be read: assay index repair --index " + quoted(dir)
	case errors.Is(failed, index.ErrModel) && failed.Op == "embed": // --anew would only take turns
		f.do = failed.Hint
	case errors.Is(failed, index.ErrModel):
		made, _ := vectorsIn(ctx, dir)
		f.do = instead(made) + "assay index embed --anew --index " + quoted(dir)
	case errors.Is(failed, index.ErrReadOnly):
		f.do = "check who owns the folder, or choose another: --index DIR"
	case errors.Is(failed, index.ErrNotIndex):
		f.do = "choose another folder: --index DIR; this one was left as it is"
	}
	return f
}

// message puts an error into one line of plain words without the program's name before
// it.
func message(err error) string {
	text := plainly(strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; "))
	text = strings.TrimPrefix(text, "assay: ")
	return strings.TrimPrefix(text, "assay ")
}
