package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"golang.org/x/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args[1:], surroundings()))
}

// env is all that a command sees of the world around it.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	// outTerminal and errTerminal tell whether a person reads along; width is
	// that of the terminal in columns, 0 where there is none.
	outTerminal, errTerminal bool
	width                    int
	// raw makes the terminal that stands on standard input pass on each key as it is
	// pressed, until what it returns is called; nil where there is none.
	raw        func() (restore func(), err error)
	getenv     func(string) string
	configFile string // that the command line names, or ""
	cacheDir   func() (string, error)
}

// surroundings are those of this process.
func surroundings() env {
	e := env{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		outTerminal: term.IsTerminal(int(os.Stdout.Fd())), errTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		getenv: os.Getenv, cacheDir: os.UserCacheDir,
	}
	if e.outTerminal {
		e.width, _, _ = term.GetSize(int(os.Stdout.Fd()))
		if n, err := strconv.Atoi(e.getenv("COLUMNS")); err == nil && n > 0 {
			e.width = n
		}
	}
	if in := int(os.Stdin.Fd()); term.IsTerminal(in) {
		e.raw = func() (func(), error) {
			before, err := term.MakeRaw(in)
			return func() { _ = term.Restore(in, before) }, err
		}
	}
	return e
}

// run runs one command line and returns the exit code.
func run(ctx context.Context, args []string, e env) int {
	out := &output{w: e.stdout}
	e.stdin, e.stdout = input{ctx, e.stdin}, out
	err := e.execute(ctx, args)
	if out.err != nil {
		err = failf("see where it goes, and whether there is room; what came through is not whole", "the output is lost: %w", out.err)
	}
	if err != nil {
		return e.report(ctx, err)
	}
	return exitOK
}

// execute parses one command line and runs its command.
func (e env) execute(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == completeCommand {
		complete(ctx, e, args[1:])
		return nil
	}
	command, err := e.parse(args)
	if err != nil {
		return err
	}
	for _, f := range command.Flags() {
		if f.Name == "config" {
			e.configFile = command.FlagValue(f).(string)
		}
	}
	command.BindTo(ctx, (*context.Context)(nil))
	command.Bind(e)
	return command.Run()
}

// parse reads the command line. Where help was wanted instead of a command, it has
// been written, and the error is an exitCode.
func (e env) parse(args []string) (command *kong.Context, err error) {
	parser := newParser(e)
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case parserExit:
			command, err = nil, exitCode(ended)
		default:
			panic(ended)
		}
	}()
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if strings.ContainsAny(args[0], " \t\n") { // no command has a space in its name: a question
		args = append([]string{"ask"}, args...)
	}
	command, err = parser.Parse(args)
	if err != nil {
		return nil, misuse(err)
	}
	return command, nil
}

// parserExit ends parsing: kong goes on after its help otherwise.
type parserExit int
