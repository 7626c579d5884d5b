package assay

import "context"

// Answerer drafts an answer from evidence. It only drafts: the loop splits the
// draft into claims, checks them, and decides what is shown.
type Answerer interface {
	// Draft answers the question from the evidence alone. No segments means that
	// it found no answer there. May be called concurrently.
	Draft(ctx context.Context, r DraftRequest) (Draft, error)
}

// DraftRequest is what an Answerer may see.
type DraftRequest struct {
	Query Query
	// Evidence is in the order of the documents; a Segment cites by position.
	Evidence []Strip
	// Conflicts says which evidence disagrees; A and B are positions in Evidence.
	Conflicts []Conflict
	// Avoid holds the claims of earlier drafts that the evidence did not carry:
	// a stricter draft leaves them out.
	Avoid []string
}

// Draft is an answer before it is checked.
type Draft struct {
	Segments []Segment
	// Verbatim says that all text is taken from the evidence, in the documents'
	// language.
	Verbatim bool
}

// Segment is a piece of a draft, of one sentence or several, with its citations.
type Segment struct {
	Text string
	// Cites are positions in DraftRequest.Evidence. Those that don't exist are
	// dropped and counted.
	Cites []int
	// Short marks an answer in a few words ("26 weeks") that only means something
	// with the question, and is checked together with it.
	Short bool
}

// Checker judges claims against evidence (Self-RAG's IsSup), and nothing else:
// not the question, not the world.
type Checker interface {
	// Check returns one Finding a claim, in their order. A claim on which it
	// failed is SupportUndetermined; an error means that it failed on all. A
	// claim checked against no evidence is Unsupported. May be called
	// concurrently.
	Check(ctx context.Context, claims []string, evidence []Strip) ([]Finding, error)
}

// Finding is a Checker's judgement of one claim.
type Finding struct {
	Support Support
	// Score is the calibrated probability in [0, 1] that the evidence supports
	// the claim.
	Score float64
	// Evidence are the positions of the strips that carry the claim, or that
	// contradict it; best first.
	Evidence []int
}

// Usefulness rates an answer by the question alone, without the evidence
// (Self-RAG's IsUse).
type Usefulness interface {
	// Rate returns 1 (no help) to 5 (complete). May be called concurrently.
	Rate(ctx context.Context, question, answer string) (int, error)
}

// shortClaim puts a Short segment as a claim that can be checked.
func shortClaim(question, answer string) string {
	return "Question: " + question + " Answer: " + answer
}
