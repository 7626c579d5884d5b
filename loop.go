package assay

import "context"

// Step is a step of the loop.
type Step string

// The steps.
const (
	StepRoute    Step = "route"
	StepRetrieve Step = "retrieve"
	StepGrade    Step = "grade"
	StepRefine   Step = "refine"
	StepRewrite  Step = "rewrite"
	StepFallback Step = "fallback"
	StepAnswer   Step = "answer"
	StepQuote    Step = "quote"
	StepFinish   Step = "finish"
)

// anyStep stands in an edge for every step but the last.
const anyStep Step = "*"

// stepRow is a step of the loop and what it does.
type stepRow struct {
	step Step
	does string
	run  func(*run, context.Context) (detail string, err error)
}

// steps are the steps of the loop, each with the method that runs it.
var steps = []stepRow{
	{StepRoute, "is retrieval needed, and how much of the loop?", (*run).route},
	{StepRetrieve, "search the index", (*run).retrieve},
	{StepGrade, "grade each passage, judge the set", (*run).grade},
	{StepRefine, "cut into strips, keep the good ones", (*run).refine},
	{StepRewrite, "find other words", (*run).rewrite},
	{StepFallback, "ask the other source", (*run).fallback},
	{StepAnswer, "draft, check each claim, rate the whole", (*run).answer},
	{StepQuote, "quote the evidence instead", (*run).quote},
	{StepFinish, "label the best answer, or abstain", (*run).finish},
}

// edge is a way from one step to another. Of the edges that leave a step the
// first whose condition holds is taken.
type edge struct {
	from, to Step
	when     string
	holds    func(facts) bool
}

// edges are all the ways through the loop.
var edges = []edge{
	{anyStep, StepFinish, "the budget is spent", func(f facts) bool { return f.spent }},

	{StepRoute, StepAnswer, "no retrieval needed", func(f facts) bool { return !f.needsRetrieval }},
	{StepRoute, StepRetrieve, "retrieval needed", always},

	{StepRetrieve, StepFallback, "nothing new, another source", func(f facts) bool { return f.nothingNew && f.canFallback }},
	{StepRetrieve, StepRefine, "nothing new, Ambiguous", func(f facts) bool { return f.nothingNew && f.unsure() && f.drafts == 0 }},
	{StepRetrieve, StepFinish, "nothing new, nothing left to try", func(f facts) bool { return f.nothingNew }},
	{StepRetrieve, StepGrade, "the mode has a gate", func(f facts) bool { return f.mode.gates() }},
	{StepRetrieve, StepFinish, "nothing found", func(f facts) bool { return !f.hasPassages }},
	{StepRetrieve, StepAnswer, "the mode has no gate", always},

	{StepGrade, StepRefine, "Correct", func(f facts) bool { return f.verdict == Correct }},
	{StepGrade, StepRewrite, "Ambiguous, and the index was asked only once", func(f facts) bool {
		return f.unsure() && f.canRewrite && f.rewrites == 0
	}},
	{StepGrade, StepFallback, "Ambiguous: blend in another source", func(f facts) bool { return f.unsure() && f.canFallback }},
	{StepGrade, StepRefine, "Ambiguous, nothing to blend in", func(f facts) bool { return f.unsure() }},
	{StepGrade, StepRewrite, "Incorrect, other words may help", func(f facts) bool { return f.canRewrite }},
	{StepGrade, StepFallback, "Incorrect, the index is exhausted", func(f facts) bool { return f.canFallback }},
	{StepGrade, StepFinish, "Incorrect, nothing left to try", always},

	{StepRewrite, StepRetrieve, "new words", func(f facts) bool { return f.newWords }},
	{StepRewrite, StepFallback, "no new words, another source", func(f facts) bool { return f.canFallback }},
	{StepRewrite, StepRefine, "no new words, Ambiguous", func(f facts) bool { return f.unsure() && f.drafts == 0 }},
	{StepRewrite, StepFinish, "nothing left to try", always},

	{StepFallback, StepGrade, "the mode has a gate", func(f facts) bool { return f.mode.gates() }},
	{StepFallback, StepAnswer, "the mode has no gate", always},

	{StepRefine, StepAnswer, "evidence refined", always},

	{StepAnswer, StepAnswer, "a claim is unsupported: same evidence, stricter", func(f facts) bool { return f.unsupported && f.canDraft }},
	{StepAnswer, StepFallback, "not useful: more evidence", func(f facts) bool { return f.notUseful && f.canDraft && f.canFallback }},
	{StepAnswer, StepRewrite, "not useful: other words", func(f facts) bool { return f.notUseful && f.canDraft && f.canRewrite }},
	{StepAnswer, StepQuote, "nothing that was written is carried", func(f facts) bool { return f.uncarried && f.canQuote }},
	{StepAnswer, StepFinish, "good, or the best there is", always},

	{StepQuote, StepFinish, "the last resort", always},
}

func always(facts) bool { return true }
