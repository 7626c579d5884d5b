package evaluator

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// verbatim is the probability given to a claim that stands in the evidence to
// the letter: a judgement, short of 1 because evidence can be quoted out of place.
const verbatim = 0.99

// adds is what another strip must add to a claim's coverage to be named with the
// best: a judgement.
const adds = 0.1

// Check compares each claim with the evidence, term by term. It implements
// [assay.Checker].
func (e *Evaluator) Check(ctx context.Context, claims []string, evidence []assay.Strip) ([]assay.Finding, error) {
	findings := make([]assay.Finding, len(claims))
	for i, claim := range claims {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		findings[i] = e.checkClaim(claim, evidence)
	}
	return findings, nil
}

func (e *Evaluator) checkClaim(claim string, evidence []assay.Strip) assay.Finding {
	if at := quotedFrom(claim, evidence); at >= 0 {
		return assay.Finding{Support: assay.Supported, Score: verbatim, Evidence: []int{at}}
	}
	if statement, denied := text.Denied(claim); denied {
		return opposite(e.checkClaim(statement, evidence))
	}
	found := e.compare(claim, evidence, false)
	f := e.checkStated(claim, evidence, &found)
	if f.Support != assay.Supported {
		if at := found.deniedAsFalse(); at >= 0 {
			return assay.Finding{Support: assay.Contradicted, Score: min(f.Score, e.weights.Support.Partial), Evidence: []int{at}}
		}
	}
	return f
}

// opposite is the finding on the denial of a claim.
func opposite(f assay.Finding) assay.Finding {
	switch f.Support {
	case assay.Supported:
		f.Support = assay.Contradicted
	case assay.Contradicted:
		f.Support = assay.Supported
	default:
		return assay.Finding{Support: assay.Unsupported}
	}
	f.Score = 1 - f.Score
	return f
}

// deniedAsFalse returns the strip that says of the claim that it is false, -1
// where there is none.
func (s *support) deniedAsFalse() int {
	for i := range s.denials {
		if s.denials[i].score >= opposed {
			return s.denials[i].strip
		}
	}
	return -1
}

// checkStated judges a claim by the sentences that state something.
func (e *Evaluator) checkStated(claim string, evidence []assay.Strip, found *support) assay.Finding {
	if found.best == nil || found.best.score == 0 {
		return assay.Finding{Support: assay.Unsupported}
	}
	if at := saidBy(claim, found.clues); at >= 0 {
		return assay.Finding{Support: assay.Supported, Score: verbatim, Evidence: []int{at}}
	}
	v := found.judge(evidence)
	if v.asked {
		stated := e.compare(claim, evidence, true)
		return e.checkStated(claim, evidence, &stated)
	}
	f := e.weights.Support.decide(found, v, e.weights.Claim.Probabilities(found.x[:]))
	if len(f.Evidence) > 0 && boundsClash(claim, evidence[f.Evidence[0]].Text) {
		return assay.Finding{Support: assay.Contradicted, Score: min(f.Score, e.weights.Support.Partial), Evidence: f.Evidence[:1]}
	}
	if f.Support == assay.Supported && len(f.Evidence) > 0 && obligationClash(claim, evidence[f.Evidence[0]].Text) {
		f.Support, f.Score = assay.PartiallySupported, f.Score*e.weights.Support.Supported
	}
	return f
}

// compare takes a claim and its evidence apart and compares them: with all that the
// evidence says and asks, or with what is stated alone.
func (e *Evaluator) compare(claim string, evidence []assay.Strip, stated bool) support {
	language := ""
	if len(evidence) > 0 {
		language = evidence[0].Passage.Language
	}
	exhibits := make([]exhibit, len(evidence))
	for i, s := range evidence {
		exhibits[i] = exhibit{e.analyze(joined(s.Text), s.Passage.Language), e.headings(s.Passage)}
	}
	return e.weighSupport(e.statement(joined(claim), language), exhibits, stated)
}

