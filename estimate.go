package assay

import (
	"fmt"

	"github.com/assay-rag/assay/llm"
)

// Estimator is implemented by parts that call models, so that what a run may cost
// can be told before it.
type Estimator interface {
	// WorstCase is what one use of the part comes to at the worst, repairs included
	// and retries of calls that failed not: those are not billed. step is a step of
	// the loop, or check, useful or condense.
	WorstCase(step string, of Load) Cost
}

// Load is what one use of a part has to treat, at the most.
type Load struct {
	Question int // tokens of the question with its history
	Passages int // to be graded
	Strips   int // to be graded, answered from, or checked against
	Claims   int // to be checked, or in the answer to be rated
}

// The size of texts in an estimate, in tokens. Passages are cut at about 300, and a
// strip is a sentence or two.
const (
	PassageTokens = 400
	StripTokens   = 60
	ClaimTokens   = 40
)

// Cost is what calls of models come to.
type Cost struct {
	Calls   int
	In, Out int // tokens
}

// Estimate is what an answer may cost at the worst.
type Estimate struct {
	Steps []EstimateLine `json:"steps"` // those that call models
	// Calls and Tokens are the sums, or the budget where that ends the run before.
	Calls  int `json:"calls"`
	Tokens int `json:"tokens"`
	// Budget is what bounds the run whatever the steps come to.
	Budget Budget `json:"-"`
}

// EstimateLine is what the uses of one step come to.
type EstimateLine struct {
	Step  string `json:"step"`
	Uses  int    `json:"uses"`
	Calls int    `json:"calls"`
	In    int    `json:"tokens_in"`
	Out   int    `json:"tokens_out"`
}

// Estimate tells what a question may cost at the worst, without asking anything:
// each search of the budget graded, each draft made and checked, each reply repaired
// once.
func (e *Engine) Estimate(q Query) (*Estimate, error) {
	q, err := q.normalised()
	if err != nil {
		return nil, fmt.Errorf("assay estimate: %w", err)
	}
	b := q.Budget.Or(e.opts.Budget)
	estimate := &Estimate{Steps: []EstimateLine{}, Budget: b}
	question := llm.EstimateTokens(q.Question)
	for _, t := range q.History {
		question += llm.EstimateTokens(t.Question + t.Answer)
	}
	searches, drafts := max(b.Searches, 0), max(b.Drafts, 0)
	if q.Pasted != "" {
		searches = 0
	}
	strips := e.opts.Strips + maxList
	if q.Pasted != "" {
		strips = max(1, llm.EstimateTokens(q.Pasted)/StripTokens)
	}
	held := Load{Question: question, Strips: strips, Claims: maxEstimatedClaims}
	if len(q.History) > 0 {
		estimate.add(BillCondense, e.parts.Condenser, 1, held)
	}
	estimate.add(string(StepRoute), e.parts.Router, 1, held)
	for n := 1; n <= searches && q.Mode != ModeStandard && q.Mode != ModeReflective; n++ {
		graded := Load{Question: question, Passages: n * e.opts.Narrow, Strips: n * e.opts.Narrow * stripsInPassage}
		estimate.add(string(StepGrade), e.parts.Grader, 1, graded)
		estimate.add(string(StepRefine), e.parts.Grader, 1, graded)
	}
	estimate.add(string(StepRewrite), e.parts.Rewriter, max(searches-1, 0), held)
	estimate.add(string(StepAnswer), e.parts.Answerer, drafts, held)
	if q.Mode != ModeStandard && q.Mode != ModeCorrective {
		checks := drafts
		one := held
		if q.Streaming == StreamVerified { // each sentence by itself
			checks, one.Claims = drafts*maxEstimatedClaims, 1
		}
		estimate.add(BillCheck, e.parts.Checker, checks, one)
		estimate.add(BillUseful, e.parts.Usefulness, 2*drafts, held) // again where a claim was removed
	}
	estimate.Calls, estimate.Tokens = min(estimate.Calls, b.Calls), min(estimate.Tokens, b.Tokens)
	return estimate, nil
}

const (
	maxEstimatedClaims = 15
	stripsInPassage    = 12
)

// add adds uses of a part to the line of a step. A part that calls no model adds
// nothing.
func (e *Estimate) add(step string, part any, uses int, of Load) {
	estimator, ok := part.(Estimator)
	if !ok || uses == 0 {
		return
	}
	c := estimator.WorstCase(step, of)
	if c.Calls == 0 {
		return
	}
	at := len(e.Steps) - 1
	for at >= 0 && e.Steps[at].Step != step {
		at--
	}
	if at < 0 {
		at = len(e.Steps)
		e.Steps = append(e.Steps, EstimateLine{Step: step})
	}
	l := &e.Steps[at]
	l.Uses += uses
	l.Calls += uses * c.Calls
	l.In += uses * c.In
	l.Out += uses * c.Out
	e.Calls += uses * c.Calls
	e.Tokens += uses * (c.In + c.Out)
}
