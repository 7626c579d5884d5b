package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assay-rag/assay/llm"
)

// doctorCmd tests the endpoints that the settings name.
type doctorCmd struct {
	Models   modelling `embed:""`
	Encoding encoding  `embed:""`
	JSON     bool      `name:"json" help:"Print the findings as JSON."`
}

// Help teaches by example.
func (doctorCmd) Help() string {
	return `Each model that the settings name is asked some small things: is it there, does it obey a JSON schema, does it stream, report log-probabilities and what it used, how much does it take, how fast is it, and does it judge eight pairs right whose answer is known. For each it is said what works, what then is done instead, and what to change. That takes about a dozen calls, one of them as long as the longest prompt in use; nothing of your documents is sent.

The exit code is 1 where a model can't be used.

Examples:

    assay doctor
    assay doctor --base-url http://localhost:8080/v1
    assay doctor --model gpt-4.1-mini --json | jq '.[].findings[] | select(.state != "good")'`
}

// checkup is what was found out about one endpoint.
type checkup struct {
	Role     string    `json:"role"` // model, second_model, judge_model or embed_model
	Model    string    `json:"model"`
	Endpoint string    `json:"endpoint"`
	Findings []finding `json:"findings"`
}

// finding is one thing found out.
type finding struct {
	What  string `json:"what"`
	State state  `json:"state"`
	Says  string `json:"says"`           // what was found
	Do    string `json:"do,omitempty"`   // what to change
	Took  string `json:"took,omitempty"` // of the call behind it
}

// state says how good a finding is.
type state string

const (
	good     state = "good"
	degraded state = "degraded" // it works, but something else is done than could be
	bad      state = "bad"      // it can't be used so
)

// Run tests each endpoint.
func (c *doctorCmd) Run(ctx context.Context, e env) error {
	config, err := e.configure(c.Models.given(c.Encoding.given()))
	if err != nil {
		return err
	}
	if err := e.idle(config); err != nil {
		return err
	}
	var all []checkup
	for _, role := range config.roles() {
		p, err := e.remote(config, role.prefix)
		exam := &exam{checkup: checkup{Role: role.name, Model: p.model, Endpoint: redacted(p.base), Findings: []finding{}}}
		if !c.JSON {
			exam.show = doctorView{e.outScreen()}.finding
			doctorView{e.outScreen()}.head(&exam.checkup)
		}
		switch {
		case err != nil:
			exam.add(finding{What: "settings", State: bad, Says: message(err), Do: e.diagnose(ctx, err).do})
		case role == embeds:
			exam.embedder(ctx, p, config)
		default:
			exam.model(ctx, p, config)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		all = append(all, exam.checkup)
	}
	if c.JSON {
		if err := writeJSON(e.stdout, all, true); err != nil {
			return err
		}
	} else if len(all) == 0 {
		e.outScreen().line(plain("No model is configured: answers are quoted from the documents, and the built-in evaluator judges. To name one: --model, --base-url, see assay config --help"))
	}
	for _, c := range all {
		for _, f := range c.Findings {
			if f.State == bad {
				return exitCode(exitError)
			}
		}
	}
	return nil
}

// anyModel stands for the name of a model that nobody gave.
const anyModel = "(whichever it has)"

// doctorView writes what was found for a person.
type doctorView struct{ *screen }

func (v doctorView) head(c *checkup) {
	v.line(bold(c.Role), plain(" "+cleanLine(cmp.Or(c.Model, anyModel))), dim(" at "+cleanLine(c.Endpoint)))
}

func (v doctorView) finding(f finding) {
	mark := map[state]span{good: {"✓", styleGreen}, degraded: {"~", styleYellow}, bad: {"✗", styleRed}}[f.State]
	spans := []span{plain("  "), mark, plainf(" %-14s ", f.What), plain(cleanLine(f.Says))}
	if f.Took != "" {
		spans = append(spans, dim(" · "+f.Took))
	}
	indent := strings.Repeat(" ", 19)
	v.indented(indent, spans...)
	if f.Do != "" {
		v.indented(indent, plain(indent), dim(cleanLine(f.Do)))
	}
}

// exam gathers what is found out about an endpoint.
type exam struct {
	checkup
	show func(finding) // nil: nobody reads along
}

func (x *exam) add(f finding) {
	x.Findings = append(x.Findings, f)
	if x.show != nil {
		x.show(f)
	}
}

// asked asks a model and times it. A failure is a finding of its own.
func (x *exam) asked(ctx context.Context, what string, m llm.Model, r llm.Request) (llm.Reply, string, bool) {
	began := time.Now()
	reply, err := llm.Ask(ctx, m, r)
	spent := took(float64(time.Since(began).Microseconds()) / 1000)
	if err != nil {
		x.add(finding{What: what, State: bad, Says: message(err), Took: spent})
	}
	return reply, spent, err == nil
}

// says is a request with one message.
func says(text string, maxTokens int) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}, MaxTokens: maxTokens}
}

// speed is how many tokens a second a time comes to.
func speed(tokens int, d time.Duration) string {
	return fmt.Sprintf("%.0f tokens/s", float64(tokens)/d.Seconds())
}