// decide makes a finding of the model's probabilities and of what became of the
// telling parts. The model judges the wording; a part that can't be reworded and
// does not stand where the rest of the claim does outweighs it.
func (t *SupportThresholds) decide(found *support, v verdict, p []float64) assay.Finding {
	score := p[outSupported]
	carriers := found.carriers(&v)
	whole := v.missing == 0 && !v.denied && !found.deniedAmong(carriers)
	switch {
	case v.rest >= opposed && (v.clash || v.denied && v.missing == 0):
		return assay.Finding{Support: assay.Contradicted, Score: min(score, t.Partial), Evidence: []int{v.base.strip}}
	case v.clash, v.absent > 0 && v.carried == 0:
		return assay.Finding{Support: assay.Unsupported, Score: score * t.Partial}
	case score >= t.Supported && !found.clash && whole:
		return assay.Finding{Support: assay.Supported, Score: score, Evidence: carriers}
	case found.contradicts(p[outContradicted] >= t.Contradicted, score < t.Partial):
		return assay.Finding{Support: assay.Contradicted, Score: min(score, t.Partial), Evidence: []int{found.best.strip}}
	case score >= t.Partial:
		if !whole {
			score *= t.Supported
		}
		return assay.Finding{Support: assay.PartiallySupported, Score: score, Evidence: carriers}
	}
	return assay.Finding{Support: assay.Unsupported, Score: score}
}

// deniedAmong tells whether one of the strips that carry the claim together denies
// what it is there for.
func (s *support) deniedAmong(strips []int) bool {
	for i := range s.clues {
		if slices.Contains(strips, s.clues[i].strip) && s.clues[i].score >= adds && s.claim.deniedBy(&s.clues[i]) {
			return true
		}
	}
	return false
}

// How much of a claim the best sentence must hold to contradict it, and how much
// of claim and clause must agree for a bare denial or an opposite to do:
// judgements, high because a right answer that is called wrong is worse than a
// wrong one that is called unsupported.
const (
	aligned  = 0.6
	mirrored = 0.95
	opposed  = 0.75
)

// contradicts tells whether the clash that was seen contradicts the claim: the
// model finds it likely and the rest aligns; or the evidence answers the short
// claim's question otherwise; or it says the claim's words with a negation more
// or less, or with an opposite.
func (s *support) contradicts(likely, unlikelySupported bool) bool {
	switch {
	case !s.clash:
		return false
	case s.x[cDenied] >= mirrored || s.x[cDenying] >= mirrored:
		return true
	case s.x[cOpposite] > 0 && s.best.score >= opposed:
		return true
	case s.otherwise && unlikelySupported:
		return true
	}
	if len(s.claim.values) > 0 && s.x[cFigureBest] == 0 && s.x[cClash] == 0 {
		return false // a sentence without a figure has nothing against one
	}
	return likely && s.best.score >= aligned
}

// The outputs of the claim model.
const (
	outSupported = iota
	outNeutral
	outContradicted
	claimOutputs // how many there are
)

// quotedFrom returns the position of the strip that the claim quotes whole, as an
// extractive answer does, and that is no order to whoever answers: all of it, all but the mark of a list item, or a table
// from its head to some row. It is -1 where there is none.
func quotedFrom(claim string, evidence []assay.Strip) int {
	for i, s := range evidence {
		body := strings.TrimSpace(s.Text)
		if text.MoodOf(body) == text.Orders {
			continue
		}
		if claim == body || claim == body[markLength(body):] ||
			formOf(claim) == tableForm && strings.HasPrefix(body, claim+"\n") {
			return i
		}
	}
	return -1
}

// carriers are the strips that carry the claim together: the one with the rest of
// it, those with its other telling parts, and others by what they add.
func (s *support) carriers(v *verdict) []int {
	strips := []int{v.base.strip}
	for _, at := range v.with {
		if len(strips) < 3 {
			strips = append(strips, at)
		}
	}
	c := cover{s.claim.terms, make([]float64, len(s.claim.terms))}
	for i := range s.clues {
		if slices.Contains(strips, s.clues[i].strip) {
			c.take(s.clues[i].strengths)
		}
	}
	for len(strips) < 3 {
		at := c.next(s.clues, adds)
		if at < 0 {
			break
		}
		if strip := s.clues[at].strip; !slices.Contains(strips, strip) {
			strips = append(strips, strip)
		}
	}
	return strips
}
