package prompted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
)

// Decomposer asks a model to cut a question that needs several look-ups into those. It
// is there for whoever builds a loop over them: no command asks it yet. Make one with NewDecomposer; it may be used concurrently.
type Decomposer struct{ model llm.Model }

// NewDecomposer makes a Decomposer that asks the model.
func NewDecomposer(m llm.Model) *Decomposer { return &Decomposer{m} }

// SubQuestion is one look-up of a question.
type SubQuestion struct {
	ID       int // from 1, in the order in which they can be asked
	Question string
	After    []int // those whose answers it needs; they come before it
}

// maxSubQuestions bounds the look-ups of a question.
const maxSubQuestions = 8

// decomposed is the form of a reply with sub-questions.
var decomposed = schemaOf("subquestions", `{"type":"object","additionalProperties":false,
"required":["questions"],"properties":{
"questions":{"type":"array","items":{"type":"object","additionalProperties":false,
"required":["id","question","after"],"properties":{
"id":{"type":"integer"},"question":{"type":"string"},"after":{"type":"array","items":{"type":"integer"}}}}}}}`)

type decomposeReply struct {
	Questions list[subQuestionReply] `json:"questions"`
}

type subQuestionReply struct {
	ID       id      `json:"id"`
	Question words   `json:"question"`
	After    numbers `json:"after"`
}

// Decompose returns the look-ups that the question needs, at most 8, each after those
// whose answers it needs. A question that needs one is its own only look-up. On an
// error nothing is known about the question: it can be asked whole.
func (d *Decomposer) Decompose(ctx context.Context, question string) ([]SubQuestion, error) {
	var out []SubQuestion
	err := ask(ctx, d.model, decomposePrompt(question), func(reply decomposeReply) (err error) {
		out, err = subQuestions(question, reply.Questions)
		return err
	})
	if err != nil {
		return nil, wrapped("cut up the question", err)
	}
	return out, nil
}

// WorstCase implements [assay.Estimator].
func (d *Decomposer) WorstCase(_ string, of assay.Load) assay.Cost {
	return repairedCost(decomposePrompt(""), of.Question)
}

func decomposePrompt(question string) prompt {
	return prompt{
		system: render("decompose.system", nil), user: render("decompose.user", struct{ Question string }{indented(question)}),
		schema: decomposed, maxTokens: 600,
	}
}

// subQuestions checks what a model said, and puts it in order.
func subQuestions(question string, said []subQuestionReply) ([]SubQuestion, error) {
	if len(said) <= 1 {
		return []SubQuestion{{ID: 1, Question: question}}, nil
	}
	if len(said) > maxSubQuestions {
		return nil, fmt.Errorf("there are %d questions: at most %d are possible", len(said), maxSubQuestions)
	}
	seen := map[int]bool{}
	for i, s := range said {
		switch {
		case s.ID <= 0 || seen[int(s.ID)]:
			return nil, fmt.Errorf("question %d needs an id of its own, from 1", i+1)
		case s.Question == "":
			return nil, fmt.Errorf("question %d is empty", s.ID)
		case sameWords(string(s.Question), question):
			return nil, fmt.Errorf("question %d is the whole question: give its parts, or it alone", s.ID)
		case slices.ContainsFunc(said[:i], func(t subQuestionReply) bool { return sameWords(string(t.Question), string(s.Question)) }):
			return nil, fmt.Errorf("question %d is there twice", s.ID)
		}
		seen[int(s.ID)] = true
	}
	for _, s := range said {
		for _, a := range s.After {
			if !seen[a] {
				return nil, fmt.Errorf("question %d comes after %d, which is not there", s.ID, a)
			}
		}
	}
	return inOrder(said)
}

// inOrder puts questions behind those that they come after, and numbers them anew.
func inOrder(said []subQuestionReply) ([]SubQuestion, error) {
	var out []SubQuestion
	number := map[int]int{} // by the model's id, of those that are out
	for len(out) < len(said) {
		next := slices.IndexFunc(said, func(s subQuestionReply) bool {
			return number[int(s.ID)] == 0 && !slices.ContainsFunc(s.After, func(a int) bool { return number[a] == 0 })
		})
		if next < 0 {
			return nil, errors.New("the questions wait for each other: none can be asked first")
		}
		s := SubQuestion{ID: len(out) + 1, Question: strings.TrimSpace(string(said[next].Question))}
		for _, a := range said[next].After {
			s.After = append(s.After, number[a])
		}
		slices.Sort(s.After)
		s.After = slices.Compact(s.After)
		number[int(said[next].ID)] = s.ID
		out = append(out, s)
	}
	return out, nil
}
