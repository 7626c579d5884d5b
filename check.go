package assay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/text"
)

// Checker judges claims against evidence (Self-RAG's IsSup), and nothing else:
// not the question, not the world.
type Checker interface {
	// Check returns one Finding a claim, in their order. A claim on which it
	// failed is SupportUndetermined; an error means that it failed on all. A
	// claim checked against no evidence is Unsupported. A short answer comes with
	// its question, as "Question: How long is it? Answer: 26 weeks". May be called
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

// checked is the finding, or an undetermined one where it is none: a support that
// does not exist, a score outside [0, 1].
func (f Finding) checked() Finding {
	known := slices.Contains([]Support{Supported, PartiallySupported, Unsupported, Contradicted, SupportUndetermined}, f.Support)
	if !known || !(0 <= f.Score && f.Score <= 1) { // written so that NaN fails
		return Finding{Support: SupportUndetermined}
	}
	return f
}

// resting is the finding, or an unsupported one where it rests on evidence that
// states nothing: a question, an order to say so, a statement said to be false.
// Models take these for support. What quotes a question or a denial rests on it.
func (f Finding) resting(claim string, evidence []Strip) Finding {
	on := validEvidence(f.Evidence, len(evidence))
	if f.Support != Supported && f.Support != PartiallySupported || len(on) == 0 {
		return f
	}
	own := text.MoodOf(claim, "")
	for _, i := range on {
		after := evidence[i].after()
		mood := text.MoodOf(evidence[i].Text, after)
		if text.Stated(evidence[i].Text, after) || mood == own && mood != text.Orders {
			return f
		}
	}
	return Finding{Support: Unsupported}
}

// askChecker has claims judged against evidence by a Checker, and holds its findings to
// what a finding may be: one for each claim.
func askChecker(ctx context.Context, checker Checker, claims []string, evidence []Strip) ([]Finding, error) {
	findings, err := checker.Check(llm.WithStep(ctx, BillCheck), claims, evidence)
	if err != nil {
		return nil, err
	}
	if len(findings) != len(claims) {
		return nil, fmt.Errorf("the checker returned %d findings for %d claims", len(findings), len(claims))
	}
	held := make([]Finding, len(findings))
	for i, f := range findings {
		held[i] = f.checked().resting(claims[i], evidence)
	}
	return held, nil
}

// check has the claims of a draft judged against evidence.
func (r *run) check(ctx context.Context, claims []draftClaim, evidence []Strip) ([]Finding, error) {
	texts := make([]string, len(claims))
	for i, c := range claims {
		texts[i] = c.check
	}
	return askChecker(ctx, r.parts.Checker, texts, evidence)
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
// search a claim, within the engine's budget of time, calls, tokens and money.
// Claims beyond the budget are undetermined. An error means that the text was not
// judged (ErrBadQuery: it is longer than MaxChecked); it is never to be read as
// "grounded".
func (e *Engine) Check(ctx context.Context, c CheckRequest) (*CheckResult, error) {
	start := time.Now()
	budget := e.opts.Budget
	budget.Searches = llm.Unlimited
	meter := llm.NewMeter(budget)
	limited, cancel := meter.Limit(llm.WithMeter(ctx, meter))
	defer cancel()
	var spent error
	if len(c.Text) > MaxChecked {
		return nil, fmt.Errorf("assay check: %w: the text has %d bytes and may have %d; check it in parts", ErrBadQuery, len(c.Text), MaxChecked)
	}
	result := &CheckResult{Version: AnswerVersion, Claims: []Claim{}, Citations: []Citation{}, Reasons: []Note{}}
	draft := checkedDraft{checked: true}
	for _, statement := range claimsOf(c.Text) {
		claim := draftClaim{Claim: Claim{Text: statement, Support: SupportUndetermined}, check: statement}
		if spent == nil {
			short, err := e.checkClaim(limited, meter, c, &draft, &claim)
			if short != "" {
				result.Reasons = noted(result.Reasons, Note{ReasonSearchShort, short})
			}
			switch {
			case err == nil:
			case ctx.Err() != nil:
				return nil, fmt.Errorf("assay check: %w: %w", errNotChecked, context.Cause(ctx))
			case errors.Is(err, llm.ErrSpent):
				spent = err
			case limited.Err() != nil:
				spent = fmt.Errorf("%w: time: at most %s", llm.ErrSpent, budget.Time)
			default:
				return nil, fmt.Errorf("assay check: %w: %w", errNotChecked, err)
			}
		}
		draft.claims = append(draft.claims, claim)
	}
	if spent == nil {
		spent = meter.Denied()
	}
	if spent != nil {
		result.Reasons = append(result.Reasons, Note{ReasonBudget, spent.Error()})
	}
	result.Reasons = notedFailures(result.Reasons, meter)
	result.Citations = draft.cite()
	result.Claims = draft.shown()
	result.Grounded = len(result.Claims) > 0 && draft.grounded()
	if len(result.Claims) == 0 {
		result.Reasons = append(result.Reasons, Note{ReasonNoQuestion, "the text holds no claim that could be checked"})
	}
	result.Usage = usageReport(meter, time.Since(start))
	return result, nil
}

// Headings of so few words, and without a figure, claim nothing.
const minHeadingWords = 5

// claimsOf splits a text into claims: its strips, and such headings as may say
// something. A question claims nothing, nor does a single word ("Thanks!", "[1]").
func claimsOf(s string) []string {
	out := stripsAndHeadings(s)
	return slices.DeleteFunc(out, func(claim string) bool {
		return len(text.Words(claim)) < 2 || text.Asking(claim)
	})
}

func stripsAndHeadings(s string) []string {
	var out []string
	for _, b := range blocksOf(s) {
		block := strings.TrimSpace(b.Of(s))
		if text.IsHeading(block) {
			block = strings.TrimSpace(strings.TrimLeft(block, "#"))
			if len(strings.Fields(block)) >= minHeadingWords || strings.ContainsAny(block, "0123456789") {
				out = append(out, block)
			}
			continue
		}
		for _, strip := range StripsOf(Passage{Text: block, End: len(block)}) {
			out = append(out, strip.Text)
		}
	}
	return out
}

// checkClaim looks up the evidence for one claim and judges it. The strips that
// speak of the claim are added to the draft's, so that they can be cited. short is
// Found.Short of the search.
func (e *Engine) checkClaim(ctx context.Context, meter *llm.Meter, c CheckRequest, draft *checkedDraft, claim *draftClaim) (short string, err error) {
	found := Found{Passages: c.Evidence}
	if c.Evidence == nil {
		if err := meter.Reserve(llm.Usage{Searches: 1}); err != nil {
			return "", err
		}
		found, err = e.parts.Retriever.Retrieve(ctx, Search{
			Words: claim.check, Collection: cmp.Or(c.Collection, DefaultCollection), Filter: c.Filter, K: checkPassages,
		})
		if err != nil {
			return "", err
		}
	}
	var strips []Strip
	seen := map[passageKey]bool{}
	for _, p := range found.Passages {
		if p.Origin == "" {
			p.Origin = OriginIndex
		}
		for _, s := range StripsOf(p) {
			if !seen[s.key()] {
				seen[s.key()] = true
				strips = append(strips, s)
			}
		}
	}
	findings, err := askChecker(ctx, e.parts.Checker, []string{claim.check}, strips)
	if err != nil {
		return found.Short, err
	}
	f := findings[0]
	claim.Support, claim.Score = f.Support, f.Score
	carries := validEvidence(f.Evidence, len(strips))
	for _, i := range carries[:min(len(carries), maxCites)] {
		claim.evidence = append(claim.evidence, draft.citable(strips[i]))
	}
	return found.Short, nil
}

// citable adds a strip to those that can be cited, once, and returns its position.
func (d *checkedDraft) citable(s Strip) int {
	for i, held := range d.strips {
		if held.key() == s.key() {
			return i
		}
	}
	d.strips = append(d.strips, s)
	return len(d.strips) - 1
}
