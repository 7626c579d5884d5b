package assay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assay-rag/assay/llm"
)

// SearchResult is what the gate makes of a search, with nothing generated.
type SearchResult struct {
	Version    int             `json:"version"` // AnswerVersion
	Question   string          `json:"question"`
	Verdict    Verdict         `json:"verdict"`
	Passages   []PassageReport `json:"passages"` // best first
	Thresholds Thresholds      `json:"thresholds"`
	Reasons    []Note          `json:"reasons"`
	Usage      UsageReport     `json:"usage"`
}

// Search retrieves once and grades what it found: the gate alone, without
// rewrites, fallback or an answer. In the modes without a gate nothing is graded.
// A grader that failed gives the verdict Undetermined and a reason, not an error.
func (e *Engine) Search(ctx context.Context, q Query) (*SearchResult, error) {
	r, err := e.newRun(q, nil)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(llm.WithMeter(ctx, r.meter), r.meter.Budget().Time)
	defer cancel()
	r.mode, r.words, r.needsRetrieval = r.query.Mode, r.query.Question, true
	if r.mode == ModeAuto {
		r.mode = ModeFull
	}
	if _, err := r.retrieve(ctx); err != nil {
		return nil, fmt.Errorf("assay search: %w", err)
	}
	if r.mode.gates() {
		if _, err := r.grade(ctx); err != nil {
			r.note(ReasonUndetermined, "%v", err)
		}
		r.noteSearch()
	}
	return &SearchResult{
		Version: AnswerVersion, Question: r.query.Question, Verdict: r.verdict, Passages: r.evidence.reports(),
		Thresholds: *r.opts.Thresholds, Reasons: append([]Note{}, r.notes...),
		Usage: usageReport(r.meter.Used(), time.Since(r.start)),
	}, nil
}

// noteSearch says what is wrong with what was found.
func (r *run) noteSearch() {
	if r.verdict == Incorrect {
		r.noteNoAnswer(nil)
		return
	}
	r.noteEvidence()
}

// CheckRequest is a text to be checked against documents.
type CheckRequest struct {
	Text       string
	Collection string
	Filter     Filter
	// Evidence is what to check against. nil: what the engine's Retriever finds for
	// each claim. Empty but not nil: nothing, so that every claim is unsupported.
	Evidence []Passage
}

// CheckResult says what the documents make of a text, claim by claim.
type CheckResult struct {
	Version   int         `json:"version"`  // AnswerVersion
	Grounded  bool        `json:"grounded"` // every claim is supported; false where there is no claim
	Claims    []Claim     `json:"claims"`
	Citations []Citation  `json:"citations"`
	Reasons   []Note      `json:"reasons"`
	Usage     UsageReport `json:"usage"`
}

// MaxChecked is the longest text Check accepts, in bytes.
const MaxChecked = 256 << 10

// checkPassages is how many passages are looked up for a claim.
const checkPassages = 8

// errNotChecked marks claims that could not be checked: never a silent pass.
var errNotChecked = errors.New("the claims were not checked")

// Check splits a text into claims and judges each against the evidence, one
// search a claim, within the engine's budget of time, calls, tokens and money. An
// error means that the text was not judged; it is never to be read as "grounded".
func (e *Engine) Check(ctx context.Context, c CheckRequest) (*CheckResult, error) {
	start := time.Now()
	budget := e.opts.Budget
	budget.Searches = llm.Unlimited
	meter := llm.NewMeter(budget)
	ctx, cancel := context.WithTimeout(llm.WithMeter(ctx, meter), budget.Time)
	defer cancel()
	if len(c.Text) > MaxChecked {
		return nil, fmt.Errorf("assay check: %w: the text has %d bytes and may have %d; check it in parts", ErrBadQuery, len(c.Text), MaxChecked)
	}
	result := &CheckResult{Version: AnswerVersion, Claims: []Claim{}, Citations: []Citation{}, Reasons: []Note{}}
	draft := checkedDraft{checked: true}
	for _, strip := range StripsOf(Passage{Text: c.Text, End: len(c.Text)}) {
		claim := draftClaim{Claim: Claim{Text: strip.Text}, check: strip.Text}
		if err := e.checkClaim(ctx, meter, c, &draft, &claim); err != nil {
			return nil, fmt.Errorf("assay check: %w: %w", errNotChecked, err)
		}
		draft.claims = append(draft.claims, claim)
	}
	result.Citations = draft.cite()
	result.Claims = draft.shown()
	result.Grounded = len(result.Claims) > 0 && draft.grounded()
	if len(result.Claims) == 0 {
		result.Reasons = append(result.Reasons, Note{ReasonNoQuestion, "the text holds no claim that could be checked"})
	}
	result.Usage = usageReport(meter.Used(), time.Since(start))
	return result, nil
}

// checkClaim looks up the evidence for one claim and judges it. The strips that
// speak of the claim are added to the draft's, so that they can be cited.
func (e *Engine) checkClaim(ctx context.Context, meter *llm.Meter, c CheckRequest, draft *checkedDraft, claim *draftClaim) error {
	evidence := c.Evidence
	if evidence == nil {
		if err := meter.Reserve(llm.Usage{Searches: 1}); err != nil {
			return err
		}
		var err error
		evidence, err = e.parts.Retriever.Retrieve(ctx, Search{
			Words: claim.check, Collection: cmp.Or(c.Collection, DefaultCollection), Filter: c.Filter, K: checkPassages,
		})
		if err != nil {
			return err
		}
	}
	var strips []Strip
	seen := map[passageKey]bool{}
	for _, p := range evidence {
		if p.Origin == "" {
			p.Origin = OriginIndex
		}
		for _, s := range StripsOf(p) {
			place := passageKey{p.Document, s.Start, s.End, p.Origin}
			if !seen[place] {
				seen[place] = true
				strips = append(strips, s)
			}
		}
	}
	findings, err := e.parts.Checker.Check(ctx, []string{claim.check}, strips)
	if err != nil {
		return err
	}
	if len(findings) != 1 {
		return fmt.Errorf("the checker returned %d findings for one claim", len(findings))
	}
	claim.Support, claim.Score = findings[0].Support, findings[0].Score
	carries := validEvidence(findings[0].Evidence, len(strips))
	for _, i := range carries[:min(len(carries), maxCites)] {
		claim.evidence = append(claim.evidence, draft.hold(strips[i]))
	}
	return nil
}

// hold adds a strip to those that can be cited, once, and returns its position.
func (d *checkedDraft) hold(s Strip) int {
	for i, held := range d.strips {
		if held.Passage.Document == s.Passage.Document && held.Start == s.Start && held.End == s.End && held.Passage.Origin == s.Passage.Origin {
			return i
		}
	}
	d.strips = append(d.strips, s)
	return len(d.strips) - 1
}
