package evaluator

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/text"
)

// verbatim is the probability given to a claim that stands in the evidence to
// the letter: a judgement, short of 1 because evidence can be quoted out of place.
const verbatim = 0.99

// adds is what another strip must add to a claim's coverage to be named with the
// best: a judgement.
const adds = 0.1

// Check compares each claim with the evidence, term by term, and by what a network
// reads where there is one. It implements [assay.Checker].
func (e *Evaluator) Check(ctx context.Context, claims []string, evidence []assay.Strip) ([]assay.Finding, error) {
	all := make([]checking, len(claims))
	exhibits := e.exhibits(evidence)
	for i, claim := range claims {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all[i] = e.newChecking(claim, evidence, exhibits)
	}
	if err := e.readClaims(ctx, all, evidence); err != nil {
		return nil, err
	}
	findings := make([]assay.Finding, len(claims))
	for i := range all {
		findings[i] = e.checkClaim(&all[i], evidence)
	}
	return findings, nil
}

// checking is a claim on its way to a finding.
type checking struct {
	claim string
	// denies: the claim says of a statement that it is false, and this is checked.
	denies   bool
	quoted   int // the strip that the claim quotes, -1 for none
	exhibits []exhibit
	found    support
	// reading is what the network makes of claim and evidence; nil without one.
	reading *reading
	weakest float64 // the log-odds that its weakest part is supported
}

func (e *Evaluator) newChecking(claim string, evidence []assay.Strip, exhibits []exhibit) checking {
	c := checking{claim: claim, quoted: quotedFrom(claim, evidence), exhibits: exhibits}
	if c.quoted >= 0 {
		return c
	}
	if statement, rest := text.Denied(claim); statement != "" && rest == "" {
		c.claim, c.denies = statement, true
		c.quoted = quotedFrom(statement, evidence)
	}
	c.found = e.compare(c.claim, exhibits, false)
	return c
}

