package prompted

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
)

// Judge grades passages, checks claims and rates answers by asking a model with a
// rubric. Make one with NewJudge; it may be used concurrently. It implements
// [assay.Grader], [assay.Checker] and [assay.Usefulness], each of which sees only
// what it may: the grader the question and the passages, the checker the claims and
// the evidence, the rating the question and the answer.
type Judge struct {
	model llm.Model
	opts  JudgeOptions
}

// JudgeOptions tune a Judge. The zero value is the default.
type JudgeOptions struct {
	// PerPassage asks for a grade of each passage in a call of its own, side by side,
	// instead of all in one. No call sees two passages, so that no conflicts are
	// found. It takes more tokens, and a model that can grade: one of 1.5B gave 0.8 or
	// more to 34 of 36 passages, and in one call named the right one of six in 8 of 8.
	PerPassage bool
	// Parallel is how many of those calls run at once; 0 means 8.
	Parallel int
}

// NewJudge makes a Judge of a model. nil options are the default.
func NewJudge(m llm.Model, o *JudgeOptions) *Judge {
	j := &Judge{model: m}
	if o != nil {
		j.opts = *o
	}
	if j.opts.Parallel <= 0 {
		j.opts.Parallel = 8
	}
	return j
}

// Grade implements [assay.Grader], the strips always with their passages, so that
// refining costs no call of its own.
func (j *Judge) Grade(ctx context.Context, q assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	if len(passages) == 0 {
		return assay.Assessment{}, nil
	}
	if j.opts.PerPassage {
		return j.gradeEach(ctx, q, passages)
	}
	g := newGrading(blocksOf(passages))
	err := g.failed(ask(ctx, j.model, g.prompt(q.Question), g.take))
	return g.Assessment, err
}

// gradeEach asks about each passage by itself.
func (j *Judge) gradeEach(ctx context.Context, q assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	all := assay.Assessment{Grades: make([]assay.Grade, len(passages)), Strips: make([][]assay.Grade, len(passages))}
	errs := make([]error, len(passages))
	var calls errgroup.Group
	calls.SetLimit(j.opts.Parallel)
	for i := range passages {
		calls.Go(func() error {
			g := newGrading(blocksOf(passages[i : i+1]))
			errs[i] = g.failed(ask(ctx, j.model, g.promptOne(q.Question), g.takeOne))
			all.Grades[i], all.Strips[i] = g.Grades[0], g.Strips[0]
			return nil // one that fails leaves the others be
		})
	}
	_ = calls.Wait()
	for _, err := range errs {
		if err == nil {
			return all, nil
		}
	}
	return all, worst(errs)
}

// worst is the error that stands for several: that the budget is spent, where one
// says so, else the first.
func worst(errs []error) error {
	for _, err := range errs {
		if errors.Is(err, llm.ErrSpent) {
			return err
		}
	}
	return errs[0]
}

// GradeStrips implements [assay.Grader], for strips that somebody else cut.
func (j *Judge) GradeStrips(ctx context.Context, q assay.Query, strips []assay.Strip) ([]assay.Grade, error) {
	if len(strips) == 0 {
		return nil, nil
	}
	g := newGrading(grouped(strips))
	err := g.failed(ask(ctx, j.model, g.prompt(q.Question), g.take))
	return slices.Concat(g.Strips...), err
}

// rateForm is the form of a reply on an answer. What is asked and what is given come
// first, so that the model looks before it rates: a model of 1.5B then tells 10 of 12
// answers right that are useful or not, and else 7.
var rateForm = schemaOf("usefulness", `{"type":"object","additionalProperties":false,
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
		return 0, wrapped("rate the answer", err)
	}
	return useful, nil
}

func ratePrompt(question, answer string) prompt {
	data := struct {
		Mark             fence
		Question, Answer string
	}{Question: indented(question), Answer: indented(answer)}
	data.Mark = newFence(data.Question, data.Answer)
	return prompt{system: render("judge_rate.system", nil), user: render("judge_rate.user", data), schema: rateForm, maxTokens: rateTokens}
}

// WorstCase implements [assay.Estimator] for what a Judge is asked: grade, refine,
// check or useful. Strips are graded with their passages; where all of that failed,
// refining asks once more.
func (j *Judge) WorstCase(step string, of assay.Load) assay.Cost {
	switch step {
	case string(assay.StepGrade), string(assay.StepRefine):
		if j.opts.PerPassage && step == string(assay.StepGrade) {
			one := repairedCost(newGrading(nil).promptOne(""), of.Question+assay.PassageTokens+tokensPerHeader)
			return assay.Cost{Calls: of.Passages * one.Calls, In: of.Passages * one.In, Out: of.Passages * one.Out}
		}
		p := newGrading(nil).prompt("")
		p.maxTokens += tokensPerSentence * of.Strips
		return repairedCost(p, of.Question+of.Passages*(assay.PassageTokens+tokensPerHeader))
	case assay.BillCheck:
		p := checkPrompt(make([]string, of.Claims), nil)
		return repairedCost(p, of.Claims*assay.ClaimTokens+of.Strips*assay.StripTokens)
	case assay.BillUseful:
		return repairedCost(ratePrompt("", ""), of.Question+of.Claims*assay.ClaimTokens)
	}
	return assay.Cost{}
}
