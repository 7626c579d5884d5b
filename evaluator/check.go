package evaluator

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// verbatim is the probability given to a claim that stands in the evidence to
// the letter.
const verbatim = 0.99

// adds is what another strip must add to a claim's coverage to be named with the
// best.
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
	found := e.compare(claim, evidence)
	if found.best == nil || found.best.score == 0 {
		return assay.Finding{Support: assay.Unsupported}
	}
	if at, ok := verbatimStrip(claim, evidence, found); ok {
		return assay.Finding{Support: assay.Supported, Score: verbatim, Evidence: []int{at}}
	}
	p := e.weights.Claim.Probabilities(found.x[:])
	t := e.weights.Support
	finding := assay.Finding{Score: p[outSupported]}
	switch {
	case p[outSupported] >= t.Supported && !found.clash:
		finding.Support = assay.Supported
		finding.Evidence = found.carriers()
	case found.contradicts(p[outContradicted] >= t.Contradicted, finding.Score < t.Partial):
		finding.Support = assay.Contradicted
		finding.Score = min(finding.Score, t.Partial)
		finding.Evidence = []int{found.best.strip}
	case p[outSupported] >= t.Partial:
		finding.Support = assay.PartiallySupported
		finding.Evidence = found.carriers()
	default:
		finding.Support = assay.Unsupported
	}
	return finding
}

// How much of a claim the best sentence must hold to contradict it, and how much
// of claim and clause must agree for a bare denial or an opposite to do.
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
	return likely && s.best.score >= aligned
}

// The outputs of the claim model.
const (
	outSupported = iota
	outNeutral
	outContradicted
	claimOutputs
)

// verbatimStrip tells whether the claim stands in one of the strips to the letter, and
// in which.
func verbatimStrip(claim string, evidence []assay.Strip, found support) (strip int, ok bool) {
	const near = 0.95 // of the best sentence's coverage, so that few are aligned
	tried := -1
	for _, c := range found.clues {
		if c.score < near {
			break
		}
		if c.strip == tried {
			continue
		}
		tried = c.strip
		if _, similarity := text.Align(claim, evidence[c.strip].Text); similarity >= 1 {
			return c.strip, true
		}
	}
	return 0, false
}

// quotedFrom returns the position of the strip that the claim quotes whole, as an
// extractive answer does: all of it, all but the mark of a list item, or a table
// from its head to some row. It is -1 where there is none.
func quotedFrom(claim string, evidence []assay.Strip) int {
	for i, s := range evidence {
		body := strings.TrimSpace(s.Text)
		if claim == body || claim == body[markLength(body):] ||
			formOf(claim) == tableForm && strings.HasPrefix(body, claim+"\n") {
			return i
		}
	}
	return -1
}

// carriers are the strips that carry the claim together: the best, and others by
// what they add.
func (s *support) carriers() []int {
	strips := []int{s.best.strip}
	have := slices.Clone(s.best.strengths)
	for len(strips) < 3 {
		bestGain, at := adds, -1
		for i, c := range s.clues {
			gain := 0.0
			for j, share := range s.shares {
				gain += share * max(0, c.strengths[j]-have[j])
			}
			if gain > bestGain {
				bestGain, at = gain, i
			}
		}
		if at < 0 {
			break
		}
		for j, v := range s.clues[at].strengths {
			have[j] = max(have[j], v)
		}
		if !slices.Contains(strips, s.clues[at].strip) {
			strips = append(strips, s.clues[at].strip)
		}
	}
	return strips
}