func (e *Evaluator) checkClaim(c *checking, evidence []assay.Strip) assay.Finding {
	f := assay.Finding{Support: assay.Supported, Score: verbatim, Evidence: []int{c.quoted}}
	if c.quoted < 0 {
		f = e.checkStated(c, evidence)
		switch at := c.found.whereDenied(); {
		case at < 0 || f.Support == assay.Supported:
		case c.found.claim.negated: // a denial of the same in other words
			f = assay.Finding{Support: assay.PartiallySupported, Score: max(f.Score, e.weights.Support.Partial), Evidence: []int{at}}
		default:
			f = assay.Finding{Support: assay.Contradicted, Score: min(f.Score, e.weights.Support.Partial), Evidence: []int{at}}
		}
	}
	if c.denies {
		return opposite(f)
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

// whereDenied returns the strip that says of the claim that it is false, -1
// where there is none.
func (found *support) whereDenied() int {
	for i := range found.denials {
		if found.denials[i].score >= opposed {
			return found.denials[i].strip
		}
	}
	return -1
}

// checkStated judges a claim by the sentences that state something.
func (e *Evaluator) checkStated(c *checking, evidence []assay.Strip) assay.Finding {
	found := &c.found
	if found.best == nil || found.best.score == 0 {
		return assay.Finding{Support: assay.Unsupported}
	}
	if at := saidBy(c.claim, found.clues); at >= 0 {
		return assay.Finding{Support: assay.Supported, Score: verbatim, Evidence: []int{at}}
	}
	v := found.judge(evidence)
	if v.asked {
		stated := *c
		stated.reading = nil // of what asks too
		stated.found = e.compare(c.claim, c.exhibits, true)
		return e.checkStated(&stated, evidence)
	}
	t, p := &e.weights.Support, e.weights.Claim.Probabilities(found.x[:])
	if c.reading != nil {
		t, p = &e.weights.Network.Support, e.weights.Network.Claim.Probabilities(c.claimFeatures(p))
	}
	f := t.decide(found, v, p)
	if len(f.Evidence) > 0 && boundsClash(c.claim, evidence[f.Evidence[0]].Text) {
		return assay.Finding{Support: assay.Contradicted, Score: min(f.Score, t.Partial), Evidence: f.Evidence[:1]}
	}
	if f.Support == assay.Supported && len(f.Evidence) > 0 && obligationClash(c.claim, evidence[f.Evidence[0]].Text) {
		f.Support, f.Score = assay.PartiallySupported, min(f.Score, t.Supported)
	}
	return f
}

// mostStrips is how many strips are read with a claim. Of more, those are left out
// that share the least with it: to read a whole page takes as long as to write a claim.
const mostStrips = 24

// readClaims has the network read the claims that aren't quotations, each with the
// strips that say something of it.
func (e *Evaluator) readClaims(ctx context.Context, all []checking, evidence []assay.Strip) error {
	if e.reader == nil {
		return nil
	}
	err := e.readTogether(ctx, all, evidence)
	if !errors.Is(err, encoder.ErrTooLong) {
		return err
	}
	for i := range all { // a claim of a page is judged by its words, the others as ever
		if err := e.readTogether(ctx, all[i:i+1], evidence); err != nil && !errors.Is(err, encoder.ErrTooLong) {
			return err
		}
	}
	return nil
}

// readTogether reads all of the claims in one call, or none.
func (e *Evaluator) readTogether(ctx context.Context, all []checking, evidence []assay.Strip) error {
	var pairs []encoder.Pair
	var claimOf []*checking // of each pair; a claim's first pair is the whole of it
	for i := range all {
		c := &all[i]
		if c.quoted >= 0 || c.found.best == nil || foreign(c.exhibits[c.found.best.strip].language) {
			continue
		}
		body := c.found.evidenceText(evidence)
		for _, part := range append([]string{c.claim}, partsOf(c.claim)...) {
			pairs, claimOf = append(pairs, encoder.Pair{A: part, B: body}), append(claimOf, c)
		}
	}
	readings, err := e.read(ctx, pairs)
	if err != nil {
		return err
	}
	for i, r := range readings {
		c := claimOf[i]
		if c.reading != nil { // the whole was read already
			c.weakest = min(c.weakest, r.supported)
			continue
		}
		c.reading, c.weakest = r, r.supported
	}
	return nil
}

// What a part of a claim has at least, and how many are read at most: to read each
// takes as long as the whole.
const (
	partWords = 4
	mostParts = 4
)

// partsOf are the clauses of a claim that say something by themselves, in their order;
// none where there is but one.
func partsOf(claim string) []string {
	var parts []string
	start, ends := 0, clauseEnds(claim)
	for k, end := range ends {
		words := len(text.Words(claim[start:end]))
		rest := len(text.Words(claim[end:]))
		if last := k+1 == len(ends); last || words >= partWords && rest >= partWords && len(parts)+1 < mostParts {
			parts = append(parts, strings.TrimSpace(strings.TrimRight(claim[start:end], " ,;:")))
			start = end
		}
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}

// evidenceText is the evidence as the network reads it: the strips that have
// sentences to go by, in their order.
func (found *support) evidenceText(evidence []assay.Strip) string {
	best := make([]float64, len(evidence))
	for i := range best {
		best[i] = -1
	}
	for i := range found.clues {
		best[found.clues[i].strip] = max(best[found.clues[i].strip], found.clues[i].score)
	}
	var read []int // positions of strips, the best first
	for i, score := range best {
		if score >= 0 {
			read = append(read, i)
		}
	}
	slices.SortStableFunc(read, func(i, j int) int { return cmp.Compare(best[j], best[i]) })
	read = read[:min(len(read), mostStrips)]
	slices.Sort(read)
	parts := make([]string, len(read))
	for k, i := range read {
		parts[k] = strings.TrimSpace(evidence[i].Text)
	}
	return strings.Join(parts, " ")
}

// following is what stands after a strip in its passage.
func following(s assay.Strip) string {
	if at := s.End - s.Passage.Start; 0 <= at && at <= len(s.Passage.Text) {
		return s.Passage.Text[at:]
	}
	return ""
}

// exhibits takes evidence apart, once for all claims.
func (e *Evaluator) exhibits(evidence []assay.Strip) []exhibit {
	out := make([]exhibit, len(evidence))
	for i, s := range evidence {
		out[i] = newExhibit(e.analyze(joined(s.Text), s.Passage.Language), e.headings(s.Passage), following(s))
		out[i].language = s.Passage.Language
	}
	return out
}

// compare takes a claim apart and compares it with the evidence: with all that this
// says and asks, or with what is stated alone.
func (e *Evaluator) compare(claim string, evidence []exhibit, stated bool) support {
	language := ""
	if len(evidence) > 0 {
		language = evidence[0].language
	}
	return e.weighSupport(e.statement(joined(claim), language), evidence, stated)
}

// decide makes a finding of the model's probabilities and of what became of the
// telling parts. The model judges the wording; a part that can't be reworded and
// does not stand where the rest of the claim does outweighs it.
func (t *SupportThresholds) decide(found *support, v account, p []float64) assay.Finding {
	score := p[outSupported]
	carriers := found.carriers(&v)
	whole := v.missing == 0 && !v.denied && !found.deniedAmong(carriers)
	switch {
	case v.rest >= opposed && (v.clash || v.denied && v.missing == 0):
		return assay.Finding{Support: assay.Contradicted, Score: min(score, t.Partial), Evidence: []int{v.base.strip}}
	case v.clash, v.absent > 0 && v.carried == 0:
		return assay.Finding{Support: assay.Unsupported, Score: min(score, t.Partial)}
	case score >= t.Supported && !found.clash && whole:
		return assay.Finding{Support: assay.Supported, Score: score, Evidence: carriers}
	case found.contradicts(p[outContradicted] >= t.Contradicted, score < t.Partial):
		return assay.Finding{Support: assay.Contradicted, Score: min(score, t.Partial), Evidence: []int{found.best.strip}}
	case score >= t.Partial:
		if !whole {
			score = min(score, t.Supported)
		}
		return assay.Finding{Support: assay.PartiallySupported, Score: score, Evidence: carriers}
	}
	return assay.Finding{Support: assay.Unsupported, Score: score}
}

// deniedAmong tells whether one of the strips that carry the claim together denies
// what it is there for.
func (found *support) deniedAmong(strips []int) bool {
	for i := range found.clues {
		if slices.Contains(strips, found.clues[i].strip) && found.clues[i].score >= adds && found.claim.deniedBy(&found.clues[i]) {
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
func (found *support) contradicts(likely, unlikelySupported bool) bool {
	switch {
	case !found.clash:
		return false
	case found.x[cDenied] >= mirrored || found.x[cDenying] >= mirrored:
		return true
	case found.x[cOpposite] > 0 && found.best.score >= opposed:
		return true
	case found.coversQuestion && unlikelySupported:
		return true
	}
	if len(found.claim.values) > 0 && found.x[cFigureBest] == 0 && found.x[cClash] == 0 {
		return false // a sentence without a figure has nothing against one
	}
	return likely && found.best.score >= aligned
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
		if claim != body && claim != body[markLength(body):] &&
			(formOf(claim) != tableForm || !strings.HasPrefix(body, claim+"\n")) {
			continue
		}
		mood := text.MoodOf(body, following(s))
		if mood == text.Orders || mood == text.Denies && text.MoodOf(body, "") != mood {
			continue // an order, or denied by what follows
		}
		return i
	}
	return -1
}

// carriers are the strips that carry the claim together: the one with the rest of
// it, those with its other telling parts, and others by what they add.
func (found *support) carriers(v *account) []int {
	strips := []int{v.base.strip}
	for _, at := range v.with {
		if len(strips) < 3 {
			strips = append(strips, at)
		}
	}
	c := cover{found.claim.terms, make([]float64, len(found.claim.terms))}
	for i := range found.clues {
		if slices.Contains(strips, found.clues[i].strip) {
			c.take(found.clues[i].strengths)
		}
	}
	for len(strips) < 3 {
		at := c.next(found.clues, adds)
		if at < 0 {
			break
		}
		if strip := found.clues[at].strip; !slices.Contains(strips, strip) {
			strips = append(strips, strip)
		}
	}
	return strips
}
