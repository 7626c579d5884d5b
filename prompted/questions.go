package prompted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/text"
)

// Condenser asks a model what a follow-up question means after the turns before it.
// Make one with NewCondenser; it may be used concurrently.
type Condenser struct {
	model llm.Model
	opts  CondenserOptions
}

// CondenserOptions tune a Condenser. The zero value is the default.
type CondenserOptions struct {
	// Else is asked where the model fails. nil: that is an error.
	Else assay.Condenser
}

// NewCondenser makes a Condenser that asks the model. nil options are the default.
func NewCondenser(m llm.Model, o *CondenserOptions) *Condenser {
	c := &Condenser{model: m}
	if o != nil {
		c.opts = *o
	}
	return c
}

// condensed is the form of a reply with a question that stands alone.
var condensed = schemaOf("question", `{"type":"object","additionalProperties":false,
"required":["question"],"properties":{"question":{"type":"string"}}}`)

type condenseReply struct {
	Question words `json:"question"`
}

// turnsShown is how many turns a model is shown, each of them shortened: what a
// question leans on is near.
const turnsShown = 4

// longestCondensed bounds the question that is made, in runes beyond those of the
// follow-up.
const longestCondensed = 500

// Condense implements [assay.Condenser]. Without a history the question stands alone
// and nothing is asked.
func (c *Condenser) Condense(ctx context.Context, q assay.Query) (string, error) {
	if len(q.History) == 0 {
		return q.Question, nil
	}
	question, language := "", text.Detect(q.Question)
	err := ask(ctx, c.model, condensePrompt(q), func(reply condenseReply) error {
		question = strings.Join(strings.Fields(string(reply.Question)), " ")
		switch is := text.Detect(question); {
		case question == "":
			return errors.New("question is empty")
		case utf8.RuneCountInString(question) > utf8.RuneCountInString(q.Question)+longestCondensed:
			return errors.New("question is too long: it is one question, and no answer")
		case language != "" && is != "" && is != language:
			return fmt.Errorf("question is in another language: it has to be in %s", languageOf(q))
		}
		return nil
	})
	switch {
	case err != nil && c.opts.Else != nil:
		return c.opts.Else.Condense(ctx, q)
	case err != nil:
		return "", wrapped("put the question by itself", err)
	}
	return question, nil
}

// WorstCase implements [assay.Estimator].
func (c *Condenser) WorstCase(_ string, of assay.Load) assay.Cost {
	return repairedCost(condensePrompt(assay.Query{}), of.Question)
}

func condensePrompt(q assay.Query) prompt {
	data := struct {
		Mark     fence
		Turns    []assay.Turn
		Question string
		Language string
	}{Question: indented(q.Question), Language: languageOf(q)}
	texts := []string{data.Question}
	for _, t := range q.History[max(0, len(q.History)-turnsShown):] {
		t = assay.Turn{Question: onALine(t.Question), Answer: onALine(t.Answer)}
		data.Turns = append(data.Turns, t)
		texts = append(texts, t.Question, t.Answer)
	}
	data.Mark = newFence(texts...)
	return prompt{system: render("condense.system", nil), user: render("condense.user", data), schema: condensed, maxTokens: 300}
}

// Router asks a model whether a question needs the documents, and how much of the
// loop it is worth. Make one with NewRouter; it may be used concurrently.
type Router struct{ model llm.Model }

// NewRouter makes a Router that asks the model.
func NewRouter(m llm.Model) *Router { return &Router{m} }

// routed is the form of a reply on the way of a question.
var routed = schemaOf("route", `{"type":"object","additionalProperties":false,
"required":["small_talk","mode","why"],"properties":{"small_talk":{"type":"boolean"},
"mode":{"type":"string","enum":["standard","full"]},"why":{"type":"string"}}}`)

// routeReply asks for small talk and not whether to retrieve: small models take that
// for whether they know the answer.
type routeReply struct {
	SmallTalk yes   `json:"small_talk"`
	Mode      words `json:"mode"`
	Why       words `json:"why"`
}

// Route implements [assay.Router]. On doubt the question is retrieved for, and in
// full.
func (r *Router) Route(ctx context.Context, q assay.Query) (assay.Route, error) {
	route := assay.Route{Retrieve: true, Mode: assay.ModeFull}
	err := ask(ctx, r.model, routePrompt(q.Question), func(reply routeReply) error {
		route = assay.Route{
			Retrieve: !reply.SmallTalk.value, Mode: assay.ModeFull,
			Why: oneLine(string(reply.Why), maxNote),
		}
		if reply.Mode.label() == string(assay.ModeStandard) {
			route.Mode = assay.ModeStandard
		}
		return nil
	})
	return route, wrapped("route the question", err)
}

