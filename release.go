package assay

import (
	"context"
	"errors"
	"slices"
)

// segmentsAhead is how many segments a draft may be ahead of its checks.
const segmentsAhead = 64

// release has a draft made and, while it goes on, checks each segment that is complete
// and tells it: the Answerer fills a queue, so that a slow check delays the reader and
// not the model. Segments are checked one by one, so that the same draft is checked in
// the same way, however fast it came. A draft that continues an answer begins with
// what has been told of it.
func (r *run) release(ctx context.Context, step Step, answerer Answerer) (d checkedDraft, problems, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request := r.draftRequest()
	d = r.told.continued(request.Evidence)
	for _, c := range d.claims {
		request.Said = append(request.Said, c.Text)
	}
	queue := make(chan Segment, segmentsAhead)
	request.OnSegment = func(s Segment) { queue <- s }
	var draft Draft
	go func() {
		defer close(queue) // which also hands over draft and err
		draft, err = answerer.Draft(ctx, request)
	}()
	heard := 0
	for s := range queue { // to its end, or the Answerer would wait for ever
		heard++
		// Not as verbatim, for that is known only with the whole draft: what streams is
		// written, and whoever quotes has the draft at once.
		problems = errors.Join(problems, r.checkMore(ctx, &d, d.split(r.query.Question, []Segment{s}, false)))
		if !r.tellReleased(step, &d) {
			cancel()
		}
	}
	if err != nil && len(d.claims) == 0 {
		return d, nil, err
	}
	if err != nil { // what was told stays
		problems = errors.Join(problems, err)
		d.notes = []Note{{ReasonTruncated, "the answer broke off: " + err.Error()}}
	} else {
		rest := draft.Segments[min(heard, len(draft.Segments)):] // all, of an Answerer that doesn't stream
		problems = errors.Join(problems, r.checkMore(ctx, &d, d.split(r.query.Question, rest, draft.Verbatim)))
		r.tellReleased(step, &d)
		d.notes, d.verbatim = draft.Notes, draft.Verbatim
	}
	if len(d.claims)+len(d.removed) > 0 {
		useful, failed := r.rate(ctx, d.text(false))
		d.useful, problems = useful, errors.Join(problems, failed)
	}
	return d, problems, nil
}

// checkMore checks further claims of a draft and files them.
func (r *run) checkMore(ctx context.Context, d *checkedDraft, claims []draftClaim) error {
	if len(claims) == 0 {
		return nil
	}
	findings, err := r.check(ctx, claims, d.strips)
	if err != nil {
		d.claims, d.unchecked = append(d.claims, claims...), true
		return err
	}
	d.file(claims, findings)
	d.checked = !d.unchecked
	return nil
}

// released is what a reader has been told of an answer.
type released struct {
	text   string
	claims []draftClaim
	strips []Strip // what the claims' evidence counts in
}

// continued begins a draft from other evidence with what has been told.
func (t *released) continued(evidence []Strip) checkedDraft {
	d := checkedDraft{strips: slices.Clone(evidence), given: len(evidence), total: len(t.claims), checked: len(t.claims) > 0}
	for _, c := range t.claims {
		c.evidence = slices.Clone(c.evidence)
		for i, at := range c.evidence {
			c.evidence[i] = d.citable(t.strips[at])
		}
		d.claims = append(d.claims, c)
	}
	return d
}

// tellReleased tells what of a draft is found to be carried and hasn't been told.
// A claim that is carried in part only, or on which the check failed, is not told,
// nor what follows it, before the end: what is told is always how the answer begins.
// It tells whether anybody still listens.
func (r *run) tellReleased(step Step, d *checkedDraft) bool {
	firm := slices.IndexFunc(d.claims, func(c draftClaim) bool { return c.Support != Supported })
	if firm < 0 {
		firm = len(d.claims)
	}
	known := len(r.told.claims)
	if firm <= known {
		return !r.unheard
	}
	begin := checkedDraft{strips: d.strips, claims: slices.Clone(d.claims[:firm])}
	begin.cite()
	text := begin.text(true)
	piece := text[len(r.told.text):]
	r.told = released{text, slices.Clone(d.claims[:firm]), d.strips}
	return r.tell(Event{Kind: EventText, Step: step, Draft: len(r.drafts) + 1, Text: piece, Claims: begin.shown()[known:]})
}
