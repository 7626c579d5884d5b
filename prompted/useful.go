package prompted

import (
	"context"
	"errors"

	"github.com/assay-rag/assay"
)

// rated is the form of a reply on an answer. What is asked and what is given come
// first, so that the model looks before it rates: a model of 1.5B then tells 10 of 12
// answers right that are useful or not, and else 7.
var rated = schemaOf("usefulness", `{"type":"object","additionalProperties":false,
"required":["asked","given","useful"],"properties":{
"asked":{"type":"string"},"given":{"type":"string"},"useful":{"type":"integer"}}}`)

// rateTokens bounds a rating.
const rateTokens = 200

type rateReply struct {
	Useful number `json:"useful"`
}

// Rate implements [assay.Usefulness]. It sees the question and the answer alone.
func (j *Judge) Rate(ctx context.Context, q assay.Query, answer string) (int, error) {
	useful := 0
	err := ask(ctx, j.model, ratePrompt(q.Question, answer), func(r rateReply) error {
		n, ok := r.Useful.whole()
		if !ok || n < 1 || n > 5 {
			return errors.New("useful is not a whole number from 1 to 5")
		}
		useful = n
		return nil
	})
	if err != nil {
		return 0, wrapped("judge rate", err)
	}
	return useful, nil
}

func ratePrompt(question, answer string) prompt {
	data := struct {
		Mark             fence
		Question, Answer string
	}{Question: indented(question), Answer: indented(answer)}
	data.Mark = newFence(data.Question, data.Answer)
	return prompt{system: render("judge_rate.system", nil), user: render("judge_rate.user", data), schema: rated, maxTokens: rateTokens}
}
