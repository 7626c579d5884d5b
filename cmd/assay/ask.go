package main

import (
	"context"
	"strings"
	"time"

	"github.com/assay-rag/assay"
)

// askCmd answers a question.
type askCmd struct {
	Source   source      `embed:""`
	Encoding encoding    `embed:"" group:"models"`
	Models   modelling   `embed:"" group:"models"`
	Spending spending    `embed:"" group:"models"`
	Narrow   narrowing   `embed:""`
	Grades   calibrating `embed:""`
	Judging  judging     `embed:"" group:"models"`
	Question []string    `arg:"" optional:"" help:"The question. With - questions are read from standard input, one a line."`

	Fallback    string         `type:"given" placeholder:"DIR" complete:"dir" help:"Ask the documents of this folder too where the others fail; they are indexed in the cache."`
	NoFallback  bool           `help:"Ask no other source, whatever --fallback says."`
	Mode        assay.Mode     `enum:"auto,standard,corrective,reflective,full" default:"auto" help:"How much of the loop runs: ${enum}."`
	JSON        bool           `name:"json" help:"Print the whole answer as JSON."`
	Trace       bool           `help:"Show on standard error how the answer came about, as it does."`
	Stream      string         `type:"given" group:"models" placeholder:"HOW" help:"Show the answer as it is written: verified (each sentence once the documents are found to carry it; the default for a terminal), draft (unchecked), off."`
	Estimate    bool           `group:"models" help:"Ask nothing; print what an answer may cost at the worst, step by step."`
	MaxSearches *int           `placeholder:"N" help:"Search at the most so often (default 3)."`
	Timeout     *time.Duration `placeholder:"TIME" help:"Answer with what there is after this time, e.g. 5s (default 1m; 5m with a model)."`
	Upper       *float64       `placeholder:"P" help:"Trust the passages where one is graded at least so (default 0.75, or as --calibration says)."`
	Lower       *float64       `placeholder:"P" help:"Discard the passages where all are graded below this (default 0.35, or as --calibration says)."`
}

// Help teaches by example.
func (askCmd) Help() string {
	return `The answer is taken from the documents, word for word, each statement with a number that leads to its source. With --model a language model writes it from what they say, and each sentence is checked against them. Where they don't hold an answer, assay says so and points to the nearest passages.

Examples:

    assay ask --docs ./handbook "How many days of parental leave do I get?"
    assay ask --filter team=hr --since 2024-01-01 "When is the office closed?"
    assay ask --fallback ./public-docs "What does the free plan cost?"
    assay ask --trace "Who approves travel?"          # step by step
    assay ask --base-url http://localhost:8080/v1 "Who approves travel?"
    assay ask --model gpt-4.1-mini --judge unsure "Who approves travel?"
    assay ask --json "Who approves travel?" | jq .outcome
    assay ask - <questions.txt >answers.jsonl         # one JSON result a line

A line for "ask -" is a question, or JSON: {"question": "…", "mode": "full", "pasted": "text to answer from", "history": [{"question": "…", "answer": "…"}]}. A line that fails gives {"line": n, "error": "…"}; the others go on, and the exit code is 1.

The word "ask" may be left out before a question in quotes.`
}

// Run answers one question, or many.
func (c *askCmd) Run(ctx context.Context, e env) error {
	question := strings.Join(c.Question, " ")
	many := question == "-"
	if !many {
		if err := checkQuestion("ask", question); err != nil {
			return err
		}
	}
	if err := c.fits(many); err != nil {
		return err
	}
	query, err := c.query()
	if err != nil {
		return err
	}
	config, err := e.configure(c.given())
	if err != nil {
		return err
	}
	options, err := c.options(config)
	if err != nil {
		return err
	}
	if c.Estimate {
		query.Question = question
		return c.estimate(e, config, query, options)
	}
	desk, err := e.open(ctx, c.Source, config, c.fallbackFolder(), options)
	if err != nil {
		return err
	}
	defer desk.close()
	if many {
		return c.batch(ctx, e, desk.engine, query)
	}
	query.Question, query.Streaming = question, c.streaming(e, config, desk.models)
	view := answerView{e.outScreen(), c.Source, c.fallbackFolder(), desk.models}
	told, a, err := c.answer(ctx, e, desk.engine, query)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.stdout, a, true)
	}
	view.rest(a, told)
	return nil
}

