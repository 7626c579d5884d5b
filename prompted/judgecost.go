package prompted

import "github.com/assay-rag/assay"

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

// WorstCase implements [assay.Estimator].
func (c *Cascade) WorstCase(step string, of assay.Load) assay.Cost {
	if step == string(assay.StepRefine) {
		return worstOf(c.first, step, of)
	}
	return worstOf(c.then, step, of)
}
