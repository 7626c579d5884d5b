package prompted

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
)

// Generator drafts answers by a model that is told to use the evidence alone and to
// cite it. Make one with NewGenerator; it may be used concurrently.
type Generator struct {
	model llm.Model
	opts  GeneratorOptions
}

// GeneratorOptions tune a Generator. The zero value is the default.
type GeneratorOptions struct {
	// Else drafts where the model can't be asked: it is down, or the budget is spent.
	// nil: then the draft fails.
	Else assay.Answerer
	// MaxTokens bounds the draft; 0 means llm.DefaultMaxTokens.
	MaxTokens int
}

// NewGenerator makes a Generator that asks the model.
func NewGenerator(m llm.Model, o *GeneratorOptions) *Generator {
	g := &Generator{model: m}
	if o != nil {
		g.opts = *o
	}
	return g
}

// Draft asks for an answer, and reads it as it comes where r wants to be told of it.
// A mark "[n]" is a citation of evidence n, and no part of the text; one of evidence
// that doesn't exist stays among Cites as a position out of range. NO_ANSWER, words
// to that effect without a citation, a refusal, and a reply that is empty or holds only
// thoughts are a draft without segments, but for those that r was told of before the
// model refused; Notes tell the last three.
//
// A draft that breaks off keeps its whole sentences, and says so in Notes. Where
// nothing came, Else drafts, and the notes say that too; an error is that of the
// model, where there is no Else or where that failed as well.
func (g *Generator) Draft(ctx context.Context, r assay.DraftRequest) (assay.Draft, error) {
	if len(r.Evidence) == 0 {
		return assay.Draft{}, nil // nothing to ask about
	}
	sorted, order := currentFirst(r)
	d := newDrafting(r, order)
	request := draftRequest(sorted)
	request.MaxTokens = g.opts.MaxTokens
	request.Stream = r.OnText != nil || r.OnSegment != nil
	reply, err := g.hear(ctx, request, d)
	refused := reply.Finish == llm.FinishRefused || reply.Finish == llm.FinishFiltered || llm.KindOf(err) == llm.Refused
	if !refused {
		d.end(err != nil || reply.Finish == llm.FinishLength)
	}
	var draft assay.Draft
	switch {
	case err != nil && errors.Is(ctx.Err(), context.Canceled):
		return draft, wrapped("draft the answer", err)
	case refused:
		draft.Segments = d.sieve.segments[:d.sieve.told]
		draft.Notes = refusedNote(said(reply, err))
		if reply.Finish == llm.FinishFiltered { // what it said till then is no refusal
			draft.Notes = []assay.Note{{Code: assay.ReasonRefused, Text: "the server's filter stopped the model's answer"}}
		}
	case err != nil && (len(d.sieve.segments) == 0 || d.sieve.evasive):
		return g.otherwise(ctx, r, err)
	case err != nil:
		draft.Segments = d.sieve.rest()
		draft.Notes = []assay.Note{{Code: assay.ReasonTruncated, Text: "the model's answer broke off: " + err.Error()}}
	default:
		draft = d.finished(reply)
	}
	return draft, nil
}

// hear asks the model and passes on its text as it comes. The reply is the zero Reply
// where the model did not come to its end.
func (g *Generator) hear(ctx context.Context, request llm.Request, d *drafting) (llm.Reply, error) {
	for c, err := range g.model.Generate(ctx, request) {
		if err != nil {
			return llm.Reply{}, err
		}
		d.write(c.Text)
		if c.Reply == nil && d.answered > request.Limit()*bytesPerToken {
			return llm.Reply{Finish: llm.FinishLength}, nil // a server that knows no end
		}
		if c.Reply != nil {
			if rest := c.Reply.Text; len(rest) > d.heard {
				d.write(rest[d.heard:]) // of a model that doesn't stream
			}
			return *c.Reply, nil
		}
	}
	return llm.Reply{}, llm.NoReply()
}

// bytesPerToken is more than tokens have, on the average of a text.
const bytesPerToken = 16

// otherwise has the draft made without the model.
func (g *Generator) otherwise(ctx context.Context, r assay.DraftRequest, why error) (assay.Draft, error) {
	code := assay.ReasonModelDown
	switch {
	case errors.Is(why, llm.ErrSpent), ctx.Err() != nil:
		code = assay.ReasonBudget
	case llm.KindOf(why) == "": // a fault of ours
		return assay.Draft{}, wrapped("draft the answer", why)
	}
	if g.opts.Else == nil {
		return assay.Draft{}, wrapped("draft the answer", why)
	}
	draft, err := g.opts.Else.Draft(ctx, r)
	if err != nil {
		return assay.Draft{}, fmt.Errorf("%w; and without the model: %w", wrapped("draft the answer", why), err)
	}
	note := assay.Note{Code: code, Text: fmt.Sprintf("the model could not be asked (%v)", why)}
	if e := (*llm.Error)(nil); errors.As(why, &e) && (e.Status >= 500 || e.Kind == llm.TimedOut) {
		note.Text = fmt.Sprintf("the model was asked in vain (%v)", why)
	}
	if len(draft.Segments) > 0 {
		note.Text += "; the answer is quoted from the documents"
	}
	draft.Notes = append([]assay.Note{note}, draft.Notes...)
	return draft, nil
}

// finished is the draft of a reply that came to its end.
func (d *drafting) finished(reply llm.Reply) assay.Draft {
	cut := reply.Finish == llm.FinishLength
	if cut && len(d.sieve.segments) == 0 && d.units.loose != nil {
		d.sieve.write(*d.units.loose) // better than nothing
	}
	var draft assay.Draft
	if words, ok := d.sieve.evasion(); ok {
		if words != "" {
			draft.Notes = refusedNote(words)
		}
		return draft
	}
	draft.Segments = d.sieve.rest()
	nothing := len(draft.Segments) == 0 && !d.worded
	thought := reply.Reasoning != "" || reply.Tokens.Reasoning > 0 || d.heard > d.answered
	switch {
	case nothing && (thought || cut):
		draft.Notes = []assay.Note{{Code: assay.ReasonTruncated, Text: "the model only thought, and came to no answer within its limit of tokens: raise the limit, or turn its thinking off"}}
	case nothing:
		draft.Notes = []assay.Note{{Code: assay.ReasonModelDown, Text: "the model returned nothing: the reply was empty"}}
	case cut:
		draft.Notes = []assay.Note{{Code: assay.ReasonTruncated, Text: "the model's answer ended in the middle: it reached the limit of its length"}}
	}
	return draft
}

// said is what a model said that refused.
func said(reply llm.Reply, err error) string {
	var e *llm.Error
	if errors.As(err, &e) {
		if e.Raw != "" {
			return e.Raw
		}
		return e.Message
	}
	return reply.Text
}

// refusedNote says that the model would not answer.
func refusedNote(words string) []assay.Note {
	text := "the model would not answer"
	if words = oneLine(words, maxNote); words != "" {
		text += fmt.Sprintf(": “%s”", words)
	}
	return []assay.Note{{Code: assay.ReasonRefused, Text: text}}
}

// WorstCase implements [assay.Estimator]. A draft is not repaired.
func (g *Generator) WorstCase(_ string, of assay.Load) assay.Cost {
	request := draftRequest(assay.DraftRequest{})
	request.MaxTokens = g.opts.MaxTokens
	in := request.EstimateTokens() + of.Question + of.Strips*(assay.StripTokens+tokensPerHeader) + of.Claims*assay.ClaimTokens
	return assay.Cost{Calls: 1, In: in, Out: request.Limit()}
}
