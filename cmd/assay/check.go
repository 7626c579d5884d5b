package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assay-rag/assay"
)

// checkCmd checks a text against documents.
type checkCmd struct {
	Source         source    `embed:""`
	Encoding       encoding  `embed:"" group:"models"`
	Models         modelling `embed:"" group:"models"`
	Spending       spending  `embed:"" group:"models"`
	Judging        judging   `embed:"" group:"models"`
	Narrow         narrowing `embed:""`
	File           string    `arg:"" complete:"file" help:"The text to check; - is standard input."`
	JSON           bool      `name:"json" help:"Print the result as JSON."`
	FailUngrounded bool      `help:"End with exit code 3 where a claim is not supported."`
}

// Help teaches by example.
func (checkCmd) Help() string {
	return `The text is split into claims. For each, passages are looked up, and the claim is supported, partial, unsupported, contradicted, or undetermined (it couldn't be checked). The text is grounded where every claim is supported.

Examples:

    assay check --docs ./handbook answer.txt
    pbpaste | assay check -
    assay check --fail-ungrounded release-notes.md || echo "look again"`
}

// Run checks the text.
func (c *checkCmd) Run(ctx context.Context, e env) error {
	text, err := c.read(ctx, e)
	if err != nil {
		return err
	}
	filter, err := c.Narrow.filter()
	if err != nil {
		return err
	}
	config, err := e.configure(c.Judging.given(c.Spending.given(c.Models.given(c.Encoding.given()))))
	if err != nil {
		return err
	}
	if err := config.unchecking(); err != nil {
		return err
	}
	desk, err := e.open(ctx, c.Source, config, "", &assay.Options{})
	if err != nil {
		return err
	}
	defer desk.close()
	result, err := desk.engine.Check(ctx, assay.CheckRequest{Text: text, Collection: c.Source.collection(), Filter: filter})
	if err != nil {
		return err
	}
	result.Reasons = readable(result.Reasons)
	if c.JSON {
		err = writeJSON(e.stdout, result, true)
	} else {
		checkView{answerView{screen: e.outScreen(), source: c.Source}}.write(result)
	}
	if err == nil && c.FailUngrounded && !result.Grounded {
		return exitCode(exitUngrounded)
	}
	return err
}

// read reads the text, at most one byte more than may be checked.
func (c *checkCmd) read(ctx context.Context, e env) (string, error) {
	in := e.stdin
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return "", failf("name a text file, or - for standard input", "check: %w", err)
		}
		defer f.Close()
		in = input{ctx, f}
	}
	data, err := io.ReadAll(io.LimitReader(in, assay.MaxChecked+1))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", failf("name a text file, or - for standard input", "check: read %s: %w", c.File, err)
	case len(data) > assay.MaxChecked:
		return "", misusef("check it in parts", "check: %s is longer than %d KiB", c.File, assay.MaxChecked>>10)
	}
	text, err := withoutMark("check: "+c.File, string(data))
	if err == nil && strings.TrimSpace(text) == "" {
		err = misusef("name a file with the text to check", "check: %s is empty", c.File)
	}
	return strings.ToValidUTF8(text, "\uFFFD"), err
}

// withoutMark is a text without the byte order mark that may stand at its
// beginning. What is in another encoding, or no text at all, is refused.
func withoutMark(name, text string) (string, error) {
	switch {
	case strings.HasPrefix(text, "\xFF\xFE"), strings.HasPrefix(text, "\xFE\xFF"):
		return "", misusef("convert it: iconv -f UTF-16 -t UTF-8", "%s is UTF-16 and must be UTF-8", name)
	case strings.ContainsRune(text, 0):
		return "", misusef("give text in UTF-8", "%s is not text", name)
	}
	return strings.TrimPrefix(text, "\uFEFF"), nil
}

// checkView writes the result of a check for a person.
type checkView struct{ answerView }

func (v checkView) write(r *assay.CheckResult) {
	supported := 0
	for _, c := range r.Claims {
		if c.Support == assay.Supported {
			supported++
		}
		label := fmt.Sprintf("%-12s %.2f  ", c.Support, c.Score)
		v.indented(strings.Repeat(" ", len(label)), span{label, supportStyle(c.Support)}, plain(cleanLine(c.Text)), cyan(citations(c.Citations)))
	}
	v.sources(r.Citations)
	for _, reason := range r.Reasons {
		v.indented("      ", span{"Note: ", styleYellow}, plain(cleanLine(reason.Text)))
	}
	v.line()
	verdict := span{"not grounded", styleRed}
	if r.Grounded {
		verdict = span{"grounded", styleGreen}
	}
	v.line(verdict, dimf(" · %d of %d claims supported · %s", supported, len(r.Claims), took(r.Usage.Elapsed)))
}
