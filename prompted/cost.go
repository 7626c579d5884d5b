package prompted

import (
	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
)

// repairedCost is what a prompt comes to at the worst, with so many tokens of data in
// it: it is asked, and once more with the reply that could not be used.
func repairedCost(p prompt, data int) assay.Cost {
	in := p.request().EstimateTokens() + data
	return assay.Cost{Calls: 2, In: 2*in + p.maxTokens + repairTokens, Out: 2 * p.maxTokens}
}

// repairTokens is about what it takes to say what is wrong with a reply.
const repairTokens = 80

// draftTokens bounds a draft where the options don't.
func (g *Generator) draftTokens() int {
	if g.opts.MaxTokens > 0 {
		return g.opts.MaxTokens
	}
	return llm.DefaultMaxTokens
}

// WorstCase implements [assay.Estimator]. A draft is not repaired.
func (g *Generator) WorstCase(_ string, of assay.Load) assay.Cost {
	in := draftRequest(assay.DraftRequest{}).EstimateTokens() + of.Question + of.Strips*(assay.StripTokens+tokensPerHeader) + of.Claims*assay.ClaimTokens
	return assay.Cost{Calls: 1, In: in, Out: g.draftTokens()}
}

// tokensPerHeader is about what the line above the strips of a passage takes.
const tokensPerHeader = 30