// fits refuses flags that can't be meant together.
func (c *askCmd) fits(many bool) error {
	streams := c.Stream != "" && c.Stream != streamOff
	switch {
	case many && c.Estimate:
		return misusef("give a question", "ask: --estimate is for one question")
	case many && streams:
		return misusef("leave --stream out: each answer is a line, printed at its end", "ask: --stream is for one question")
	case c.JSON && streams:
		return misusef("leave one of them out: JSON is printed at the end of the answer", "ask: --stream and --json can't be used together")
	}
	return nil
}

// estimate prints what the answer may cost at the worst. Nothing is asked for it: no
// model, and no index.
func (c *askCmd) estimate(e env, config *config, q assay.Query, o *assay.Options) error {
	config.unasked = true
	desk, err := e.openUnasked(config, o)
	if err != nil {
		return err
	}
	defer desk.close()
	q.Streaming = c.streaming(e, config, desk.models)
	return e.estimate(desk, config, q, c.JSON)
}

// given are the settings that the flags give.
func (c *askCmd) given() map[string]string {
	given := c.Judging.given(c.Grades.given(c.Spending.given(c.Models.given(c.Encoding.given()))))
	given["stream"] = c.Stream
	if c.Timeout != nil {
		given["timeout"] = c.Timeout.String()
	}
	return given
}

// streaming is how much is shown before the end. A person who waits for a model sees
// each sentence once it is checked, where a check costs nothing.
func (c *askCmd) streaming(e env, config *config, m *models) assay.Streaming {
	switch how := config.get("stream"); {
	case how == streamOff, c.JSON:
		return assay.StreamNothing
	case how == "" && e.outTerminal && m.answer != nil && config.get("judge") != judgeAlways:
		return assay.StreamVerified
	default:
		return assay.Streaming(how)
	}
}

// answer asks the engine, with a trace where one is wanted, and shows the text as it
// comes where that is. told is what it has shown of the answer.
func (c *askCmd) answer(ctx context.Context, e env, engine *assay.Engine, q assay.Query) (told string, answer *assay.Answer, err error) {
	defer func() {
		if answer != nil {
			answer.Reasons = readable(answer.Reasons)
		}
	}()
	if !c.Trace && q.Streaming == assay.StreamNothing {
		answer, err = engine.Ask(ctx, q)
		return "", answer, err
	}
	trace, text := traceView{e.errScreen()}, streamView{out: e.outScreen(), err: e.errScreen(), manner: q.Streaming}
	for ev, err := range engine.Stream(ctx, q) {
		if err != nil {
			text.breakOff()
			return told, nil, err
		}
		told += text.event(ev) // first: it ends the line of a draft
		if c.Trace {
			trace.event(ev)
		}
		answer = ev.Answer
	}
	return told, answer, nil
}

// fallbackFolder is the folder to ask where the documents fail; empty for none.
func (c *askCmd) fallbackFolder() string {
	if c.NoFallback {
		return ""
	}
	return c.Fallback
}

// query is what the flags say of every question.
func (c *askCmd) query() (assay.Query, error) {
	filter, err := c.Narrow.filter()
	q := assay.Query{Mode: c.Mode, Collection: c.Source.collection(), Filter: filter}
	if c.NoFallback {
		q.Fallback = assay.FallbackOff
	}
	return q, err
}

// options are the engine's, as the flags want it.
func (c *askCmd) options(config *config) (*assay.Options, error) {
	var budget assay.Budget
	if n := c.MaxSearches; n != nil {
		if budget.Searches = *n; *n <= 0 {
			return nil, misusef("leave the flag out for the default", "--max-searches must be positive, not %d", *n)
		}
	}
	if d := c.Timeout; d != nil { // given hands it on; here it is refused before any index is opened
		if *d <= 0 {
			return nil, misusef("leave the flag out for the default", "--timeout must be positive, not %s", *d)
		}
	}
	thresholds, err := config.thresholds()
	if err != nil {
		return nil, err
	}
	if c.Upper != nil {
		thresholds.Upper = *c.Upper
	}
	if c.Lower != nil {
		thresholds.Lower = *c.Lower
	}
	if err := thresholds.Validate(); err != nil {
		return nil, misusef("give --upper and --lower values from 0 to 1, the lower one not above the upper", "%w", err)
	}
	return &assay.Options{Thresholds: &thresholds, Budget: budget}, nil
}

// checkQuestion refuses what can't be asked before any work is done for it.
func checkQuestion(command, question string) error {
	switch {
	case strings.TrimSpace(question) == "":
		return misusef("ask in words: assay "+command+` "How do I …?"`, "%s: the question is empty", command)
	case len(question) > assay.MaxQuestion:
		return misusef("ask in fewer words; to check a long text, use: assay check FILE",
			"%s: the question has %d bytes and may have %d", command, len(question), assay.MaxQuestion)
	}
	return nil
}