// WorstCase implements [assay.Estimator].
func (r *Router) WorstCase(_ string, of assay.Load) assay.Cost {
	return repairedCost(routePrompt(""), of.Question)
}

func routePrompt(question string) prompt {
	return prompt{
		system: render("route.system", nil), user: render("route.user", struct{ Question string }{indented(question)}),
		schema: routed, maxTokens: 120,
	}
}

// Rewriter finds other words for a search that failed by asking a model. Make one
// with NewRewriter; it may be used concurrently.
type Rewriter struct {
	model llm.Model
	opts  RewriterOptions
}

// RewriterOptions tune a Rewriter. The zero value is the default.
type RewriterOptions struct {
	// First is asked before the model, which is then asked only where First knows no
	// more words. nil: the model alone.
	First assay.Rewriter
	// Else is asked where the model fails. nil: that is an error.
	Else assay.Rewriter
}

// NewRewriter makes a Rewriter that asks the model. nil options are the default.
func NewRewriter(m llm.Model, o *RewriterOptions) *Rewriter {
	r := &Rewriter{model: m}
	if o != nil {
		r.opts = *o
	}
	return r
}

// rewritten is the form of a reply with words to search for.
var rewritten = schemaOf("search", `{"type":"object","additionalProperties":false,
"required":["query"],"properties":{"query":{"type":"string"}}}`)

// longestQuery bounds the words of a search, in runes.
const longestQuery = 200

type rewriteReply struct {
	Query words `json:"query"`
}

// Rewrite implements [assay.Rewriter]. Words that were tried already, in whatever
// order, are no words.
func (r *Rewriter) Rewrite(ctx context.Context, q assay.Query, tried []assay.SearchRound) (string, error) {
	if r.opts.First != nil {
		if found, err := r.opts.First.Rewrite(ctx, q, tried); err == nil && found != "" {
			return found, nil
		}
	}
	found := ""
	err := ask(ctx, r.model, rewritePrompt(q.Question, tried), func(reply rewriteReply) error {
		found = strings.Join(strings.Fields(string(reply.Query)), " ")
		if utf8.RuneCountInString(found) > longestQuery {
			return fmt.Errorf("query has more than %d letters: give a few words", longestQuery)
		}
		return nil
	})
	switch {
	case err != nil && r.opts.Else != nil:
		return r.opts.Else.Rewrite(ctx, q, tried)
	case err != nil:
		return "", wrapped("put the search into other words", err)
	}
	for _, t := range append([]assay.SearchRound{{Words: q.Question}}, tried...) {
		if sameWords(t.Words, found) {
			return "", nil
		}
	}
	return found, nil
}

// WorstCase implements [assay.Estimator].
func (r *Rewriter) WorstCase(_ string, of assay.Load) assay.Cost {
	return repairedCost(rewritePrompt("", nil), of.Question+triedTokens)
}

// triedTokens is about what the searches before take in a prompt.
const triedTokens = 200

func rewritePrompt(question string, tried []assay.SearchRound) prompt {
	data := struct {
		Mark     fence
		Searches []string
		Question string
	}{Question: indented(question)}
	for i, t := range tried {
		data.Searches = append(data.Searches, searchLine(i+1, t))
	}
	data.Mark = newFence(append(data.Searches, data.Question)...)
	return prompt{system: render("rewrite.system", nil), user: render("rewrite.user", data), schema: rewritten, maxTokens: 100}
}

// searchLine is a search and what came of it, on one line.
func searchLine(n int, s assay.SearchRound) string {
	line := fmt.Sprintf("%d | %s", n, onALine(s.Words))
	if s.Origin != assay.OriginIndex && s.Origin != "" {
		line += " | in " + string(s.Origin)
	}
	switch {
	case s.Failed != "":
		return line + " | could not be made"
	case s.Found == 0:
		return line + " | found nothing"
	}
	line += fmt.Sprintf(" | found %d passages", s.Found)
	if s.Verdict != "" {
		line += fmt.Sprintf(", the best graded %.2f of 1: %s", s.Best, s.Verdict)
	}
	if s.Missing != "" {
		line += " | missing: " + onALine(s.Missing)
	}
	return line
}

// sameWords tells whether two texts have the same words, in whatever order.
func sameWords(a, b string) bool {
	return slices.Equal(sortedWords(a), sortedWords(b))
}

func sortedWords(s string) []string {
	s = text.Fold(s)
	var out []string
	for _, w := range text.Words(s) {
		out = append(out, w.Of(s))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
