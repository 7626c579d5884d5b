package prompted

import (
	"context"
	"errors"
	"fmt"
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
		return "", wrapped("condense", err)
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
