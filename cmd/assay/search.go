package main

import (
	"context"
	"strings"

	"github.com/assay-rag/assay"
)

// searchCmd shows what the gate makes of a search.
type searchCmd struct {
	Source   source      `embed:""`
	Encoding encoding    `embed:"" group:"models"`
	Models   modelling   `embed:"" group:"models"`
	Narrow   narrowing   `embed:""`
	Grades   calibrating `embed:""`
	Judging  judging     `embed:"" group:"models"`
	Words    []string    `arg:"" help:"What to look for: a question or words. Operators mean nothing."`
	K        int         `short:"k" placeholder:"N" default:"10" help:"Show and grade at the most so many passages (default 10)."`
	JSON     bool        `name:"json" help:"Print the result as JSON."`
}

// Help teaches by example.
func (searchCmd) Help() string {
	return `One search, without rewriting, fallback or an answer. Each passage has a grade: the probability that it helps to answer. The verdict is correct (one is surely good), ambiguous, or incorrect (none is any good).

Examples:

    assay search "parental leave"
    assay search --docs ./handbook -k 3 --json "parental leave" | jq '.passages[].score'`
}

// Run searches.
func (c *searchCmd) Run(ctx context.Context, e env) error {
	words := strings.Join(c.Words, " ")
	if err := checkQuestion("search", words); err != nil {
		return err
	}
	if c.K < 1 || c.K > 1000 {
		return misusef("choose a number from 1 to 1000", "search: -k %d", c.K)
	}
	filter, err := c.Narrow.filter()
	if err != nil {
		return err
	}
	config, err := e.configure(c.Judging.given(c.Grades.given(c.Models.given(c.Encoding.given()))))
	if err != nil {
		return err
	}
	desk, err := e.open(ctx, c.Source, config, "", &assay.Options{Narrow: c.K, Wide: max(50, c.K)})
	if err != nil {
		return err
	}
	defer desk.close()
	found, err := desk.engine.Search(ctx, assay.Query{Question: words, Collection: c.Source.collection(), Filter: filter})
	if err != nil {
		return err
	}
	found.Reasons = readable(found.Reasons)
	found.Passages = found.Passages[:min(c.K, len(found.Passages))]
	if c.JSON {
		return writeJSON(e.stdout, found, true)
	}
	searchView{answerView{screen: e.outScreen(), source: c.Source}}.write(found)
	return nil
}

// searchView writes the result of a search for a person.
type searchView struct{ answerView }

func (v searchView) write(found *assay.SearchResult) {
	for _, p := range found.Passages {
		look := styleRed
		switch {
		case p.Score == nil:
			look = styleNone
		case *p.Score >= found.Thresholds.Upper:
			look = styleGreen
		case *p.Score >= found.Thresholds.Lower:
			look = styleYellow
		}
		v.indented("      ", append([]span{{grade(p.Score), look}, plain("  ")}, place(p.Title, p.Heading, p.Document, p.Date)...)...)
		v.indented("      ", plain("      "+shorten(p.Text, 240)))
		if len(p.Copies) > 0 {
			v.indented("      ", dimf("      the same in %s", cleanLine(strings.Join(p.Copies, ", "))))
		}
		v.hint(assay.OriginIndex, p.Document, p.Start, p.End)
		v.line()
	}
	for _, r := range found.Reasons {
		v.indented("      ", span{"Note: ", styleYellow}, plain(cleanLine(r.Text)))
	}
	v.line(bold("verdict "+string(found.Verdict)), dimf(" · %s · %s", count(len(found.Passages), "passage"), took(found.Usage.Elapsed)))
}
