package assay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/assay-rag/assay/llm"
)

// Answerer drafts an answer from evidence. It only drafts: the loop splits the
// draft into claims, checks them, and decides what is shown.
type Answerer interface {
	// Draft answers the question from the evidence alone. No segments means that
	// it found no answer there. May be called concurrently.
	Draft(ctx context.Context, r DraftRequest) (Draft, error)
}

// Usefulness rates an answer by the question alone, without the evidence
// (Self-RAG's IsUse).
type Usefulness interface {
	// Rate returns 1 (no help) to 5 (complete). May be called concurrently.
	Rate(ctx context.Context, q Query, answer string) (int, error)
}

// The lines of a bill that are no step of the loop.
const (
	BillCondense = "condense" // a follow-up is made to stand alone
	BillCheck    = "check"    // claims are checked
	BillUseful   = "useful"   // an answer is rated
)

// answer drafts from the strips kept, checks each claim against them, and rates
// the whole by the question alone.
func (r *run) answer(ctx context.Context) (string, error) {
	if err := r.meter.Reserve(llm.Usage{Drafts: 1}); err != nil {
		return "", err
	}
	return r.answerBy(ctx, StepAnswer, r.parts.Answerer, nil)
}

// quote has the evidence quoted where it carries nothing of what was written, or
// nothing was: with a model an answer is to be no worse than without one. It costs no
// call.
func (r *run) quote(ctx context.Context) (string, error) {
	var notes []Note
	why := "the documents carry nothing of what the model wrote; they are quoted instead"
	for _, d := range r.drafts {
		if d.mute() {
			notes, why = d.notes, "the model wrote no answer; the documents are quoted instead"
		}
	}
	return r.answerBy(ctx, StepQuote, r.parts.Quoter, append(slices.Clone(notes), Note{ReasonQuoted, why}))
}

// answerBy makes a draft for a step, checks and rates it. The notes are for what it
// shows.
func (r *run) answerBy(ctx context.Context, step Step, answerer Answerer, notes []Note) (string, error) {
	var d checkedDraft
	var problems, err error
	if r.query.Streaming == StreamVerified && r.mode.checks() && r.emit != nil {
		d, problems, err = r.release(ctx, step, answerer)
	} else {
		d, problems, err = r.draft(ctx, step, answerer)
	}
	if err != nil {
		if len(r.drafts) == 0 && !errors.Is(err, llm.ErrSpent) && ctx.Err() == nil {
			return "", &fatalError{err}
		}
		return "", err
	}
	if len(d.claims) > 0 {
		d.notes = append(notes, d.notes...)
	}
	r.drafts = append(r.drafts, d)
	return d.detail(r.mode.checks()), problems
}

// uncarried tells whether claims were drafted or should have been, and the evidence
// carries none of any draft. That the evidence holds no answer is not such a draft.
func (r *run) uncarried() bool {
	fell := false
	for _, d := range r.drafts {
		if len(d.claims) > 0 {
			return false
		}
		fell = fell || len(d.removed) > 0 || d.mute()
	}
	return fell
}

// draftRequest is what the Answerer is told for the next draft.
func (r *run) draftRequest() DraftRequest {
	strips := r.evidence.strips()
	request := DraftRequest{Query: r.query, Evidence: strips, Conflicts: r.evidence.conflictsAmong(strips)}
	for _, d := range r.drafts {
		for _, c := range d.removed {
			request.Avoid = append(request.Avoid, c.Text)
		}
	}
	return request
}

// draft has a draft made, and then checked and rated side by side. problems are
// what went wrong in the checks; with err there is no draft.
func (r *run) draft(ctx context.Context, step Step, answerer Answerer) (d checkedDraft, problems, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request := r.draftRequest()
	if r.query.Streaming == StreamDraft && r.emit != nil {
		request.OnText = func(piece string) {
			if !r.tell(Event{Kind: EventText, Step: step, Draft: len(r.drafts) + 1, Text: piece}) {
				cancel()
			}
		}
	}
	draft, err := answerer.Draft(ctx, request)
	if err != nil {
		return d, nil, err
	}
	d = checkedDraft{strips: request.Evidence, given: len(request.Evidence), notes: draft.Notes, verbatim: draft.Verbatim}
	d.claims = d.split(r.query.Question, draft.Segments, draft.Verbatim)
	if r.mode.checks() && len(d.claims) > 0 {
		problems = r.weighDraft(ctx, &d)
	}
	return d, problems, nil
}

// weighDraft has the claims of a draft checked and the draft rated, side by side: each
// sees only what it may. Where claims are removed, what is left is rated again.
func (r *run) weighDraft(ctx context.Context, d *checkedDraft) error {
	whole := d.text(false)
	useful, rating := 0, error(nil)
	var aside sync.WaitGroup
	aside.Go(func() { useful, rating = r.rate(ctx, whole) })
	findings, checking := r.check(ctx, d.claims, d.strips)
	aside.Wait()
	if checking == nil {
		claims := d.claims
		d.claims, d.checked = nil, true
		d.file(claims, findings)
	}
	if d.useful = useful; len(d.removed) > 0 {
		d.useful, rating = r.rate(ctx, d.text(false))
	}
	return errors.Join(checking, rating)
}

// rate has what is shown rated for the question; 0 with an error.
func (r *run) rate(ctx context.Context, shown string) (int, error) {
	if shown == "" {
		return 1, nil
	}
	useful, err := r.parts.Usefulness.Rate(llm.WithStep(ctx, BillUseful), r.query, shown)
	if err == nil && (useful < 1 || useful > 5) {
		err = fmt.Errorf("a usefulness of %d, where 1 to 5 is possible", useful)
	}
	if err != nil {
		return 0, err
	}
	return useful, nil
}
