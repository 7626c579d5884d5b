package main

import (
	"log/slog"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/diskcache"
	"github.com/assay-rag/assay/prompted"
)

// modelling are the flags that choose language models.
type modelling struct {
	Model      string `type:"given" placeholder:"NAME" help:"Let this language model write the answer from the documents (else $$ASSAY_MODEL; without one it is quoted from them)."`
	Judge      string `type:"given" placeholder:"WHEN" help:"Let a model grade and check too: off (default), unsure (where the built-in evaluator is), always."`
	JudgeModel string `type:"given" placeholder:"NAME" help:"The model that does (else the one that writes)."`
	NoCache    bool   `help:"Ask models anew, and keep nothing of what they say."`
}

// given adds the settings that the flags give to others.
func (m modelling) given(others map[string]string) map[string]string {
	others["model"], others["judge"], others["judge_model"] = m.Model, m.Judge, m.JudgeModel
	if m.NoCache {
		others["cache"] = "off"
	}
	return others
}

// models are the language models in force.
type models struct {
	answer, judge         llm.Model // nil: none
	answerName, judgeName string
	secondName            string   // of the one that stands in for the one that writes
	unnamed               *unnamed // the one that writes, where it has no name yet; else nil
	prices                llm.Prices
	endpoints             map[string]*llm.Endpoint // by their address
	replies               *diskcache.Cache         // nil: nothing is kept
}

func (m *models) close() {
	if m.replies != nil {
		m.replies.Close()
	}
}

// models connects the models that the settings name. Nothing is asked of them yet.
func (e env) models(c *config) (_ *models, err error) {
	m := &models{prices: llm.ListPrices().With(c.prices), endpoints: map[string]*llm.Endpoint{}}
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	if c.has(judges) && !c.has(writes) && c.get("judge_model") == "" {
		return nil, misusef("name one: --model NAME or --judge-model NAME", "%s: there is no model to judge with", c.values["judge"].from)
	}
	if err := e.idle(c); err != nil {
		return nil, err
	}
	if len(c.roles()) > 0 {
		if m.replies, err = e.replies(c); err != nil {
			return nil, err
		}
	}
	if c.has(writes) {
		if m.answer, m.answerName, err = e.connect(c, writes, m); err != nil {
			return nil, err
		}
	}
	if !c.has(judges) {
		return m, nil
	}
	if m.judge, m.judgeName = m.answer, m.answerName; c.get("judge_model") != "" {
		m.judge, m.judgeName, err = e.connect(c, judges, m)
	}
	return m, err
}

// stoodIn is the name of the second model where it has written the answer, and has
// another name than the first; else "".
func (m *models) stoodIn(a *assay.Answer) string {
	quoted := slices.ContainsFunc(a.Reasons, func(n assay.Note) bool { return n.Code == assay.ReasonQuoted })
	if m == nil || m.secondName == "" || a.Outcome == assay.Abstained || quoted {
		return ""
	}
	first := m.answerName
	if m.unnamed != nil {
		first = m.unnamed.name()
	}
	for _, c := range slices.Backward(a.Usage.ModelCalls) {
		if c.Step != string(assay.StepAnswer) {
			continue
		}
		if c.Error == "" && c.Model == m.secondName && c.Model != first {
			return c.Model
		}
		break // where the last one failed, no model has written it
	}
	return ""
}

// connect makes the model of a role, with all that makes calling it safe: next to the
// provider the budget and the bill, around them retries, the breaker and the limit,
// then the room for thoughts, and outermost the cache. A second model stands behind the
// one that answers.
func (e env) connect(c *config, r role, m *models) (llm.Model, string, error) {
	p, err := e.remote(c, r.prefix)
	if err != nil {
		return nil, "", err
	}
	model, err := p.safe(c, m) // of no name too: it says at once what is wrong with the settings
	if err == nil && p.model == "" {
		m.unnamed, err = newUnnamed(p, c, m)
		model = m.unnamed
	}
	if err != nil || r != writes || !c.has(stands) {
		return model, p.model, err
	}
	q, err := e.remote(c, stands.prefix)
	if err != nil {
		return nil, "", err
	}
	second, err := q.safe(c, m)
	m.secondName = q.model
	return llm.FirstOf(model, second), p.model, err
}

