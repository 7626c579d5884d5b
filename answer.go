package assay

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-rag/assay/llm"
)

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
	// Line says that the segment begins on a line of its own, as a step, a table
	// or a second opinion does.
	Line bool
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
	Rate(ctx context.Context, q Query, answer string) (int, error)
}

// answer drafts from the strips kept, checks each claim against them, and rates
// the whole by the question alone.
func (r *run) answer(ctx context.Context) (string, error) {
	if err := r.meter.Reserve(llm.Usage{Drafts: 1}); err != nil {
		return "", err
	}
	strips := r.evidence.strips()
	request := DraftRequest{Query: r.query, Evidence: strips, Conflicts: r.evidence.conflictsAmong(strips)}
	for _, d := range r.drafts {
		for _, c := range d.removed {
			request.Avoid = append(request.Avoid, c.Text)
		}
	}
	draft, err := r.parts.Answerer.Draft(ctx, request)
	if err != nil {
		if len(r.drafts) == 0 && !errors.Is(err, llm.ErrSpent) && ctx.Err() == nil {
			return "", &fatalError{err}
		}
		return "", err
	}
	d := newCheckedDraft(r.query.Question, draft, strips)
	var problems []error
	if r.mode.checks() && len(d.claims) > 0 {
		problems = append(problems, r.check(ctx, &d), r.rate(ctx, &d))
	}
	r.drafts = append(r.drafts, d)
	return d.detail(r.mode.checks()), errors.Join(problems...)
}

// check has each claim judged against the evidence. A checker that failed leaves
// the claims undetermined; it does not make them true or false.
func (r *run) check(ctx context.Context, d *checkedDraft) error {
	texts := make([]string, len(d.claims))
	for i, c := range d.claims {
		texts[i] = c.check
	}
	findings, err := r.parts.Checker.Check(ctx, texts, d.strips)
	if err == nil && len(findings) != len(texts) {
		err = fmt.Errorf("the checker returned %d findings for %d claims", len(findings), len(texts))
	}
	if err == nil {
		d.take(findings)
	}
	return err
}

// rate has what is shown rated for the question.
func (r *run) rate(ctx context.Context, d *checkedDraft) error {
	shown := d.text(false)
	if shown == "" {
		d.useful = 1
		return nil
	}
	useful, err := r.parts.Usefulness.Rate(ctx, r.query, shown)
	if err == nil && (useful < 1 || useful > 5) {
		err = fmt.Errorf("a usefulness of %d, where 1 to 5 is possible", useful)
	}
	if err == nil {
		d.useful = useful
	}
	return err
}
