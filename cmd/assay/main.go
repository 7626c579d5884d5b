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
	getenv                   func(string) string
	cacheDir                 func() (string, error)
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
	return e
}

// run runs one command line and returns the exit code.
func run(ctx context.Context, args []string, e env) int {
	if len(args) > 0 && args[0] == completeCommand {
		return complete(ctx, e, args[1:])
	}
	command, code := e.parse(args)
	if command == nil {
		return code
	}
	command.BindTo(ctx, (*context.Context)(nil))
	command.Bind(e)
	if err := command.Run(); err != nil {
		return e.report(ctx, err)
	}
	return exitOK
}

// parse reads the command line. Without a command to run (help was wanted, or the
// line can't be understood) it has written what there is to say, and the exit
// code counts.
func (e env) parse(args []string) (command *kong.Context, code int) {
	parser := newParser(e)
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case parserExit:
			command, code = nil, int(ended)
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
	command, err := parser.Parse(args)
	if err != nil {
		return nil, e.report(context.Background(), misuse(err))
	}
	return command, exitOK
}

// parserExit ends parsing: kong goes on after its help otherwise.
type parserExit int