// safe is the client with its decorators. The cache is around the thoughts: its key goes
// by what a reply may take without them, so that another setting of thoughts keeps what
// was said.
func (p remote) safe(c *config, m *models) (llm.Model, error) {
	model, err := p.client()
	if err != nil {
		return nil, err
	}
	shared, err := m.endpoint(p.base, c)
	if err != nil {
		return nil, err
	}
	thoughts, err := c.thoughts(p.model)
	if err != nil {
		return nil, err
	}
	model = shared.Model(llm.Metered(model, llm.MeterOptions{Name: p.model, Price: m.prices.For(p.model)}))
	model = llm.Thinking(model, thoughts)
	if m.replies != nil {
		model = llm.Cached(model, m.replies, p.base+" "+p.model)
	}
	return model, nil
}

// thinkers are names of models that think before they reply, as far as names tell.
var thinkers = regexp.MustCompile(`(?i)^(gpt-5|o[134](-|$)|gpt-oss)|deepseek-r|qwen3|qwq|think|reason|magistral`)

// usualThoughts is how many tokens a model may think that does.
const usualThoughts = 4096

// thoughts is how many tokens a model may think before it replies.
func (c *config) thoughts(model string) (int, error) {
	if c.get("thoughts") == "" && thinkers.MatchString(model) {
		return usualThoughts, nil
	}
	return c.whole("thoughts")
}

// endpoint is what all models at an address share.
func (m *models) endpoint(base string, c *config) (_ *llm.Endpoint, err error) {
	if known := m.endpoints[base]; known != nil {
		return known, nil
	}
	o := &llm.ResilientOptions{}
	if o.Parallel, err = c.whole("parallel"); err != nil {
		return nil, err
	}
	if o.Timeout, err = c.duration("call_timeout"); err != nil {
		return nil, err
	}
	if o.Timeout, err = c.within(o.Timeout); err != nil {
		return nil, err
	}
	m.endpoints[base] = llm.NewEndpoint(o)
	return m.endpoints[base], nil
}

// replies opens the cache of what models said, or returns nil where nothing is to
// be kept. A cache that can't be opened costs money and time, and no answer.
func (e env) replies(c *config) (*diskcache.Cache, error) {
	if c.get("cache") == "off" {
		return nil, nil
	}
	size, err := humanize.ParseBytes(c.get("cache_size"))
	if err != nil || size == 0 || size > 1<<40 {
		return nil, misusef("give a size such as 256MiB", "%s: cache_size %q", c.values["cache_size"].from, c.get("cache_size"))
	}
	dir, err := e.cacheDir()
	if err != nil {
		return nil, failf("set HOME, or keep nothing: --no-cache", "find the cache: %w", err)
	}
	log := slog.New(warnings{e.errScreen()})
	cache, err := diskcache.Open(filepath.Join(dir, "assay", "models.sqlite"), &diskcache.Options{MaxBytes: int64(size), Log: log})
	if err != nil {
		log.Warn("what models say is not kept: " + err.Error())
		return nil, nil
	}
	return cache, nil
}

// equip puts models where the settings want them; whatever they leave stays as it
// is without a model.
func (m *models) equip(parts *assay.Parts, c *config, gate *assay.Thresholds) error {
	built := *parts
	if m.answer != nil {
		parts.Quoter = built.Answerer
		parts.Answerer = prompted.NewGenerator(m.answer, &prompted.GeneratorOptions{Else: built.Answerer})
		parts.Condenser = prompted.NewCondenser(m.answer, &prompted.CondenserOptions{Else: built.Condenser})
		parts.Rewriter = prompted.NewRewriter(m.answer, &prompted.RewriterOptions{First: built.Rewriter})
	}
	if c.get("router") == routerModel {
		if m.answer == nil {
			return misusef("name one: --model NAME", "%s: there is no model to route with", c.values["router"].from)
		}
		parts.Router = prompted.NewRouter(m.answer)
	}
	if m.judge == nil {
		return nil
	}
	parallel, err := c.whole("parallel")
	if err != nil {
		return err
	}
	judge := prompted.NewJudge(m.judge, &prompted.JudgeOptions{PerPassage: c.get("judge_calls") == "each", Parallel: parallel})
	switch c.get("judge") {
	case judgeUnsure:
		parts.Grader = prompted.NewCascade(built.Grader, judge, gate)
		parts.Checker = prompted.NewCheckCascade(built.Checker, judge)
	case judgeAlways:
		parts.Grader, parts.Usefulness = judge, judge
		parts.Checker = prompted.NewCheckElse(judge, built.Checker)
	}
	return nil
}
